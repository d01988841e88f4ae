/** A subscription as the console's routes show it to its organization. */
import type { Subscription } from "../../../books/accounts/account.ts";
import { dueAt, planAt } from "../../../books/accounts/subscription.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";

/** The plan that runs at `now` (Unix milliseconds), the one that takes over, and the end of the time that is paid for. */
export function showSubscription(subscription: Subscription, now: number) {
  const { ends_at } = subscription;
  const due = dueAt(subscription, now);
  return {
    ...planAt(subscription, now),
    ends_at: ends_at === null ? null : rfc3339(ends_at),
    next: due ? { plan: due.plan, period: due.period, from: rfc3339(due.from) } : null,
  };
}
