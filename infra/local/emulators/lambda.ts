/** Functions on this machine: a thread for each, replaced when it crashes. */
import { Worker } from "node:worker_threads";
import type { FunctionResource } from "../stack/resources.ts";
import type { FromHost, HostOptions, ToHost } from "./lambda-protocol.ts";

export interface LocalFunction {
  /** Runs the function. Rejects with what it threw, or when its thread was lost under it. */
  invoke(event: unknown): Promise<unknown>;
  /** Serves the function URL; port 0 picks one. Gives the address. Rejects when the port is taken. */
  listen(port: number): Promise<string>;
  /** Takes the catalog that lies beside its code now. What runs keeps its own. Resolves when what comes next has it. */
  renew(): Promise<void>;
  /** Takes no more calls and waits for those that run, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Where a thread's standard error goes. */
type Errors = Pick<NodeJS.WritableStream, "write">;

/** Told of what functions write to standard output: their log. */
type OnOutput = (chunk: Buffer) => void;

/**
 * Loads a function with exactly this environment. Rejects when its bundle does not load. `onLost` is told when a
 * crashed thread cannot be replaced. `errors` gets the thread's standard error, `onOutput` its log.
 */
export async function startFunction(
  resource: FunctionResource,
  environment: Record<string, string>,
  onLost: (error: unknown) => void,
  errors: Errors = process.stderr,
  onOutput: OnOutput = () => {},
): Promise<LocalFunction> {
  let port: number | undefined;
  let stopped = false;
  const start = () => startHost(resource, environment, errors, onOutput);
  let current = await start();
  watch(current);

  function watch(host: FunctionThread): void {
    host.crashed.then(() => {
      // One that was renewed ends by itself.
      if (stopped || host !== current) return;
      // The successor takes the port before the failed calls are answered, so that it serves a client's next call.
      succeed(host).then(host.fail).catch(onLost);
    });
  }

  async function succeed(before: FunctionThread): Promise<void> {
    const successor = await start();
    await before.release();
    if (port !== undefined) await successor.listen(port);
    current = successor;
    watch(successor);
  }

  return {
    invoke: (event) => current.invoke(event),
    async listen(wanted) {
      const listening = await current.listen(wanted);
      port = listening.port;
      return listening.url;
    },
    async renew() {
      const before = current;
      await succeed(before);
      void before.stop(resource.timeoutSeconds * 1_000);
    },
    async stop(graceMs) {
      stopped = true;
      await current.stop(graceMs);
    },
  };
}

/** One thread. */
interface FunctionThread {
  invoke(event: unknown): Promise<unknown>;
  listen(port: number): Promise<{ url: string; port: number }>;
  release(): Promise<void>;
  fail(): void;
  stop(graceMs: number): Promise<void>;
  /** Resolves when the thread is lost, or about to be. */
  crashed: Promise<void>;
}

/**
 * The module that a thread begins with. It takes this process's cache of compiled code and then loads the host: without
 * that cache every thread loads what strips TypeScript of its types, some 15 MB.
 */
function entry(): URL {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const host = new URL("./lambda-host.ts", import.meta.url);
  if (!cache) return host;
  const code = `import { enableCompileCache } from "node:module";
    enableCompileCache(${JSON.stringify(cache)});
    await import(${JSON.stringify(host.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

async function startHost(
  resource: FunctionResource,
  environment: Record<string, string>,
  errors: Errors,
  onOutput: OnOutput,
): Promise<FunctionThread> {
  const { name, directory, handler, timeoutSeconds, memoryMb } = resource;
  const workerData: HostOptions = { resource: { name, directory, handler, timeoutSeconds, memoryMb } };
  const worker = new Worker(entry(), { env: environment, workerData, stdout: true, stderr: true });
  worker.stdout.on("data", onOutput);
  worker.stderr.on("data", (chunk: Buffer) => errors.write(chunk));
  const say = (message: ToHost) => worker.postMessage(message);
  const heard = hear(worker, name);
  let lastId = 0;
  try {
    await heard.ready.promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    invoke(event) {
      const invocation = Promise.withResolvers<unknown>();
      const id = ++lastId;
      heard.invocations.set(id, invocation);
      say({ kind: "invoke", id, event });
      return invocation.promise;
    },
    listen(port) {
      say({ kind: "listen", port });
      return heard.listening.promise;
    },
    release() {
      say({ kind: "release" });
      return heard.released.promise;
    },
    fail: () => say({ kind: "fail" }),
    async stop(graceMs) {
      say({ kind: "stop" });
      const timer = setTimeout(() => void worker.terminate(), graceMs);
      await heard.exited.promise;
      clearTimeout(timer);
    },
    crashed: heard.crashed.promise,
  };
}

/** Turns a thread's messages and its end into promises. */
function hear(worker: Worker, name: string) {
  const ready = Promise.withResolvers<void>();
  const crashed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<{ url: string; port: number }>();
  const invocations = new Map<number, PromiseWithResolvers<unknown>>();

  const lose = (reason: string) => {
    const error = new Error(`${name} crashed: ${reason}`);
    ready.reject(error);
    for (const invocation of invocations.values()) invocation.reject(error);
    invocations.clear();
    crashed.resolve();
  };
  worker.on("message", (message: FromHost) => {
    if (message.kind === "ready") ready.resolve();
    else if (message.kind === "listening") listening.resolve(message);
    else if (message.kind === "listen_failed") listening.reject(new Error(message.reason));
    else if (message.kind === "released") released.resolve();
    else if (message.kind === "crashed") lose(message.reason);
    else {
      const invocation = invocations.get(message.id);
      invocations.delete(message.id);
      if (message.kind === "result") invocation?.resolve(message.result);
      else invocation?.reject(new Error(`${name}: ${message.reason}`));
    }
  });
  worker.on("error", (error) => lose(String(error)));
  worker.on("exit", () => {
    lose("its thread has ended");
    released.resolve();
    exited.resolve();
  });
  return { ready, crashed, released, exited, listening, invocations };
}
