/** What a plan fee would have been with another catalog (forecast.md "What is replayed"). Pure; points are 10⁻¹⁸. */

import type { Subscription } from "../../accounts/account.ts";
import { moneyFor, pointsCurrency, pointsFor } from "../../billing/money.ts";
import { parsePoints } from "../../billing/points.ts";
import type { ModelCatalog } from "../../catalog/models.ts";
import type { Entry, PlanFee } from "../../ledger/ledger.ts";
import { feeId, liveFees, periodMonths, quotaMonths } from "../../ledger/plan-fee.ts";

/** Why a fee counts then as it counts now (forecast.md "What is not"). */
export type KeptFee = "plan_gone" | "plan_changed" | "currency_unknown" | "subscription_unknown";

/** What a replay of fees reads of the other catalog. */
export type OtherPlans = Pick<ModelCatalog, "plan" | "recharge">;

/** A plan fee as the books have it. */
export interface BookedFee {
  fee: PlanFee;
  /** What its entry has posted, 10⁻¹⁸ points; negative where points go back. */
  posted: bigint;
  /** The account that its order was paid from: the customer's wallet, or the cash of a channel. */
  paidFrom: string | undefined;
  /** Whether it is one of `changedFees`. */
  isChanged: boolean;
}

/**
 * The ids of fees whose plan was changed or paid back (forecast.md "Plans that were changed"). `entries` are all that the
 * organization has, of any time: what was paid back and what gives it back may lie months apart.
 */
export function changedFees(entries: readonly Pick<Entry, "fee" | "posted_at">[]): Set<string> {
  const fees = entries.flatMap(({ fee, posted_at = 0 }) => (fee ? [{ ...fee, posted_at }] : []));
  const live = new Set(liveFees(fees));
  const lowered = fees.filter((fee) => fee.unused_points !== undefined && fee.returns === undefined);
  const isReplaced = (fee: (typeof fees)[number]) =>
    parsePoints(fee.price_points) > 0n &&
    lowered.some((by) => by.posted_at >= fee.posted_at && overlap(by, fee));
  const changed = fees.filter((fee) => !live.has(fee) || fee.unused_points !== undefined || isReplaced(fee));
  return new Set(changed.map(feeId));
}

/** Whether two fees are for the same time of one subscription, at least in part. */
function overlap(one: PlanFee, other: PlanFee): boolean {
  return one.meter === other.meter && one.starts_at < other.ends_at && other.starts_at < one.ends_at;
}

/** The fee of a paid period at the price of another catalog, or why that cannot be said. */
export function replayFee(
  { fee, paidFrom, isChanged }: Omit<BookedFee, "posted">,
  subscription: Subscription | null,
  catalog: OtherPlans,
): { points: bigint } | { kept: KeptFee } {
  if (isChanged) return { kept: "plan_changed" };
  const price = catalog.plan(fee.plan)?.price[fee.period];
  if (price === undefined) return { kept: "plan_gone" };
  const whole = parsePoints(price);
  if (fee.order === undefined) return { points: whole };
  if (subscription?.meter !== fee.meter) return { kept: "subscription_unknown" };
  // An order may pay for the rest of a period, as an upgrade does.
  const months = quotaMonths(subscription, fee.starts_at, fee.ends_at);
  const points = inMoney((whole * BigInt(months)) / BigInt(periodMonths[fee.period]), paidFrom, catalog);
  return points === undefined ? { kept: "currency_unknown" } : { points };
}

/**
 * What an order of so many points pays: what is below a minor unit of its currency is not asked for. The ledger knows the
 * channel and not the currency. Undefined where the channel's currencies differ in that, or the catalog sells nothing there.
 */
function inMoney(points: bigint, paidFrom: string | undefined, catalog: OtherPlans): bigint | undefined {
  const isWallet = paidFrom?.startsWith("customer:") === true;
  const sold = Object.entries(catalog.recharge()).filter(([, { channels }]) =>
    channels.some((channel) => paidFrom === `cash:${channel}`),
  );
  const rates = isWallet
    ? [[pointsCurrency, "1"] as const]
    : sold.map(([currency, { points_per_unit }]) => [currency, points_per_unit] as const);
  const paid = rates.map(([currency, rate]) => pointsFor(moneyFor(points, currency, rate), currency, rate));
  const [first] = paid;
  return paid.every((each) => each === first) ? first : undefined;
}
