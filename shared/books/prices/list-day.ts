/** Of which day a price list is, and whether that can be right. */

import { isObject } from "../../base/json/fields.ts";
import { dayOf, hourMs, isDay } from "../billing/period.ts";
import type { ListedModel } from "./list.ts";

/** Neither public list is older. */
const firstDay = "2023-01-01";

/** Why `as_of` is no plausible day of a list: a future one would stop every later list. `now` is Unix ms. */
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

/** Members in which a list says when it was made, or from when a price holds. */
const dated = new Set(["last_updated", "release_date", "prices_checked", "start_date"]);

/** The latest day before `now` (Unix ms) in the list itself; undefined where it names none, as LiteLLM's does. */
function dayInside(list: unknown, now: number): string | undefined {
  const today = dayOf(now);
  let latest: string | undefined;
  const look = (value: unknown, name?: string): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    else if (isObject(value)) for (const [inner, each] of Object.entries(value)) look(each, inner);
    else if (name !== undefined && dated.has(name) && typeof value === "string" && isDay(value)) {
      if (value <= today && (latest === undefined || value > latest)) latest = value;
    }
  };
  look(list);
  return latest;
}

/** The same, of a list's text. */
export function dayOfText(text: string, now: number): string | undefined {
  return dayInside(JSON.parse(text), now);
}

/** Whether a UTC day has not begun anywhere yet. */
export function isFuture(day: string, now: number): boolean {
  return day > dayOf(now + 14 * hourMs);
}
