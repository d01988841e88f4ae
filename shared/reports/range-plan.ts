/**
 * A range as the fewest sums that make it up: whole months, days and hours, read as rollups, and at most
 * two partial hours, read as entries (billing.md §2.11). Exact: every instant of the range counts once.
 */

import { hourMs, type SpanUnit, spanEnd, spanOf, spanStart } from "../billing/period.ts";
import type { Seal } from "../ledger/ledger.ts";

/** Before it no call can have an id, and from here on no span has a name. Nothing ever happens there. */
const [firstMs, endMs] = [0, Date.UTC(9999, 11, 31)];

/** What of [first, end), Unix milliseconds, lies where spans have names; of nothing, `from` is not before `to`. */
export function withSpans(first: number, end: number): [from: number, to: number] {
  return [Math.max(first, firstMs), Math.min(end, endMs)];
}

/** Whole spans [from, to), named in the ledger's form, and whether they are added or taken away. */
export interface SpanRange {
  from: string;
  to: string;
  sign: 1 | -1;
}

export interface RangeParts {
  /** Partial hours, Unix milliseconds, each within one UTC hour. */
  edges: { from: number; to: number }[];
  spans: SpanRange[];
}

/**
 * Splits [first, end), Unix milliseconds, by what is sealed. More than half of a sealed day is read as the
 * day less its other hours, unless the caller will not `subtract`. So 366 days take at most 108 rollups of
 * a model: 12 hours, 30 days, 10 months, 30 days, and the 26 hours there are before yesterday is sealed.
 */
export function splitRange(
  first: number,
  end: number,
  seal: Pick<Seal, "day" | "month">,
  { subtract = true } = {},
): RangeParts {
  const [from, to] = withSpans(first, end);
  if (from >= to) return { edges: [], spans: [] };
  const daysEnd = sealedUntil(seal.day);
  const hoursOf = (hours: Interval) => (subtract ? fewestOf(hours, daysEnd) : spansOf(hours, "hour"));
  const hours = cut(from, to, "hour", Number.POSITIVE_INFINITY);
  const days = cut(...hours.whole, "day", daysEnd);
  const months = cut(...days.whole, "month", sealedUntil(seal.month));
  return {
    edges: [hours.head, hours.tail].flatMap(([first, last]) =>
      first < last ? { from: first, to: last } : [],
    ),
    spans: [
      ...spansOf(months.whole, "month"),
      ...spansOf(months.head, "day"),
      ...spansOf(months.tail, "day"),
      ...hoursOf(days.head),
      ...hoursOf(days.tail),
    ],
  };
}

function sealedUntil(span: string): number {
  return span === "" ? Number.NEGATIVE_INFINITY : spanEnd(span);
}

type Interval = [from: number, to: number];

/** Cuts a range into the whole spans of a unit that end by `end`, and what lies before and after them. */
function cut(from: number, to: number, unit: SpanUnit, end: number) {
  const first = Math.min(ceil(from, unit), to);
  const last = Math.max(first, Math.min(floor(to, unit), end));
  const parts: Record<"head" | "whole" | "tail", Interval> = {
    head: [from, first],
    whole: [first, last],
    tail: [last, to],
  };
  return parts;
}

function floor(at: number, unit: SpanUnit): number {
  return spanStart(spanOf(at, unit));
}

function ceil(at: number, unit: SpanUnit): number {
  return floor(at, unit) === at ? at : spanEnd(spanOf(at, unit));
}

function spansOf([from, to]: Interval, unit: SpanUnit, sign: 1 | -1 = 1): SpanRange[] {
  return from < to ? [{ from: spanOf(from, unit), to: spanOf(to, unit), sign }] : [];
}

/** Whole hours: as they are, or as a sealed day less the others of it, whichever is fewer. */
function fewestOf([from, to]: Interval, daysEnd: number): SpanRange[] {
  const [dayStart, dayEnd] = [floor(from, "day"), spanEnd(spanOf(from, "day"))];
  const isShorter = to <= dayEnd && dayEnd <= daysEnd && to - from > 12 * hourMs;
  if (!isShorter) return spansOf([from, to], "hour");
  return [
    ...spansOf([dayStart, dayEnd], "day"),
    ...spansOf([dayStart, from], "hour", -1),
    ...spansOf([to, dayEnd], "hour", -1),
  ];
}
