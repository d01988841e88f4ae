/** What a call saw of a channel goes onto the board (shared/calls/routing/README.md "Health of a channel"). */

import type { AttemptOutcome } from "../../books/ledger/usage-event.ts";
import { type ChannelCounts, type Opening, windowOf } from "./board.ts";
import { boardBounds } from "./bounds.ts";
import {
  isAhead,
  isOpen,
  isOpenForAnother,
  limitedUntil,
  openingOf,
  opens,
  recentOf,
  refusedOpening,
} from "./breaker.ts";
import type { Copies, CopiesDeps } from "./copies.ts";
import { histogramOf } from "./histogram.ts";
import { laneOf } from "./witness.ts";

/** How an attempt ended. */
export interface Observed {
  model: string;
  /** The channel's id, and who serves it. */
  channel: string;
  provider: string;
  outcome: AttemptOutcome;
  /** Whose call it was (`witness.ts`). Undefined where no request could have caused what it saw. */
  witness?: string | undefined;
  /** Whose call it was, whatever it saw. */
  caller?: string | undefined;
  /** Of `limited`: how long the provider asks us to wait, in milliseconds, where it says so. */
  wait_ms?: number | undefined;
  /** Another channel was asked too, because this one was late. */
  raced?: boolean | undefined;
  /** Of one that lost a race: for how long it had not answered, in milliseconds. */
  waited_ms?: number | undefined;
  /** Whether the call had the claim to probe the channel. */
  probed: boolean;
}

/** Notes an outcome, in the process's copy at once. The promise is that of the writes, if any, and never rejects. */
export function observe(observed: Observed, copies: Copies, deps: CopiesDeps): Promise<void> | undefined {
  switch (observed.outcome) {
    case "answered":
      return noteAnswer(observed, copies, deps);
    // Only the one that was late has failed. The other one was asked a moment ago.
    case "lost":
      return observed.raced ? noteFault(observed, copies, deps) : undefined;
    case "fault":
    case "refused":
      return noteFault(observed, copies, deps);
    case "limited":
      return noteLimit(observed, copies, deps);
    // The provider reads requests, and this one was wrong. That says nothing of the channel.
    case "blamed":
      return observed.raced ? add(observed, {}, copies, deps) : undefined;
  }
}

/** Settling counts the answer. Here only what it does not know is noted. */
function noteAnswer(observed: Observed, copies: Copies, deps: CopiesDeps): Promise<void> | undefined {
  const closed = observed.probed ? closeChannel(observed, copies, deps) : undefined;
  if (!observed.raced) return closed;
  return Promise.all([closed, add(observed, {}, copies, deps)]).then(() => {});
}

async function closeChannel(
  { model, channel, provider }: Observed,
  copies: Copies,
  { boards, log }: CopiesDeps,
): Promise<void> {
  copies.close(model, channel);
  await written(async () => {
    await boards.close(model, channel);
    log("info", "channel_closed", { model, provider, channel });
  }, copies);
}

/**
 * Notes a fault, or that our account is refused. Beside more answers than faults, a refusal says more of the request:
 * some servers say 403 to odd ones. What one witness alone has seen opens the channel for its own calls.
 */
async function noteFault(observed: Observed, copies: Copies, deps: CopiesDeps): Promise<void> {
  const { model, channel, outcome, probed, witness } = observed;
  const isRefused = outcome === "refused";
  // A call that waited long for this fault knows the board as it was before.
  const look = copies.look(model);
  await add(observed, { faults: 1 }, copies, deps);
  const board = await look.ready(boardBounds.readMs);
  const now = deps.now();
  const opening = (level: number) => (isRefused ? refusedOpening(level, now) : openingOf(level, now));
  const state = board?.states[channel];
  const hasFailed = (whose?: string) =>
    board !== undefined && opens(recentOf(board, channel, now, whose), isRefused ? 1 : undefined);
  // An opening that lasts was made by others meanwhile. Beyond its end only the probe counts.
  if (state && isOpen(state, now, witness)) {
    if (!probed || isAhead(state.open_until, now)) return;
    const { level, only_for } = state;
    await open(observed, { ...opening(level), only_for, failed_by: witness }, copies, deps);
  } else if (hasFailed(witness)) {
    const isForAnother = isOpenForAnother(state, now, witness);
    const only_for = isForAnother || hasFailed() ? undefined : witness;
    const { until, ...rest } = opening(0);
    // Whatever copies show it, the opening for all is the later one.
    const beyond = isForAnother ? (state?.open_until ?? 0) + 1 : 0;
    await open(observed, { ...rest, until: Math.max(until, beyond), only_for }, copies, deps);
  }
}

async function noteLimit(observed: Observed, copies: Copies, deps: CopiesDeps): Promise<void> {
  const { model, channel, wait_ms } = observed;
  const until = limitedUntil(deps.now(), wait_ms);
  copies.addState(model, channel, { limited_until: until });
  await Promise.all([
    add(observed, { limited: 1 }, copies, deps),
    written(() => deps.boards.limit(model, channel, until), copies),
  ]);
}

/** Counts what an attempt came to, and its race. The window that the board then has is in the copy when the promise resolves. */
async function add(
  { model, channel, raced, waited_ms, witness, caller }: Observed,
  counted: Pick<Partial<ChannelCounts>, "faults" | "limited">,
  copies: Copies,
  { boards, now }: CopiesDeps,
): Promise<void> {
  const counts: Partial<ChannelCounts> = {
    ...counted,
    ...(counted.faults && toldBy("seen_by", witness)),
    ...(raced && { raced: 1, ...toldBy("raced_by", caller) }),
    // Its first byte would have come later than that. Without such times, a channel that always loses looks fast.
    ...(waited_ms !== undefined && { first_byte: histogramOf(waited_ms, laneOf(caller)) }),
  };
  copies.add(model, channel, counts);
  const window = await written(
    () => boards.add({ model, at: now(), channels: { [channel]: counts } }),
    copies,
  );
  if (window) copies.addWindow(model, window);

  /** A window tells a few witnesses apart, so that no number of organizations makes it long. */
  function toldBy(list: "seen_by" | "raced_by", name = ""): Partial<ChannelCounts> {
    const start = windowOf(now());
    const known = copies.board(model)?.windows.find((each) => each.start === start)?.channels[channel];
    const names = Object.keys(known?.[list] ?? {});
    const isTold = name !== "" && (names.includes(name) || names.length < boardBounds.witnessesMax);
    return isTold ? { [list]: { [name]: 1 } } : {};
  }
}

async function open(
  { model, channel, provider }: Observed,
  opening: Opening,
  copies: Copies,
  { boards, log }: CopiesDeps,
): Promise<void> {
  const { until, level, only_for, failed_by } = opening;
  copies.addState(model, channel, {
    open_until: until,
    level,
    ...(only_for !== undefined && { only_for }),
    ...(failed_by !== undefined && { failed_by }),
  });
  const isFirst = await written(() => boards.open(model, channel, opening), copies);
  // Of the processes that open it at the same time, one is the first.
  if (isFirst)
    log("warn", "channel_opened", { model, provider, channel, ...(only_for !== undefined && { only_for }) });
}

/** What a write gives; undefined where it failed. */
async function written<Result>(write: () => Promise<Result>, copies: Copies): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    copies.failed(error);
    return undefined;
  }
}
