/** The audit of plans' days: a counter has no more points at list price than its calls came to and hold. */

import { timeOf } from "../../base/platform/id.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { Meter } from "../../books/meters/meter.ts";
import { dayPointsCounter } from "../../books/meters/window.ts";
import { type InFlight, totals } from "./in-flight.ts";
import type { Finding } from "./rollups.ts";
import type { Uses } from "./uses.ts";

interface Books {
  meters: Pick<Meter, "meter" | "holds" | "seized" | "tasks" | "days">[];
  uses: Pick<Uses, "today">;
  inFlight: InFlight;
  now: number;
}

/**
 * The running day has counted no more than its calls came to. Less is no gap, as a plan may get its bound during the
 * day. The meter may drop days that are over.
 */
export function planDaysMatch({ meters, uses, inFlight, now }: Books): Finding {
  const today = dayPointsCounter(now);
  const days = meters.flatMap(({ meter, days: counters, ...item }) => {
    const taken = counters.get(today);
    if (taken === undefined) return [];
    const shares = [item.holds, item.seized, item.tasks].flatMap((held) => [...held]);
    const held = shares
      .filter(([request]) => dayPointsCounter(timeOf(request)) === today)
      .reduce((sum, [, { dayPoints = 0n }]) => sum + dayPoints, 0n);
    return [{ meter, counted: taken - held }];
  });
  const moving = [
    ...inFlight.coming
      .filter(isOf(today))
      .map((event) => [event.meter, parsePoints(event.list_points)] as const),
    ...inFlight.ahead
      .filter(isOf(today))
      .map((event) => [event.meter, -parsePoints(event.list_points)] as const),
  ];
  const came = totals([...uses.today, ...moving]);
  const over = days.flatMap(({ meter, counted }) => {
    const more = counted - (came.get(meter) ?? 0n);
    return more > 0n
      ? [`${meter} ${today} has ${formatPoints(more)} points more than its calls came to`]
      : [];
  });
  // Of a letter without an amount nobody knows what it came to.
  const isCertain = inFlight.unseen === 0 && inFlight.unknown.length === 0;
  const detail = `${days.length} running days of plans: no more counted than their calls came to`;
  return isCertain ? { gaps: over, detail } : { gaps: [], open: over, detail };
}

const isOf =
  (day: string) =>
  ({ id, mode, calls }: UsageEvent): boolean =>
    mode === "subscription" && calls > 0 && dayPointsCounter(timeOf(id)) === day;
