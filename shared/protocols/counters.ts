/** Reading a provider's counters: whatever it sends, the result is whole, bounded and never negative. */
import { isObject } from "../http/fields.ts";
import { limits } from "../limits.ts";

/** Whether a value was reported at all. Null and missing are not: missing is not zero. */
export function isReported(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value counts something. Nonsense reports nothing either, and what is not reported is not zero. */
export function isCount(value: unknown): boolean {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number >= 0;
}

/**
 * Whether a provider reports tokens of reasoning. They are an answer also where it keeps their text to itself, and
 * asks to be paid for them (design §3 frees only a reply without any).
 */
export function hasReasoned(details: unknown, name = "reasoning_tokens"): boolean {
  return isObject(details) && counter(details[name]) > 0;
}

/** A reported counter as a safe integer in [0, 2⁴⁰]; nonsense (text, NaN, negatives) is 0. */
export function counter(value: unknown): number {
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !(number > 0)) return 0;
  return Math.min(Math.floor(number), limits.tokensMax);
}
