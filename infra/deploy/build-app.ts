/** Builds the CDK app for the CLI and the tests. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Annotations, type App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { digestOf, offerOf } from "#shared/books/prices/offer.ts";
import { bundledCatalogName } from "../bundles/bundle-files.ts";
import { bundledCode } from "../bundles/bundled-code.ts";
import { compiledCatalog } from "../catalog/catalog.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { addStack, openApp } from "../stack/gateway-app.ts";
import type { GatewayStack } from "../stack/gateway-stack.ts";
import { SettingError } from "../stage/setting-error.ts";
import { type StageSettings, stageNamed, withProtection, withRollback } from "../stage/stage.ts";
import { readStageFile, settingNames, stageFile } from "../stage/stage-file.ts";
import { offerName } from "./price-confirmation.ts";

interface AppOptions {
  /** The stage, as `-c stage=…` on the command line. `prod` without either. */
  stage?: string;
  /** The stage's settings, in the place of those in its file. */
  settings?: StageSettings;
  /** A catalog to bundle instead of that of the settings. */
  catalogFile?: string;
  /** Where the assembly goes. If absent, where the CLI wants it, or else a temporary folder. */
  outdir?: string;
  /** The region that is deployed to, where the template is to know it. */
  region?: string;
  /** Nothing is deployed: no file of a stage is read, and CloudFormation's checks are skipped, half of a synthesis. */
  isLocal?: boolean;
  /** More context, beside that of `cdk.json` and of the command line. */
  context?: Record<string, unknown>;
}

/**
 * The app, ready for `app.synth()`, and its one stack. Synthesis fails on every finding of the rule packs that nobody
 * has acknowledged. Throws when the catalog or a setting is not valid, or the stage has no file.
 */
export function buildApp(options: AppOptions = {}): { app: App; stack: GatewayStack } {
  const app = openApp({
    ...(options.context ? { context: options.context } : {}),
    ...(options.outdir ? { outdir: options.outdir } : {}),
    builtinCloudFormationValidation: !options.isLocal,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const name = options.stage ?? contextText(app, "stage") ?? "prod";
  const { catalog, ...settings } = options.settings ?? (options.isLocal ? {} : settingsOfFile(app, name));
  const shifted = withRollback(stageNamed(name, settings), contextText(app, "rollback") ?? "on");
  const stage = withProtection(shifted, contextText(app, "protection") ?? "on");
  const catalogFile = options.catalogFile ?? catalog ?? defaultCatalog;
  const compiled = compiledCatalog(catalogFile);
  const bundled = resolve(app.outdir, bundledCatalogName);
  writeFileSync(bundled, compiled.text);
  const { catalog: called } = compiled;
  const stack = addStack(app, { stage, code: bundledCode(bundled), catalog: called, region: options.region });
  noteOffer(stack, compiled.catalog, contextText(app, "offer"));
  if (stage.deletionProtection && stage.alarmEmail === undefined) {
    const why = `The settings of the stage ${name} have no alarmEmail: nobody is told of alarms (infra/README.md).`;
    Annotations.of(stack).addWarningV2("model-gateway:noAlarmEmail", why);
  }
  return { app, stack };
}

/** Notes in the template what is offered. Throws when the catalog has changed since it was `confirmed`. */
function noteOffer(stack: GatewayStack, bundled: Catalog, confirmed: string | undefined): void {
  const offer = offerOf(bundled);
  if (confirmed !== undefined && confirmed !== digestOf(offer)) {
    throw new SettingError("The catalog has changed since its prices were compared. Deploy again.");
  }
  stack.addMetadata(offerName, offer);
}

/** The settings in the stage's file. Throws when one stands in the context, where another deployment could forget it. */
function settingsOfFile(app: App, name: string): StageSettings {
  const folder = contextText(app, "stages");
  const settings = readStageFile(name, folder);
  const misplaced = settingNames.find((each) => app.node.tryGetContext(each) !== undefined);
  if (misplaced === undefined) return settings;
  throw new SettingError(
    `${misplaced} is a setting of the stage, and is not read from -c or cdk.json. Write "${misplaced}" into ${stageFile(name, folder)}, and leave it out here: then every deployment has it.`,
  );
}

/**
 * A setting of the context; undefined when missing or empty. Throws when it is no text: `cdk.json` could hold a number.
 */
function contextText(app: App, name: string): string | undefined {
  const value: unknown = app.node.tryGetContext(name);
  if (value !== undefined && typeof value !== "string")
    throw new Error(`${name} in the context must be a text`);
  return value || undefined;
}
