/**
 * The reader of an answer. A call does not wait for it without end. A reader that takes nothing for long is gone; so is
 * one that is not reading when the process's time runs out. Then the work after the body is done at once, and the
 * front may break the connection off.
 */
import type { HttpReply, HttpRequest } from "../http/message.ts";
import { limits } from "../limits.ts";
import type { Deps } from "./deps.ts";

/**
 * The reply with a watch on its reader. Its `after` runs once, called by the front or because the reader is gone. A
 * body that leaves with one write is not watched.
 */
export function watchReader(
  reply: HttpReply,
  { id, deadline_at }: Pick<HttpRequest, "id" | "deadline_at">,
  { now, log }: Pick<Deps, "now" | "log">,
): HttpReply {
  let ended: Promise<void> | undefined;
  const after = () => (ended ??= reply.after?.() ?? Promise.resolve());
  const body = inPieces(reply.body);
  if (!body) return { ...reply, after };
  const gone = Promise.withResolvers<void>();
  const watch = startWatch(deadline_at, now, () => {
    log("warn", "reader_gone", { request: id });
    // A failure of it is told to whoever awaits `after`.
    after().then(gone.resolve, () => gone.resolve());
  });
  return {
    ...reply,
    body: watched(body, watch),
    gone: gone.promise,
    after() {
      watch.stop();
      return after();
    },
  };
}

/** A long body as the pieces it is written in; undefined for a short one. */
function inPieces(body: HttpReply["body"]): AsyncIterable<Uint8Array> | undefined {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return body;
  if (body.length <= limits.replyPieceBytes) return undefined;
  return piecesOf(Buffer.from(body as string));
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += limits.replyPieceBytes)
    yield bytes.subarray(at, at + limits.replyPieceBytes);
}

/** The body, which tells the watch when its reader has something to take and when it asks for more. */
function watched(body: AsyncIterable<Uint8Array>, watch: Watch): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = body[Symbol.asyncIterator]();
      const given = (result: IteratorResult<Uint8Array>) => {
        watch.given();
        return result;
      };
      return {
        next() {
          watch.asked();
          return inner.next().then(given);
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

interface Watch {
  /** The reader asks for more. */
  asked(): void;
  /** It has been given something, or the end. */
  given(): void;
  stop(): void;
}

/**
 * Calls `onGone` once when the reader has had something to take for too long, or the process's time at `deadline_at`
 * (Unix milliseconds) is near. One timer for the whole answer, which looks now and then.
 */
function startWatch(deadline_at: number, now: () => number, onGone: () => void): Watch {
  const begun_at = now();
  const broken_at = deadline_at - limits.settlementReserveMs;
  const leads_at = broken_at - limits.readerLeadMs;
  // Who is told at the last moment that the provider was broken off has some of the reserve to take it.
  const last_at = Math.max(broken_at + limits.settlementReserveMs / 2, begun_at + limits.readerLeadMs);
  let since: number | undefined = begun_at;
  let timer: NodeJS.Timeout;

  /** When a reader is gone that has had something to take since then. */
  const endOf = (from: number) => Math.min(from + limits.readerStallMs, from < leads_at ? leads_at : last_at);
  const look = (): void => {
    const at = now();
    const end = endOf(since ?? at);
    if (at < end) arm(end - at);
    else if (since !== undefined) onGone();
    // The answer's end is late, and on its way.
    else arm(limits.readerLeadMs);
  };
  const arm = (ms: number): void => {
    timer = setTimeout(look, ms);
  };
  arm(endOf(begun_at) - begun_at);
  return {
    asked() {
      since = undefined;
    },
    given() {
      since = now();
    },
    stop: () => clearTimeout(timer),
  };
}
