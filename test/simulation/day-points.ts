/**
 * The points of plans' days. No call is let in beyond its day. A dear call counts as many calls as it is worth. The
 * counter of a day says in the end what its calls came to.
 */

import { timeOf } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { readMeterItem } from "#shared/edges/store/meters/meter-item.ts";
import { callPoints, dayPoints } from "./catalog.ts";

/** The calls of quota that a call of this worth counts as: several, where its plan counts dear calls so. */
export function callsOf({ call_points }: UsageEvent, listPoints: bigint): number {
  if (call_points === undefined) return 1;
  const begun = listPoints / callPoints + (listPoints % callPoints === 0n ? 0n : 1n);
  return begun === 0n ? 1 : Number(begun);
}

/** A meter item was written, and was `item` before. Who holds something new must have found room in the day. */
export function dayGaps(after: Meter, item: Item | undefined): string[] {
  if (after.mode !== "subscription") return [];
  return [...after.holds, ...after.tasks].flatMap(([request, { dayPoints: share }]) => {
    if (share === undefined) return [`${request} does not count in its day`];
    if (item && (`h${request.slice(-26)}` in item || `v${request.slice(-26)}` in item)) return [];
    const taken = after.days.get(counterOf(request)) ?? 0n;
    return taken > dayPoints ? [`${request} is let in, and its day has ${taken} of ${dayPoints}`] : [];
  });
}

/** What holds at rest, at `now`: a day's counter is the sum of its calls, and of what tasks still hold. */
export function closingDayGaps(items: Item[], events: UsageEvent[], now: number): string[] {
  const meters = items.filter((item) => item.kind).map(readMeterItem);
  const due = new Map<string, bigint>();
  const add = (name: string, points: bigint) => due.set(name, (due.get(name) ?? 0n) + points);
  for (const { meter, id, mode, calls, list_points } of events) {
    if (mode === "subscription" && calls > 0) add(`${meter} ${counterOf(id)}`, parsePoints(list_points));
  }
  for (const { meter, days, ...item } of meters) {
    const held = [...item.holds, ...item.seized, ...item.tasks];
    for (const [request, { dayPoints: share = 0n }] of held) add(`${meter} ${counterOf(request)}`, share);
    for (const counter of days.keys()) add(`${meter} ${counter}`, 0n);
  }
  const counted = new Map(
    meters.flatMap(({ meter, days }) => [...days].map(([name, points]) => [`${meter} ${name}`, points])),
  );
  return [...due].flatMap(([name, points]) => {
    // Of a day that is long over the counter may be gone, or be what a late correction made of none.
    const isOver = (Number(name.slice(name.indexOf(" l") + 2)) + 2) * 86_400_000 <= now;
    const has = counted.get(name) ?? 0n;
    return isOver || has === points ? [] : [`${name} has ${has}, not ${points}`];
  });
}

/** The counter of a call's day, as this file understands days. */
function counterOf(request: string): string {
  return `l${Date.parse(new Date(timeOf(request)).toISOString().slice(0, 10)) / 86_400_000}`;
}
