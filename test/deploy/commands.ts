/** The commands of a deployment as a person runs them, each a process of its own against the emulator. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StageSettings } from "#infra/stage/stage.ts";
import type { Keys } from "./account.ts";
import { account, type Emulator, endGroup, region } from "./emulator.ts";

const root = join(import.meta.dirname, "../..");

/** How long one command may take. */
const commandMs = 180_000;

export interface Outcome {
  code: number | null;
  out: string;
  error: string;
}

export interface Commands {
  bootstrap(): Promise<void>;
  /** `npm run deploy` of a stage whose file has these settings. Gives what came of it. */
  deploy(stage: string, settings: StageSettings, ...more: string[]): Promise<Outcome>;
  /** `npm run diff` of a stage, with the file of its last deployment. */
  diff(stage: string): Promise<Outcome>;
  /** Destroys a stage with the file of its last deployment. */
  destroy(stage: string): Promise<Outcome>;
  /** The operator's command on a stage. Gives its JSON. Throws unless it ends with 0. */
  operator(stage: string, ...words: string[]): Promise<Record<string, unknown>>;
  /** The same, and gives what came of it, whatever that is. */
  tryOperator(stage: string, ...words: string[]): Promise<Outcome>;
  /** The operator's command that prints text. */
  operatorText(stage: string, ...words: string[]): Promise<string>;
  /** Ends what runs, with all that it has started. */
  stop(): Promise<void>;
}

/**
 * The commands with the credentials `keys`. What they write goes to `folder`. The file of every stage has the settings
 * `always` besides its own.
 */
export function commandsOf(
  { endpoint }: Pick<Emulator, "endpoint">,
  keys: Keys,
  folder: string,
  always: StageSettings = {},
): Commands {
  const running = new Map<ChildProcess, Promise<unknown>>();
  const env = environmentOf(endpoint, keys, folder);
  const run = async (...words: string[]): Promise<Outcome> => {
    const [file = "", ...args] = words;
    // A group of its own, because `cdk` starts others.
    const child = spawn(file, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const closed = once(child, "close");
    running.set(child, closed);
    const timer = setTimeout(() => endGroup(child), commandMs);
    let out = "";
    let error = "";
    child.stdout.on("data", (data) => (out += String(data)));
    child.stderr.on("data", (data) => (error += String(data)));
    const [code] = (await closed) as [number | null];
    clearTimeout(timer);
    running.delete(child);
    endGroup(child);
    return { code, out, error };
  };
  const must = async (...words: string[]) => {
    const outcome = await run(...words);
    if (outcome.code !== 0) throw new Error(`${words.join(" ")}: ${describe(outcome)}`);
    return outcome.out;
  };
  const stages = join(folder, "stages");
  mkdirSync(stages, { recursive: true });
  const onStage = (stage: string) => [
    ...["-c", `stage=${stage}`, "-c", `stages=${stages}`],
    ...["--output", join(folder, `assembly-${stage}`)],
  ];
  return {
    async bootstrap() {
      await must("cdk", "bootstrap", `aws://${account}/${region}`);
    },
    deploy(stage, settings, ...more) {
      writeFileSync(join(stages, `${stage}.json`), JSON.stringify({ ...always, ...settings }));
      const quietly = ["--require-approval", "never", "--progress", "events"];
      return run("node", "infra/deploy/deploy.ts", ...onStage(stage), ...quietly, ...more);
    },
    diff: (stage) => run("node", "infra/deploy/diff.ts", ...onStage(stage)),
    destroy: (stage) => run("cdk", "destroy", "--force", ...onStage(stage)),
    operator: async (stage, ...words) =>
      JSON.parse(await must("node", "infra/operator/main.ts", "--stage", stage, "--json", ...words)),
    tryOperator: (stage, ...words) =>
      run("node", "infra/operator/main.ts", "--stage", stage, "--json", ...words),
    operatorText: (stage, ...words) => must("node", "infra/operator/main.ts", "--stage", stage, ...words),
    async stop() {
      for (const child of running.keys()) endGroup(child);
      await Promise.allSettled(running.values());
    },
  };
}

/** What a command finds in its environment. */
function environmentOf(endpoint: string, keys: Keys, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: `${join(process.execPath, "..")}:${join(root, "node_modules/.bin")}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: folder,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    ...(keys.sessionToken && { AWS_SESSION_TOKEN: keys.sessionToken }),
    AWS_EC2_METADATA_DISABLED: "true",
    NODE_COMPILE_CACHE: join(folder, "compiled"),
    NO_PROXY: "127.0.0.1",
    CDK_DISABLE_VERSION_CHECK: "1",
    CI: "1",
  };
}

/** The end of what a command that failed has printed. */
export function describe({ code, out, error }: Outcome): string {
  return `it ended with ${code}\n${(out + error).slice(-4000)}`;
}
