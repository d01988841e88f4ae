/** The sums of a margin report as it has them (margin.md): decimal strings, exact. */

import type { Currency } from "../../billing/currency.ts";
import { formatPoints } from "../../billing/points.ts";
import { formatHouseCost, marginIn } from "../house-money.ts";
import type { MarginSums } from "./sums.ts";

/** What calls and fees brought. Points are decimal strings, and costs are in the catalog's currency. */
export interface MarginRow {
  calls: number;
  charged: string;
  fees: string;
  /** What is charged, and the fees. */
  revenue: string;
  list: string;
  house_cost: string;
  /** The part of `house_cost` that is estimated. */
  estimated_cost: string;
  unknown_cost_calls: number;
  /** What wallets were charged for calls whose cost is known, less that cost. Null where the catalog has no currency. */
  margin: string | null;
  /** Fees, less the cost of calls that plans paid. */
  plan_margin: string | null;
}

/** Sums as a row. Costs are compared with points at the rate of this currency. */
export function marginRowOf(sums: MarginSums, currency: Currency | undefined): MarginRow {
  const { calls, charged, fees, list, known, wallet, plan, estimated, unknown } = sums;
  const margin = marginIn(currency);
  return {
    ...{
      calls,
      charged: formatPoints(charged),
      fees: formatPoints(fees),
      revenue: formatPoints(charged + fees),
    },
    list: formatPoints(list),
    house_cost: formatHouseCost(wallet + plan),
    estimated_cost: formatHouseCost(estimated),
    unknown_cost_calls: unknown,
    margin: margin(known, wallet),
    plan_margin: margin(fees, plan),
  };
}
