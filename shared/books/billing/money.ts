/**
 * Amounts of money as integers of their currency's minor unit: fen, cents. JSON has them as decimal strings. A
 * JavaScript number holds such an integer exactly up to 2^53, and never holds a fraction.
 */
import { formatDecimal, parseDecimal } from "./points.ts";

/** The decimal places of each currency that can be paid with (ISO 4217). */
export const currencyPlaces: Readonly<Record<string, number>> = {
  AUD: 2,
  CAD: 2,
  CHF: 2,
  CNY: 2,
  EUR: 2,
  GBP: 2,
  HKD: 2,
  JPY: 0,
  KRW: 0,
  KWD: 3,
  NZD: 2,
  SGD: 2,
  TWD: 2,
  USD: 2,
};

/**
 * Points that pay for an order count like a currency with six decimals. The code is no one of ISO 4217, so a catalog cannot
 * sell points for it.
 */
export const pointsCurrency = "points";
const pointsPlaces = 6;

const money = /^(?:0|[1-9]\d{0,12})(?:\.\d+)?$/;

/**
 * A decimal string of money as minor units: `parseMoney("1.5", "CNY")` is 150. Throws `RangeError` on a sign, an
 * exponent, a leading zero, more decimals than the currency has, and a currency that is not known.
 */
export function parseMoney(text: string, currency: string): number {
  if (!money.test(text)) throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  return Number(parseDecimal(text, placesOf(currency)));
}

/**
 * Minor units as a decimal string with all decimals of the currency: `formatMoney(150, "CNY")` is `1.50`. Points have no
 * more decimals than they need.
 */
export function formatMoney(amount: number, currency: string): string {
  const places = placesOf(currency);
  if (currency === pointsCurrency) return formatDecimal(BigInt(amount), places);
  const [whole = "", fraction = ""] = formatDecimal(BigInt(amount), places).split(".");
  return places === 0 ? whole : `${whole}.${fraction.padEnd(places, "0")}`;
}

/** What an amount of minor units is worth, 10⁻¹⁸ points. It is exact. The rate is points for one whole unit. */
export function pointsFor(amount: number, currency: string, points_per_unit: string): bigint {
  const rate = parseDecimal(points_per_unit, ratePlaces);
  return BigInt(amount) * rate * 10n ** BigInt(18 - ratePlaces - placesOf(currency));
}

/** The most minor units that 10⁻¹⁸ points buy: what is below a minor unit is left out. */
export function moneyFor(points: bigint, currency: string, points_per_unit: string): number {
  return Number(points / pointsFor(1, currency, points_per_unit));
}

/** Decimals of a rate, as the catalog's check accepts them. */
const ratePlaces = 6;

function placesOf(currency: string): number {
  if (currency === pointsCurrency) return pointsPlaces;
  const places = Object.hasOwn(currencyPlaces, currency) ? currencyPlaces[currency] : undefined;
  if (places === undefined) throw new RangeError(`not a currency that is known: ${currency}`);
  return places;
}
