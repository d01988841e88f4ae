/** The sums of a forecast as its report has them (forecast.md "How to read it"): decimal strings, exact. */

import type { Currency } from "../../billing/currency.ts";
import { formatDecimal, formatPoints } from "../../billing/points.ts";
import { formatHouseCost, marginIn } from "../house-money.ts";
import { type ForecastSums, paysOf } from "./sums.ts";

/** What calls come to. Points are decimal strings, and the cost is one in the catalog's currency. */
export interface ForecastRow {
  calls_now: number;
  calls_then: number;
  charged_now: string;
  charged_then: string;
  /** What is paid then, less what is paid now. */
  difference: string;
  list_now: string;
  list_then: string;
  house_cost: string;
  unknown_cost_calls: number;
  /** Null where the catalog has no currency. */
  margin_now: string | null;
  margin_then: string | null;
}

/** The same for who pays plans too. */
export interface PayerRow extends ForecastRow {
  /** What is charged, and the fees. */
  revenue_now: string;
  revenue_then: string;
  fees_now: string;
  fees_then: string;
  plan_margin_now: string | null;
  plan_margin_then: string | null;
}

/** Sums as a row. Costs are compared with points at the rate of this currency. */
export function rowOf({ now, other, house }: ForecastSums, currency: Currency | undefined): ForecastRow {
  const margin = marginIn(currency);
  return {
    calls_now: now.calls,
    calls_then: other.calls,
    charged_now: formatPoints(now.charged),
    charged_then: formatPoints(other.charged),
    difference: formatPoints(paysOf(other) - paysOf(now)),
    list_now: formatPoints(now.list),
    list_then: formatPoints(other.list),
    house_cost: formatHouseCost(house.wallet + house.plan),
    unknown_cost_calls: house.unknown,
    margin_now: margin(now.known, house.wallet),
    margin_then: margin(other.known, house.wallet),
  };
}

/** The same with the fees of plans. */
export function payerRowOf(sums: ForecastSums, currency: Currency | undefined): PayerRow {
  const { now, other, house } = sums;
  const margin = marginIn(currency);
  return {
    revenue_now: formatPoints(paysOf(now)),
    revenue_then: formatPoints(paysOf(other)),
    ...rowOf(sums, currency),
    fees_now: formatPoints(now.fees),
    fees_then: formatPoints(other.fees),
    plan_margin_now: margin(now.fees, house.plan),
    plan_margin_then: margin(other.fees, house.plan),
  };
}

/** Whether a payer pays more than so many percent more then. The percentage is 10⁻⁶. */
export function isOver({ now, other }: ForecastSums, percent: bigint): boolean {
  const [before, after] = [paysOf(now), paysOf(other)];
  return before <= 0n ? after > before : (after - before) * 100_000_000n > before * percent;
}

/** By how many percent more a payer pays then, cut off at two decimals; null where there is nothing to compare with. */
export function percentOf({ now, other }: ForecastSums): string | null {
  const [before, after] = [paysOf(now), paysOf(other)];
  return before <= 0n ? null : formatDecimal(((after - before) * 10_000n) / before, 2);
}
