/** The house's costs as reports show them, and what they leave of points. */

import type { Currency } from "../billing/currency.ts";
import { formatDecimal, formatPoints, parseRate } from "../billing/points.ts";

/** A cost of 10⁻¹² of a currency as a decimal string. A price of six decimals for a million tokens needs as many. */
export function formatHouseCost(cost: bigint): string {
  return formatDecimal(cost, 12);
}

/**
 * Takes a cost from points, at the rate of this currency. A cost of 10⁻¹² times a rate of 10⁻⁶ points is a whole number of
 * 10⁻¹⁸ points. Null where there is no currency.
 */
export function marginIn(currency: Currency | undefined): (points: bigint, cost: bigint) => string | null {
  if (!currency) return () => null;
  const rate = parseRate(currency.points_per_unit);
  return (points, cost) => formatPoints(points - cost * rate);
}
