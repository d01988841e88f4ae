/** Views of one board, merged: reads, which may be a second old, answers of writes, and what the process did. */
import { type Board, type BoardWindow, type ChannelCounts, type ChannelState, orderSpanMs } from "./board.ts";

/** The windows as read and as known here, without old ones. Counts only grow, so the larger view is the later one. */
export function mergedWindows(
  found: readonly BoardWindow[],
  known: readonly BoardWindow[],
  now: number,
): BoardWindow[] {
  const windows = new Map(found.map((window) => [window.start, window]));
  for (const window of known) windows.set(window.start, mergedWindow(windows.get(window.start), window));
  return [...windows.values()]
    .filter(({ start }) => start > now - orderSpanMs)
    .sort((a, b) => a.start - b.start);
}

function mergedWindow(found: BoardWindow | undefined, known: BoardWindow): BoardWindow {
  if (!found) return known;
  const channels = { ...found.channels };
  for (const [id, counts] of Object.entries(known.channels)) {
    const other = channels[id];
    channels[id] = other ? combined(other, counts, Math.max) : counts;
  }
  return { start: known.start, channels };
}

/** Counts with others added. */
export function countedOn(
  one: Partial<ChannelCounts> = {},
  other: Partial<ChannelCounts>,
): Partial<ChannelCounts> {
  return combined(one, other, (a, b) => a + b);
}

function combined(
  one: Partial<ChannelCounts>,
  other: Partial<ChannelCounts>,
  of: (a: number, b: number) => number,
): Partial<ChannelCounts> {
  const counts: Partial<ChannelCounts> = { ...one };
  for (const name of Object.keys(other) as (keyof ChannelCounts)[]) {
    if (name === "first_byte") {
      const [some, others] = [one.first_byte ?? [], other.first_byte ?? []];
      const [longer, shorter] = some.length < others.length ? [others, some] : [some, others];
      counts.first_byte = longer.map((count, at) => of(count, shorter[at] ?? 0));
    } else if (name === "seen_by" || name === "raced_by") {
      const seen: Record<string, number> = { ...one[name] };
      const more = other[name] ?? {};
      for (const witness in more) seen[witness] = of(seen[witness] ?? 0, more[witness] ?? 0);
      counts[name] = seen;
    } else counts[name] = of(one[name] ?? 0, other[name] ?? 0);
  }
  return counts;
}

/** The states as read, and what is known here beyond: closings (`closed`, Unix milliseconds by id) and openings. */
export function mergedStates(
  known: Board["states"],
  found: Board["states"],
  { closed, now }: { closed: ReadonlyMap<string, number>; now: number },
): Board["states"] {
  const states: Board["states"] = {};
  for (const id of new Set([...Object.keys(known), ...Object.keys(found)])) {
    const read = found[id];
    const isClosed = (read?.open_until ?? 0) <= (closed.get(id) ?? 0);
    const state = laterState(lasting(known[id], now), isClosed ? withoutOpening(read) : read);
    if (says(state, now)) states[id] = state;
  }
  return states;
}

/** What of a state a read cannot have undone that does not show it: no probe ends an opening before its time. */
function lasting(state: ChannelState | undefined, now: number): ChannelState {
  return state && (state.open_until ?? 0) > now ? state : withoutOpening(state);
}

function says({ level, limited_until = 0 }: ChannelState, now: number): boolean {
  return level > 0 || limited_until > now;
}

/** The state of a channel that was closed. A limit has its own time. */
export function withoutOpening({ limited_until }: Partial<ChannelState> = {}): ChannelState {
  return { level: 0, ...(limited_until !== undefined && { limited_until }) };
}

/** Of two views of a state the later opening with its claim, the later claim of the same opening, and the later limit. */
export function laterState(
  one: ChannelState = { level: 0 },
  other: ChannelState = { level: 0 },
): ChannelState {
  const [earlier, last] = (one.open_until ?? 0) > (other.open_until ?? 0) ? [other, one] : [one, other];
  // A view without an opening may have a claim only: that of the opening which the other view shows.
  const isSame = earlier.open_until === last.open_until || earlier.open_until === undefined;
  const probed_until = latest(last.probed_until, isSame ? earlier.probed_until : undefined);
  const limited_until = latest(one.limited_until, other.limited_until);
  return {
    level: last.level,
    ...(last.open_until !== undefined && { open_until: last.open_until }),
    ...(last.only_for !== undefined && { only_for: last.only_for }),
    ...(last.failed_by !== undefined && { failed_by: last.failed_by }),
    ...(probed_until !== undefined && { probed_until }),
    ...(limited_until !== undefined && { limited_until }),
  };
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
