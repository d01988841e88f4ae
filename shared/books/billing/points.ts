/**
 * Points as integers of 10⁻¹⁸ (billing.md §4.1). Every product of a token count, a price and a discount is such an
 * integer, so nothing is ever rounded. JSON has points as decimal strings. A JavaScript number never holds them.
 */

/** Decimal places of a point. */
const places = 18;
/** One point, as an integer of 10⁻¹⁸. */
export const onePoint = 10n ** BigInt(places);
/** The most that one amount may be, 10¹⁸ points. A meter's numbers have 38 digits, room for a hundred such amounts. */
export const amountMax = 10n ** 36n;
const digitZero = 0x30;
const decimal = /^\d+(?:\.\d+)?$/;

/**
 * A decimal string as an integer of 10^-`decimals`: `parseDecimal("0.25", 6)` is 250000n. Throws `RangeError` on a
 * sign, an exponent, a missing digit, and on more decimals than these.
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? "" : text.slice(point + 1);
  if (!decimal.test(text) || fraction.length > decimals) {
    throw new RangeError(`not a decimal with at most ${decimals} places: ${JSON.stringify(text)}`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Prices and factors that were read before. A catalog has few, and each call reads them some thirty times. */
const rates = new Map<string, bigint>();
const ratesMax = 4_096;

/** A price or a factor as an integer of 10⁻⁶. Throws like `parseDecimal`. */
export function parseRate(text: string): bigint {
  const known = rates.get(text);
  if (known !== undefined) return known;
  const rate = parseDecimal(text, 6);
  if (rates.size >= ratesMax) rates.clear();
  rates.set(text, rate);
  return rate;
}

/** A decimal string of points as 10⁻¹⁸ points. It may begin with a minus. Throws `RangeError` on any other form. */
export function parsePoints(text: string): bigint {
  return text.startsWith("-") ? -parseDecimal(text.slice(1), places) : parseDecimal(text, places);
}

/** 10⁻¹⁸ points as a decimal string: exact, without trailing zeros and without an exponent. */
export function formatPoints(value: bigint): string {
  return formatDecimal(value, places);
}

/** An integer of 10^-`decimals` as a decimal string, in the form of `formatPoints`. */
export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === digitZero) end--;
  return `${sign}${digits.slice(0, point)}${end === point ? "" : `.${digits.slice(point, end)}`}`;
}
