/** Posts each begun paid period's fee once: by an operator's command or the hourly schedule, whoever comes first. */

import { type GatewayError, invalidRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts, Organization, Subscription } from "../../books/accounts/account.ts";
import { isRunning } from "../../books/accounts/subscription.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import type { Ledger, PaidPeriod, PlanFee } from "../../books/ledger/ledger.ts";
import { adopted, paidPeriods } from "../../books/ledger/plan-fee.ts";

export interface FeeDeps {
  accounts: Pick<Accounts, "setSubscription">;
  ledger: Pick<Ledger, "postFee" | "feeOf">;
  plan: (name: string) => Plan | undefined;
}

/** How many fees were posted, and how many organizations failed. */
export interface FeeResult {
  posted: number;
  failed: number;
}

/** One pass over all organizations. Failures are logged, and the next pass tries again. */
export async function postPlanFees(
  deps: FeeDeps & { accounts: Pick<Accounts, "organizations">; log: Log; now: () => number },
): Promise<FeeResult> {
  const result: FeeResult = { posted: 0, failed: 0 };
  for await (const organization of deps.accounts.organizations()) {
    try {
      const { posted } = await postFeesOf(organization, deps.now(), deps);
      result.posted += posted;
    } catch (error) {
      result.failed += 1;
      deps.log("error", "plan_fee_failed", { organization: organization.id, error: describeError(error) });
    }
  }
  return result;
}

/**
 * Posts the fees due at `now` (Unix ms); gives the organization as it is then. Throws `invalid_request`: no such plan.
 */
export async function postFeesOf(
  organization: Organization,
  now: number,
  deps: FeeDeps,
): Promise<{ organization: Organization; posted: number }> {
  const current = await adopt(organization, now, deps);
  const { subscription, id } = current;
  if (!subscription) return { organization: current, posted: 0 };
  // Fees are posted in the order of their periods. If one is there, none before it is missing.
  const missing: PaidPeriod[] = [];
  for (const period of paidPeriods(subscription, now)) {
    if (await deps.ledger.feeOf(id, period)) break;
    missing.unshift(period);
  }
  let posted = 0;
  for (const period of missing) {
    const price_points = deps.plan(period.plan)?.price[period.period];
    if (price_points === undefined) {
      throw invalidRequest(`The catalog has no plan ${period.plan}, which the organization has to pay for.`);
    }
    // A fee of 0 is posted too. Otherwise a price that the plan gets later would be charged for this period.
    if (await deps.ledger.postFee(id, { ...period, price_points }, now)) posted += 1;
  }
  return { organization: current, posted };
}

/** Lets the fees of a running subscription begin if it was made before there were fees. */
async function adopt(organization: Organization, now: number, deps: FeeDeps): Promise<Organization> {
  const { id, subscription } = organization;
  const after = subscription && isRunning(subscription, now) ? adopted(subscription, now) : undefined;
  if (!subscription || !after) return organization;
  const changed = await deps.accounts.setSubscription(id, subscription, after);
  if (!changed) throw changedMeanwhile();
  return changed;
}

/** The error of a command that lost to another one. */
export function changedMeanwhile(): GatewayError {
  return invalidRequest("The subscription was changed by another command meanwhile.");
}

/** The posted fee of a subscription's running paid period; undefined where no paid period runs. */
export async function runningFee(
  organization: string,
  subscription: Subscription,
  now: number,
  { ledger }: Pick<FeeDeps, "ledger">,
): Promise<PlanFee | undefined> {
  const [latest] = paidPeriods(subscription, now);
  return latest && now < latest.ends_at ? (await ledger.feeOf(organization, latest))?.fee : undefined;
}

/**
 * When a change of plan at `now` takes effect (both Unix ms). If a clock ahead of ours has posted the fee of the next
 * paid period, the change waits for its start.
 */
export async function notBeforeFees(
  organization: string,
  subscription: Subscription,
  now: number,
  { ledger }: Pick<FeeDeps, "ledger">,
): Promise<number> {
  const [next] = paidPeriods(subscription, now + limits.sealGraceSeconds * 1000);
  if (!next || next.starts_at <= now) return now;
  return (await ledger.feeOf(organization, next)) ? next.starts_at : now;
}
