/** HTTP/1.1 over undici, of Node or the package. No other file knows undici (shared/base/decisions.md). */
import { subscribe } from "node:diagnostics_channel";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { type IncomingReply, type OutgoingRequest, TransportError } from "./http-call.ts";
import { pin } from "./pinned-memory.ts";
import { RawReply } from "./raw-reply.ts";
import { ArrivingBody, type BodySource } from "./reply-body.ts";

/** A pool of connections for each origin. */
interface Agent {
  dispatch(options: object, call: Call): boolean;
}

type AgentClass = new (options: object) => Agent;

/** Where undici keeps the agent of `fetch`. Node makes it when one of the classes around `fetch` is touched. */
const agentOfFetch = Symbol.for("undici.globalDispatcher.1");

/** The class of Node's own agents; undefined where Node carries none, or one that is not like the tested one. */
function carriedByNode(): AgentClass | undefined {
  void globalThis.Request;
  const agent = (globalThis as { [agentOfFetch]?: Agent })[agentOfFetch];
  const isTested = process.versions.undici?.startsWith("7.") && agent?.constructor.name === "Agent";
  return isTested ? (agent.constructor as AgentClass) : undefined;
}

let agentClass: AgentClass | undefined;

/** `kept`: any connection, which is kept after the call. `once`: a new connection, for this call alone. */
type Connection = "kept" | "once";

/** By connect timeout, because undici has one for each agent. */
const agents: Record<Connection, Map<number, Agent>> = { kept: new Map(), once: new Map() };

/** How long a connection is kept for the next call, unless the peer closes it or names a shorter time. */
const keptMs = 600_000;

async function openAgent(connection: Connection, connectMs: number, lookup?: LookupFunction): Promise<Agent> {
  if (!agentClass) subscribe("undici:client:sendHeaders", onSending);
  agentClass ??= carriedByNode() ?? ((await import("undici")).default.Agent as unknown as AgentClass);
  const agent = new agentClass({
    // With 0, undici closes a connection after its call.
    pipelining: connection === "kept" ? 1 : 0,
    connections: null,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    keepAliveTimeoutThreshold: 1_000,
    connect: { timeout: connectMs, ...(lookup && { lookup }) },
  });
  // An agent with a DNS of its own is for one request.
  if (!lookup) agents[connection].set(connectMs, agent);
  return agent;
}

/** A kept connection broke before any byte of an answer. Its peer had probably closed it, or may have begun the call. */
export class StaleConnection extends TransportError {}

/** Sends a request once, and follows no redirect. Rejects with `TransportError`. */
export async function exchange(request: OutgoingRequest, connection: Connection): Promise<IncomingReply> {
  const { connectMs, lookup } = request;
  const open = lookup ? undefined : agents[connection].get(connectMs);
  const agent = open ?? (await openAgent(connection, connectMs, lookup));
  return await new Promise((resolve, reject) => {
    const sent = joined(request.body);
    const call = new Call(request, sent, resolve, reject);
    try {
      agent.dispatch(optionsOf(request, sent), call);
    } catch (error) {
      call.onError(error as Error);
    }
  });
}

type Body = OutgoingRequest["body"];

/** Slices with at most this many bytes in all are joined: one copy costs less than a packet for each slice. */
const joinedBytesMax = 64 * 1024;

function lengthOf(slices: readonly Uint8Array[]): number {
  return slices.reduce((bytes, slice) => bytes + slice.length, 0);
}

function isWhole(body: Body): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

function joined(body: Body): Body {
  if (isWhole(body)) return body;
  const length = lengthOf(body);
  return length <= joinedBytesMax ? Buffer.concat(body, length) : body;
}

function optionsOf({ method, url, headers, firstByteMs, idleMs }: OutgoingRequest, body: Body): object {
  const { origin, path } = placeOf(url);
  const options = { origin, path, method, headersTimeout: firstByteMs, bodyTimeout: idleMs, body };
  if (isWhole(body)) return { ...options, headers };
  return { ...options, headers: { ...headers, "content-length": String(lengthOf(body)) } };
}

interface UrlPlace {
  origin: string;
  path: string;
}

/** Most calls go to few addresses. */
const places = new Map<string, UrlPlace>();
const placesMax = 256;

function placeOf(url: string): UrlPlace {
  const known = places.get(url);
  if (known) return known;
  const { origin, pathname, search } = new URL(url);
  const place = { origin, path: pathname + search };
  if (places.size >= placesMax) places.clear();
  places.set(url, place);
  return place;
}

/** The call that a connection carries now; its key on the socket. */
const current = Symbol("current call");

interface Connected extends Duplex {
  [current]?: Call | undefined;
}

/** The call that undici is about to write. undici names the call first, and its socket right after. */
let writing: Call | undefined;

function onSending(message: unknown): void {
  writing?.onSocket((message as { socket: Connected }).socket);
  writing = undefined;
}

