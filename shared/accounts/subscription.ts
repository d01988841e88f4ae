/** What a subscription is at an instant, and how its plan changes (billing.md fault 27). Instants are Unix milliseconds. */

import { quotaPeriod } from "../billing/period.ts";
import type { PlanChoice, Subscription } from "./account.ts";

/** The plan that a call admitted at `now` is held to. */
export function planAt({ plan, period, next }: Subscription, now: number): PlanChoice {
  return next && next.from <= now ? { plan: next.plan, period: next.period } : { plan, period };
}

/** Whether the subscription is paid for at `now`; after its end every call is 40202 (design §4). */
export function isRunning({ ends_at }: Subscription, now: number): boolean {
  return ends_at === null || now < ends_at;
}

/**
 * The subscription with another plan. An upgrade, which is more calls a month, acts at once; anything else
 * from the next quota month on, so that nobody loses calls that are paid for. Quota months and the calls
 * counted in them stay as they are, and the plan that runs already takes back a change that was due.
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
  return { ...running, next: { ...wanted, from: quotaPeriod(subscription.started_at, now).ends_at } };
}
