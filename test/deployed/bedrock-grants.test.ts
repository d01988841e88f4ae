/**
 * What a stage may invoke at Bedrock, compared with what its catalog names, both ways. Policies are read as AWS reads
 * them (docs.aws.amazon.com/bedrock, "Geographic cross-Region inference", "Global cross-Region inference").
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample } from "#test/support/catalog.ts";
import { type Resource, resourcesOf, text } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "bedrock-grants-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const [partition, region, account] = ["AWS::Partition", "AWS::Region", "AWS::AccountId"] as const;
const home = `arn:${partition}:bedrock`;

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: { ArnLike?: Record<string, unknown> };
}

/** The policies of a role of the stage. What is too long for one of the role's own is in a managed one. */
function policiesOf(resources: readonly [string, Resource][], role: string): [string, Resource][] {
  return resources.filter(
    ([, { Type, Properties }]) =>
      /^AWS::IAM::(?:Managed)?Policy$/.test(Type) && Properties.Roles.map(text).includes(role),
  );
}

/** The statements on Bedrock, and on roles, of a role of the stage. */
function statementsOf(resources: readonly [string, Resource][], role: string): Statement[] {
  return policiesOf(resources, role)
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[])
    .filter(({ Action }) =>
      [Action].flat().some((action) => /^(?:bedrock|sts:AssumeRole|sts:TagSession)/.test(action)),
    );
}

/** A value of a template with names as long as AWS's own for what is known at the deployment alone. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  const isReference = Object.keys(value).some((name) => name === "Ref" || name.startsWith("Fn::"));
  if (!isReference)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]));
  const known = text(value)
    .replace(partition, "aws")
    .replace(region, "ap-southeast-2")
    .replace(account, "1".repeat(12));
  return known.startsWith("arn:") ? known : "x".repeat(120);
}

const like = (pattern: string, value: string) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[^\w]/g, "\\$&"))
      .join(".*")}$`,
  ).test(value);

/** Whether statements allow an action on a resource, perhaps by way of an inference profile. */
function allows(
  statements: readonly Statement[],
  action: string,
  resource: string,
  profile?: string,
): boolean {
  return statements.some(({ Effect, Action, Resource, Condition }) => {
    expect(Effect).toBe("Allow");
    const bound = Object.entries(Condition?.ArnLike ?? {}).flatMap(([key, value]) => {
      expect(key).toBe("bedrock:InferenceProfileArn");
      return [value].flat().map(text);
    });
    return (
      [Action].flat().includes(action) &&
      [Resource]
        .flat()
        .map(text)
        .some((pattern) => like(pattern, resource)) &&
      (Condition === undefined || bound.some((pattern) => profile !== undefined && like(pattern, profile)))
    );
  });
}

let folders = 0;
function stage(catalog: unknown, settings = {}): readonly [string, Resource][] {
  const catalogFile = join(scratch, `${folders++}.json`);
  writeFileSync(catalogFile, JSON.stringify(catalog));
  return resourcesOf({ stage: "prod", catalogFile, settings, outdir: `${catalogFile}.out` });
}

const others = ["SettleRole", "SweepRole", "LearnerRole", "VideoTaskRole", "ConsoleRole"];
const invoking = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];

/** The sample with providers at Bedrock, whose models are these, each with an id of its own. */
function at(urls: Record<string, { url: string; credential?: object; models: string[] }>): Catalog {
  const base = sample();
  const [model] = base.models;
  const providers = Object.entries(urls).map(([name, { url, credential }]) => [
    name,
    { protocols: { anthropic: url }, auth: "aws_role", ...(credential && { credential }) },
  ]);
  const models = Object.entries(urls).flatMap(([provider, { models: names }]) =>
    names.map((name, index) => ({
      ...model,
      id: `${provider}/m${index}`,
      aliases: [],
      channels: [{ provider, model: name }],
    })),
  );
  return parseCatalog({
    ...base,
    providers: { ...base.providers, ...Object.fromEntries(providers) },
    models: [...base.models, ...models],
  });
}

const runtime = (place: string) => `https://bedrock-runtime.${place}.amazonaws.com`;

