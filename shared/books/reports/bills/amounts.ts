/** Amounts that are compared: requests, tokens of four kinds, and costs by currency. Pure. */
import { formatDecimal, parseDecimal } from "../../billing/points.ts";
import { tokenCounts } from "../../ledger/house-cost.ts";
import { billBounds } from "./bounds.ts";

/** What can be counted on both sides. */
export const billCounts = ["requests", ...tokenCounts] as const;
export type BillCount = (typeof billCounts)[number];

/** What a bill can tell. */
export type BillTold = BillCount | "cost";

/**
 * Amounts by their names: those of `billCounts`, and `cost USD` for each currency, in 10⁻²⁴ of it. What is nothing has no
 * member.
 */
export type BillAmounts = Readonly<Record<string, bigint>>;

export const noAmounts: BillAmounts = {};

const costPrefix = "cost ";

/** The name of costs in a currency. */
export function costName(currency: string): string {
  return `${costPrefix}${currency}`;
}

/** The currency of the name of a cost; undefined for the name of a count. */
export function currencyOf(name: string): string | undefined {
  return name.startsWith(costPrefix) ? name.slice(costPrefix.length) : undefined;
}

/** The sum of amounts, each taken so many times. */
export function plus(one: BillAmounts, other: BillAmounts, times = 1n): BillAmounts {
  const sum: Record<string, bigint> = { ...one };
  for (const [name, amount] of Object.entries(other)) sum[name] = (sum[name] ?? 0n) + times * amount;
  return Object.fromEntries(Object.entries(sum).filter(([, amount]) => amount !== 0n));
}

export function minus(one: BillAmounts, other: BillAmounts): BillAmounts {
  return plus(one, other, -1n);
}

export function sumOf(all: Iterable<BillAmounts>): BillAmounts {
  const sum: Record<string, bigint> = {};
  for (const each of all)
    for (const [name, amount] of Object.entries(each)) sum[name] = (sum[name] ?? 0n) + amount;
  return plus(sum, noAmounts);
}

export function isNothing(amounts: BillAmounts): boolean {
  return Object.values(amounts).every((amount) => amount === 0n);
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** The counts alone. */
export function countsIn(amounts: BillAmounts): BillAmounts {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => currencyOf(name) === undefined));
}

/** The largest and smallest that a cost's power of ten may be: beyond it a file is wrong, and no memory is spent on it. */
const powerMax = 40;

/**
 * A cost as JSON or CSV write it, in 10⁻²⁴: with a sign or a power of ten too. Throws `RangeError` where it is none, or
 * has more decimals.
 */
export function parseCost(text: string): bigint {
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d{1,24})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? [];
  if (sign === undefined || Math.abs(Number(power)) > powerMax)
    throw new RangeError(`not an amount: ${JSON.stringify(text.slice(0, 40))}`);
  const value = parseDecimal(shifted(whole, fraction, Number(power)), billBounds.costPlaces);
  return sign === "-" ? -value : value;
}

/** A double has 53 bits: sums of them may be wrong in the last. */
export const doubleParts = 1n << 50n;
/** A count may be so far from a whole number, in 10⁻²⁴: a millionth. */
const countNoise = 10n ** 18n;
const one = 10n ** BigInt(billBounds.costPlaces);

/**
 * The whole number that a decimal is, but for the noise of a double: a millionth, or 2⁻⁵⁰ of it. Throws `RangeError` where
 * it is none, is negative, or has more than 15 digits.
 */
export function wholeNumber(text: string): number {
  const value = parseCost(text);
  const count = (value + one / 2n) / one;
  const noise = value / doubleParts;
  const isNear = absolute(value - count * one) <= (noise > countNoise ? noise : countNoise);
  if (!isNear || count >= 10n ** 15n) throw new RangeError(`not a count: ${text.slice(0, 40)}`);
  return Number(count);
}

/** A decimal whose point is moved to the right, without zeros behind its last digit. */
function shifted(whole: string, fraction: string, power: number): string {
  const digits = whole + fraction;
  const point = whole.length + power;
  const padded = point <= 0 ? digits.padStart(digits.length - point + 1, "0") : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  let end = padded.length;
  while (end > at && padded[end - 1] === "0") end--;
  return end === at ? padded.slice(0, at) : `${padded.slice(0, at)}.${padded.slice(at, end)}`;
}

/** An amount of this name as text: a count as it is, a cost as a decimal of its currency. */
export function amountText(name: string, amount: bigint): string {
  return currencyOf(name) === undefined ? String(amount) : formatDecimal(amount, billBounds.costPlaces);
}
