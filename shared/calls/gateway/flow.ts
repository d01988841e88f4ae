/**
 * How a provider's stream flows to its reader, until it ends. Bytes leave in the event in which they arrive. They wait
 * only for a reader that is behind, and in a strict call for the hold's next step.
 */

import type { BodySink } from "../../base/http/message.ts";
import { type Silence, watchSilence } from "../../base/http/pings.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { StreamFailed, StreamOverflow } from "../exchange/relay.ts";
import type { RequestBlamed } from "../upstreams/fault.ts";
import type { Admitted } from "./admit.ts";
import type { AnswerOrigin, StreamAnswer } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { logRefused } from "./failures.ts";
import { createGuard, type Guard } from "./strict.ts";

interface Flow extends StreamEnd {
  /**
   * Writes what may leave to the reader, with pings in between. Resolves when the stream has ended, however it ends, or
   * goes on without this reader. Never rejects.
   */
  writeTo(reader: BodySink): Promise<void>;
  /** From now on drops what comes. Resolves when the stream has ended. Never rejects. */
  abandon(): Promise<void>;
  /** How long it has waited for its reader until now, in milliseconds. What the provider takes is no part of it. */
  waitedMs(): number;
}

/** How a stream has ended, and what holds its output. */
interface StreamEnd {
  /** Whether the stream, which is over, has come to its own end. */
  completed(): boolean;
  /** Ends it where it is, unless it has ended, and closes the connection to its provider. */
  breakOff(): void;
  /** Whether that has ended it. */
  brokenOff(): boolean;
  /** Why its provider broke it off, where that blames the request. */
  blamed(): Promise<RequestBlamed | undefined>;
  guard: Guard;
}

