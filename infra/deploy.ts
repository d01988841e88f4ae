/**
 * `npm run deploy -- -c stage=NAME`: `cdk deploy` with the same arguments. A first deployment takes two steps. The
 * first creates the stack without protection, so that CloudFormation can take everything away again if it fails. The
 * second protects what is then there. Exits as `cdk` does.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { isCreated, isLost, settingsOf } from "./first-deployment.ts";
import { stackName } from "./outputs.ts";
import { stageNamed } from "./stage.ts";

const root = join(import.meta.dirname, "..");
const given = process.argv.slice(2);
const cdk = join(createRequire(import.meta.url).resolve("aws-cdk/package.json"), "../bin/cdk");

/** Runs `cdk deploy` at this terminal, and gives its exit code. */
async function run(...more: string[]): Promise<number> {
  const child = spawn(process.execPath, [cdk, "deploy", ...given, ...more], { cwd: root, stdio: "inherit" });
  // A terminal tells both processes of Ctrl-C. This one waits for what cdk makes of it.
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", () => {});
  process.once("SIGTERM", forward);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("SIGTERM", forward);
  return code ?? 1;
}

/** The stack of a name, if there is one. */
async function find(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && error.message.includes("does not exist")) return undefined;
    throw error;
  }
}

async function deploy(): Promise<number> {
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: object };
  const { profile, protection, stage = "prod" } = settingsOf(given, context);
  if (protection !== undefined || !stageNamed(stage).deletionProtection) return await run();
  if (profile) process.env.AWS_PROFILE = profile;
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  const client = new CloudFormationClient(region ? { region } : {});
  const name = stackName(stage);
  const before = await find(client, name);
  if (isCreated(before)) return await run();
  // cdk deletes a stack whose creation failed before it creates another one, and must be able to.
  if (isLost(before) && before?.EnableTerminationProtection) {
    await client.send(
      new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: false }),
    );
  }
  console.error(`${name} is created first, and protected once it is there.`);
  const code = await run("-c", "protection=off");
  if (code === 0) return isCreated(await find(client, name)) ? await run() : 0;
  console.error(
    `${name} was not created. Remove the cause and deploy again: nothing of it is kept (infra/README.md).`,
  );
  return code;
}

process.exitCode = await deploy().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
