/** Reading a synthesized template: resources by name, references as text, a role's grants as lines. */
import { join } from "node:path";
import { expect } from "vitest";
import { bundleName } from "#infra/bundles/bundle-files.ts";
import { buildApp } from "#infra/deploy/build-app.ts";
import type { GatewayStack } from "#infra/stack/gateway-stack.ts";
import { stackName } from "#infra/stage/outputs.ts";
import type { StageSettings } from "#infra/stage/stage.ts";

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is foreign JSON, and every use asserts its shape.
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  UpdatePolicy?: Record<string, unknown>;
  Metadata?: Record<string, string>;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** The context for tests that read the template alone: bundles take most of a synthesis. */
export const unbundled = { "aws:cdk:bundling-stacks": [] };

/**
 * The resources of a template that is only read: without bundles, and without CloudFormation's own checks, which are half
 * of a synthesis. Their ids are without hashes.
 */
export function resourcesOf(
  options: Parameters<typeof buildApp>[0] & { outdir: string },
): [string, Resource][] {
  const context = { ...unbundled, ...options.context };
  const [stack] = buildApp({ settings: {}, ...options, context, isLocal: true }).app.synth().stacks;
  const template = stack?.template as Template | undefined;
  return Object.entries(template?.Resources ?? {}).map(([id, resource]) => [bare(id), resource]);
}

/** A stage's stack, synthesized: the constructs, the template, and where its bundles are. */
export class Synthesized {
  readonly app: ReturnType<typeof buildApp>["app"];
  readonly stack: GatewayStack;
  readonly outputs: Record<string, string>;
  readonly #template: Template;
  readonly #outdir: string;

  /**
   * The stage has `settings`, and not those of its file, which belongs to whoever deploys it. Each set of settings and
   * context has a folder of its own. CloudFormation's own checks have a test
   * of their own (test/deployed/template-checks.test.ts).
   */
  constructor(
    stage: string,
    scratch: string,
    catalogFile?: string,
    context: Record<string, unknown> = {},
    settings: StageSettings = {},
  ) {
    const parts = [context, settings].flatMap((each) => Object.values(each).flat());
    this.#outdir = join(scratch, [stage, ...parts.filter((each) => typeof each !== "object")].join("-"));
    const catalog = catalogFile ? { catalogFile } : {};
    const built = buildApp({ stage, settings, outdir: this.#outdir, context, isLocal: true, ...catalog });
    this.app = built.app;
    this.stack = built.stack;
    this.#template = this.app.synth().getStackByName(stackName(stage)).template as Template;
    const values = Object.entries(this.#template.Outputs).map(([name, { Value }]) => [name, text(Value)]);
    this.outputs = Object.fromEntries(values);
  }

  /** All resources by their names in the template. */
  get resources(): Record<string, Resource> {
    return this.#template.Resources;
  }

  /** All resources of a type, with their names. */
  all(type: string): [string, Resource][] {
    return Object.entries(this.#template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, resource]) => [bare(id), resource]);
  }

  /** The resource of that type and name; fails the test unless there is exactly one. */
  one(type: string, name: string): Resource {
    const found = this.all(type).filter(([each]) => each === name);
    expect(found, `${type} ${name}`).toHaveLength(1);
    return found[0]?.[1] as Resource;
  }

  /** The folder of the server. */
  get server(): string {
    return join(this.#outdir, "server");
  }

  /** The file that Lambda would run. */
  bundle(name: string): string {
    const asset = this.one("AWS::Lambda::Function", name).Metadata?.["aws:asset:path"];
    return join(this.#outdir, String(asset), bundleName);
  }

  /** A function's environment, references as text. */
  environment(name: string): Record<string, string> {
    const { Variables } = this.one("AWS::Lambda::Function", name).Properties.Environment;
    return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, text(value)]));
  }

  /** Everything a role may do, sorted, one line per action and resource, with what it is bound to. */
  grants(role: string): string[] {
    return this.all("AWS::IAM::Policy")
      .filter(([, { Properties }]) => Properties.Roles.some((owner: unknown) => text(owner) === role))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .flatMap(grantLines)
      .sort();
  }
}

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

function grantLines({ Effect, Action, Resource, Condition }: Statement): string[] {
  expect(Effect).toBe("Allow");
  const bound = Condition ? ` ${boundTo(Condition)}` : "";
  const resources = [Resource].flat().map(text);
  return resources.flatMap((resource) => [Action].flat().map((action) => `${action} ${resource}${bound}`));
}

/**
 * What a condition binds a grant to: the patterns of `dynamodb:LeadingKeys`, to whom a role is stated, or where a mail
 * comes from. The first two must also refuse a request that names none of them.
 */
function boundTo(condition: Record<string, Record<string, unknown>>): string {
  const {
    "ForAllValues:StringLike": like,
    "ForAllValues:StringEquals": told,
    StringEquals: exact,
    Null: absent,
    ...rest
  } = condition;
  if (exact) {
    expect([absent, rest]).toEqual([undefined, {}]);
    return `from ${String(exact["ses:FromAddress"])}`;
  }
  if (told) {
    expect(absent).toEqual({ "sts:IdentityTokenAudience": "false" });
    expect(rest).toEqual({ NumericLessThanEquals: { "sts:DurationSeconds": "300" } });
    return String(told["sts:IdentityTokenAudience"]);
  }
  expect(rest).toEqual({});
  expect(absent).toEqual({ "dynamodb:LeadingKeys": "false" });
  return String(like?.["dynamodb:LeadingKeys"]);
}

/** A logical id without the hash that CDK appends to it. */
function bare(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, "");
}

/**
 * A `Ref`, `Fn::GetAtt` or `Fn::Join` over them as text: names for references. A part of an alias's ARN is the alias,
 * and `Fn::Sub` is its pattern. Throws on anything else.
 */
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Join": joined } = value as Record<string, unknown[]>;
  const { "Fn::Select": selected, "Fn::Split": split } = value as Record<string, unknown[]>;
  const { "Fn::Sub": filled } = value as Record<string, unknown>;
  if (filled) return String(filled);
  if (selected) return text(selected[1]);
  if (split) return text(split[1]);
  if (Ref) return bare(String(Ref));
  if (attribute) return bare(String(attribute[0]));
  if (joined) return (joined[1] as unknown[]).map(text).join(String(joined[0]));
  throw new Error(`unexpected intrinsic ${JSON.stringify(value)}`);
}