/** The flow of a stream. Its caller writes the frames that were read before, `answer.first`. */
export function createFlow(admitted: Admitted, answer: StreamAnswer & AnswerOrigin, deps: Deps): Flow {
  const source = openSource(admitted, answer, deps);
  const [over, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [isStarted, isStepping] = [false, false];
  let drain: NodeJS.Timeout | undefined;

  const go = (): void => {
    clearTimeout(drain);
    outflow.endSilence();
    while (!outflow.isBehind() && !isStepping) {
      const out = source.ended() ? undefined : source.read();
      if (!out) {
        if (source.ended()) finish();
        else waitForProvider();
        return;
      }
      const step = source.step();
      if (step) takeStep(step, out);
      else outflow.write(out);
    }
  };
  const outflow = createOutflow(answer.client.ping, deps.now, go);
  const takeStep = (step: Promise<unknown>, out: Buffer): void => {
    isStepping = true;
    void step.then(() => {
      isStepping = false;
      outflow.write(out);
      go();
    });
  };
  const waitForProvider = (): void => {
    outflow.beginSilence();
    if (source.mayEnd()) drain = setTimeout(source.end, limits.drainMs, go);
  };
  const finish = (): void => {
    outflow.stopPings();
    left.resolve();
    over.resolve();
  };
  const start = (reader?: BodySink): void => {
    if (isStarted) return;
    isStarted = true;
    outflow.open(reader);
    answer.rest.listen(go);
    go();
  };

  return {
    writeTo(reader) {
      start(reader);
      return left.promise;
    },
    abandon() {
      start();
      left.resolve(outflow.close());
      go();
      return over.promise;
    },
    ...source.told,
    waitedMs: outflow.waitedMs,
  };
}

/** Where a stream leaves to its reader. */
interface Outflow {
  /** Bytes go to this reader from now on, or to nobody. It has the bytes that were read before. */
  open(reader: BodySink | undefined): void;
  write(out: Buffer): void;
  /** Whether the reader has yet to take what was written. */
  isBehind(): boolean;
  /** The provider is waited for: pings are written meanwhile. */
  beginSilence(): void;
  endSilence(): void;
  stopPings(): void;
  /** Bytes go to nobody any more. Gives what the reader has yet to take. */
  close(): Promise<void> | undefined;
  /** How long the stream has waited for its reader. It waits at first, until the outflow is open. */
  waitedMs(): number;
}

/** An outflow that calls `go` whenever its reader has caught up. */
function createOutflow(ping: Uint8Array | undefined, now: () => number, go: () => void): Outflow {
  let sink: BodySink | undefined;
  let silence: Silence | undefined;
  /** Resolves when the reader has caught up. */
  let behind: Promise<void> | undefined;
  let before = 0;
  let since: number | undefined = now();

  const waitedMs = () => before + (since === undefined ? 0 : now() - since);
  const endWait = (): void => {
    before = waitedMs();
    since = undefined;
    behind = undefined;
  };
  const waitFor = (write: Promise<void> | undefined): void => {
    if (!write) return;
    behind = write;
    since ??= now();
    void write.then(() => {
      // A stream that was abandoned has gone on without its reader.
      if (behind !== write) return;
      endWait();
      go();
    });
  };
  return {
    open(reader) {
      endWait();
      sink = reader;
      silence = reader && ping && watchSilence(reader, ping, now);
    },
    write: (out) => waitFor(out.length > 0 ? sink?.write(out) : undefined),
    isBehind: () => behind !== undefined,
    beginSilence: () => silence?.begin(),
    endSilence: () => waitFor(silence?.end()),
    stopPings: () => silence?.stop(),
    close() {
      const last = behind;
      silence?.stop();
      [sink, silence] = [undefined, undefined];
      endWait();
      return last;
    },
    waitedMs,
  };
}

/** A provider's bytes that may leave. */
interface Source {
  /** What has arrived and may leave, maybe no bytes. Undefined where nothing has arrived, and at the end. Never throws. */
  read(): Buffer | undefined;
  /** What must be held before the bytes that were read last may leave. Never rejects. */
  step(): Promise<unknown> | undefined;
  ended(): boolean;
  /** Whether it may have ended although its provider has not closed it. */
  mayEnd(): boolean;
  /** Ends it, and says so to `tell`. */
  end(tell: () => void): void;
  told: StreamEnd;
}

function openSource(admitted: Admitted, answer: StreamAnswer & AnswerOrigin, deps: Deps): Source {
  const { relay, reader, first, rest, abort, broke } = answer;
  const { recorder } = admitted;
  const guard = createGuard(admitted, abort, deps);
  const isOver = () => reader.over() && !reader.open_ended;
  let ended = isOver();
  let broken = false;
  let brokenOff = false;
  let overflown = false;
  let blamed: Promise<RequestBlamed | undefined> = Promise.resolve(undefined);
  recorder?.add(first);
  const step = () => (reader.over() ? undefined : guard.reached(relay.outputBytes));
  // Output that was read with the first frame counts too.
  void step();

  /** Says whose fault it is that the stream broke off. What the request has caused says nothing of the channel. */
  const judge = async (error: unknown): Promise<RequestBlamed | undefined> => {
    const timing = { ...answer.timing, attempts: answer.attempts };
    const stopped = guard.refused() !== undefined;
    // What reads refusals is loaded with the first one. Where that fails, nobody is known to blame.
    const found = await answer.blamed(error).catch(() => undefined);
    if (found) logRefused(found, answer.provider ?? "", timing, admitted, deps);
    else deps.log("warn", "stream_failed", { request: admitted.request.id, error: describeError(error) });
    if (!stopped && !found) broke();
    return found;
  };
  const fail = (error: unknown): Buffer | undefined => {
    ended = true;
    broken = true;
    blamed = judge(error);
    overflown = error instanceof StreamOverflow;
    // It sends more than may be kept, so its socket is not read to the end.
    if (overflown) abort();
    if (!(error instanceof StreamFailed)) return undefined;
    recorder?.add(error.before);
    return error.before;
  };
  return {
    read() {
      try {
        const piece = rest.take();
        if (piece?.length === 0) return undefined;
        const out = piece && relay.push(piece);
        ended = piece === undefined || isOver();
        if (out) recorder?.add(out);
        return out;
      } catch (error) {
        return fail(error);
      }
    },
    step: () => (ended ? undefined : step()?.catch(fail)),
    ended: () => ended || guard.refused() !== undefined,
    mayEnd: () => reader.over(),
    end(tell) {
      ended = true;
      tell();
    },
    told: {
      // A stream that only closes has ended if its usage had come. If not, the answer was cut off.
      completed: () =>
        !overflown && (reader.over() || (!broken && !guard.refused() && reader.usage() !== undefined)),
      breakOff() {
        // With its last frame, the report of what it used has come.
        if (ended || reader.over()) return;
        [ended, broken, brokenOff] = [true, true, true];
        // The end of the connection wakes whoever waits for the provider.
        abort();
      },
      brokenOff: () => brokenOff,
      blamed: () => blamed,
      guard,
    },
  };
}
