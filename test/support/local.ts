/** Runs the local gateway as a user would: its own process, its ready file, its signals. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import type { KeptTables } from "#infra/stage/given-tables.ts";
import { buildOnce } from "./build-once.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The queue waits as it does when deployed, for what is measured or killed while it waits. */
export const unhurriedQueue = { QUEUE_WAIT_SCALE: "1" };

/** Where processes of a run find what an earlier one has compiled: an operator's command takes half as long. */
const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), "gateway-tests-compiled") };

/** The variables that `npm start` sets, so that a test's gateway is a user's. */
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: { start: string };
};
const given = Object.fromEntries(scripts.start.matchAll(/\b([A-Z_]+)=(\S+)/g).map((found) => found.slice(1)));
/** The options of Node itself that it sets. */
const givenOptions = scripts.start.match(/--\S+/g) ?? [];

export interface Ready {
  url: string;
  console_url: string;
  keys: Record<"payg" | "subscription" | "free" | "manager", string>;
  organizations: Record<"payg" | "subscription" | "free" | "manager", string>;
  endpoints: {
    dynamodb: string;
    sqs: string;
    secrets: string;
    states: string;
    region: string;
    tables: KeptTables & Record<"board" | "cache", string>;
    usageQueueUrl: string;
    deadLetterQueueUrl: string;
    lessonQueueUrl: string;
    lessonDeadLetterQueueUrl: string;
    pepperSecretArn: string;
    accountsSecretArn: string;
    platformsSecretArn: string;
    videoWorkflowArn: string;
    demoProvider: string;
    dashboard: string;
    console: string;
    inbox: string;
    events: string;
    paymentPlatform: string;
    identityProvider: string;
    assembly: string;
  };
}

export interface LocalGateway extends Ready {
  process: ChildProcess;
  readyFile: string;
  /** All it has printed. */
  output(): string;
  /** Ends it by a signal and gives its exit code, or null where the signal itself ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

interface LocalOptions {
  /** A catalog as JSON; the default one if absent. */
  catalog?: unknown;
  dataDir?: string;
  env?: Record<string, string>;
  /** Options of `npm start`. */
  args?: string[];
  /** Options of Node itself. */
  execArgv?: string[];
  /** Told of the process before it is ready. */
  onSpawn?: (child: ChildProcess) => void;
}

/**
 * Starts `npm start` on a free port and resolves when its ready file is there. Rejects with its output
 * if it ends first.
 */
export async function startLocal(options: LocalOptions = {}): Promise<LocalGateway> {
  // The lifetime of tasks is part of the stack: a gateway with its own builds its own.
  const kept = options.env?.TASK_LIFETIME_SECONDS ? undefined : process.env.TEST_ASSEMBLY;
  return kept ? await buildOnce(kept, () => start(options, kept)) : await start(options, kept);
}

async function start(options: LocalOptions, kept: string | undefined): Promise<LocalGateway> {
  const folder = mkdtempSync(join(tmpdir(), "local-gateway-"));
  const readyFile = join(folder, "ready.json");
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...given,
    ...compiled,
    PORT: "0",
    // Models that a developer has added on this machine are none of a test's.
    CATALOG: defaultCatalog,
    // Most tests that wait do so for an event to be booked, or to fail five times.
    QUEUE_WAIT_SCALE: "0.1",
    ...(kept && { ASSEMBLY: kept }),
    ...options.env,
  };
  delete env.NODE_OPTIONS;
  if (options.dataDir) env.DATA_DIR = options.dataDir;
  if (options.catalog) {
    env.CATALOG = join(folder, "catalog.json");
    writeFileSync(env.CATALOG, JSON.stringify(options.catalog));
  }
  const child = spawn(
    process.execPath,
    [
      ...givenOptions,
      ...(options.execArgv ?? []),
      "infra/local/start/start.ts",
      "--ready-file",
      readyFile,
      // Tests read the lines of the log in the output.
      "--verbose",
      ...(options.args ?? []),
    ],
    {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  options.onSpawn?.(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  await readiness(child, folder, readyFile, () => output);
  const ready = JSON.parse(readFileSync(readyFile, "utf8")) as Ready;
  return {
    ...ready,
    process: child,
    readyFile,
    output: () => output,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

function readiness(
  child: ChildProcess,
  folder: string,
  readyFile: string,
  output: () => string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, () => {
      if (existsSync(readyFile)) settle(resolve);
    });
    const onExit = () =>
      settle(() => reject(new Error(`the local gateway ended before it was ready:\n${output()}`)));
    const settle = (how: () => void) => {
      watcher.close();
      child.off("exit", onExit);
      how();
    };
    child.once("exit", onExit);
    if (existsSync(readyFile)) settle(resolve);
  });
}

/** What came of an operator command: its JSON, its exit code, and what it wrote to standard error. */
interface Operated {
  value: Record<string, unknown>;
  code: number;
  error: string;
}

const flagsFor = ({ readyFile }: Pick<LocalGateway, "readyFile">) => [
  "--local",
  "--ready-file",
  readyFile,
  "--json",
];

const jsonOf = (out: string) => (out === "" ? {} : (JSON.parse(out) as Record<string, unknown>));

/** Runs an operator command against a local gateway, in this process: one of its own takes half a second to start. */
export async function operator(
  gateway: Pick<LocalGateway, "readyFile">,
  ...words: string[]
): Promise<Operated> {
  // Only tests that operate load the commands.
  const { runHere } = await import("./streams.ts");
  const { out, code, error } = await runHere([...words, ...flagsFor(gateway)]);
  return { value: jsonOf(out), code, error };
}

/** Runs an operator command as an operator does, in a process of its own. */
export async function operatorProcess(
  gateway: Pick<LocalGateway, "readyFile">,
  ...words: string[]
): Promise<Operated> {
  const child = spawn(process.execPath, ["infra/operator/main.ts", ...words, ...flagsFor(gateway)], {
    cwd: root,
    env: { ...process.env, ...compiled },
  });
  let out = "";
  let error = "";
  child.stdout.on("data", (data) => (out += String(data)));
  child.stderr.on("data", (data) => (error += String(data)));
  const [code] = (await once(child, "close")) as [number];
  return { value: jsonOf(out), code, error };
}

/** The balance of a key's organization, as the interface gives it. */
export async function balanceOf(gateway: Pick<Ready, "url">, key: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/api/business/v1/customer/balance`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await reply.json()) as { balance_points: string }).balance_points;
}
