/** When a stream is late, and whether another channel may be asked too (shared/calls/routing/README.md "The race"). */
import { limits } from "../../base/limits.ts";
import { type Board, type ChannelCounts, windowMs, windowOf } from "./board.ts";
import { added, countOf, percentile, timesFor } from "./histogram.ts";
import { createTally, laneOf } from "./witness.ts";

/** Fewer first-byte times say nothing of what is late. */
const measurementsMin = 20;
/** So many of all organizations, as the loudest counts, and no lane is anybody's own. */
const sharedMin = 30;
/** So many times the median of a channel is late. Of log-normal times with a sigma of 0.45, one in a thousand is. */
const medianFactor = 4;
/** The same of a model that reasons, whose times differ far more: so many times what all but one in a hundred take. */
const reasonedShare = 0.99;
const reasonedFactor = 2;

/** What is late where too little was measured, and the same of a model that reasons. */
const unmeasuredMs = 10_000;
const unmeasuredReasonedMs = 30_000;
/** The share of a model's answers that may be raced. */
const shareMax = 0.05;
/** A channel that answers nothing for so long is no part of that. */
const deadMs = 5_000;
/** A channel is late so many times later than all channels together, at most. */
const slowerFactor = 2;
/** So many answers that do not come are no chance: one silence in twenty would be. */
const missedMin = 3;

/** What a model's entry says of its races. */
export interface RacedModel {
  /** Whether it thinks before it answers, for a time that depends on the question. */
  reasons: boolean;
  /** The operator's own word, in milliseconds. */
  first_byte_ms?: number | undefined;
}

/** After how many milliseconds without a frame a channel's stream is late. */
export function lateAfter(
  board: Board,
  channel: string,
  { reasons, first_byte_ms }: RacedModel,
  witness?: string,
): number {
  if (first_byte_ms !== undefined) return first_byte_ms;
  const lane = laneOf(witness);
  const own = usualOf(board, ([id]) => id === channel, { reasons, lane });
  const all = usualOf(board, () => true, { reasons, lane });
  if (all === undefined) return reasons ? unmeasuredReasonedMs : unmeasuredMs;
  // A channel that has become slow is late by what the others take, however long its own answers have taken lately.
  const late = Math.min(own ?? Number.POSITIVE_INFINITY, slowerFactor * all);
  return Math.min(Math.max(late, limits.raceMinMs), limits.raceMaxMs);
}

/** What is late by the first-byte times of some channels; undefined where they are too few. */
function usualOf(
  { windows }: Board,
  isCounted: (channel: [id: string, counts: Partial<ChannelCounts>]) => boolean,
  { reasons, lane }: { reasons: boolean; lane: number | undefined },
): number | undefined {
  const counted = windows.flatMap(({ channels }) => Object.entries(channels).filter(isCounted));
  const laned = counted.reduce<number[]>((sum, [, { first_byte = [] }]) => added(sum, first_byte), []);
  const shared = timesFor(undefined, laned);
  // Whoever shares the lane of a slow organization is not moved by it, as long as others have measured enough.
  const times = countOf(shared) < sharedMin ? timesFor(lane, laned) : shared;
  if (countOf(times) < measurementsMin) return undefined;
  const usual = percentile(times, reasons ? reasonedShare : 0.5) ?? 0;
  return usual * (reasons ? reasonedFactor : medianFactor);
}

/** Whether a call of the witness may race a late channel: a share of a model's calls may, and all where it is dead. */
export function mayRace(board: Board, channel: string, now: number, witness?: string): boolean {
  let answers = 0;
  const races = createTally();
  for (const { channels } of board.windows) {
    for (const counts of Object.values(channels)) {
      answers += counts.answers ?? 0;
      races.add(counts.raced, counts.raced_by);
    }
  }
  return races.countFor(witness) <= shareMax * answers || isDead(board, channel, now, witness);
}

/** Whether a channel's silence of the last seconds is no chance: calls failed, or answers would have come by now. */
function isDead({ windows }: Board, channel: string, now: number, witness: string | undefined): boolean {
  // The window that has just begun says too little alone.
  const since = windowOf(now - deadMs);
  const tally = createTally();
  let [before, answers] = [0, 0];
  for (const { start, channels } of windows) {
    const counts = channels[channel] ?? {};
    if (start < since) before += counts.answers ?? 0;
    else {
      answers += counts.answers ?? 0;
      tally.add(counts.faults, counts.seen_by);
    }
  }
  if (answers > 0) return false;
  const [first] = windows;
  const spanMs = Math.max(windowMs, since - (first?.start ?? since));
  return tally.countFor(witness) > 0 || (before * (now - since)) / spanMs >= missedMin;
}
