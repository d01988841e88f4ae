/** Builds the CDK app for the CLI, the local runtime and the tests. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { bundledCatalogName, compileCatalog } from "./catalog.ts";
import { GatewayStack } from "./gateway-stack.ts";
import { stackName } from "./outputs.ts";
import {
  stageNamed,
  withFront,
  withGatewayConcurrency,
  withProtection,
  withRollback,
  withTaskLifetime,
} from "./stage.ts";

interface AppOptions {
  /** The stage, as `-c stage=…` on the command line. `prod` without either. */
  stage?: string;
  /** A catalog to bundle instead of the default one, as `-c catalog=…` on the command line. */
  catalogFile?: string;
  /** How many seconds a video task may wait for its provider, as `-c taskLifetimeSeconds=…`. A day without either. */
  taskLifetimeSeconds?: string;
  /** Where the assembly goes. If absent, where the CLI wants it, or else a temporary folder. */
  outdir?: string;
  /** The region that is deployed to, where the template is to know it. */
  region?: string;
  /** Nothing is deployed, so CloudFormation's own checks of the template are skipped. They are half of a synthesis. */
  isLocal?: boolean;
  /** More context, beside that of `cdk.json` and of the command line. */
  context?: Record<string, unknown>;
}

const root = join(import.meta.dirname, "..");

/**
 * The app, ready for `app.synth()`, and its one stack. Synthesis fails on every finding of the rule packs that nobody
 * has acknowledged with a reason. Throws when the catalog or a setting is not valid.
 */
export function buildApp(options: AppOptions = {}): { app: App; stack: GatewayStack } {
  const app = new App({
    context: { "aws:cdk:enable-asset-metadata": true, ...featureFlags(), ...options.context },
    ...(options.outdir ? { outdir: options.outdir } : {}),
    builtinCloudFormationValidation: !options.isLocal,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const named = stageNamed(options.stage ?? contextText(app, "stage") ?? "prod");
  const lifetime = options.taskLifetimeSeconds ?? contextText(app, "taskLifetimeSeconds");
  const timed = lifetime === undefined ? named : withTaskLifetime(named, lifetime);
  const calls = contextText(app, "gatewayConcurrency");
  const capped = calls === undefined ? timed : withGatewayConcurrency(timed, calls);
  // A local start has a stand-in for the function URL, and none for a Web Function.
  const front = options.isLocal ? undefined : contextText(app, "front");
  const fronted = front === undefined ? capped : withFront(capped, front);
  const guarded = withRollback(fronted, contextText(app, "rollback") ?? "on");
  const stage = withProtection(guarded, contextText(app, "protection") ?? "on");
  const catalogFile =
    options.catalogFile ?? contextText(app, "catalog") ?? join(root, "shared/catalog/catalog.json");
  const alarmEmail = contextText(app, "alarmEmail");
  const stack = new GatewayStack(app, stackName(stage.name), {
    stage,
    description: "Model gateway: authenticates, admits, forwards, streams, meters and settles model calls.",
    catalogFile: compileCatalog(catalogFile, resolve(app.outdir, bundledCatalogName)),
    outdir: app.outdir,
    alarmEmail,
    ...(options.region && { env: { region: options.region } }),
  });
  return { app, stack };
}

/** The flags of `cdk.json`, so that an app built in this process is the same as the one the CLI deploys. */
function featureFlags(): Record<string, unknown> {
  const settings = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as {
    context: Record<string, unknown>;
  };
  return settings.context;
}

/**
 * A setting of the context, undefined when it is missing or empty. Throws when it is not text: `cdk.json`
 * could hold a number.
 */
function contextText(app: App, name: string): string | undefined {
  const value: unknown = app.node.tryGetContext(name);
  if (value !== undefined && typeof value !== "string")
    throw new Error(`${name} in the context must be a text`);
  return value || undefined;
}
