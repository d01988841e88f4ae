/** What prices, discounts and plans are written with in a catalog file. No function's bundle may take in zod. */
import * as z from "zod/mini";

/** Six decimals at most, so that a price times a discount is a whole number of 10⁻¹⁸ points. */
export const decimalForm = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;

export const decimal = z
  .string()
  .check(z.regex(decimalForm, "must be a decimal string with at most six decimals"));

/** The name of a rate, a plan, a provider or a pricing group. */
export const label = z
  .string()
  .check(z.regex(/^[a-z][a-z0-9_-]*$/, "must be a name of lower-case letters, digits, _ and -"));
