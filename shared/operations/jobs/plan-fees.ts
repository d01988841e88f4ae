/**
 * Posts what subscriptions cost: one entry for each paid period that has begun. Operators' commands do it for the
 * subscription they change, and the hourly schedule for all; whoever comes second posts nothing.
 */
import type { Accounts, Organization, Subscription } from "../../accounts/account.ts";
import { isRunning } from "../../accounts/subscription.ts";
import type { Plan } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { Ledger, PaidPeriod, PlanFee } from "../../ledger/ledger.ts";
import { adopted, paidPeriods } from "../../ledger/plan-fee.ts";
import { limits } from "../../limits.ts";
import { describeError, type Log } from "../../platform/log.ts";

export interface FeeDeps {
  accounts: Pick<Accounts, "setSubscription">;
  ledger: Pick<Ledger, "postFee" | "feeOf">;
  plan: (name: string) => Plan | undefined;
}

/** Fees posted, and organizations whose fees could not be. */
export interface FeeResult {
  posted: number;
  failed: number;
}

/** One pass over all organizations. What fails is logged, and the next pass goes on there. */
export async function postPlanFees(
  deps: FeeDeps & { accounts: Pick<Accounts, "organizations">; log: Log; now: () => number },
): Promise<FeeResult> {
  const result: FeeResult = { posted: 0, failed: 0 };
  for await (const organization of deps.accounts.organizations()) {
    try {
      const { posted } = await postFeesOf(deps, organization, deps.now());
      result.posted += posted;
    } catch (error) {
      result.failed += 1;
      deps.log("error", "plan_fee_failed", { organization: organization.id, error: describeError(error) });
    }
  }
  return result;
}

/**
 * Posts the fees of one subscription that are due at `now` (Unix ms), and gives the organization as it is then. Throws
 * where the catalog has no such plan.
 */
export async function postFeesOf(
  deps: FeeDeps,
  organization: Organization,
  now: number,
): Promise<{ organization: Organization; posted: number }> {
  const current = await adopt(deps, organization, now);
  const { subscription, id } = current;
  if (!subscription) return { organization: current, posted: 0 };
  // Fees are posted in the order of their periods: before one that is there, none is missing.
  const missing: PaidPeriod[] = [];
  for (const period of paidPeriods(subscription, now)) {
    if (await deps.ledger.feeOf(id, period)) break;
    missing.unshift(period);
  }
  let posted = 0;
  for (const period of missing) {
    const price_points = deps.plan(period.plan)?.price[period.period];
    if (price_points === undefined) {
      const message = `The catalog has no plan ${period.plan}, which the organization has to pay for.`;
      throw new GatewayError("invalid_request", { message });
    }
    // Also one of nothing: so a price that the plan gets later is not charged for it.
    if (await deps.ledger.postFee(id, { ...period, price_points }, now)) posted += 1;
  }
  return { organization: current, posted };
}

/** Has fees of a running subscription begin that was made before there were any. */
async function adopt(deps: FeeDeps, organization: Organization, now: number): Promise<Organization> {
  const { id, subscription } = organization;
  const after = subscription && isRunning(subscription, now) ? adopted(subscription, now) : undefined;
  if (!subscription || !after) return organization;
  const changed = await deps.accounts.setSubscription(id, subscription, after);
  if (!changed) throw changedMeanwhile();
  return changed;
}

/** What a command is told that lost to another one. */
export function changedMeanwhile(): GatewayError {
  const message = "The subscription was changed by another command meanwhile.";
  return new GatewayError("invalid_request", { message });
}

/** The fee that was posted for the paid period a subscription is in; undefined where it is in none. */
export async function runningFee(
  { ledger }: Pick<FeeDeps, "ledger">,
  organization: string,
  subscription: Subscription,
  now: number,
): Promise<PlanFee | undefined> {
  const [latest] = paidPeriods(subscription, now);
  return latest && now < latest.ends_at ? (await ledger.feeOf(organization, latest))?.fee : undefined;
}

/**
 * When a change of plan acts that is made at `now` (Unix ms). A clock ahead of ours may have posted the fee of the next
 * paid period. That period is paid for with its plan, so that the change acts at its start.
 */
export async function notBeforeFees(
  { ledger }: Pick<FeeDeps, "ledger">,
  organization: string,
  subscription: Subscription,
  now: number,
): Promise<number> {
  const [next] = paidPeriods(subscription, now + limits.sealGraceSeconds * 1000);
  if (!next || next.starts_at <= now) return now;
  return (await ledger.feeOf(organization, next)) ? next.starts_at : now;
}
