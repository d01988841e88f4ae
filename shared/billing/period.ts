/** Calendar arithmetic of billing, all in UTC: quota months, and the hours, days and months of the ledger. */

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** One quota month. Instants are Unix milliseconds, midnight UTC; `ends_at` is the next one's start. */
export interface QuotaPeriod {
  /** Its first day, `20261121`. */
  id: string;
  starts_at: number;
  ends_at: number;
}

/**
 * The quota month that `now` falls in, of a subscription started at `startedAt` (design §4 "Plans"). Months
 * start on the day it started, clamped to the month's length and always counted from that day, so the
 * 31st of January is followed by the 28th of February and the 31st of March.
 */
export function quotaPeriod(startedAt: number, now: number): QuotaPeriod {
  const anchor = new Date(startedAt);
  const today = new Date(now);
  const month =
    (today.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + today.getUTCMonth() - anchor.getUTCMonth();
  const current = monthStart(anchor, month) <= now ? month : month - 1;
  const starts_at = monthStart(anchor, current);
  return {
    id: new Date(starts_at).toISOString().slice(0, 10).replaceAll("-", ""),
    starts_at,
    ends_at: monthStart(anchor, current + 1),
  };
}

/** The start of the quota month that lies `months` after the one that `at` falls in, of a subscription started then. */
export function monthsFrom(startedAt: number, at: number, months: number): number {
  const anchor = new Date(startedAt);
  const first = new Date(quotaPeriod(startedAt, at).starts_at);
  const month =
    (first.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + first.getUTCMonth() - anchor.getUTCMonth();
  return monthStart(anchor, month + months);
}

/** The start of the quota month that lies `months` after the anchor's own. */
function monthStart(anchor: Date, months: number): number {
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay));
}

/** The UTC hour of an instant in the ledger's form, `2026-11-21T05`. Its order as text is its order in time. */
export function hourOf(at: number): string {
  return new Date(at).toISOString().slice(0, 13);
}

/** Unix milliseconds at which an hour of `hourOf` starts. Throws `RangeError` on another form. */
export function hourStart(hour: string): number {
  const start = Date.parse(`${hour}:00:00.000Z`);
  if (Number.isNaN(start) || hourOf(start) !== hour) throw new RangeError(`not an hour: ${hour}`);
  return start;
}

/** Whether a text is a day of the calendar, `2026-11-21`. */
export function isDay(text: string): boolean {
  const start = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().slice(0, 10) === text;
}

/** The hour after this one. */
export function nextHour(hour: string): string {
  return hourOf(hourStart(hour) + hourMs);
}

/** What the ledger adds up by. */
export type SpanUnit = "hour" | "day" | "month";

/** A span is named by the beginning of its start: `2026-11-21T05`, `2026-11-21`, `2026-11`. */
const nameLengths: Record<SpanUnit, number> = { hour: 13, day: 10, month: 7 };

/** The hour, day or month that an instant (Unix ms) falls in. The order of names of a unit is their order in time. */
export function spanOf(at: number, unit: SpanUnit): string {
  return new Date(at).toISOString().slice(0, nameLengths[unit]);
}

/** The day or month that a span lies in, or the span itself. */
export function spanAround(span: string, unit: SpanUnit): string {
  return span.slice(0, nameLengths[unit]);
}

/** What a span's name says it is. Throws `RangeError` on what names none. */
export function unitOf(span: string): SpanUnit {
  for (const unit of ["hour", "day", "month"] as const) if (span.length === nameLengths[unit]) return unit;
  throw new RangeError(`not an hour, a day or a month: ${span}`);
}

/** Unix milliseconds at which a span starts. */
export function spanStart(span: string): number {
  return unitOf(span) === "hour" ? hourStart(span) : Date.parse(span);
}

/** Unix milliseconds at which the span after this one starts. */
export function spanEnd(span: string): number {
  const start = new Date(spanStart(span));
  const unit = unitOf(span);
  if (unit === "month") return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
  return start.getTime() + (unit === "day" ? dayMs : hourMs);
}