describe("a stage whose catalog names models at Bedrock", () => {
  const application = `arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/a1b2c3d4e5f6`;
  const assumed = "arn:aws:iam::210987654321:role/bedrock";
  const resources = stage(
    at({
      here: {
        url: runtime("{region}"),
        models: ["global.anthropic.claude-opus-5", "amazon.titan-embed-text-v2:0"],
      },
      west: { url: runtime("us-west-2"), models: ["us.meta.llama4-scout-17b-instruct-v1:0", application] },
      mantle: {
        url: "https://bedrock-mantle.us-east-1.api.aws/anthropic",
        models: ["anthropic.claude-opus-5"],
      },
      theirs: {
        url: runtime("eu-west-1"),
        credential: { role_arn: assumed, session_tags: "organization" },
        models: ["anthropic.claude-sonnet-5"],
      },
    }),
  );
  const gateway = statementsOf(resources, "GatewayRole");
  const may = (resource: string, profile?: string) =>
    invoking.map((action) => allows(gateway, action, resource, profile));
  const both = [true, true];
  const neither = [false, false];

  it("may invoke a model in the region whose address is called, and in no other", () => {
    const name = "foundation-model/amazon.titan-embed-text-v2:0";
    expect(may(`${home}:${region}::${name}`)).toEqual(both);
    expect(may(`${home}:us-west-2::${name}`)).toEqual(neither);
  });

  it("may invoke a profile, and the model behind it by way of a profile alone, in every region that AWS takes", () => {
    const profile = `${home}:${region}:${account}:inference-profile/global.anthropic.claude-opus-5`;
    expect(may(profile)).toEqual(both);
    for (const place of [region, "eu-north-1", ""]) {
      const model = `${home}:${place}::foundation-model/anthropic.claude-opus-5`;
      expect(may(model, profile)).toEqual(both);
      expect(may(model)).toEqual(neither);
    }
    const other = `${home}:${region}:${account}:inference-profile/eu.anthropic.claude-opus-5`;
    expect(may(other)).toEqual(neither);
    const west = `${home}:us-west-2:${account}:inference-profile/us.meta.llama4-scout-17b-instruct-v1:0`;
    expect(may(west)).toEqual(both);
    expect(may(west.replace("us-west-2", region))).toEqual(neither);
  });

  it("may count tokens of Claude by the model behind a profile, where it is called", () => {
    const count = (resource: string) => allows(gateway, "bedrock:CountTokens", resource);
    const name = "foundation-model/anthropic.claude-opus-5";
    expect(count(`${home}:${region}::${name}`)).toBe(true);
    expect(count(`${home}:us-west-2::${name}`)).toBe(false);
    expect(count(`${home}:eu-west-1::foundation-model/anthropic.claude-sonnet-5`)).toBe(false);
  });

  it("may invoke what an application's profile leads to, by way of that profile alone", () => {
    expect(may(application)).toEqual(both);
    const model = `${home}:us-east-1::foundation-model/amazon.nova-pro-v1:0`;
    expect(may(model, application)).toEqual(both);
    expect(may(model, application.replace("a1b2", "ffff"))).toEqual(neither);
    expect(may(model)).toEqual(neither);
  });

  it("may ask the other address of Bedrock in its region", () => {
    const project = `arn:${partition}:bedrock-mantle:us-east-1:${account}:project/default`;
    expect(allows(gateway, "bedrock-mantle:CreateInference", project)).toBe(true);
    expect(allows(gateway, "bedrock-mantle:CreateInference", project.replace("us-east-1", "us-east-2"))).toBe(
      false,
    );
  });

  it("may assume the roles that are named, and invokes nothing by its own for them", () => {
    expect(allows(gateway, "sts:AssumeRole", assumed)).toBe(true);
    expect(allows(gateway, "sts:AssumeRole", `${assumed}2`)).toBe(false);
    const tagging = gateway.filter(({ Action }) => Action === "sts:TagSession");
    expect(tagging).toEqual([
      {
        ...{ Effect: "Allow", Action: "sts:TagSession", Resource: assumed },
        Condition: {
          "ForAllValues:StringEquals": { "aws:TagKeys": ["organization"] },
          Null: { "aws:TagKeys": "false" },
        },
      },
    ]);
    expect(may(`${home}:eu-west-1::foundation-model/anthropic.claude-sonnet-5`)).toEqual(neither);
  });

  it("has nothing of this for the other functions", () => {
    for (const role of others) expect(statementsOf(resources, role)).toEqual([]);
  });
});

