/** Whether the day of a price list can be right: that of a file says when the file was written, whatever is in it. */
import { hourMs, isDay } from "../../billing/period.ts";
import type { ListedModel } from "./list.ts";

/** Neither public list is older. */
const firstDay = "2023-01-01";

/**
 * Why `as_of` (a UTC day) is no plausible day of a list; undefined where it is one. A day in the
 * future would keep every later list from changing a price. `now` is Unix ms.
 */
export function doubtOfDay(as_of: string, list: readonly ListedModel[], now: number): string | undefined {
  const today = dayOf(now);
  if (isFuture(as_of, now)) return `${as_of} is in the future`;
  if (as_of < firstDay) return `${as_of} is before there were such lists`;
  const released = list
    .flatMap(({ about }) => (about.released && isDay(about.released) ? [about.released] : []))
    .sort();
  const latest = released.findLast((day) => day <= today);
  const isEarlier = latest !== undefined && latest > as_of;
  return isEarlier ? `the list has a model that was released on ${latest}, after ${as_of}` : undefined;
}

/** Whether a UTC day has not begun anywhere yet. */
export function isFuture(day: string, now: number): boolean {
  return day > dayOf(now + 14 * hourMs);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
