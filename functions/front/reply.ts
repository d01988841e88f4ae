/** Replies of the pipeline on their way to a client of node:http. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BodySink, HttpReply } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";

/** A response and its connection. A pipelined response has no socket of its own before its turn. */
export interface Outlet {
  response: ServerResponse;
  socket: Socket;
}

/**
 * Writes status, headers and body. Resolves when all of it has been written, or dropped because the reader has gone. A
 * reader who has gone does not stop the body: what the provider sends is read to its end and billed (design §3 "Charge
 * policy"). Throws if a header cannot be sent; nothing is written then.
 */
export async function writeReply(outlet: Outlet, { status, headers, body }: HttpReply): Promise<void> {
  const { response } = outlet;
  if (typeof body === "function") {
    response.writeHead(status, headers);
    const sink = openSink(outlet);
    // The headers leave with the first bytes if those come in this turn, and else without them.
    setImmediate(sink.flush);
    await body(sink);
    response.end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, isEmpty ? headers : { ...headers, "content-length": bytes });
  response.end(body);
}

function openSink({ response, socket }: Outlet): BodySink & { flush: () => void } {
  let flushed = false;
  return {
    write(bytes) {
      if (socket.destroyed) return undefined;
      // The first bytes take the headers with them. A response gets no socket before its turn, and loses it at its end.
      const to = (flushed && response.socket) || response;
      flushed = true;
      return writeChunk(to, response, bytes) ? undefined : happened("drain", to, socket);
    },
    flush() {
      if (!flushed && !socket.destroyed) response.flushHeaders();
    },
  };
}

/** Longer chunks are not copied. */
const copiedBytesMax = 4_000;

/**
 * Writes bytes of a body, and gives whether more may follow at once. Node writes a chunk in four pieces: its length, a
 * line break, the bytes and another line break. To write a short one as a single piece costs less, also with the copy.
 * To write it to the socket, once the headers are there, saves Node's wait for more of the same turn.
 */
function writeChunk(to: Socket | ServerResponse, response: ServerResponse, bytes: Uint8Array): boolean {
  const isShort = bytes.length > 0 && bytes.length <= copiedBytesMax;
  // An answer of HTTP/1.0 has no chunks.
  if (!isShort || !response.chunkedEncoding) return response.write(bytes);
  const chunk = chunkOf(bytes);
  if (to !== response) return to.write(chunk);
  // The response writes its end as a chunk again.
  response.chunkedEncoding = false;
  const mayFollow = response.write(chunk);
  response.chunkedEncoding = true;
  return mayFollow;
}

const hexDigits = Buffer.from("0123456789abcdef");

/** Bytes as a chunk: their length in hexadecimal digits and a line break before them, and one behind them. */
function chunkOf(bytes: Uint8Array): Buffer {
  let digits = 1;
  for (let rest = bytes.length >> 4; rest > 0; rest >>= 4) digits++;
  const chunk = Buffer.allocUnsafe(digits + bytes.length + 4);
  for (let at = digits - 1, rest = bytes.length; at >= 0; at--, rest >>= 4)
    chunk[at] = hexDigits[rest & 15] ?? 0;
  chunk[digits] = chunk[chunk.length - 2] = carriageReturn;
  chunk[digits + 1] = chunk[chunk.length - 1] = lineFeed;
  chunk.set(bytes, digits + 2);
  return chunk;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Resolves when all that was written has left this process, or the connection is over. */
export function flushed(outlet: Outlet): Promise<void> {
  const { response, socket } = outlet;
  return response.writableFinished || socket.destroyed
    ? Promise.resolve()
    : happened("finish", response, socket);
}

/** Calls back once if the connection is over before all of the response has left. */
export function tellHangUp({ response, socket }: Outlet, tell: () => void): void {
  if (socket.destroyed) tell();
  // The response closes after its last byte too. The connection may then serve further calls.
  else response.on("close", () => response.writableFinished || tell());
}

/** Resolves with an event of the response or its socket, or when the connection is closed. */
function happened(event: "drain" | "finish", of: Socket | ServerResponse, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      of.off(event, settle);
      socket.off("close", settle);
      resolve();
    };
    of.on(event, settle);
    socket.on("close", settle);
  });
}

/** As `flushed`, but closes the connection if this takes longer than `limits.readerStallMs`. */
export async function flushedOrGone(outlet: Outlet): Promise<void> {
  if (outlet.response.writableFinished || outlet.socket.destroyed) return;
  const timer = setTimeout(() => outlet.socket.destroy(), limits.readerStallMs);
  await flushed(outlet);
  clearTimeout(timer);
}

/**
 * Answers a request whose body is not read. A client that still sends would miss the answer if the connection were cut,
 * so what it sends is read and dropped first, for a bounded time.
 */
export async function writeUnread(
  incoming: IncomingMessage,
  outlet: Outlet,
  { status, headers, body }: HttpReply,
  stopping: AbortSignal,
): Promise<void> {
  const { response } = outlet;
  response.shouldKeepAlive = false;
  const text = String(body);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  response.write(text);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, limits.lingerMs);
    const settle = (): void => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", settle);
      resolve();
    };
    if (stopping.aborted) settle();
    else stopping.addEventListener("abort", settle);
    incoming.on("end", settle).on("close", settle).resume();
  });
  response.end();
}
