/**
 * Records a batch of usage events in the ledger, then counts them for the board, the cache's months and a collector.
 */

import { isOverload } from "../../base/platform/aws.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { type Ledger, PartlyRecorded, type Recorded } from "../../books/ledger/ledger.ts";
import { parseUsageEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import { type CacheAddition, type CacheStatistics, hitsOf } from "../../calls/cache/statistics.ts";
import { answersOf } from "../../calls/routing/answers.ts";
import type { BoardAddition, Boards } from "../../calls/routing/board.ts";
import type { UsageMetrics } from "../../calls/telemetry/trace.ts";

export interface SettleDeps {
  ledger: Pick<Ledger, "record">;
  boards: Pick<Boards, "add">;
  statistics: Pick<CacheStatistics, "add">;
  /** Tells OpenTelemetry of the events, where an endpoint for it is named. */
  metering?: Promise<UsageMetrics | undefined> | undefined;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

interface QueueMessage {
  id: string;
  body: string;
}

/** A message that could be read. */
interface Readable {
  id: string;
  event: UsageEvent;
}

/**
 * Gives the ids of messages that must come again. If some of the batch fail, each of these is tried by itself, unless it
 * is for load. None comes again for the sake of the board or of the cache's sums.
 */
export async function settleBatch(messages: QueueMessage[], deps: SettleDeps): Promise<string[]> {
  const unread: string[] = [];
  const readable: Readable[] = [];
  for (const { id, body } of messages) {
    try {
      readable.push({ id, event: parseUsageEvent(body) });
    } catch (error) {
      deps.log("error", "poison_message", { error: describeError(error) });
      unread.push(id);
    }
  }
  const { fresh, failed } = await record(readable, deps);
  await Promise.all([countAnswers(fresh, deps), countHits(fresh, deps), tellUsage(fresh, deps)]);
  logSettled(fresh, deps);
  return [...unread, ...failed];
}

/** Records events. Gives those that are new, and the ids of the messages that failed. */
async function record(
  messages: Readable[],
  { ledger, log }: SettleDeps,
): Promise<{ fresh: UsageEvent[]; failed: string[] }> {
  const [fresh, failed]: [UsageEvent[], string[]] = [[], []];
  const note = (events: UsageEvent[], results: readonly (Recorded | undefined)[]) =>
    fresh.push(...events.filter((_, at) => results[at] === "recorded"));
  const events = messages.map(({ event }) => event);
  let left = messages;
  let busy: unknown;
  try {
    note(events, await ledger.record(events));
    return { fresh, failed };
  } catch (error) {
    const { results, cause } = error instanceof PartlyRecorded ? error : { results: [], cause: error };
    log("warn", "batch_failed", { count: messages.length, error: describeError(cause) });
    note(events, results);
    left = messages.filter((_, at) => !results[at]);
    if (isOverload(cause)) busy = cause;
  }
  for (const { id, event } of left) {
    try {
      // Each by itself would meet others and load as often as all together.
      if (busy) throw busy;
      note([event], await ledger.record([event]));
    } catch (error) {
      log("error", "settle_failed", { request: event.id, error: describeError(error) });
      failed.push(id);
    }
  }
  return { fresh, failed };
}

/** Logs how many events were new, and for how long the oldest of them has waited. */
function logSettled(events: UsageEvent[], { log, now }: Pick<SettleDeps, "log" | "now">): void {
  if (events.length === 0) return;
  const oldest = Math.min(...events.map(({ ended_at }) => ended_at));
  log("info", "settled", { count: events.length, lag_ms: Math.max(0, now() - oldest) });
}

/** Counts the answers of events that are new. What cannot be written is logged, and forgotten. */
async function countAnswers(events: UsageEvent[], { boards, log, now }: SettleDeps): Promise<void> {
  const write = async (addition: BoardAddition) => {
    try {
      await boards.add(addition);
    } catch (error) {
      log("warn", "board_failed", { model: addition.model, error: describeError(error) });
    }
  };
  await Promise.all(answersOf(events, now()).map(write));
}

/** Tells OpenTelemetry of events that are new. What cannot be told is lost. */
async function tellUsage(events: UsageEvent[], { metering }: SettleDeps): Promise<void> {
  if (metering) await (await metering)?.record(events);
}

/** Counts the hits of the cache among events that are new. What cannot be written is logged, and forgotten. */
async function countHits(events: UsageEvent[], { statistics, log }: SettleDeps): Promise<void> {
  const write = async (addition: CacheAddition) => {
    try {
      await statistics.add(addition);
    } catch (error) {
      const { organization } = addition.owner;
      log("warn", "cache_uncounted", { organization, error: describeError(error) });
    }
  };
  await Promise.all(hitsOf(events).map(write));
}
