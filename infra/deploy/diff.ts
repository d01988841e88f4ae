/**
 * `npm run diff -- -c stage=NAME`: the prices and terms that a deployment would change, with the hash that confirms
 * them, and then what `cdk diff` shows. It reads the template itself, and needs none of the roles of `cdk`
 * (infra/deploy/pipeline/README.md "The roles"). Exits with 1 only where it cannot compare.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { cdkScript, projectContext, projectFolder } from "../stage/cdk.ts";
import { isCreated } from "../stage/first-deployment.ts";
import { stackName } from "../stage/outputs.ts";
import { stageNamed } from "../stage/stage.ts";
import { readStageFile } from "../stage/stage-file.ts";
import { cdkArguments, settingsOf } from "./deploy-arguments.ts";
import { cloudFormation, findStack, templateOf } from "./deployed-stack.ts";
import { offerInFile, offerInTemplate, showPrices, templateOffering } from "./price-confirmation.ts";

const given = process.argv.slice(2);

/** Runs `cdk diff` against the deployed template in a file, and gives its exit code. */
async function compare(template: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-diff-"));
  try {
    const file = join(folder, "deployed.json");
    writeFileSync(file, template);
    // Without a list of notices, which cdk would fetch from the network.
    const args = [cdkScript(), "diff", "--no-notices", "--template", file, ...cdkArguments(given)];
    const child = spawn(process.execPath, args, { cwd: projectFolder, stdio: "inherit" });
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function diff(): Promise<number> {
  const { profile, stage = "prod", stages } = settingsOf(given, projectContext());
  const { catalog = defaultCatalog } = readStageFile(stage, stages);
  const stack = stackName(stage);
  const client = cloudFormation(profile);
  if (!isCreated(await findStack(client, stack))) {
    console.log(`${stack} is not there yet: all of it would be new, and there are no prices to compare.`);
    return await compare("{}");
  }
  const template = await templateOf(client, stack);
  const after = offerInFile(catalog);
  const hash = showPrices({ stack, before: offerInTemplate(template), after }, process.stdout);
  if (hash !== undefined && stageNamed(stage).deletionProtection) {
    console.log(`To deploy this change: --confirm-prices ${hash}`);
  }
  return await compare(templateOffering(template, after));
}

process.exitCode = await diff().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
