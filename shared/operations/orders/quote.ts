/** What a plan costs an organization now, with the fees that it has paid. */
import type { PlanChoice, Subscription } from "../../accounts/account.ts";
import type { PaidPeriod, PlanFee } from "../../ledger/ledger.ts";
import { aheadOf, type PlanQuote, quotePlan } from "../../payments/plan-price.ts";
import type { OrderDeps } from "./deps.ts";

/** A plan's price for a subscription as it is. Throws as `quotePlan` does. */
export async function quoteNow(
  organization: string,
  subscription: Subscription,
  { wanted, mayUpgrade }: { wanted: PlanChoice; mayUpgrade: boolean },
  deps: Pick<OrderDeps, "ledger" | "catalog" | "now">,
): Promise<PlanQuote> {
  const now = deps.now();
  const fees = mayUpgrade ? await feesOf(organization, aheadOf(subscription, now), deps) : undefined;
  return quotePlan({ wanted, subscription, fees, mayUpgrade }, deps.catalog.plan, now);
}

/** The posted fees of periods; undefined where one of them has none. */
async function feesOf(
  organization: string,
  periods: PaidPeriod[],
  { ledger }: Pick<OrderDeps, "ledger">,
): Promise<PlanFee[] | undefined> {
  const entries = await Promise.all(periods.map((period) => ledger.feeOf(organization, period)));
  const fees = entries.flatMap((entry) => entry?.fee ?? []);
  return fees.length === periods.length ? fees : undefined;
}
