/** A channel of a model as operators are shown it: its state as the order of calls judges it, and its last minutes. */
import { rfc3339 } from "../../books/billing/instant.ts";
import type { Model, ReadyChannel } from "../../books/catalog/catalog.ts";
import { type Board, type BoardWindow, boardSpanMs, type ChannelCounts } from "../../calls/routing/board.ts";
import { isAhead } from "../../calls/routing/breaker.ts";
import { added, percentile, timesFor } from "../../calls/routing/histogram.ts";
import { type ChannelHealth, orderOf } from "../../calls/routing/order.ts";
import { type ChannelRecord, isTakenOut, outBy } from "../../calls/routing/taken-out.ts";
import { createTally } from "../../calls/routing/witness.ts";

const minuteMs = 60_000;
const shortMinutes = 2;
const longMinutes = boardSpanMs / minuteMs;

/** A model with its board. */
export interface BoardedModel {
  model: Model;
  board: Board;
}

/** What is known beyond the boards. `now` is Unix milliseconds. */
export interface ChannelFacts {
  /** The names in the providers' secret; undefined where nobody may read it, and each key is taken to be there. */
  keys: ReadonlySet<string> | undefined;
  /** By the channel's id. */
  records: ReadonlyMap<string, ChannelRecord>;
  now: number;
}

/** What a channel did in some minutes. Times are in milliseconds; null where none was measured. */
export interface ChannelMinutes {
  answers: number;
  faults: number;
  limited: number;
  first_byte_p50_ms: number | null;
  first_byte_p95_ms: number | null;
}

export interface ChannelLine {
  id: string;
  model: string;
  provider: string;
  /** The provider's name for the model. */
  name: string;
  priority: number;
  weight: number;
  /** The names in the providers' secret that it needs; empty where it goes with a role. */
  keys: readonly string[];
  /** Null where nobody may read the providers' secret. */
  has_keys: boolean | null;
  /** `no_key`: a key is missing, so no call goes there. */
  state: ChannelHealth | "taken_out" | "no_key";
  /** Until when it is so, where that is known. */
  until: string | null;
  /** By its record. Null also where only the board says that it is out, because the record was restored. */
  taken_out: { by: string; at: string; why: string } | null;
  last_2_minutes: ChannelMinutes;
  last_20_minutes: ChannelMinutes;
}

/** Whether everything is there that a channel needs. */
export function hasKeys({ needs }: Pick<ReadyChannel, "needs">, keys: ChannelFacts["keys"]): boolean {
  return keys === undefined || needs.every((name) => keys.has(name));
}

/** The lines of a model's channels, in the catalog's order. */
export function linesOf({ model, board }: BoardedModel, facts: ChannelFacts): ChannelLine[] {
  const { keys, records, now } = facts;
  const isOut = ({ id }: ReadyChannel) => isTakenOut(board, id, now) || recordOf(id) !== undefined;
  const recordOf = (id: string) => {
    const record = records.get(id);
    return record?.models.includes(model.id) ? outBy(record, now) : undefined;
  };
  const asked = model.channels.filter((channel) => hasKeys(channel, keys) && !isOut(channel));
  // For a caller who has seen nothing: without a witness.
  const { placed } = orderOf({ channels: asked, board, now, conversation: "", routing: "smart" });
  const healths = new Map(placed.map(({ channel, health }) => [channel.id, health]));
  return model.channels.map((channel) => {
    const { id, provider, model: name, priority, weight, needs } = channel;
    const out = recordOf(id);
    const health = healths.get(id);
    const { open_until, limited_until } = board.states[id] ?? {};
    const ends = {
      open: open_until,
      limited: limited_until,
      taken_out: out ? out.until : board.taken_out?.[id]?.until,
    };
    const state = isOut(channel) ? "taken_out" : (health ?? "no_key");
    const until = ends[state as keyof typeof ends];
    return {
      ...{ id, model: model.id, provider, name, priority, weight },
      ...{ keys: needs, has_keys: keys ? hasKeys(channel, keys) : null, state },
      until: isAhead(until, now) ? rfc3339(until) : null,
      taken_out: out ? { by: out.by, at: rfc3339(out.at), why: out.why ?? "" } : null,
      last_2_minutes: minutesOf(board, id, now - shortMinutes * minuteMs),
      last_20_minutes: minutesOf(board, id, now - longMinutes * minuteMs),
    };
  });
}

/** What a channel did in the windows that began in [from, to), Unix milliseconds. */
export function minutesOf(
  board: Board,
  id: string,
  from: number,
  to = Number.POSITIVE_INFINITY,
): ChannelMinutes {
  const windows = countsOf(board, id).filter(({ start }) => start >= from && start < to);
  const sum = (name: "answers" | "faults" | "limited") =>
    windows.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
  const laned = windows.reduce<number[]>((all, { counts }) => added(all, counts.first_byte ?? []), []);
  const times = timesFor(undefined, laned);
  return {
    ...{ answers: sum("answers"), faults: sum("faults"), limited: sum("limited") },
    first_byte_p50_ms: rounded(percentile(times, 0.5)),
    first_byte_p95_ms: rounded(percentile(times, 0.95)),
  };
}

/** How long a row of a history is. */
const rowMinutes = 2;

/** The last 20 minutes of a channel, the oldest first. Rows without a count are not among them. */
export function historyOf(board: Board, id: string, now: number) {
  const first = now - longMinutes * minuteMs;
  const starts = Array.from(
    { length: longMinutes / rowMinutes },
    (_, row) => first + row * rowMinutes * minuteMs,
  );
  return starts.flatMap((from) => {
    const did = minutesOf(board, id, from, from + rowMinutes * minuteMs);
    return did.answers + did.faults + did.limited === 0 ? [] : [{ from: rfc3339(from), ...did }];
  });
}

/** Who has seen a channel's faults of the last 20 minutes, as numbers: nobody is named. */
export function witnessesOf(board: Board, id: string) {
  const seen = new Map<string, number>();
  const tally = createTally();
  let faults = 0;
  for (const { counts } of countsOf(board, id)) {
    faults += counts.faults ?? 0;
    tally.add(counts.faults, counts.seen_by);
    for (const [witness, count] of Object.entries(counts.seen_by ?? {}))
      seen.set(witness, (seen.get(witness) ?? 0) + count);
  }
  const each = [...seen.values()].sort((one, other) => other - one);
  const told = each.reduce((sum, count) => sum + count, 0);
  return {
    faults,
    /** How many each organization has seen, the most first. */
    of_organizations: each,
    without_witness: faults - told,
    /** What counts for an organization that has seen none. */
    count_for_others: tally.countFor(undefined),
  };
}

function countsOf({ windows }: Board, id: string): { start: number; counts: Partial<ChannelCounts> }[] {
  return windows.map(({ start, channels }: BoardWindow) => ({ start, counts: channels[id] ?? {} }));
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
