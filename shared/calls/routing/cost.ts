/** What a caller waits for on a channel, in milliseconds. What the house pays is no part of it (`price.ts`). */
import type { Board, ChannelCounts } from "./board.ts";
import { boardBounds } from "./bounds.ts";
import { recentOf } from "./breaker.ts";
import { added, countOf, merge, percentile, timesFor } from "./histogram.ts";
import { laneOf } from "./witness.ts";

/** So many of the newest measurements are enough. Older ones would only hide a change. */
const measurements = 30;
/** In so many of the newest windows others must have measured enough, or a caller's own lane counts in full. */
const sharedWindows = 2;
/** So many measurements of all channels together are added to each one's: few measurements say little. */
const pseudoMeasurements = 6;
/** What a caller waits for where a channel fails. */
const faultMs = 4_000;
/** Channels whose speeds are no further apart are equally fast: the speed of one answer depends on what it says. */
const speedTolerance = 1.25;
/** When a channel is slow or flaky beside the best one (README.md "Health of a channel"). */
const slowFactor = 2;
const flakyFactor = 0.5;
const noticedMs = 100;

export interface Cost {
  /** All of the below in milliseconds. */
  ms: number;
  /** The median time to the first byte, in milliseconds; undefined where no channel has been measured. */
  first_byte_ms: number | undefined;
  /** Undefined where no channel has been measured. */
  tokens_per_s: number | undefined;
  /** The share of calls that fail; 0 where so few did that it may be chance. */
  fault_share: number;
  /** What the faults are of `ms`. */
  fault_ms: number;
}

type Measured = Pick<ChannelCounts, "first_byte" | "output_tokens" | "generation_ms">;

/** The costs of channels for the calls of a witness, by their ids. `now` is Unix milliseconds. */
export function costsOf(
  channels: readonly { id: string }[],
  board: Board,
  now: number,
  witness?: string,
): Map<string, Cost> {
  const measured = channels.map(({ id }) => measuredOf(board, id, laneOf(witness)));
  const pool = pooled(measured);
  const recent = channels.map(({ id }) => recentOf(board, id, now, witness));
  const expected = shareOf(pool.output_tokens, countOf(pool.first_byte));
  const tokenMs = measured.map((each) => tokenMsOf(each, pool));
  const fastestMs = Math.min(...tokenMs);
  return new Map(
    channels.map(({ id }, at) => {
      const { answers, faults } = recent[at] as (typeof recent)[number];
      const first_byte_ms = medianOf(measured[at] as Measured, pool);
      const fault_share = faults < boardBounds.faultsMin ? 0 : faults / (answers + faults);
      const slower_ms = Math.max(0, (tokenMs[at] as number) - speedTolerance * fastestMs) * expected;
      const fault_ms = fault_share * faultMs;
      const ms = (first_byte_ms ?? 0) + slower_ms + fault_ms;
      const tokens_per_s = pool.output_tokens > 0 ? 1000 / (tokenMs[at] as number) : undefined;
      return [id, { ms, first_byte_ms, tokens_per_s, fault_share, fault_ms }];
    }),
  );
}

/** Whether smart routing leaves a channel of this cost, and why, where another one has the best cost. */
export function leftForCost({ ms, fault_ms }: Cost, best_ms: number): "slow" | "flaky" | undefined {
  if (isWorse(ms - fault_ms, best_ms)) return "slow";
  return fault_ms > flakyFactor * best_ms + noticedMs ? "flaky" : undefined;
}

/** Whether a cost is so far above the best one that its channel is left. Both are in milliseconds. */
export function isWorse(ms: number, best_ms: number): boolean {
  return ms > slowFactor * best_ms + noticedMs;
}

function nothing(): Measured {
  return { first_byte: [], output_tokens: 0, generation_ms: 0 };
}

function add(
  sum: Measured,
  { first_byte = [], output_tokens = 0, generation_ms = 0 }: Partial<Measured>,
): void {
  sum.first_byte = added(sum.first_byte, first_byte);
  sum.output_tokens += output_tokens;
  sum.generation_ms += generation_ms;
}

/**
 * The newest windows with enough measurements. Where other lanes have few, the caller's own counts in full
 * (README.md "Witnesses").
 */
function measuredOf(board: Board, channel: string, lane: number | undefined): Measured {
  const shared = newestOf(board, channel, undefined, sharedWindows);
  return countOf(shared.first_byte) >= measurements ? shared : newestOf(board, channel, lane);
}

/** The newest windows, at most `most`, that have enough measurements as they count for a caller in this lane. */
function newestOf({ windows }: Board, channel: string, lane: number | undefined, most = Infinity): Measured {
  const sum = nothing();
  const first = windows.length - most;
  let first_byte = timesFor(lane, []);
  for (let at = windows.length - 1; at >= 0 && at >= first && countOf(first_byte) < measurements; at--) {
    const counts = windows[at]?.channels[channel];
    if (!counts) continue;
    add(sum, counts);
    first_byte = timesFor(lane, sum.first_byte);
  }
  return { ...sum, first_byte };
}

function pooled(all: readonly Measured[]): Measured {
  const sum = nothing();
  for (const each of all) add(sum, each);
  return sum;
}

/** The median time to the first byte, drawn towards that of all channels. */
function medianOf({ first_byte }: Measured, pool: Measured): number | undefined {
  const all = countOf(pool.first_byte);
  return all > 0 ? percentile(merge(first_byte, pool.first_byte, pseudoMeasurements / all), 0.5) : undefined;
}

/** Milliseconds a token, drawn towards that of all channels; 0 where none was measured. */
function tokenMsOf({ output_tokens, generation_ms }: Measured, pool: Measured): number {
  const answers = countOf(pool.first_byte);
  const weight = answers > 0 ? pseudoMeasurements / answers : 0;
  return shareOf(generation_ms + weight * pool.generation_ms, output_tokens + weight * pool.output_tokens);
}

function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
