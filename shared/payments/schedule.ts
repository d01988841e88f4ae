/** When the platform is asked about an order again. All instants are Unix milliseconds. */
import { consoleLimits } from "../console-limits.ts";
import type { Order } from "./order.ts";

const minuteMs = 60_000;

/** Instants after its closing at which a closed order is asked about once more. */
const rechecksMs = [60 * minuteMs, 24 * 60 * minuteMs] as const;

type Scheduled = Pick<Order, "state" | "expires_at" | "tries" | "closed_at">;

/**
 * When an order is looked at again if the look that begins at `now` comes to nothing: after 1, 2, 4 and 8 minutes, and at
 * the latest when its time is over. Null where nothing is left to do.
 */
export function nextTry({ state, expires_at, tries = 0 }: Scheduled, now: number): number | null {
  const most = state === "paid" || state === "pending" || state === "created" ? 8 : 60;
  const at = now + Math.min(2 ** Math.min(tries, 10), most) * minuteMs;
  switch (state) {
    case "created":
    case "pending":
    case "review":
      return now < expires_at ? Math.min(at, expires_at) : at;
    case "closing":
    case "closed":
    case "paid":
    case "refunding":
      return at;
    default:
      return null;
  }
}

/**
 * When an order that the platform has answered about at `now` is asked about again: a closed one after an hour and after
 * a day, because platforms accept late payments. Null once a day is over.
 */
export function nextCheck({ state, expires_at, closed_at }: Scheduled, now: number): number | null {
  if (state === "review" && now < expires_at) return expires_at;
  const end = closed_at ?? expires_at;
  return rechecksMs.map((wait) => end + wait).find((at) => at > now) ?? null;
}

/**
 * Whether a code that the platform does not know can no longer be paid. A code that was made just before the order's end
 * lives for as long again.
 */
export function isDead({ expires_at }: Pick<Order, "expires_at">, now: number): boolean {
  return now >= expires_at + consoleLimits.orderLifeMs;
}
