/**
 * Runs a bundled function in AWS's own Node runtime (aws-lambda-ric) against a Runtime API on loopback. The
 * runtime treats a stream, an error or a late promise as it does on Lambda (aws.md §1.2).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type Invocation, RuntimeApi } from "./runtime-api.ts";

export interface RuntimeOptions {
  /** The folder of the bundle, and `<module>.<export>` in it. */
  directory: string;
  handler: string;
  environment: Record<string, string>;
}

export interface Runtime {
  /** The id of its process. */
  pid: number;
  /**
   * Invokes the function, after the call before is done. `timeoutMs` is what it takes for its time limit.
   * Resolves with the first bytes of its answer; rejects when it fails or its process ends before them.
   */
  invoke(event: unknown, timeoutMs?: number): Promise<Invocation>;
  /** The exit code, should the process end by itself; null when a signal ended it. */
  exited: Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts the runtime. Resolves when the function has been loaded; rejects with the reason when it cannot be. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const program = runtimeProgram();
  const api = new RuntimeApi();
  const child = spawn(
    process.execPath,
    ["--import", new URL("native-client.ts", import.meta.url).href, program],
    {
      cwd: options.directory,
      env: { ...sandboxVariables(options), AWS_LAMBDA_RUNTIME_API: await api.listen() },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = once(child, "close").then(([code]) => {
    api.fail(`the runtime ended with code ${code}:\n${output}`);
    return code as number | null;
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    await api.close();
  };
  try {
    await api.ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    invoke: (event, timeoutMs = 60_000) => api.invoke(event, timeoutMs),
    exited,
    stop,
  };
}

function runtimeProgram(): string {
  try {
    return createRequire(import.meta.url).resolve("aws-lambda-ric");
  } catch (cause) {
    throw new Error("aws-lambda-ric is not installed: run `npm ci` with Node 24", { cause });
  }
}

/** The variables Lambda sets; nothing of this process's own environment reaches the function. */
function sandboxVariables({ directory, handler, environment }: RuntimeOptions): Record<string, string> {
  return {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: "test",
    AWS_LAMBDA_FUNCTION_VERSION: "1",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
    AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/test",
    AWS_LAMBDA_LOG_STREAM_NAME: "test",
    LAMBDA_TASK_ROOT: directory,
    _HANDLER: handler,
    ...environment,
  };
}