/** Gives bytes to undici while its call wants them: its own way to pause can end the process (nodejs/undici#5360). */
function watch(socket: Connected): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const call = socket[current];
    if (call?.paused) return null;
    const bytes: unknown = read(size);
    if (bytes instanceof Uint8Array) call?.hear(bytes);
    return bytes;
  };
}

/** One request to its answer's end, as undici tells of it. */
class Call implements BodySource {
  paused = false;
  readonly #request: OutgoingRequest;
  readonly #resolve: (reply: IncomingReply) => void;
  readonly #reject: (error: TransportError) => void;
  #failure: unknown;
  #abort: ((error: unknown) => void) | undefined;
  #socket: Connected | undefined;
  #sentAt = 0;
  #isReused = false;
  /** Whether any byte of an answer has come. */
  #isHeard = false;
  /** Whether the next bytes begin an answer: at first, and after each 1xx. */
  #isBeginning = true;
  #body: ArrivingBody | undefined;
  readonly #unpin: (() => void) | undefined;

  constructor(
    request: OutgoingRequest,
    sent: Body,
    resolve: (reply: IncomingReply) => void,
    reject: (error: TransportError) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    if (typeof sent !== "string") this.#unpin = pin(sent instanceof Uint8Array ? [sent] : sent);
    const { signal } = request;
    if (signal?.aborted) this.#onAborted();
    else signal?.addEventListener("abort", this.#onAborted);
  }

  readonly #onAborted = (): void => this.#cancel(this.#request.signal?.reason);

  #cancel(error: unknown): void {
    if (this.#abort) {
      this.#abort(error);
      return;
    }
    // undici cannot abort a call that has no connection yet. It is told once there is one.
    this.#failure = error;
    this.#reject(new TransportError("connect", error));
  }

  /** The request is written next. */
  onConnect(abort: (error: unknown) => void): void {
    if (this.#failure !== undefined) {
      abort(this.#failure);
      return;
    }
    this.#abort = abort;
    this.#sentAt = performance.now();
    writing = this;
  }

  onSocket(socket: Connected): void {
    this.#isReused = current in socket;
    if (!this.#isReused) watch(socket);
    socket[current] = this;
    this.#socket = socket;
  }

  /** Looks at the bytes that the socket gives undici. */
  hear(bytes: Uint8Array): void {
    if (this.#isBeginning && isContinue(bytes)) bytes[11] = digitTwo;
    this.#isHeard = true;
    this.#isBeginning = false;
  }

  onHeaders(status: number, raw: Buffer[]): boolean {
    if (status < 200) {
      // undici restarts its timer at each of them, so a peer could send them for ever.
      if (performance.now() - this.#sentAt > this.#request.firstByteMs) throw new Error("first byte timeout");
      this.#isBeginning = true;
      return true;
    }
    // These heads may have come in one read with a 1xx. What follows them is the body, whatever it looks like.
    this.#isBeginning = false;
    this.#body = new ArrivingBody(this);
    this.#resolve(new RawReply(status, raw, this.#body));
    return true;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.#socket?.emit("readable");
  }

  destroy(error: Error): void {
    this.#abort?.(error);
  }

  onData(piece: Buffer): boolean {
    this.#body?.push(piece);
    return true;
  }

  onComplete(): void {
    const { errored } = this.#leave() ?? {};
    // undici takes a reset as the end of a body without a length.
    if (errored) this.#body?.fail(new TransportError("sent", errored));
    else this.#body?.end();
  }

  onError(error: NodeJS.ErrnoException): void {
    this.#leave();
    const isStale = this.#isReused && !this.#isHeard && brokenCodes.has(error.code ?? "");
    const failure = new (isStale ? StaleConnection : TransportError)(this.#abort ? "sent" : "connect", error);
    if (this.#body) this.#body.fail(failure);
    else this.#reject(failure);
  }

  #leave(): Connected | undefined {
    this.#request.signal?.removeEventListener("abort", this.#onAborted);
    const socket = this.#socket;
    if (socket) socket[current] = undefined;
    // A peer may answer before it has read the request. What is not written by then stays pinned.
    if (socket ? socket.destroyed || socket.writableLength === 0 : !this.#abort) this.#unpin?.();
    this.paused = false;
    this.#socket = undefined;
    return socket;
  }
}

/** The error of a connection that its peer has closed. */
const brokenCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const digitOne = 0x31;
const digitTwo = 0x32;

/** Whether an answer begins with 100, which undici does not skip as RFC 9110 §15.2 says. It is made a 102. */
function isContinue(bytes: Uint8Array): boolean {
  return (
    bytes[9] === digitOne &&
    bytes.length > 11 &&
    /^HTTP\/1\.[01] 100$/.test(Buffer.from(bytes.buffer, bytes.byteOffset, 12).toString("latin1"))
  );
}
