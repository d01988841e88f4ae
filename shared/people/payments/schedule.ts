/** When an order is looked at again (people/payments/README.md "When an order is looked at"). Instants are Unix ms. */

import { consoleLimits } from "../../base/console-limits.ts";
import { dayMs } from "../../books/billing/period.ts";
import type { Order } from "./order.ts";

const minuteMs = 60_000;

/**
 * What is looked at in every run of the reconciler is due so soon after a look. Somebody may look shortly before a run, at a
 * close for instance. The run after that one then finds a payment, and no payment is to wait for more than 70 s.
 */
const everyRunMs = 5_000;

/** Instants after its closing at which a closed order is asked about once more. */
const rechecksMs = [60 * minuteMs, dayMs] as const;

/** Instants after its booking at which the platform is asked whether somebody has paid an order back there. */
const refundChecksMs = [dayMs, 7 * dayMs, 30 * dayMs] as const;

type Scheduled = Pick<Order, "state" | "expires_at" | "tries" | "closed_at" | "credited_at">;

/** When it is looked at after `now`: in each run while it can be paid, then more seldom. Null: nothing is left to do. */
export function nextTry(order: Scheduled, now: number): number | null {
  const { state, expires_at, tries = 0 } = order;
  const most = state === "paid" ? 8 : 60;
  const at = now + Math.min(2 ** Math.min(tries, 10), most) * minuteMs;
  switch (state) {
    case "created":
    case "pending":
      return now < expires_at ? Math.min(now + everyRunMs, expires_at) : now + everyRunMs;
    case "closing":
      // A code that its platform does not know may be paid until it is dead.
      if (!isDead(order, now)) return now + everyRunMs;
      return now + Math.min(Math.max(now - expires_at - consoleLimits.orderLifeMs, minuteMs), 60 * minuteMs);
    case "review":
      if (order.credited_at !== undefined) return null;
      // What is doubted may still be paid as it should be.
      return now < expires_at ? Math.min(now + everyRunMs, expires_at) : at;
    case "closed":
    case "paid":
    case "refunding":
    case "credited":
    case "partly_refunded":
      return at;
    default:
      return null;
  }
}

/**
 * When an order that the platform has answered about at `now` is asked about again. A closed one is after an hour and a
 * day, because platforms accept late payments. A booked one is after a day, a week and 30 days, because it may be paid back
 * on the platform's own pages. Null once these are over.
 */
export function nextCheck(
  { state, expires_at, closed_at, credited_at }: Scheduled,
  now: number,
): number | null {
  if (state === "refunded" || (state === "review" && credited_at !== undefined)) return null;
  if (state === "review" && now < expires_at) return Math.min(now + everyRunMs, expires_at);
  const end = credited_at ?? closed_at ?? expires_at;
  const checks = credited_at === undefined ? rechecksMs : refundChecksMs;
  return checks.map((wait) => end + wait).find((at) => at > now) ?? null;
}

/** Whether an unknown code cannot be paid any more. One made just before the order's end lives for as long again. */
export function isDead({ expires_at }: Pick<Order, "expires_at">, now: number): boolean {
  return now >= expires_at + consoleLimits.orderLifeMs;
}