describe("a stage with the catalog bedrock", () => {
  const catalog = readCatalog(join(defaultCatalog, "../bedrock"));
  const resources = stage(catalog);
  const gateway = statementsOf(resources, "GatewayRole");
  const called = catalog.models.flatMap(({ channels }) =>
    channels.flatMap(({ provider, model }) => {
      const { auth, protocols = {} } = catalog.providers[provider] ?? {};
      const [url = ""] = Object.values(protocols);
      const [, place] = /bedrock-runtime\.([^.]+)\./.exec(url) ?? [];
      return auth === "aws_role" ? [{ model, place: place === "{region}" ? region : (place ?? "") }] : [];
    }),
  );

  it("may invoke every one of its models where it is called", () => {
    expect(called.length).toBeGreaterThan(30);
    for (const { model, place } of called) {
      const isProfile = /^(?:global|us|eu)\./.test(model);
      const profile = `${home}:${place}:${account}:inference-profile/${model}`;
      const behind = `${home}:${place}::foundation-model/${model.replace(/^(?:global|us|eu)\./, "")}`;
      for (const action of invoking) {
        if (isProfile) expect(allows(gateway, action, profile), model).toBe(true);
        expect(allows(gateway, action, behind, isProfile ? profile : undefined), model).toBe(true);
      }
    }
  });

  it("may invoke nothing that no model of it names", () => {
    const granted = gateway.flatMap(({ Resource }) => [Resource].flat().map(text));
    const names = granted.map((resource) => resource.slice(resource.lastIndexOf("/") + 1));
    const wanted = called.flatMap(({ model }) => [model, model.replace(/^(?:global|us|eu)\./, "")]);
    expect(names.filter((name) => !wanted.includes(name))).toEqual([]);
    expect(new Set(granted).size).toBe(granted.length);
  });

  it("has policies that are short enough for AWS, and not too many", () => {
    const sizes = policiesOf(resources, "GatewayRole").map(
      ([, { Type, Properties }]) => [Type, JSON.stringify(filled(Properties.PolicyDocument)).length] as const,
    );
    const managed = sizes.filter(([type]) => type === "AWS::IAM::ManagedPolicy");
    expect(sizes.length - managed.length).toBe(1);
    // A role may have ten of them.
    expect(managed.length).toBeLessThan(10);
    for (const [type, size] of sizes) expect(size).toBeLessThan(type === "AWS::IAM::Policy" ? 10_240 : 6_144);
  });
});

it("the learner may invoke what the cache compares meanings by, and no other model", () => {
  const catalog = at({
    here: { url: runtime("us-east-1"), models: ["amazon.nova-micro-v1:0", "amazon.nova-pro-v1:0"] },
  });
  const embedder = { ...catalog.models[0], id: "acme/vectors", aliases: [], capabilities: ["embeddings"] };
  const cache = { embedder: "acme/vectors", verifier: "here/m0" };
  const resources = stage({ ...catalog, models: [...catalog.models, embedder], cache });
  const learner = statementsOf(resources, "LearnerRole").flatMap(({ Resource }) =>
    [Resource].flat().map(text),
  );
  expect(learner).toEqual([`${home}:us-east-1::foundation-model/amazon.nova-micro-v1:0`]);
});

it.each(["service", "web"] as const)("the front %s may do the same", (front) => {
  const service = {
    name: "api.example.com",
    certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/a",
  };
  const catalog = at({ here: { url: runtime("us-east-1"), models: ["amazon.nova-micro-v1:0"] } });
  const resources = stage(catalog, { front, ...(front === "service" && { service }) });
  const role = front === "service" ? "ServiceGatewayTaskRole" : "WebGatewayRole";
  expect(statementsOf(resources, role)).toHaveLength(1);
});

it("a stage with the default catalog may invoke nothing there", () => {
  const resources = stage(readCatalog(defaultCatalog));
  for (const role of ["GatewayRole", ...others]) expect(statementsOf(resources, role)).toEqual([]);
});
