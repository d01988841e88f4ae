/** An operator at work: every kind of command under the stage's own role, and nothing besides. */
import assert from "node:assert/strict";
import type { CheckResult } from "#infra/operator/doctor/check.ts";
import { assumeRole, iam, type Keys, signed } from "./account.ts";
import { type Commands, describe, type Outcome } from "./commands.ts";
import type { Deployed, Step } from "./world.ts";

/** What `doctor` must say of a stage on the emulator. Everything else must be ok. */
const expected: Readonly<Record<string, string>> = {
  // Nobody has been named who is told.
  "alarm mail": "warn",
  // The catalog has the demo provider in every provider's place.
  "provider keys": "warn",
  providers: "warn",
  // Nobody has said whether MiniMax's models run Anthropic's search, so they have no rate for it.
  "agents' tools": "warn",
  // Some prices of the catalog are only in a list of June.
  prices: "warn",
  // The stage has no gatewayConcurrency.
  concurrency: "warn",
  // The host of the function URL is a name that only the emulator itself answers for.
  gateway: "fail",
  "gateway version": "unknown",
  "gateway catalog": "unknown",
  console: "fail",
  rates: "unknown",
  plans: "unknown",
  // Messages go to an inbox of the test, and nobody can pay.
  platforms: "warn",
  // The emulator makes tables without recovery and expiry, whatever the template says.
  tables: "fail",
};

const checksOf = ({ out }: Outcome) => (JSON.parse(out) as { checks: CheckResult[] }).checks;

/** The commands under the operators' role. AWS asks no policy of a user whom the role names; the emulator does. */
export async function asOperator(on: Deployed): Promise<{ role: Keys; commands: Commands }> {
  const { emulator, keys, operator, seen, commandsAs } = on;
  const arn = seen.outputs.OperatorRoleArn ?? "";
  const PolicyDocument = JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Resource: arn }],
  });
  const policy = { UserName: "operator", PolicyName: "assume", PolicyDocument };
  await iam(emulator, keys, { Action: "PutUserPolicy", ...policy });
  const role = await assumeRole(emulator, operator, arn);
  return { role, commands: commandsAs(role) };
}

/** Steps of an operator, after the customer's. */
export const operating: Step<Deployed>[] = [
  [
    "under the operator's role every command works, and none is refused anything",
    async (on) => {
      const { emulator, stage } = on;
      const { commands } = await asOperator(on);
      const run = (line: string) => commands.operator(stage, ...line.split(" "));
      const { id } = await run("org create --name Role --plan lite --points 10");
      const key = await run(`key create --org ${id} --mode payg`);
      await run(`org plan ${id} --plan pro`);
      await Promise.all(
        [
          `org shards ${id} --count 2`,
          `org credit ${id} --points 5 --reference r`,
          `key list --org ${id}`,
        ].map(run),
      );
      await Promise.all([run(`org freeze ${id}`), run(`key revoke ${key.id} --org ${id}`), run("task list")]);
      await Promise.all(["org list", "holds", "redrive", "sweep"].map(run));
      await Promise.all(
        ["seal", "audit", "catalog prices --fill", `org credits ${id}`, "channel list --out"].map(run),
      );
      assert.deepEqual(emulator.takeDenials(), []);
    },
  ],
  [
    "control: the role deletes nothing, and deploys nothing",
    async (on) => {
      const { emulator, seen } = on;
      const { role, commands } = await asOperator(on);
      const headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.DeleteItem",
      };
      const body = JSON.stringify({
        TableName: seen.outputs.LedgerTableName,
        Key: { pk: { S: "a" }, sk: { S: "b" } },
      });
      const { status, text } = await signed(emulator, role, "dynamodb", { body, headers });
      assert.ok(status >= 400 && text.includes("AccessDenied"), text);
      assert.equal(emulator.takeDenials().length, 1);
      const other = await commands.tryOperator("dev", "org", "list");
      assert.equal(other.code, 2);
      emulator.takeDenials();
    },
  ],
  [
    "doctor finds what is odd on an emulator, and nothing else",
    async ({ commands, stage, catalogs }) => {
      // As who deploys: for some of these questions the emulator asks for the permission of another action.
      const outcome = await commands.tryOperator(stage, "doctor", "--catalog", catalogs.first);
      const odd = checksOf(outcome).filter(({ check, status }) => status !== (expected[check] ?? "ok"));
      assert.deepEqual(odd, []);
      assert.equal(outcome.code, 1, describe(outcome));
    },
  ],
];
