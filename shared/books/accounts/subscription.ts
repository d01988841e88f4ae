/**
 * The plan that a subscription has at an instant, and how it changes (billing.md fault 27). Instants are
 * Unix milliseconds.
 */

import { quotaPeriod } from "../billing/period.ts";
import type { PlanChoice, Subscription } from "./account.ts";

/** The plan whose limits hold for a call admitted at `now`. */
export function planAt({ plan, period, next }: Subscription, now: number): PlanChoice {
  return next && next.from <= now ? { plan: next.plan, period: next.period } : { plan, period };
}

/** The change of plan that is still to come at `now`. It may be paid for already. */
export function dueAt({ next }: Subscription, now: number): Subscription["next"] {
  return next && next.from > now ? next : undefined;
}

/** The instant whose day of the month quota months start on, for the month that `at` falls in. */
export function anchorAt(
  { started_at, restarts = [] }: Pick<Subscription, "started_at" | "restarts">,
  at: number,
): number {
  return restarts.findLast((from) => from <= at) ?? started_at;
}

/** Whether the subscription runs at `now`. After its end every call is refused with 40202 (design §4). */
export function isRunning({ ends_at }: Subscription, now: number): boolean {
  return ends_at === null || now < ends_at;
}

/**
 * The subscription with another plan. An upgrade means more calls a month and acts at once. Any other change waits for
 * the next quota month, so that nobody loses calls that are paid for. Quota months, and the calls counted in them, stay
 * as they are. Asking for the plan that runs already cancels a change that was due.
 */
export function withPlan(
  subscription: Subscription,
  wanted: PlanChoice,
  quotaOf: (choice: PlanChoice) => number,
  now: number,
): Subscription {
  const { next: _due, ...unchanged } = subscription;
  const running = { ...unchanged, ...planAt(subscription, now) };
  if (wanted.plan === running.plan && wanted.period === running.period) return running;
  if (quotaOf(wanted) > quotaOf(running)) return { ...running, ...wanted };
  return { ...running, next: { ...wanted, from: quotaPeriod(anchorAt(subscription, now), now).ends_at } };
}
