/** A stage whose tables are given by name: it uses them as its own, and creates, changes and deletes none. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "#infra/deploy/build-app.ts";
import { losesAccounts, usesGivenTables } from "#infra/stage/first-deployment.ts";
import { outputs, stackName } from "#infra/stage/outputs.ts";
import { type StageSettings, stageNamed } from "#infra/stage/stage.ts";
import { type Resource, text, unbundled } from "#test/support/template.ts";

const given = {
  keys: "old-keys",
  counters: "old-counters",
  ledger: "old-ledger",
  tasks: "old-tasks",
  accounts: "old-accounts",
};
const scratch = mkdtempSync(join(tmpdir(), "given-tables-"));

/** The template of `prod` with these settings. CloudFormation's checks of it are left out: the deploy test has them. */
function templateOf(settings: StageSettings) {
  const outdir = join(scratch, Object.keys(settings).join("-"));
  const { app } = buildApp({ stage: "prod", settings, outdir, context: unbundled, isLocal: true });
  const { template } = app.synth().getStackByName(stackName("prod"));
  return {
    resources: template.Resources as Record<string, Resource>,
    outputs: template.Outputs as Record<string, { Value: unknown }>,
  };
}

let owning: ReturnType<typeof templateOf>;
let naming: ReturnType<typeof templateOf>;

beforeAll(() => {
  owning = templateOf({});
  naming = templateOf({ tables: given });
});

afterAll(() => rmSync(scratch, { recursive: true }));

const globalTable = "AWS::DynamoDB::GlobalTable";

/** The resources with the names and ARNs of tables in the places where they refer to tables of their own. */
function referring(resources: Record<string, Resource>): unknown {
  const named = Object.entries(given).map(([table, name]): [RegExp, string] => [
    new RegExp(`^${table}Table[0-9A-F]{8}$`, "i"),
    name,
  ]);
  const nameOf = (id: unknown) => named.find(([pattern]) => pattern.test(String(id)))?.[1];
  const arnOf = (name: string, path: string) => {
    const parts = [":dynamodb:", ":", ":table/"];
    const [partition, region, account] = ["Partition", "Region", "AccountId"].map((each) => ({
      Ref: `AWS::${each}`,
    }));
    return {
      "Fn::Join": ["", ["arn:", partition, parts[0], region, parts[1], account, `${parts[2]}${name}${path}`]],
    };
  };
  return JSON.parse(JSON.stringify(resources), (key, value: Record<string, unknown[]> | string | null) => {
    if (typeof value === "string") return value.replace(/(CurrentVersion)[0-9a-fA-F]{40}/, "$1");
    if (typeof value !== "object" || value === null) return value;
    // CDK sorts the resources of a statement by how they are written.
    if (key === "Resource" && Array.isArray(value)) return sorted(value);
    const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join } = value;
    const own = nameOf(Ref) ?? nameOf(attribute?.[0]);
    if (own !== undefined) return Ref ? own : arnOf(own, "");
    // A joint with the name of a given table in it has one part less.
    const parts = (join?.[1] ?? []) as unknown[];
    if (parts.some((part, i) => typeof part === "string" && typeof parts[i + 1] === "string")) {
      const left = joined(parts);
      return left.length === 1 ? left[0] : { "Fn::Join": ["", left] };
    }
    // An index is the joint of the table's ARN and its own path.
    const [table, path] = (join?.[1] ?? []) as [{ "Fn::Join"?: [string, unknown[]] }, string];
    const inner = table?.["Fn::Join"]?.[1].at(-1);
    if (typeof inner !== "string" || typeof path !== "string") return value;
    return arnOf(inner.replace(":table/", ""), path);
  });
}

function sorted(resources: unknown[]): unknown[] {
  return resources.map((each) => JSON.stringify(each)).sort();
}

/** The parts of a joint, with texts that stand side by side as one. */
function joined(parts: unknown[]): unknown[] {
  const done: unknown[] = [];
  for (const part of parts) {
    const last = done.at(-1);
    const isText = typeof last === "string" && typeof part === "string";
    if (isText) done.splice(-1, 1, last + part);
    else done.push(part);
  }
  return done;
}

describe("a stage with tables by name", () => {
  it("is the same stage but for the tables themselves", () => {
    const kept = Object.entries(owning.resources).filter(
      ([id, { Type }]) => Type !== globalTable || /^(Board|Cache)Table/.test(id),
    );
    const versions = (resources: Record<string, Resource>) =>
      Object.fromEntries(
        Object.entries(resources).map(([id, each]) => [id.replace(/(CurrentVersion).*/, "$1"), each]),
      );
    expect(referring(versions(naming.resources))).toEqual(referring(versions(Object.fromEntries(kept))));
    expect(JSON.stringify(naming.resources)).toContain(":table/old-counters/index/meters");
    expect(JSON.stringify(naming.resources)).toContain(":table/old-accounts/index/due");
  });

  it("gets a table of its own for accounts where its file names the four that were there before", () => {
    const { accounts: _, ...four } = given;
    const { resources, outputs: published } = templateOf({ tables: four, alarmEmail: "a@b" });
    const tables = Object.entries(resources).filter(([, { Type }]) => Type === globalTable);
    expect(tables.map(([id]) => id.replace(/Table.*/, "")).sort()).toEqual(["Accounts", "Board", "Cache"]);
    expect(text(published[outputs.accountsTable]?.Value)).toBe("AccountsTable");
    expect(published[outputs.ledgerTable]?.Value).toBe(given.ledger);
  });

  it("publishes their names, by which the operator finds them", () => {
    const { keysTable, countersTable, ledgerTable, tasksTable, accountsTable, boardTable } = outputs;
    const published = [keysTable, countersTable, ledgerTable, tasksTable, accountsTable];
    expect(published.map((name) => naming.outputs[name]?.Value)).toEqual(Object.values(given));
    expect(text(naming.outputs[boardTable]?.Value)).toBe("BoardTable");
  });

  it("leaves the tables that it had of its own in the account, when it changes to others", () => {
    const gone = Object.entries(owning.resources).filter(([id]) => !(id in naming.resources));
    const tables = gone.filter(([, { Type }]) => Type === globalTable);
    expect(tables.map(([id]) => id.replace(/Table.*/, "")).sort()).toEqual([
      ...["Accounts", "Counters", "Keys", "Ledger", "Tasks"],
    ]);
    for (const [, { DeletionPolicy }] of tables) expect(DeletionPolicy).toBe("RetainExceptOnCreate");
  });

  it("is told from one with tables of its own by its resources", () => {
    expect([owning, naming].map(({ resources }) => usesGivenTables(Object.keys(resources)))).toEqual([
      false,
      true,
    ]);
  });

  it("loses its accounts if its file names that table no more, and is told so before", () => {
    const { accounts: _, ...four } = given;
    const stack = { Outputs: [{ OutputKey: outputs.accountsTable, OutputValue: given.accounts }] };
    const [own, named] = [owning, naming].map(({ resources }) => Object.keys(resources));
    expect(losesAccounts(stack, named ?? [], four)).toBe(true);
    expect(losesAccounts(stack, named ?? [], given)).toBe(false);
    expect(losesAccounts(stack, own ?? [], undefined)).toBe(false);
    // A stack of a release without accounts has none to lose.
    expect(losesAccounts({ Outputs: [] }, named ?? [], four)).toBe(false);
  });

  it("does not use one table for two", () => {
    for (const table of ["tasks", "accounts"]) {
      expect(() => stageNamed("prod", { tables: { ...given, [table]: given.keys } })).toThrow(
        "tables: old-keys is named twice",
      );
    }
  });
});
