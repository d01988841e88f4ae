/** The numbers of a list, as they are written. No number becomes a float: `0.1` has no exact one. */

import { type Fields, isObject } from "../../base/json/fields.ts";

/** An exact decimal of any size: `digits` × 10^-`places`; `places` may be negative. */
export interface Amount {
  digits: bigint;
  places: number;
}

const numberForm = /^(\d{1,30})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Reads JSON with each number as its text: `{"a": 1.50}` is `{ a: "1.50" }`. Throws `SyntaxError`. */
export function parseWithNumbersAsText(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { source: string }): unknown =>
    typeof value === "number" && context ? context.source : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

/** The amount of a number's text; undefined for other values, negative numbers, and more than 60 decimals. */
export function readAmount(value: unknown): Amount | undefined {
  const [, whole, fraction = "", exponent = "0"] =
    numberForm.exec(typeof value === "string" ? value : "") ?? [];
  if (whole === undefined) return undefined;
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}

/** The product of two amounts. */
export function times(a: Amount, b: Amount): Amount {
  return { digits: a.digits * b.digits, places: a.places + b.places };
}

/** An amount for one, as the amount for a million. */
export function perMillion({ digits, places }: Amount): Amount {
  return { digits, places: places - 6 };
}

/** An amount as a catalog writes it. Undefined beyond six decimals, or nine digits before them. */
export function catalogDecimal({ digits, places }: Amount): string | undefined {
  let [rest, left] = [digits, places];
  for (; left > 0 && rest % 10n === 0n; left--) rest /= 10n;
  if (rest === 0n) return "0";
  if (left > 6) return undefined;
  const micros = String(rest * 10n ** BigInt(6 - left)).padStart(7, "0");
  const [whole, fraction] = [micros.slice(0, -6), micros.slice(-6).replace(/(?<!0)0+$/, "")];
  if (whole.length > 9) return undefined;
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** A count, which may be written as `256000.0`; 0 for none. */
export function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** The object, or an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
