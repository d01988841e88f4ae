/** What operators do to a subscription: change its plan, end it, renew it (billing.md fault 27, design §4). */
import type { Accounts, Organization, PlanChoice, PlanPeriod, Subscription } from "../billing/account.ts";
import { planAt, withPlan } from "../billing/subscription.ts";
import type { Plan } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";

export interface SubscriptionDeps {
  accounts: Pick<Accounts, "setSubscription">;
  plan: (name: string) => Plan | undefined;
  now: () => number;
}

/**
 * Changes the plan, and the period where one is given: at once when that is more calls a month, else with the
 * next quota month. Throws `invalid_request` on an unknown plan and without a subscription.
 */
export async function changePlan(
  deps: SubscriptionDeps,
  organization: Organization,
  wanted: { plan: string; period?: PlanPeriod },
): Promise<Organization> {
  if (!deps.plan(wanted.plan)) throw refused(`There is no plan ${wanted.plan}.`);
  const now = deps.now();
  const quotaOf = ({ plan, period }: PlanChoice) => deps.plan(plan)?.quota[period] ?? 0;
  return await change(deps, organization, (subscription) => {
    const period = wanted.period ?? planAt(subscription, now).period;
    return withPlan(subscription, { plan: wanted.plan, period }, quotaOf, now);
  });
}

/**
 * Ends the subscription at an instant (Unix milliseconds), or renews it with null: then it has no end. Throws
 * `invalid_request` without a subscription.
 */
export async function setEnd(
  deps: SubscriptionDeps,
  organization: Organization,
  ends_at: number | null,
): Promise<Organization> {
  return await change(deps, organization, (subscription) => ({ ...subscription, ends_at }));
}

async function change(
  deps: SubscriptionDeps,
  { id, subscription }: Organization,
  to: (subscription: Subscription) => Subscription,
): Promise<Organization> {
  if (!subscription) throw refused("The organization has no subscription.");
  const changed = await deps.accounts.setSubscription(id, subscription, to(subscription));
  if (!changed) throw refused("The subscription was changed by another command meanwhile.");
  return changed;
}

function refused(message: string): GatewayError {
  return new GatewayError("invalid_request", { message });
}
