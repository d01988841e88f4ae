/** The emulator of AWS: a Python process on loopback, whose gaps `emulator.py` closes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { unassignedPort } from "#test/support/unassigned-port.ts";

export const account = "123456789012";
export const region = "eu-central-1";

export interface Emulator {
  endpoint: string;
  /** Gives what was refused for lack of a permission since it was last asked: action, principal and resource. */
  takeDenials(): string[];
  /** The last lines it has printed. */
  lastLines(): string;
  stop(): Promise<void>;
}

/** How long its start may take. */
const startMs = 60_000;

/**
 * Starts the emulator with the Python `interpreter`, with all it writes in `folder`. Every request is authenticated and
 * authorised, also those of functions. Rejects with what it has printed if it does not start.
 */
export async function startEmulator(interpreter: string, folder: string): Promise<Emulator> {
  const port = await unassignedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(interpreter, [join(import.meta.dirname, "emulator.py")], {
    env: environmentOf(port, endpoint, folder),
    // Its standard input ends with this process, however that ends, and then it ends itself.
    stdio: ["pipe", "pipe", "pipe"],
    // It leads a group of its own, to which the processes of its functions belong.
    detached: true,
  });
  const printed: string[] = [];
  let denials: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      if (line.startsWith("DENIED ")) denials.push(line.slice("DENIED ".length));
      printed.push(line);
      if (printed.length > 60) printed.shift();
    });
  }
  const ended = once(child, "close");
  const stop = async () => {
    endGroup(child);
    await ended;
  };
  const lastLines = () => printed.join("\n");
  try {
    await untilHealthy(endpoint, () => child.exitCode !== null);
  } catch (error) {
    await stop();
    throw new Error(`the emulator did not start:\n${lastLines()}`, { cause: error });
  }
  return {
    endpoint,
    takeDenials() {
      const taken = denials;
      denials = [];
      return taken;
    },
    lastLines,
    stop,
  };
}

/** Ends a process that leads a group of its own, with everything that it has started. */
export function endGroup({ pid }: Pick<ChildProcess, "pid">): void {
  try {
    if (pid) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

function environmentOf(port: number, endpoint: string, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: `${join(process.execPath, "..")}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: folder,
    BIND_HOST: "127.0.0.1",
    MINISTACK_HOST: `127.0.0.1:${port}`,
    GATEWAY_PORT: String(port),
    MINISTACK_ACCOUNT_ID: account,
    MINISTACK_REGION: region,
    AUTH: "true",
    LAMBDA_EXECUTOR: "local",
    LOG_LEVEL: "WARNING",
    // It would end containers of this machine, of which it needs none.
    DOCKER_HOST: `unix://${folder}/no-docker.sock`,
    PYTHONDONTWRITEBYTECODE: "1",
    NO_PROXY: "127.0.0.1",
    // What follows reaches the functions, which find every service here.
    NODE_OPTIONS: `--require ${join(import.meta.dirname, "runtime.cjs")}`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_ENDPOINT_URL_SFN: endpoint,
  };
}

async function untilHealthy(endpoint: string, hasEnded: () => boolean): Promise<void> {
  const until = performance.now() + startMs;
  while (performance.now() < until) {
    const reply = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (reply?.ok) return;
    if (hasEnded()) break;
    await sleep(100);
  }
  throw new Error("it gave no sign of health");
}
