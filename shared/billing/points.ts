/**
 * Points as integers of 10⁻¹⁸ (billing.md §4.1): every product of a token count, a price and a discount
 * is one, so nothing is ever rounded. Outside they are decimal strings; a JavaScript number never holds them.
 */

/** Decimal places of a point. */
const places = 18;
/** One point, as an integer of 10⁻¹⁸. */
export const onePoint = 10n ** BigInt(places);
/** The most that one amount may be, 10¹⁸ points: a hundred of them fill the 38 digits that a number of a meter may have. */
export const amountMax = 10n ** 36n;
const decimal = /^(\d+)(?:\.(\d+))?$/;

/**
 * A decimal string as an integer of 10^-`decimals`: `parseDecimal("0.25", 6)` is 250000n. Throws `RangeError`
 * on anything but plain digits with at most that many decimals: no sign, exponent, or missing digit.
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const [, whole, fraction = ""] = decimal.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    throw new RangeError(`not a decimal with at most ${decimals} places: ${JSON.stringify(text)}`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Decimal points as 10⁻¹⁸ points, a leading minus allowed. Throws `RangeError` on any other form. */
export function parsePoints(text: string): bigint {
  return text.startsWith("-") ? -parseDecimal(text.slice(1), places) : parseDecimal(text, places);
}

/** 10⁻¹⁸ points as decimal points: exact, without trailing zeros, never with an exponent. */
export function formatPoints(value: bigint): string {
  return formatDecimal(value, places);
}

/** An integer of 10^-`decimals` as a decimal string, in the same form. */
export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, "0");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${sign}${digits.slice(0, digits.length - decimals)}${fraction === "" ? "" : `.${fraction}`}`;
}
