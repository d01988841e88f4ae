/** The pipeline behind node:http, for Web Functions, containers and `npm start`. Replies are written as Lambda does. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import type { ErrorKey } from "#shared/base/errors.ts";
import { errorReply } from "#shared/base/http/error-styles.ts";
import type { HttpReply, HttpRequest } from "#shared/base/http/message.ts";
import { match } from "#shared/base/http/router.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { describeError, type Log } from "#shared/base/platform/log.ts";
import { within } from "#shared/base/platform/pause.ts";
import { free } from "#shared/base/platform/pinned-memory.ts";
import type { Look } from "#shared/calls/gateway/look.ts";
import type { Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { withStandardHeaders } from "#shared/calls/gateway/standard-headers.ts";
import { type Bodies, type BodyFault, createBodies } from "./bodies.ts";
import { bodyBounds, bodyCheckMs } from "./bounds.ts";
import { clientOf } from "./client-address.ts";
import { type Connections, watchConnections } from "./connections.ts";
import { flushed, flushedOrGone, type Outlet, tellHangUp, writeReply, writeUnread } from "./reply.ts";
import { readHead } from "./request.ts";

export interface FrontOptions {
  /** 0 picks a free one. */
  port: number;
  /** The interface; all of them if undefined. */
  host?: string | undefined;
  /** Milliseconds that a call may take; `limits.serverCallMs` if undefined. */
  callMs?: number;
  /** Milliseconds for a request's head, and for all of it; those of `limits` if undefined. */
  headMs?: number;
  requestMs?: number;
  /** How long an idle connection is kept; that of `limits` if undefined. */
  keepAliveMs?: number;
  /** Proxies before it that nobody can pass by; none if undefined (client-address.ts). */
  proxies?: number;
  /** The most connections; those of `limits` if undefined. */
  connectionsMax?: number;
}

export interface Front {
  /** The port that it listens on. */
  port: number;
  /**
   * Takes no more connections, and gives the calls in flight so many milliseconds to end. Then it breaks off the others
   * and settles them. Gives whether every call was settled. Never rejects. Only the first call counts.
   */
  close(graceMs: number): Promise<boolean>;
}

interface FrontDeps {
  /** Whose request it is, before a body is read that strangers may not send. */
  look: Look;
  now: () => number;
  log: Log;
}

/** Serves the pipeline on a port. Resolves when it listens; rejects when it cannot. */
export async function openFront(serve: Pipeline, options: FrontOptions, deps: FrontDeps): Promise<Front> {
  const calls = new Set<Promise<void>>();
  const stopping = new AbortController();
  let closing = false;

  const server = createServer(timesOf(options));
  // Headers have a bound in bytes. With a bound on their number, Node would drop the rest of them without an error.
  server.maxHeadersCount = 0;
  const connections = watchConnections(server, options, deps);
  const bodies = createBodies(bodyBounds, deps);
  const watch = setInterval(() => bodies.check(), bodyCheckMs).unref();
  const place = { ...options, stopping: stopping.signal, isDraining: () => closing, connections, bodies };
  const answer = createAnswer(serve, place, deps);
  const take = (incoming: IncomingMessage, response: ServerResponse): void => {
    if (closing) response.shouldKeepAlive = false;
    const call = answer(incoming, response).finally(() => {
      calls.delete(call);
      if (closing) connections.closeIdle();
    });
    calls.add(call);
  };
  server.on("request", take);
  // `answer` tells the client to send the body once it knows that it will read it.
  server.on("checkContinue", take);
  // An unknown expectation may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", take);
  const ended = async (): Promise<true> => {
    while (calls.size > 0) await Promise.allSettled(calls);
    return true;
  };

  let closed: Promise<boolean> | undefined;
  const end = async (graceMs: number): Promise<boolean> => {
    closing = true;
    // Its own `close` would also close the connections that it takes for idle.
    NetServer.prototype.close.call(server);
    connections.closeUnused();
    connections.closeIdle();
    if (!(await within(ended(), graceMs, false))) {
      connections.closeUnanswered();
      stopping.abort();
      await within(ended(), limits.settlementReserveMs, false);
    }
    clearInterval(watch);
    server.closeAllConnections();
    // Ends what looks for slow requests.
    server.close();
    return calls.size === 0;
  };

  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs) => (closed ??= end(graceMs)),
  };
}

function timesOf(options: FrontOptions) {
  const { headMs = limits.requestHeadMs, requestMs = limits.requestMs } = options;
  return {
    maxHeaderSize: limits.headBytesMax,
    // Node would answer without a body. `faultOf` checks the host instead.
    requireHostHeader: false,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(headMs / 4),
    keepAliveTimeout: options.keepAliveMs ?? limits.keepAliveMs,
  };
}

