/** What a plan costs an organization now, with the fees that it has paid. */

import { invalidRequest, invalidState } from "../../base/errors.ts";
import type { PlanChoice, Subscription } from "../../books/accounts/account.ts";
import type { PaidPeriod, PlanFee } from "../../books/ledger/ledger.ts";
import { dealOf, promiseOf } from "../payments/plan-deal.ts";
import { aheadOf, type PlanQuote, quotePlan } from "../payments/plan-price.ts";
import { type PaymentMethod, priceIn } from "../payments/recharge.ts";
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

/** What a quote costs by a method, in minor units. Throws `invalid_request` where that is less than the smallest one. */
export function toPay({ price, unused }: PlanQuote, method: PaymentMethod): number {
  const pay = priceIn(price - unused, method);
  if (pay === 0) throw invalidRequest("This plan costs less than the smallest amount of the currency.");
  return pay;
}

/** Throws `invalid_state` where a quote is another deal than the one that a customer has seen. */
export function checkDeal(seen: string, quote: PlanQuote, method: PaymentMethod): void {
  const { currency } = method;
  if (dealOf(promiseOf(quote), { currency, pay: toPay(quote, method) }) === seen) return;
  const message =
    "What this plan costs, or its time, has changed since it was shown. Look at the price again.";
  throw invalidState(message, "changed");
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
