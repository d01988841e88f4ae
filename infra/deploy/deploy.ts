/**
 * `npm run deploy -- -c stage=NAME`: `cdk deploy` with the same arguments. A first deployment creates the stack without
 * protection, so that CloudFormation can take it away again, and then protects it. Prices that change are confirmed
 * first (price-confirmation.ts): it exits with 1 if nobody does, and else as `cdk`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type CloudFormationClient,
  paginateListStackResources,
  type Stack,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { digestOf, type Offer } from "#shared/books/prices/offer.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { cdkScript, projectContext, projectFolder } from "../stage/cdk.ts";
import { whyNotReserved } from "../stage/concurrency.ts";
import {
  changesTables,
  isCreated,
  isLost,
  losesAccounts,
  usesGivenTables,
} from "../stage/first-deployment.ts";
import type { GivenTables } from "../stage/given-tables.ts";
import { stackName } from "../stage/outputs.ts";
import { stageNamed } from "../stage/stage.ts";
import { readStageFile, stageFile } from "../stage/stage-file.ts";
import { concurrencyOfAccount } from "./account-limits.ts";
import { cdkArguments, settingsOf } from "./deploy-arguments.ts";
import { cloudFormation, findStack, templateOf } from "./deployed-stack.ts";
import { confirmPrices, offerInFile, offerInTemplate } from "./price-confirmation.ts";

const given = process.argv.slice(2);

/** Runs `cdk deploy` at this terminal, and gives its exit code. */
async function run(...more: string[]): Promise<number> {
  const child = spawn(process.execPath, [cdkScript(), "deploy", ...cdkArguments(given), ...more], {
    cwd: projectFolder,
    stdio: "inherit",
  });
  // A terminal tells both processes of Ctrl-C. This one waits for what cdk makes of it.
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", () => {});
  process.once("SIGTERM", forward);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("SIGTERM", forward);
  return code ?? 1;
}

/** Whether the stack uses tables by name, although its stage's file does not name them (any more). */
async function losesTables(
  client: CloudFormationClient,
  before: Stack | undefined,
  tables: GivenTables | undefined,
): Promise<boolean> {
  const name = before?.StackName ?? "";
  const resources: string[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: name })) {
    for (const { LogicalResourceId = "", ResourceStatus = "" } of page.StackResourceSummaries ?? []) {
      // What has left the stack and was kept may still be told of.
      if (!ResourceStatus.startsWith("DELETE_")) resources.push(LogicalResourceId);
    }
  }
  return (tables === undefined && usesGivenTables(resources)) || losesAccounts(before, resources, tables);
}

/**
 * Whether the tables of the stage's file may be deployed. A stage that used tables by name and names none any more
 * would get empty ones. A change of tables is only told, because whoever restores wants it.
 */
async function mayChangeTables(
  client: CloudFormationClient,
  { before, tables, file }: { before: Stack | undefined; tables: GivenTables | undefined; file: string },
): Promise<boolean> {
  const name = before?.StackName ?? "";
  if (changesTables(before, tables)) {
    console.error(
      `${name} changes over to other tables. Calls must be stopped until the deployment has ended, or the old version charges some of them on the old tables (infra/operator/restore.md).`,
    );
  }
  if (!(await losesTables(client, before, tables))) return true;
  console.error(
    `${name} uses tables by name, and ${file} has no "tables", or no "accounts" in them: it would get empty ones. Write them into it again, or import the tables (infra/operator/restore.md). Nothing was deployed.`,
  );
  return false;
}

/** Whether the account has so many to reserve. CloudFormation would find out when half of the stack is there. */
async function mayReserve(reserved: number | undefined): Promise<boolean> {
  if (reserved === undefined) return true;
  const ofAccount = await concurrencyOfAccount();
  const why = ofAccount === undefined ? undefined : whyNotReserved(reserved, ofAccount);
  if (why !== undefined) console.error(`${why} Nothing was deployed.`);
  return why === undefined;
}

/** Whether the prices of the new catalog may be deployed. A stage that is not there yet has no customers. */
async function mayCharge(
  client: CloudFormationClient,
  stage: string,
  before: Stack | undefined,
  offered: { after: Offer; confirmed: string | undefined },
): Promise<boolean> {
  const stack = stackName(stage);
  if (!isCreated(before)) {
    console.error(`${stack} is not there yet, so there are no prices to compare.`);
    return true;
  }
  const template = await templateOf(client, stack);
  const isTrial = !stageNamed(stage).deletionProtection;
  const question = { stack, before: offerInTemplate(template), ...offered, isTrial };
  return await confirmPrices(question, { input: process.stdin, output: process.stderr });
}

async function deploy(): Promise<number> {
  const { profile, protection, stage = "prod", stages, confirmed } = settingsOf(given, projectContext());
  const settings = readStageFile(stage, stages);
  const { catalog = defaultCatalog, tables } = settings;
  const after = offerInFile(catalog);
  const client = cloudFormation(profile);
  const name = stackName(stage);
  const before = await findStack(client, name);
  const isProtected = stageNamed(stage).deletionProtection;
  if (protection === undefined && isProtected && isCreated(before)) {
    const file = stageFile(stage, stages);
    if (!(await mayChangeTables(client, { before, tables, file }))) return 1;
  }
  if (!(await mayReserve(stageNamed(stage, settings).console.concurrency))) return 1;
  if (!(await mayCharge(client, stage, before, { after, confirmed }))) return 1;
  // What was confirmed is what is deployed: the synthesis compares it with the catalog that it bundles.
  const priced = ["-c", `offer=${digestOf(after)}`];
  if (protection !== undefined || !isProtected || isCreated(before)) {
    return await run(...priced);
  }
  // cdk deletes a stack whose creation failed before it creates another one, and must be able to.
  if (isLost(before) && before?.EnableTerminationProtection) {
    await client.send(
      new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: false }),
    );
  }
  console.error(`${name} is created first, and protected once it is there.`);
  const code = await run(...priced, "-c", "protection=off");
  if (code === 0) return isCreated(await findStack(client, name)) ? await run(...priced) : 0;
  console.error(
    `${name} was not created. Remove the cause and deploy again: nothing of it is kept (infra/README.md).`,
  );
  return code;
}

process.exitCode = await deploy().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
