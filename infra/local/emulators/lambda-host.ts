/** The thread of one function. It invokes the bundle for the main thread and for the function URL, which it serves. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { Context } from "aws-lambda";
import { account, region } from "../stack/template.ts";
import { answerFailure, openSink, readEvent } from "./function-url.ts";
import type { FromHost, HostOptions, ToHost } from "./lambda-protocol.ts";
import { listen } from "./listen.ts";
import { defineAwsLambda, isStreaming, ResponseStream } from "./response-stream.ts";

if (!parentPort) throw new Error("lambda-host.ts is the entry of a worker thread");
const parent = parentPort;
const { resource } = workerData as HostOptions;

const say = (message: FromHost) => parent.postMessage(message);

/** Calls through the URL that have no whole answer yet. */
const open = new Set<ServerResponse>();
/** Calls that run. They go on when their client goes away. */
const running = new Set<Promise<unknown>>();
let crashed = false;
let server: Server | undefined;

process.on("uncaughtException", (error) => crash(error));
process.on("unhandledRejection", (error) => crash(error));

function crash(error: unknown): void {
  console.error(error);
  if (crashed) return;
  crashed = true;
  say({ kind: "crashed", reason: String(error) });
}

type Handler = (event: unknown, context: Context) => unknown;

/** The file of a handler's module. The extensions are tried in the order of Lambda's runtime (aws.md §4.2). */
function moduleFile(name: string): string {
  const files = [".js", ".mjs", ".cjs"].map((extension) => join(resource.directory, name + extension));
  const found = files.find((file) => existsSync(file));
  if (!found) throw new Error(`${resource.name}: there is no module ${name} in ${resource.directory}`);
  return found;
}

async function loadHandler(): Promise<Handler> {
  defineAwsLambda();
  const [module = "", name = ""] = resource.handler.split(".");
  const bundle = (await import(pathToFileURL(moduleFile(module)).href)) as Record<string, unknown>;
  const found = bundle[name];
  if (typeof found !== "function") throw new Error(`${resource.name}: ${resource.handler} is no function`);
  return found as Handler;
}

/** Ends the thread when the function takes too long, as Lambda ends a sandbox. Gives what to call when it is done. */
function startClock(): { remaining(): number; stop(): void } {
  const endsAt = Date.now() + resource.timeoutSeconds * 1000;
  const message = `Task timed out after ${resource.timeoutSeconds} seconds`;
  const timer = setTimeout(() => crash(new Error(message)), resource.timeoutSeconds * 1000);
  return { remaining: () => endsAt - Date.now(), stop: () => clearTimeout(timer) };
}

function contextOf(requestId: string, remaining: () => number): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: resource.name,
    functionVersion: "1",
    invokedFunctionArn: `arn:aws:lambda:${region}:${account}:function:${resource.name}`,
    memoryLimitInMB: String(resource.memoryMb),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${resource.name}`,
    logStreamName: "local",
    getRemainingTimeInMillis: remaining,
    done() {},
    fail() {},
    succeed() {},
  };
}

/** Runs the function, which counts as running until it has settled. */
async function track<Result>(work: Promise<Result>): Promise<Result> {
  running.add(work);
  try {
    return await work;
  } finally {
    running.delete(work);
  }
}

async function invoke(handler: Handler, event: unknown): Promise<unknown> {
  const clock = startClock();
  try {
    return await handler(event, contextOf(crypto.randomUUID(), clock.remaining));
  } finally {
    clock.stop();
  }
}

async function serve(handler: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  open.add(response);
  response.on("close", () => open.delete(response));
  const event = await readEvent(request, response);
  if (!event || crashed) return;
  const clock = startClock();
  const context = contextOf(event.requestContext.requestId, clock.remaining);
  try {
    if (!isStreaming(handler)) throw new Error(`${resource.name} does not stream its responses`);
    const stream = new ResponseStream(openSink(response));
    const ended = once(stream, "close");
    await handler(event, stream, context);
    await ended;
  } catch (error) {
    console.error(error);
    // After a crash all open calls fail together, once a successor is there.
    if (!crashed) answerFailure(response);
  } finally {
    clock.stop();
  }
}

async function listenOn(handler: Handler, port: number): Promise<void> {
  // Clients keep connections for longer than node's five seconds; a connection closed under a client costs a call.
  const options = { keepAliveTimeout: 75_000, requestTimeout: 0 };
  server = createServer(options, (request, response) => void track(serve(handler, request, response)));
  try {
    const { url, port: bound } = await listen(server, port);
    say({ kind: "listening", url, port: bound });
  } catch (error) {
    say({ kind: "listen_failed", reason: describe(error) });
  }
}

/** Closes the port. Open connections stay. */
function release(): void {
  server?.close();
  server?.closeIdleConnections();
}

/** Fails every open call, in the way that its answer so far allows, and ends the thread. */
async function fail(): Promise<void> {
  const closed = [...open].map((response) => {
    if (!response.headersSent) response.setHeader("connection", "close");
    return once(response, "close");
  });
  for (const response of open) answerFailure(response);
  await Promise.all(closed);
  process.exit(1);
}

async function stop(): Promise<void> {
  release();
  await Promise.allSettled(running);
  process.exit(0);
}

async function answerInvocation(handler: Handler, id: number, event: unknown): Promise<void> {
  try {
    say({ kind: "result", id, result: await track(invoke(handler, event)) });
  } catch (error) {
    say({ kind: "failure", id, reason: describe(error) });
  }
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

const handler = await loadHandler();
parent.on("message", (message: ToHost) => {
  switch (message.kind) {
    case "invoke":
      return void answerInvocation(handler, message.id, message.event);
    case "listen":
      return void listenOn(handler, message.port);
    case "release":
      release();
      return say({ kind: "released" });
    case "fail":
      return void fail();
    case "stop":
      return void stop();
  }
});
say({ kind: "ready" });
