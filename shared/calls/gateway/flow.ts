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
import type { Answered, StreamAnswer } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { logRefused } from "./failures.ts";
import { createGuard, type Guard } from "./strict.ts";

interface Flow extends Told {
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
interface Told {
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
export function createFlow(admitted: Admitted, answer: StreamAnswer & Answered, deps: Deps): Flow {
  const source = openSource(admitted, answer, deps);
  const wait = createWait(deps.now);
  const [over, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [isStarted, isStepping] = [false, false];
  let sink: BodySink | undefined;
  let silence: Silence | undefined;
  let drain: NodeJS.Timeout | undefined;
  /** Resolves when the reader has caught up. */
  let behind: Promise<void> | undefined;

  const go = (): void => {
    clearTimeout(drain);
    const ping = silence?.end();
    if (ping) waitForReader(ping);
    while (!behind && !isStepping) {
      const out = source.ended() ? undefined : source.read();
      if (!out) {
        if (source.ended()) finish();
        else waitForProvider();
        return;
      }
      const step = source.step();
      if (step) takeStep(step, out);
      else give(out);
    }
  };
  const give = (out: Buffer): void => {
    const write = out.length > 0 ? sink?.write(out) : undefined;
    if (write) waitForReader(write);
  };
  const waitForReader = (write: Promise<void>): void => {
    behind = write;
    wait.begin();
    void write.then(() => {
      // A stream that was abandoned has gone on without its reader.
      if (behind !== write) return;
      behind = undefined;
      wait.end();
      go();
    });
  };
  const takeStep = (step: Promise<unknown>, out: Buffer): void => {
    isStepping = true;
    void step.then(() => {
      isStepping = false;
      give(out);
      go();
    });
  };
  const waitForProvider = (): void => {
    silence?.begin();
    if (source.mayEnd()) drain = setTimeout(source.end, limits.drainMs, go);
  };
  const finish = (): void => {
    silence?.stop();
    left.resolve();
    over.resolve();
  };
  const start = (reader?: BodySink): void => {
    if (isStarted) return;
    isStarted = true;
    wait.end();
    sink = reader;
    silence = reader && answer.client.ping && watchSilence(reader, answer.client.ping, deps.now);
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
      sink = undefined;
      silence?.stop();
      silence = undefined;
      left.resolve(behind);
      behind = undefined;
      wait.end();
      go();
      return over.promise;
    },
    ...source.told,
    waitedMs: wait.ms,
  };
}

/** Adds up how long a stream waits for its reader. It waits at first, until the reader has the first bytes. */
function createWait(now: () => number): { begin(): void; end(): void; ms(): number } {
  let before = 0;
  let since: number | undefined = now();
  const ms = () => before + (since === undefined ? 0 : now() - since);
  return {
    begin() {
      since ??= now();
    },
    end() {
      before = ms();
      since = undefined;
    },
    ms,
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
  told: Told;
}

function openSource(admitted: Admitted, answer: StreamAnswer & Answered, deps: Deps): Source {
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
