/**
 * Watches the reader of an answer. One that takes nothing for long, or until the process's time runs out, is gone. The
 * work after the body is then done at once, and the front may close the connection.
 */
import { limits } from "../limits.ts";
import type { Log } from "../platform/log.ts";
import type { BodyPump, HttpReply, HttpRequest } from "./message.ts";

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

/** Writes a long body piece by piece; undefined for a short body. */
function inPieces(body: HttpReply["body"]): BodyPump | undefined {
  if (typeof body === "function") return body;
  return body.length > limits.replyPieceBytes ? pieces(Buffer.from(body as string)) : undefined;
}

function pieces(bytes: Uint8Array): BodyPump {
  return async (sink) => {
    for (let at = 0; at < bytes.length; at += limits.replyPieceBytes)
      await sink.write(bytes.subarray(at, at + limits.replyPieceBytes));
  };
}

/** The body. It tells the watch when its reader is behind, and when it waits for more. */
function watched(body: BodyPump, watch: ReaderWatch): BodyPump {
  return async (sink) => {
    watch.asked();
    await body({
      write(bytes) {
        const behind = sink.write(bytes);
        if (!behind) return undefined;
        watch.given();
        return behind.then(watch.asked);
      },
    });
    watch.given();
  };
}

interface ReaderWatch {
  /** The reader asks for more. */
  asked(): void;
  /** The reader has been given bytes that it has not taken yet, or the end. */
  given(): void;
  stop(): void;
}

/**
 * Calls `onGone` once, when the reader has left something untaken for too long, or the process's time at
 * `deadline_at` (Unix milliseconds) is near. There is one timer for the whole answer, which looks from time to time.
 */
function startWatch(deadline_at: number, now: () => number, onGone: () => void): ReaderWatch {
  const begun_at = now();
  const broken_at = deadline_at - limits.settlementReserveMs;
  const leads_at = broken_at - limits.readerLeadMs;
  // A reader may be given the last error frame only at the end. It then has part of the reserve to take it.
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
