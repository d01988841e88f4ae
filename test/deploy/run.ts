/**
 * `npm run deploy-test`: deploys the stack of this repository to an emulator of AWS, and uses it. The emulator carries
 * out CloudFormation and enforces IAM, with every function under its own role. Ends with 1 at the first step that fails.
 * `-- --lint` lets cfn-lint and checkov look at the template first. `-- --fuzz` lets schemathesis fuzz a gateway of this
 * machine before.
 */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { findPython, type Python, prepare, skip, withoutPython } from "#test/support/python-environment.ts";
import { createUser, type Keys } from "./account.ts";
import { books } from "./books.ts";
import { calls } from "./calls.ts";
import { writeCatalogs } from "./catalogs.ts";
import { clientOf } from "./client.ts";
import { commandsOf } from "./commands.ts";
import { account, startEmulator } from "./emulator.ts";
import { firstDeployment } from "./first-deployment.ts";
import { operating } from "./operating.ts";
import { people } from "./people.ts";
import { restored } from "./restored.ts";
import { cloudOf } from "./stack.ts";
import { trial, versions } from "./versions.ts";
import type { Deployed, Step, World } from "./world.ts";

/** How many real seconds a second of a video task lasts: one in the queue must stay there until it is cancelled. */
const taskScale = 0.4;

const { values: flags } = parseArgs({
  options: { lint: { type: "boolean", default: false }, fuzz: { type: "boolean", default: false } },
});
const startedAt = performance.now();
const secondsSince = (at: number) => `${((performance.now() - at) / 1000).toFixed(1)} s`;
const say = (line: string) => console.error(secondsSince(startedAt).padStart(8), line);

async function follow<On>(steps: readonly Step<On>[], on: On): Promise<void> {
  for (const [what, run] of steps) {
    const at = performance.now();
    try {
      await run(on);
    } catch (error) {
      say(`FAILED: ${what}`);
      throw error;
    }
    say(`${what} (${secondsSince(at)})`);
  }
}

/** A customer of the stage that was deployed. */
async function withCustomer(world: World): Promise<Deployed> {
  const { cloud, commands, emulator, secrets } = world;
  const stage = "prod";
  const seen = await cloud.see(stage);
  await cloud.fillSecret(seen.outputs.ProvidersSecretArn ?? "", secrets);
  const { id } = await commands.operator(stage, "org", "create", "--name", "Acme", "--points", "100");
  const { key } = await commands.operator(stage, "key", "create", "--org", String(id), "--mode", "payg");
  return { ...world, stage, seen, client: clientOf(emulator, seen.outputs.GatewayUrl ?? "", String(key)) };
}

/** Runs the story. What it writes goes to `folder`, and what it starts ends with `parts`. */
async function story(interpreter: string, folder: string, parts: AsyncDisposableStack): Promise<void> {
  const demo = await startDemoProvider({ taskScale, streamScale: 0 });
  parts.defer(demo.stop);
  const emulator = await startEmulator(interpreter, folder);
  parts.defer(emulator.stop);
  const keys = await createUser(emulator, "deployer", "AdministratorAccess");
  const operator = await createUser(emulator, "operator");
  const commandsAs = (asking: Keys) => {
    const made = commandsOf(emulator, asking, folder, {
      operators: [`arn:aws:iam::${account}:user/operator`],
      cloudTrail: true,
    });
    parts.defer(made.stop);
    return made;
  };
  const commands = commandsAs(keys);
  say(`the emulator serves ${emulator.endpoint}`);
  const { secrets, ...catalogs } = writeCatalogs(folder, demo.url);
  const cloud = cloudOf(emulator, keys);
  const world: World = { emulator, keys, commands, operator, commandsAs, cloud, catalogs, secrets };
  try {
    await follow(firstDeployment, world);
    const deployed = await withCustomer(world);
    await follow([...calls, ...books, ...people, ...operating, ...versions, ...restored], deployed);
    await follow(trial, world);
  } catch (error) {
    console.error(`${emulator.takeDenials().join("\n")}\n${emulator.lastLines()}`);
    throw error;
  }
}

/** The linters look at the template, where they were asked for. */
async function lintTemplate(interpreter: string | undefined, folder: string): Promise<void> {
  if (interpreter === undefined) return;
  // Only this loads what builds the template.
  const { lint } = await import("./lint.ts");
  const at = performance.now();
  const wrong = await lint(interpreter, folder);
  if (wrong.length > 0) throw new Error(`the linters found:\n${wrong.join("\n")}`);
  say(`the linters find nothing without an exception (${secondsSince(at)})`);
}

/** schemathesis fuzzes the gateway, where it was asked for. */
async function fuzzGateway(interpreter: string | undefined, folder: string): Promise<void> {
  if (interpreter === undefined) return;
  // Only this loads what starts a gateway.
  const { fuzz } = await import("./fuzz.ts");
  const at = performance.now();
  say(`schemathesis finds nothing: ${await fuzz(interpreter, folder, say)} (${secondsSince(at)})`);
}

interface Interpreters {
  emulator: string;
  linters: string | undefined;
  fuzzer: string | undefined;
}

/** The interpreters of the emulator and of what else was asked for. Rejects where pip fails. */
async function interpreters(python: Python): Promise<Interpreters> {
  const made = (name: string, file: string) => prepare(name, join(import.meta.dirname, file), python, say);
  return {
    emulator: await made("emulator", "requirements.txt"),
    linters: flags.lint ? await made("linters", "requirements-linters.txt") : undefined,
    fuzzer: flags.fuzz ? await made("fuzzer", "requirements-fuzz.txt") : undefined,
  };
}

async function deployTest(): Promise<number> {
  const python = await findPython(say);
  if (!python) return skip("the deploy test", withoutPython);
  const ready = await interpreters(python).catch((error: Error) => error);
  if (ready instanceof Error)
    return skip("the deploy test", `its Python packages could not be installed: ${ready.message}`);
  const parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "deploy-test-"));
  // Not `rmSync`: once it left half of the folder, without an error.
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const work = async () => {
    await lintTemplate(ready.linters, folder);
    await fuzzGateway(ready.fuzzer, folder);
    await story(ready.emulator, folder, parts);
  };
  try {
    await Promise.race([work(), interruption()]);
    say("everything was as it should be");
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    await parts.disposeAsync();
  }
}

/** Rejects when somebody ends this process. What was started ends first. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
}

// Steps that were interrupted may still wait for something.
process.exit(await deployTest());
