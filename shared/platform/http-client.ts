/**
 * The one HTTP client: node's own, with a keep-alive pool. It gives the status, the headers and the body as
 * bytes that its reader pulls. It knows nothing of JSON, retries or AWS.
 *
 * It is not fetch, because a proxied call was measured at 390 µs of CPU there and 118 µs here. It is not undici,
 * because undici's parsers add 450 KB to the gateway's bundle (shared/decisions.md).
 */
import * as http from "node:http";
import * as https from "node:https";
import { ArrivingBody, type ReplyBody } from "./reply-body.ts";

export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Slices are sent one after the other, and never joined. */
  body: Uint8Array | string | readonly Uint8Array[];
  /** Until the connection stands. */
  connectMs: number;
  /** Until the reply's headers. */
  firstByteMs: number;
  /** Between two reads of the body. */
  idleMs: number;
  signal?: AbortSignal;
  /** Sends it once, on a new connection: after a stale pooled socket nobody could tell whether it had arrived. */
  once?: true;
}

export interface IncomingReply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: ReplyBody;
}

/** Sends a request and resolves with its reply once the headers are there. Rejects with `TransportError`. */
export type Send = (request: OutgoingRequest) => Promise<IncomingReply>;

/** A call that got no usable answer. `connect`: nothing was sent. `sent`: the peer may have acted. */
export class TransportError extends Error {
  readonly phase: "connect" | "sent";

  constructor(phase: "connect" | "sent", cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "TransportError";
    this.phase = phase;
  }
}

const pool = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256, timeout: 0 };
const agents = {
  "http:": new http.Agent(pool),
  "https:": new https.Agent(pool),
} as const;

/**
 * Whether a request probably met a pooled socket that the peer had closed while it was idle: the connection broke
 * before any answer. The peer may still have begun, so there is only one more try. Our own calls are safe to repeat.
 * A provider that did the work twice is paid twice by us, never by the client.
 */
function isStaleSocket(request: http.ClientRequest, error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

/**
 * Sends one request. A stale pooled socket is replaced once (aws.md §4.2: sandboxes thaw with dead
 * sockets). Redirects are not followed. Rejects with `TransportError`.
 */
export async function send(request: OutgoingRequest): Promise<IncomingReply> {
  try {
    return await attempt(request);
  } catch (error) {
    if (error instanceof StaleSocket) return await attempt(request);
    throw error;
  }
}

class StaleSocket extends TransportError {}

function attempt(request: OutgoingRequest): Promise<IncomingReply> {
  return new Promise((resolve, reject) => {
    const client = open(request);
    let phase: "connect" | "sent" = "connect";
    let timer = setTimeout(() => client.destroy(new Error("connect timeout")), request.connectMs);
    const advance = () => {
      phase = "sent";
      clearTimeout(timer);
      timer = setTimeout(() => client.destroy(new Error("first byte timeout")), request.firstByteMs);
    };
    client.once("socket", (socket) => {
      const ready = client.protocol === "https:" ? "secureConnect" : "connect";
      if (socket.connecting) socket.once(ready, advance);
      else advance();
    });
    client.once("response", (reply) => {
      clearTimeout(timer);
      guardIdle(reply, request.idleMs);
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: bodyOf(reply) });
    });
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(isStaleSocket(client, error) ? new StaleSocket(phase, error) : new TransportError(phase, error));
    };
    client.once("error", fail);
    // When a peer upgrades and nobody listens, node only closes the socket. After an answer this does nothing.
    client.once("close", () => fail(new Error("closed before an answer")));
    write(client, request.body);
  });
}

function write(client: http.ClientRequest, body: OutgoingRequest["body"]): void {
  if (typeof body === "string" || body instanceof Uint8Array) {
    client.end(body);
    return;
  }
  client.cork();
  for (const slice of body) client.write(slice);
  client.end();
}

function bytesOf(body: OutgoingRequest["body"]): number {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.byteLength(body);
  return body.reduce((bytes, slice) => bytes + slice.length, 0);
}

function bodyOf(reply: http.IncomingMessage): ReplyBody {
  const body = new ArrivingBody(reply);
  const fail = (error: unknown) => body.fail(new TransportError("sent", error));
  reply.on("data", (piece: Buffer) => body.push(piece));
  reply.once("end", () => body.end());
  reply.once("error", fail);
  reply.once("close", () => fail(new Error("closed before its end")));
  return body;
}

/** Begins a request. Node refuses some, such as one with a line break in a header: those were never sent. */
function open({ method, url, headers, body, once, signal }: OutgoingRequest): http.ClientRequest {
  try {
    const target = new URL(url);
    const protocol = target.protocol as keyof typeof agents;
    return (protocol === "https:" ? https : http).request(target, {
      method,
      headers: { ...headers, "content-length": bytesOf(body) },
      agent: once ? false : agents[protocol],
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw new TransportError("connect", error);
  }
}

/** Limits pauses within a body by the socket's own timer: no timer is made per chunk, and none stays in the pool. */
function guardIdle(reply: http.IncomingMessage, idleMs: number): void {
  const { socket } = reply;
  const onIdle = () => reply.destroy(new Error("idle timeout"));
  socket.setTimeout(idleMs);
  socket.once("timeout", onIdle);
  reply.once("close", () => {
    socket.setTimeout(0);
    socket.removeListener("timeout", onIdle);
  });
}

/** Reads a whole body, at most `bytesMax`. Rejects with `TransportError` when it breaks off or is larger. */
export async function readAll({ body }: Pick<IncomingReply, "body">, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > bytesMax) {
      const error = new TransportError("sent", new Error(`body over ${bytesMax} bytes`));
      body.destroy(error);
      throw error;
    }
  }
  const [only] = pieces;
  return pieces.length === 1 && only ? only : Buffer.concat(pieces, bytes);
}
