/**
 * Plans how to add up a range from as few sums as possible (billing.md §2.11). Whole months, days and hours are read as
 * rollups. At most two partial hours are read as entries. Every instant of the range counts exactly once.
 */

import { hourMs, type SpanUnit, spanEnd, spanOf, spanStart } from "../billing/period.ts";
import type { Seal } from "../ledger/ledger.ts";

/** No call has an id before the first of these instants, and no span has a name after the second. */
const [firstMs, endMs] = [0, Date.UTC(9999, 11, 31)];

/**
 * The part of [first, end), Unix milliseconds, in which spans have names. Where it is empty, `from` is not before `to`.
 */
export function nameableRange(first: number, end: number): [from: number, to: number] {
  return [Math.max(first, firstMs), Math.min(end, endMs)];
}

/** Whole spans [from, to), by their names in the ledger. The sign says whether to add them or to take them away. */
interface SpanRange {
  from: string;
  to: string;
  sign: 1 | -1;
}

export interface RangePlan {
  /** Partial hours, Unix milliseconds, each within one UTC hour. */
  edges: { from: number; to: number }[];
  spans: SpanRange[];
}

/**
 * Plans [first, end), Unix milliseconds. Only sealed days and months are read as such. More than half of a sealed day
 * is read as the day less its other hours, unless `subtract` is false. A range of 366 days takes at most 108 rollups of
 * a model. 12 hours and 30 days come before the whole months. Then come 10 months, 30 days and 26 hours without a seal.
 */
export function planRange(
  first: number,
  end: number,
  seal: Pick<Seal, "day" | "month">,
  { subtract = true } = {},
): RangePlan {
  const [from, to] = nameableRange(first, end);
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

/** Cuts a range into the whole spans of a unit that end by `end`, and the rests before and after them. */
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

/** Whole hours as they are, or as a sealed day less its other hours, whichever takes fewer reads. */
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
