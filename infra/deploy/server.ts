/** `npm run server -- -c stage=NAME`: builds a stage's server for a container (infra/resources/fronts.md). */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundledCatalogName } from "../bundles/bundle-files.ts";
import { bundleServer } from "../bundles/server-bundle.ts";
import { compileCatalog } from "../catalog/catalog.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { SettingError } from "../stage/setting-error.ts";
import { readStageFile } from "../stage/stage-file.ts";
import { settingsOf } from "./deploy-arguments.ts";

function build(args: readonly string[]): void {
  const { stage = "prod", stages } = settingsOf(args, {});
  const { catalog = defaultCatalog } = readStageFile(stage, stages);
  const outdir = resolve("cdk.out");
  const folder = join(outdir, "server");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  bundleServer(folder, compileCatalog(catalog, join(outdir, bundledCatalogName)));
  console.error(`The server of the stage ${stage} is in ${folder}, with the catalog ${catalog}.`);
}

try {
  build(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
