/**
 * What a caller waits for on a channel, in milliseconds. What the operator pays is no part of it: the catalog does not
 * know what a channel costs.
 */
import { type Board, windowMs } from "./board.ts";
import { recentOf } from "./breaker.ts";
import { buckets, countOf, merge, percentile } from "./histogram.ts";

/** After so long a measurement counts half. */
const halfLifeMs = 20_000;
/** So many measurements of all channels together are added to each one's: few measurements say little. */
const pseudoMeasurements = 6;
/** What a caller waits for where a channel fails. */
const faultMs = 4_000;
/** Channels whose speeds are no further apart are equally fast: the speed of one answer depends on what it says. */
const speedTolerance = 1.25;
/** A channel is left if its cost is more than the best one's by both. */
const leftFactor = 1.5;
const leftMs = 100;

export interface Cost {
  /** All of the below in milliseconds. */
  ms: number;
  /** The median time to the first byte, in milliseconds; undefined where no channel has been measured. */
  first_byte_ms: number | undefined;
  /** Undefined where no channel has been measured. */
  tokens_per_s: number | undefined;
  /** The likely share of calls that fail. */
  fault_share: number;
  /** What the faults are of `ms`. */
  fault_ms: number;
}

/** What was measured, newer measurements counting more. */
interface Measured {
  first_byte: number[];
  output_tokens: number;
  generation_ms: number;
}

/** The costs of channels by their ids. `now` is Unix milliseconds. */
export function costsOf(channels: readonly string[], board: Board, now: number): Map<string, Cost> {
  const measured = channels.map((channel) => measuredOf(board, channel, now));
  const pool = measured.reduce((sum, each) => added(sum, each), nothing());
  const recent = channels.map((channel) => recentOf(board, channel, now));
  const poolFaults = shareOf(
    recent.reduce((sum, { faults }) => sum + faults, 0),
    recent.reduce((sum, { answers, faults }) => sum + answers + faults, 0),
  );
  const expected = shareOf(pool.output_tokens, countOf(pool.first_byte));
  const tokenMs = measured.map((each) => tokenMsOf(each, pool));
  const fastestMs = Math.min(...tokenMs);
  return new Map(
    channels.map((channel, at) => {
      const { answers, faults } = recent[at] as (typeof recent)[number];
      const first_byte_ms = medianOf(measured[at] as Measured, pool);
      const fault_share = shareOf(
        faults + pseudoMeasurements * poolFaults,
        answers + faults + pseudoMeasurements,
      );
      const slower_ms = Math.max(0, (tokenMs[at] as number) - speedTolerance * fastestMs) * expected;
      const fault_ms = fault_share * faultMs;
      const ms = (first_byte_ms ?? 0) + slower_ms + fault_ms;
      const tokens_per_s = pool.output_tokens > 0 ? 1000 / (tokenMs[at] as number) : undefined;
      return [channel, { ms, first_byte_ms, tokens_per_s, fault_share, fault_ms }];
    }),
  );
}

/** Whether smart routing leaves a channel of this cost, and why, where another one has the best cost. */
export function leftForCost(cost: Cost, best_ms: number): "slow" | "flaky" | undefined {
  const most_ms = leftFactor * best_ms + leftMs;
  if (cost.ms <= most_ms) return undefined;
  return cost.ms - cost.fault_ms > most_ms ? "slow" : "flaky";
}

function nothing(): Measured {
  return { first_byte: Array.from({ length: buckets }, () => 0), output_tokens: 0, generation_ms: 0 };
}

function added(one: Measured, other: Measured, weight = 1): Measured {
  return {
    first_byte: merge(one.first_byte, other.first_byte, weight),
    output_tokens: one.output_tokens + weight * other.output_tokens,
    generation_ms: one.generation_ms + weight * other.generation_ms,
  };
}

function measuredOf(board: Board, channel: string, now: number): Measured {
  let sum = nothing();
  for (const { start, channels } of board.windows) {
    const { first_byte = [], output_tokens = 0, generation_ms = 0 } = channels[channel] ?? {};
    const age = Math.max(0, now - start - windowMs / 2);
    sum = added(sum, { first_byte, output_tokens, generation_ms }, 0.5 ** (age / halfLifeMs));
  }
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
