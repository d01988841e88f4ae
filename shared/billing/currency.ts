/** Points as an amount of money, exactly: what a rate of the catalog makes of them. */
import { formatDecimal, formatPoints, parseDecimal } from "./points.ts";

/** What points are bought with. */
export interface Currency {
  /** Three letters of ISO 4217. */
  code: string;
  /** Points for one unit of the currency, a decimal string with at most six decimals. */
  points_per_unit: string;
}

/** Enough decimals for every rate that passes the catalog's check: 15 digits have no more factors than that. */
const placesMax = 60;

/** Decimals of what a point is worth: 2 where 100 points are one unit. Undefined where no number of them is exact. */
function placesOf(rate: bigint): number | undefined {
  for (let places = 0; rate > 0n && places <= placesMax; places++) {
    if (10n ** BigInt(places + 6) % rate === 0n) return places;
  }
  return undefined;
}

/** Whether every amount of points is a decimal amount at this rate: its only prime factors are those of ten. */
export function isExactRate(points_per_unit: string): boolean {
  return placesOf(parseDecimal(points_per_unit, 6)) !== undefined;
}

/**
 * How amounts of points, 10⁻¹⁸, are written in a currency: exact decimal strings that add up as the points do. Without a
 * currency they are points. Throws `RangeError` on a rate that is not exact.
 */
export function writerOf(currency: Currency | undefined): (points: bigint) => string {
  if (!currency) return formatPoints;
  const rate = parseDecimal(currency.points_per_unit, 6);
  const places = placesOf(rate);
  if (places === undefined) throw new RangeError(`not an exact rate: ${currency.points_per_unit}`);
  const factor = 10n ** BigInt(places + 6) / rate;
  return (points) => formatDecimal(points * factor, 18 + places);
}
