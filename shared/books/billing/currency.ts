/** Converts points to an amount of money, exactly, at the rate of the catalog. */
import { formatDecimal, formatPoints, parseDecimal } from "./points.ts";

/** The currency that points are bought with. */
export interface Currency {
  /** Three letters of ISO 4217. */
  code: string;
  /** Points for one unit of the currency, a decimal string with at most six decimals. */
  points_per_unit: string;
}

/** Enough decimals for every rate that the catalog's check accepts: a rate of 15 digits needs no more. */
const placesMax = 60;

/** The decimals of a point's worth: 2 where 100 points are one unit. Undefined where no number of decimals is exact. */
function placesOf(rate: bigint): number | undefined {
  for (let places = 0; rate > 0n && places <= placesMax; places++) {
    if (10n ** BigInt(places + 6) % rate === 0n) return places;
  }
  return undefined;
}

/**
 * Whether every amount of points is an exact decimal amount at this rate. The rate's only prime factors
 * are then 2 and 5.
 */
export function isExactRate(points_per_unit: string): boolean {
  return placesOf(parseDecimal(points_per_unit, 6)) !== undefined;
}

/**
 * Gives a function that writes 10⁻¹⁸ points as an exact decimal string of a currency, so that costs add up as the
 * points do. Without a currency the function writes points. Throws `RangeError` on a rate that is not exact.
 */
export function moneyWriter(currency: Currency | undefined): (points: bigint) => string {
  if (!currency) return formatPoints;
  const rate = parseDecimal(currency.points_per_unit, 6);
  const places = placesOf(rate);
  if (places === undefined) throw new RangeError(`not an exact rate: ${currency.points_per_unit}`);
  const factor = 10n ** BigInt(places + 6) / rate;
  return (points) => formatDecimal(points * factor, 18 + places);
}
