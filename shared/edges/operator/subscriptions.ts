/** What operators do with a subscription: change its plan, end it, renew it (billing.md fault 27, design §4). */

import { invalidRequest } from "../../base/errors.ts";
import type { Organization, PlanChoice, PlanPeriod, Subscription } from "../../books/accounts/account.ts";
import { planAt, withPlan } from "../../books/accounts/subscription.ts";
import { paidPeriods, withEnd, withPaidTime } from "../../books/ledger/plan-fee.ts";
import { nextNotice, type PlanEnds } from "../../people/payments/plan-ends.ts";
import { changedMeanwhile, type FeeDeps, notBeforeFees, postFeesOf, runningFee } from "../jobs/plan-fees.ts";

interface SubscriptionDeps extends FeeDeps {
  now: () => number;
}

interface PlanEndDeps extends SubscriptionDeps {
  planEnds: Pick<PlanEnds, "reschedule">;
}

/**
 * Changes plan or period, and begins a paid period. More calls a month act at once, any other change with the next
 * quota month. Throws `invalid_request`.
 */
export async function changePlan(
  organization: Organization,
  wanted: { plan: string; period?: PlanPeriod },
  deps: SubscriptionDeps,
): Promise<Organization> {
  if (!deps.plan(wanted.plan)) throw invalidRequest(`There is no plan ${wanted.plan}.`);
  const quotaOf = ({ plan, period }: PlanChoice) => deps.plan(plan)?.quota[period] ?? 0;
  return await change(
    organization,
    async (subscription, now) => {
      await refusePaidAhead(organization.id, subscription, now, deps);
      const period = wanted.period ?? planAt(subscription, now).period;
      const changed = withPlan(subscription, { plan: wanted.plan, period }, quotaOf, now);
      const fee = await runningFee(organization.id, subscription, now, deps);
      return withPaidTime(subscription, changed, fee, now);
    },
    deps,
  );
}

/** Fees that are posted in advance name their plan. Another plan would be charged for the same time again. */
async function refusePaidAhead(
  organization: string,
  subscription: Subscription,
  now: number,
  { ledger }: Pick<FeeDeps, "ledger">,
): Promise<void> {
  const { ends_at } = subscription;
  const [last] = ends_at === null ? [] : paidPeriods(subscription, ends_at - 1);
  if (!last || last.starts_at <= now || !(await ledger.feeOf(organization, last))) return;
  const from = new Date(last.starts_at).toISOString();
  throw invalidRequest(
    `The subscription is paid in advance: its last period begins at ${from}. Wait for that.`,
  );
}

/**
 * Ends the subscription at an instant (Unix ms); null renews it. Owners are told (people/payments/README.md "Before a
 * plan ends"). Throws `invalid_request` without a subscription.
 */
export async function setEnd(
  organization: Organization,
  ends_at: number | null,
  deps: PlanEndDeps,
): Promise<Organization> {
  const changed = await change(
    organization,
    async (subscription, now) => withEnd(subscription, ends_at, now),
    deps,
  );
  // Where no message is left, the one that is noted stays: who comes to it looks at the end as it is then.
  const next = nextNotice(ends_at, deps.now());
  if (next !== null) await deps.planEnds.reschedule(organization.id, next);
  return changed;
}

/**
 * Changes a subscription. Fees that are due are posted before and after, for the period it ends and the one it begins.
 */
async function change(
  organization: Organization,
  to: (subscription: Subscription, now: number) => Promise<Subscription>,
  deps: SubscriptionDeps,
): Promise<Organization> {
  if (!organization.subscription) throw invalidRequest("The organization has no subscription.");
  const clock = deps.now();
  const { organization: paid } = await postFeesOf(organization, clock, deps);
  const subscription = paid.subscription ?? organization.subscription;
  const now = await notBeforeFees(organization.id, subscription, clock, deps);
  const after = await to(subscription, now);
  const changed = await deps.accounts.setSubscription(organization.id, subscription, after);
  if (!changed) throw changedMeanwhile();
  await postFeesOf(changed, now, deps);
  return changed;
}
