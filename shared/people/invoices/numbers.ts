/** The numbers of invoices: one series a year, of UTC, from 1 on. */

/** The series of an invoice that is issued at an instant, Unix milliseconds: `INV-2026`. */
export function seriesAt(at: number): string {
  return `INV-${new Date(at).getUTCFullYear()}`;
}

/** A number of a series: `INV-2026-000123`. From a million on it has more digits. */
export function numberIn(series: string, count: number): string {
  return `${series}-${String(count).padStart(6, "0")}`;
}

/** Numbers that a restore has skipped, the last included. No invoice has them (infra/operator/restore.md). */
export interface SkippedNumbers {
  from: number;
  to: number;
}
