/** When a channel is left, for how long, and when a call may try it again (README.md "Health of a channel"). */
import { limits } from "../../base/limits.ts";
import {
  type Board,
  type ChannelCounts,
  type ChannelState,
  type Opening,
  windowMs,
  windowOf,
} from "./board.ts";
import { boardBounds } from "./bounds.ts";
import { added, countOf, timesFor } from "./histogram.ts";
import { createTally, laneOf } from "./witness.ts";

/** The share of faults among what was counted, from which on a channel is opened. */
const faultShareMin = 0.5;
/** How long a channel is left the first time. Each further time in a row it is twice as long. */
const firstOpenMs = 2_500;
/** The level of a channel whose provider refuses our account: as if it had been opened so many times. */
const refusedLevel = 5;

/** What a channel did in this window and the one before, as a witness sees it. */
type Recent = Pick<ChannelCounts, "answers" | "faults">;

/** A channel's last 15 to 30 s, with the faults that count for the witness; without one, for those that saw none. */
export function recentOf(board: Board, channel: string, now: number, witness?: string): Recent {
  const first = windowOf(now) - windowMs;
  const tally = createTally();
  let answers = 0;
  let laned: number[] = [];
  for (const { start, channels } of board.windows) {
    // A window that has not begun here comes from a process whose clock is ahead.
    if (start < first) continue;
    const { answers: some = 0, faults, seen_by, first_byte = [] } = channels[channel] ?? {};
    answers += some;
    laned = added(laned, first_byte);
    tally.add(faults, seen_by);
  }
  // As the faults of the loudest count less for others, so do its answers: else they would hide what all others see.
  const timed = countOf(laned);
  const share = timed > 0 ? countOf(timesFor(laneOf(witness), laned)) / timed : 1;
  return { answers: share * answers, faults: tally.countFor(witness) };
}

/** Whether a channel that did this, and had so many faults at least, is opened. */
export function opens({ answers, faults }: Recent, least: number = boardBounds.faultsMin): boolean {
  return faults >= least && faults >= faultShareMin * (answers + faults);
}

/** The opening of a channel that was opened `level` times in a row before. */
export function openingOf(level: number, now: number): Opening {
  const ms = Math.min(firstOpenMs * 2 ** level, limits.channelOpenMaxMs);
  return { until: now + ms, level: level + 1, now };
}

/** The opening of a channel whose provider refuses our account. */
export function refusedOpening(level: number, now: number): Opening {
  return openingOf(Math.max(level, refusedLevel), now);
}

/** Until when a channel is limited whose provider asks for so many milliseconds; where that is not known, 5 s. */
export function limitedUntil(now: number, wait_ms: number = Number.NaN): number {
  const { channelLimitedMs, channelLimitedMinMs, channelLimitedMaxMs } = limits;
  if (Number.isNaN(wait_ms)) return now + channelLimitedMs;
  return now + Math.min(Math.max(wait_ms, channelLimitedMinMs), channelLimitedMaxMs);
}

/** Whether and why other channels go before one in this state, for a witness. Open ends with a probe that succeeds. */
export function leftBecause(
  state: ChannelState | undefined,
  now: number,
  witness?: string,
): "open" | "limited" | undefined {
  if (!state) return undefined;
  if (isOpen(state, now, witness)) return "open";
  return isAhead(state.limited_until, now) && isBelieved(state.limited_until, now) ? "limited" : undefined;
}

/** Whether it was opened for all or this witness, and no probe has succeeded since. Unprobed openings are forgotten. */
export function isOpen(state: ChannelState, now: number, witness?: string): boolean {
  return isLasting(state, now) && (state.only_for === undefined || state.only_for === witness);
}

/** Whether the channel is open for the calls of one witness alone, and this is another one. */
export function isOpenForAnother(state: ChannelState | undefined, now: number, witness?: string): boolean {
  return state !== undefined && isLasting(state, now) && !isOpen(state, now, witness);
}

function isLasting({ level, open_until = 0 }: ChannelState, now: number): boolean {
  return level > 0 && isBelieved(open_until, now) && open_until > now - boardBounds.forgottenMs;
}

/** Whether a call may claim the probe of a channel. Where the witness's own has failed, others go first. */
export function probes(state: ChannelState | undefined, now: number, witness?: string): boolean {
  if (!state || !isOpen(state, now, witness)) return false;
  const hasFailed = witness !== undefined && state.failed_by === witness && state.only_for === undefined;
  if (hasFailed && isAhead((state.open_until ?? 0) + boardBounds.probeMs, now)) return false;
  return [state.open_until, state.probed_until, state.limited_until].every((until) => !isAhead(until, now));
}

/** Whether an instant of a state is still to come. */
export function isAhead(until: number | undefined, now: number): until is number {
  return until !== undefined && until > now;
}

/** Nothing is left for longer than the limits say. What claims to be was written by a clock that is far ahead. */
function isBelieved(until: number, now: number): boolean {
  const longest = Math.max(limits.channelOpenMaxMs, limits.channelLimitedMaxMs);
  return until <= now + longest + boardBounds.clockSkewMs;
}
