/**
 * Watches the reader of an answer, because a call must not wait for it forever. A reader that takes nothing for long
 * is gone. So is one that is not reading when the process's time runs out. Then the work after the body is done at
 * once, and the front may close the connection.
 */
import { limits } from "../limits.ts";
import type { Log } from "../platform/log.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/**
 * The reply with a watch on its reader. Its `after` runs once: when the front calls it, or when the reader is gone. A
 * body that leaves with one write is not watched.
 */
export function watchReader(
  reply: HttpReply,
  { id, deadline_at }: Pick<HttpRequest, "id" | "deadline_at">,
  { now, log }: { now: () => number; log: Log },
): HttpReply {
  let ended: Promise<void> | undefined;
  const after = () => (ended ??= reply.after?.() ?? Promise.resolve());
  const body = inPieces(reply.body);
  if (!body) return { ...reply, after };
  const gone = Promise.withResolvers<void>();
  const watch = startWatch(deadline_at, now, () => {
    log("warn", "reader_gone", { request: id });
    // If `after` fails, whoever awaits it learns of it.
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

/** The pieces in which a long body is written; undefined for a short body. */
function inPieces(body: HttpReply["body"]): AsyncIterable<Uint8Array> | undefined {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return body;
  if (body.length <= limits.replyPieceBytes) return undefined;
  return piecesOf(Buffer.from(body as string));
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += limits.replyPieceBytes)
    yield bytes.subarray(at, at + limits.replyPieceBytes);
}

/** The body. It tells the watch when its reader asks for more, and when it has been given something to take. */
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
 * Calls `onGone` once, when the reader has left something untaken for too long, or the process's time at
 * `deadline_at` (Unix milliseconds) is near. There is one timer for the whole answer, which looks from time to time.
 */
function startWatch(deadline_at: number, now: () => number, onGone: () => void): Watch {
  const begun_at = now();
  const broken_at = deadline_at - limits.settlementReserveMs;
  const leads_at = broken_at - limits.readerLeadMs;
  // A reader that is given the last error frame only at the end has part of the reserve to take it.
  const last_at = Math.max(broken_at + limits.settlementReserveMs / 2, begun_at + limits.readerLeadMs);
  let since: number | undefined = begun_at;
  let timer: NodeJS.Timeout;

  /** When a reader counts as gone that has left something untaken since `from`. */
  const endOf = (from: number) => Math.min(from + limits.readerStallMs, from < leads_at ? leads_at : last_at);
  const look = (): void => {
    const at = now();
    const end = endOf(since ?? at);
    if (at < end) arm(end - at);
    else if (since !== undefined) onGone();
    // The reader waits for us: the end of the answer is late, but on its way.
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
