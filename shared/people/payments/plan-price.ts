/** What a plan costs now (people/payments/README.md "Plans"). Pure; instants are Unix milliseconds, points 10⁻¹⁸. */

import { consoleLimits } from "../../base/console-limits.ts";
import { type ErrorReason, GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { PlanChoice, Subscription } from "../../books/accounts/account.ts";
import { anchorAt, dueAt, isRunning, planAt } from "../../books/accounts/subscription.ts";
import { hourMs, monthsFrom, quotaPeriod } from "../../books/billing/period.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import type { PaidPeriod, PlanFee } from "../../books/ledger/ledger.ts";
import {
  againAt,
  paidPeriods,
  periodEnd,
  periodMonths,
  quotaMonths,
  unusedOf,
} from "../../books/ledger/plan-fee.ts";
import type { PlanOrder } from "./order.ts";

export interface PlanQuote extends PlanChoice {
  action: PlanOrder["action"];
  /** The plan that runs up to the start, paid for or not. */
  last: PlanChoice;
  /** The time that is paid for. */
  starts_at: number;
  ends_at: number;
  /** What that time costs, before anything is taken off. */
  price: bigint;
  /** What is taken off: what the customer has paid already for time that this plan replaces. */
  unused: bigint;
  /** The subscription once it is paid. */
  after: Subscription;
}

/** What the customer wants, and what the price depends on. */
interface PlanPriceQuery {
  wanted: PlanChoice;
  subscription: Subscription;
  /** The fees of `aheadOf`. Undefined where one of them is not posted, so that nothing can be taken off. */
  fees: PlanFee[] | undefined;
  /** Whether a larger plan may begin at once. If not, it begins when the paid time ends. */
  mayUpgrade: boolean;
}

type FindPlan = (name: string) => Plan | undefined;

/** Every process knows a bought plan after this time (limits.ts `keyCacheSeconds`). */
const restartMs = 2 * limits.keyCacheSeconds * 1000;

/** With less than this of a quota month left, no upgrade is sold: it would pay for the whole month. */
const upgradeRestMs = hourMs;

/** The paid periods of a subscription with an end that are not over at `now`, the latest first. */
export function aheadOf(subscription: Subscription, now: number): PaidPeriod[] {
  const { ends_at } = subscription;
  if (ends_at === null) return [];
  return paidPeriods(subscription, ends_at - 1).filter((period) => period.ends_at > now);
}

/** The price at `now`. Throws `invalid_request` with a sentence that says why the plan cannot be bought. */
export function quotePlan(asked: PlanPriceQuery, planOf: FindPlan, now: number): PlanQuote {
  const { wanted, subscription } = asked;
  const price = priceOf(wanted, planOf);
  if (price === undefined) throw refused(`There is no plan ${wanted.plan}.`);
  if (price === 0n) throw refused(`The plan ${wanted.plan} costs nothing, so nobody needs to buy it.`);
  const running = planAt(subscription, now);
  const isPaid = isRunning(subscription, now) && priceOf(running, planOf) !== 0n;
  if (!isPaid) return bought({ wanted, price, last: running }, subscription, now);
  const { ends_at } = subscription;
  if (ends_at === null) {
    throw refused(
      "This subscription renews by itself, and its operator sends the bills. It needs no order.",
      "plan_of_operator",
    );
  }
  if (aheadOf(subscription, now)[0]?.ends_at !== ends_at) {
    throw refused(
      "The operator has set the end of this subscription. Please ask for another one.",
      "plan_of_operator",
    );
  }
  const due = dueAt(subscription, now);
  const isLarger = quotaOf(wanted, planOf) > quotaOf(running, planOf);
  const isUpgrade = isLarger && wanted.period === running.period && !due && asked.mayUpgrade;
  if (isUpgrade && ends_at - now >= upgradeRestMs)
    return upgraded(asked, { price, last: running, ends_at }, now);
  return renewed({ wanted, price, last: due ?? running, ends_at }, resolved(subscription, now), now);
}

/** Begins at once, with quota months of its own, because nothing that was paid for is running. */
function bought({ wanted, price, last }: Sold, subscription: Subscription, now: number): PlanQuote {
  const restart = now + restartMs;
  const begun = [subscription.paid?.from ?? 0, subscription.next?.from ?? 0].filter((from) => from <= now);
  const starts_at = Math.max(now, ...begun.map((from) => from + 1));
  const ends_at = monthsFrom(restart, restart, periodMonths[wanted.period]);
  const { next: _due, ...kept } = subscription;
  const after: Subscription = {
    ...kept,
    ...wanted,
    ends_at,
    restarts: [...(subscription.restarts ?? []), restart],
    paid: { from: starts_at, first_ends_at: ends_at },
  };
  return { ...wanted, action: "buy", last, starts_at, ends_at, price, unused: 0n, after };
}

interface Sold {
  wanted: PlanChoice;
  /** Of a whole period. */
  price: bigint;
  /** The plan that runs last, as far as it is paid. */
  last: PlanChoice;
}

/** Begins when the paid time ends. Another plan than the last one takes over then. */
function renewed(
  { wanted, price, last, ends_at }: Sold & { ends_at: number },
  before: Subscription,
  now: number,
): PlanQuote {
  const isSame = wanted.plan === last.plan && wanted.period === last.period;
  if (!isSame && before.next) {
    throw refused(
      `The plan changes to ${last.plan} (${last.period}) already. Another one can follow after that.`,
      "plan_booked",
    );
  }
  const end = periodEnd(before, ends_at, wanted.period);
  if (end > monthsFrom(anchorAt(before, now), now, consoleLimits.paidAheadMonthsMax + 1)) {
    throw refused(
      `A plan can be paid for at most ${consoleLimits.paidAheadMonthsMax} months ahead.`,
      "plan_ahead",
    );
  }
  const next = isSame ? {} : { next: { ...wanted, from: ends_at } };
  const after = { ...before, ends_at: end, ...next };
  return { ...wanted, action: "renew", last, starts_at: ends_at, ends_at: end, price, unused: 0n, after };
}

/** Begins at once and ends when the paid time ends. What was paid for that time is taken off. */
function upgraded(
  { wanted, subscription, fees }: PlanPriceQuery,
  { price: whole, last, ends_at }: Omit<Sold, "wanted"> & { ends_at: number },
  now: number,
): PlanQuote {
  if (!fees)
    throw refused(
      "This subscription is not paid up to its end. Please ask its operator.",
      "plan_of_operator",
    );
  const month = quotaPeriod(anchorAt(subscription, now), now);
  if (month.ends_at - now < upgradeRestMs)
    throw refused(
      `The month of the quota ends at ${new Date(month.ends_at).toISOString()}, and an upgrade pays for it as a whole. Order the upgrade after that.`,
      "plan_soon",
    );
  const months = quotaMonths(subscription, now, ends_at);
  const price = (whole * BigInt(months)) / BigInt(periodMonths[wanted.period]);
  const unused = fees.reduce((sum, fee) => sum + unusedOf(subscription, fee, now), 0n);
  if (unused >= price)
    throw refused(
      "The larger plan costs no more for this time. Please ask the operator.",
      "plan_of_operator",
    );
  const begun = fees.filter((fee) => fee.starts_at <= now).map((fee) => fee.starts_at + 1);
  const starts_at = Math.max(now, ...begun);
  const before = resolved(subscription, now);
  const after = { ...before, ...wanted, paid: { from: starts_at, first_ends_at: ends_at } };
  return { ...wanted, action: "upgrade", last, starts_at, ends_at, price, unused, after };
}

/** The subscription with a change that is due made. */
export function resolved(subscription: Subscription, now: number): Subscription {
  const { next, ...kept } = subscription;
  if (!next || next.from > now) return subscription;
  const { plan, period, ...paid } = next;
  return { ...kept, plan, period, paid };
}

/**
 * The fee that a payment of `points` pays, exactly: so an order's payment and its fee are the same, and the organization
 * owes what it owed before. Its price is what was paid, with what an upgrade takes off, whatever the catalog says by now.
 * The next upgrade takes that off.
 */
export function feeFor(
  { plan, period, starts_at, ends_at, unused, after }: PlanQuote,
  points: bigint,
  order: string,
): PlanFee {
  return {
    ...{ meter: after.meter, ...againAt(after, starts_at) },
    ...{ plan, period, starts_at, ends_at, order },
    price_points: formatPoints(points + unused),
    ...(unused > 0n && { unused_points: formatPoints(unused) }),
  };
}

/** The price of a whole period, 10⁻¹⁸ points; undefined where the catalog has no such plan. */
function priceOf({ plan, period }: PlanChoice, planOf: FindPlan): bigint | undefined {
  const text = planOf(plan)?.price[period];
  return text === undefined ? undefined : parsePoints(text);
}

function quotaOf({ plan, period }: PlanChoice, planOf: FindPlan): number {
  return planOf(plan)?.quota[period] ?? 0;
}

function refused(message: string, reason?: ErrorReason): GatewayError {
  return new GatewayError("invalid_request", { message, param: "plan", ...(reason && { reason }) });
}
