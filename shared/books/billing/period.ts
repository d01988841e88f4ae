/** Calendar arithmetic of billing, all in UTC: quota months, and the hours, days and months of the ledger. */

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** One quota month. Its instants are Unix milliseconds, midnight UTC. `ends_at` is the start of the next month. */
interface QuotaPeriod {
  /** Its first day, `20261121`. */
  id: string;
  starts_at: number;
  ends_at: number;
}

/**
 * The quota month that `now` falls in, of a subscription started at `startedAt` (design §4 "Plans"). A quota month
 * starts on the day of the month on which the subscription started, or on the month's last day where it is shorter. The
 * 31st of January is followed by the 28th of February and then by the 31st of March.
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

/** The start of the quota month `months` after the one that `at` falls in, of a subscription started at `startedAt`. */
export function monthsFrom(startedAt: number, at: number, months: number): number {
  const anchor = new Date(startedAt);
  const first = new Date(quotaPeriod(startedAt, at).starts_at);
  const month =
    (first.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + first.getUTCMonth() - anchor.getUTCMonth();
  return monthStart(anchor, month + months);
}

/** The start of the quota month `months` after the anchor's own. */
function monthStart(anchor: Date, months: number): number {
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay));
}

/** The UTC hour of an instant in the ledger's form, `2026-11-21T05`. Hours sort as text in order of time. */
export function hourOf(at: number): string {
  return new Date(at).toISOString().slice(0, 13);
}

/** The start of an hour in the form of `hourOf`, Unix milliseconds. Throws `RangeError` on another form. */
export function hourStart(hour: string): number {
  const start = Date.parse(`${hour}:00:00.000Z`);
  if (Number.isNaN(start) || hourOf(start) !== hour) throw new RangeError(`not an hour: ${hour}`);
  return start;
}

/** The UTC day of an instant (Unix ms), `2026-11-21`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Whether a text is a day of the calendar, `2026-11-21`. */
export function isDay(text: string): boolean {
  const start = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(start) && dayOf(start) === text;
}

/** Whether a text is a month of the calendar, `2026-11`. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);
}

/** Whole days from the beginning of a UTC day to an instant (Unix ms). */
export function daysSince(day: string, at: number): number {
  return Math.floor((at - Date.parse(`${day}T00:00:00.000Z`)) / dayMs);
}

/** The hour after this one. */
export function nextHour(hour: string): string {
  return hourOf(hourStart(hour) + hourMs);
}

/** The spans that the ledger keeps sums of. */
export type SpanUnit = "hour" | "day" | "month";

/** The first characters of a span's start are its name: `2026-11-21T05`, `2026-11-21`, `2026-11`. */
const nameLengths: Record<SpanUnit, number> = { hour: 13, day: 10, month: 7 };

/** The hour, day or month that an instant (Unix ms) falls in. Names of one unit sort in order of time. */
export function spanOf(at: number, unit: SpanUnit): string {
  return new Date(at).toISOString().slice(0, nameLengths[unit]);
}

/** The day or month that a span lies in, or the span itself. */
export function spanAround(span: string, unit: SpanUnit): string {
  return span.slice(0, nameLengths[unit]);
}

/** Whether a span's name is that of an hour, a day or a month. Throws `RangeError` on any other text. */
export function unitOf(span: string): SpanUnit {
  for (const unit of ["hour", "day", "month"] as const) if (span.length === nameLengths[unit]) return unit;
  throw new RangeError(`not an hour, a day or a month: ${span}`);
}

/** The start of a span, Unix milliseconds. */
export function spanStart(span: string): number {
  return unitOf(span) === "hour" ? hourStart(span) : Date.parse(span);
}

/** The start of the span after this one, Unix milliseconds. */
export function spanEnd(span: string): number {
  const start = new Date(spanStart(span));
  const unit = unitOf(span);
  if (unit === "month") return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
  return start.getTime() + (unit === "day" ? dayMs : hourMs);
}