function listen(server: Server, { port, host }: FrontOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

interface FrontState {
  callMs?: number;
  proxies?: number;
  stopping: AbortSignal;
  isDraining: () => boolean;
  connections: Connections;
  bodies: Bodies;
}

type AnswerCall = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers one request, from its head to the work after its last byte. It never rejects. */
function createAnswer(
  serve: Pipeline,
  { callMs = limits.serverCallMs, proxies = 0, stopping, isDraining, connections, bodies }: FrontState,
  deps: FrontDeps,
): AnswerCall {
  return async (incoming, response) => {
    const outlet = { response, socket: incoming.socket };
    // Whoever writes to a broken connection finds out there.
    response.on("error", ignore);
    incoming.on("error", ignore);
    const received_at = deps.now();
    const request: HttpRequest = {
      ...readHead(incoming),
      id: newId("request", received_at),
      ...clientOf(incoming, proxies),
      body: noBody,
      received_at,
      deadline_at: received_at + callMs,
      stopping,
      onHangUp: (tell) => tellHangUp(outlet, tell),
      draining: isDraining(),
    };
    const over = connections.begin({ incoming, response });
    if (!over) return void incoming.resume();
    const refuse = (reply: HttpReply) => writeUnread(incoming, outlet, reply, stopping);
    try {
      const fault = faultOf(incoming, request);
      if (fault) return await refuse(refusal(request, fault));
      const outcome = await bodies.read(incoming, {
        address: connections.addressOf(incoming.socket),
        look: () => deps.look(request),
        invite: () => askForBody(incoming, response),
      });
      if (outcome === undefined) return;
      if (typeof outcome === "string") return await refuse(refusal(request, outcome));
      if (!("over" in outcome)) return await refuse(outcome);
      const { body } = outcome;
      await run({ ...request, body }, outlet).finally(() => {
        outcome.over();
        if (body.length >= freedBytesMin) free(body);
      });
    } finally {
      over();
    }
  };

  async function run(request: HttpRequest, outlet: Outlet): Promise<void> {
    try {
      const reply = await serve(request);
      // The call is settled by then.
      void reply.gone?.then(() => outlet.socket.destroy());
      await write(reply, request, outlet);
      // A long answer is watched until its last byte has left: its reader may stall until then.
      if (reply.gone) await flushed(outlet);
      await reply.after?.();
    } catch (error) {
      // Neither the pipeline nor `after` should reject. If one does, the other calls of this process go on.
      await fail(error, request, outlet);
    }
    await flushedOrGone(outlet);
  }

  async function write(reply: HttpReply, request: HttpRequest, outlet: Outlet): Promise<void> {
    try {
      await writeReply(outlet, reply);
    } catch (error) {
      await fail(error, request, outlet);
      // A reply that cannot be sent is our fault. Its body is read all the same, because the usage comes at its end.
      if (typeof reply.body === "function") await reply.body({ write: () => undefined });
    }
  }

  async function fail(error: unknown, request: HttpRequest, outlet: Outlet): Promise<void> {
    deps.log("error", "internal", { request: request.id, error: describeError(error) });
    if (!outlet.response.headersSent) await writeReply(outlet, refusal(request, "broken"));
    else if (!outlet.response.writableEnded) outlet.socket.destroy();
  }
}

/** Smaller bodies are left to V8's collector. */
const freedBytesMin = 64 * 1024;

const noBody = Buffer.alloc(0);
const ignore = (): void => {};

/** What the front itself refuses a request for. */
type Fault = BodyFault | "stopping" | "not_plain" | "broken";

const faults: Record<Fault, { key: ErrorKey; message?: string; headers?: Record<string, string> }> = {
  too_large: { key: "too_large", message: `The body is over ${limits.bodyBytesMax} bytes.` },
  needs_key: {
    key: "too_large",
    message: `Without a key a body has at most ${bodyBounds.strangerBodyBytesMax} bytes.`,
  },
  too_slow: { key: "invalid_request", message: "The request did not arrive in time." },
  no_room: { key: "global_rate_limited", headers: { "retry-after": "1" } },
  stopping: { key: "global_rate_limited", headers: { "retry-after": "1" } },
  not_plain: { key: "invalid_request" },
  broken: { key: "internal" },
};

/** Why a request is refused before its body is read. */
function faultOf(
  { httpVersionMajor, httpVersion }: IncomingMessage,
  request: HttpRequest,
): Fault | undefined {
  if (request.stopping?.aborted) return "stopping";
  const { host } = request.headers;
  // With no host, or with several, two servers on the way may read one request differently (RFC 9112 §3.2).
  const isPlain = httpVersion === "1.1" ? host !== undefined && !host.includes(",") : httpVersionMajor === 1;
  return isPlain ? undefined : "not_plain";
}

/** Tells a client to send its body if it waits for that word. */
function askForBody({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  // HTTP/1.0 has no such answer, so the expectation is ignored there (RFC 9110 §10.1.1).
  if (httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
}

/** An error of the front itself, in the style of the path. */
function refusal(request: HttpRequest, fault: Fault): HttpReply {
  const found = match(request.method, request.path, request.headers);
  const style = found.found ? found.route.style : found.style;
  const { key, ...detail } = faults[fault];
  return withStandardHeaders(errorReply(style, key, { ...detail, request_id: request.id }), request, found);
}
