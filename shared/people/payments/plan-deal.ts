/** What an order of a plan promised (people/payments/README.md "What an order promises"). Pure; instants are Unix ms. */
import { createHash } from "node:crypto";
import type { PlanChoice, Subscription } from "../../books/accounts/account.ts";
import { quotaMonths } from "../../books/ledger/plan-fee.ts";
import type { PlanOrder } from "./order.ts";
import type { PlanQuote } from "./plan-price.ts";

/** The parts of a promise that may have changed. The price is none of them: what is paid is what was ordered. */
export type DealTerm = "action" | "starts_at" | "ends_at" | "from";

/** What an order promises that is made by this quote. */
export function promiseOf({ plan, period, action, last, starts_at, ends_at }: PlanQuote): PlanOrder {
  return { plan, period, action, from: last, starts_at, ends_at };
}

/** A short name of what a quote offers: the same while its price stays and `changedTerms` would find no change. */
export function dealOf(
  { plan, period, action, from, starts_at, ends_at }: PlanOrder,
  { currency, pay }: { currency: string; pay: number },
): string {
  const last = from && [from.plan, from.period];
  const time = { buy: [], renew: [last, starts_at], upgrade: [last, ends_at] }[action];
  const terms = JSON.stringify([plan, period, action, time, currency, pay]);
  return createHash("sha256").update(terms).digest("hex").slice(0, 16);
}

/** The parts of a quote that differ from what was promised. `subscription` is what the quote was made for. */
export function changedTerms(
  promised: PlanOrder,
  quote: PlanQuote,
  subscription: Pick<Subscription, "started_at" | "restarts">,
): DealTerm[] {
  const { action, starts_at, ends_at, from } = promised;
  const isOld = starts_at === undefined || ends_at === undefined;
  // The promised start is over by now, and nothing has followed it. So the plan begins as soon as it can.
  const isLate = action === "renew" && quote.action === "buy" && (isOld || starts_at <= quote.starts_at);
  const months = (start: number, end: number) => quotaMonths(subscription, start, end);
  const differs: Record<DealTerm, boolean> = {
    action: action !== quote.action && !isLate,
    starts_at: action === "renew" && !isLate && !isOld && starts_at !== quote.starts_at,
    // The price of an upgrade is that of the months up to a fixed end.
    ends_at:
      action === "upgrade" &&
      !isOld &&
      (ends_at !== quote.ends_at || months(starts_at, ends_at) !== months(quote.starts_at, ends_at)),
    // An older renewal has what ran when it was ordered, and not what runs last.
    from: (isOld ? action === "upgrade" : action !== "buy") && !isLate && !isSame(from, quote.last),
  };
  return Object.entries(differs).flatMap(([term, isOther]) => (isOther ? [term as DealTerm] : []));
}

function isSame(one: PlanChoice | null, other: PlanChoice): boolean {
  return one?.plan === other.plan && one.period === other.period;
}
