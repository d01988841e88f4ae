/** Reads a provider's counters. Whatever it sends, the result is a whole number, bounded and never negative. */

import { isObject } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import {
  countedIn,
  countsOf,
  dimensions,
  noUsage,
  type TokenKind,
  tokenKinds,
  type Usage,
  type UsageDetails,
  withDetails,
} from "../../books/billing/usage.ts";

/** Whether a value was reported at all. A missing counter is not zero, and neither is null. */
export function isReported(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value is a count. Nonsense is like a missing value: it is not zero. */
export function isCount(value: unknown): boolean {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number >= 0;
}

/** Whether tokens of reasoning are reported. They are charged even where their text is kept secret (design §3). */
export function hasReasoned(details: unknown, name = "reasoning_tokens"): boolean {
  return isObject(details) && counter(details[name]) > 0;
}

/** A reported counter as a safe integer in [0, 2⁴⁰]; nonsense (text, NaN, negatives) is 0. */
export function counter(value: unknown): number {
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !(number > 0)) return 0;
  return Math.min(Math.floor(number), limits.tokensMax);
}

/** Disjoint counters of a provider whose input includes its cache's tokens, which are cut to the input. */
export function usageWithin(
  input: number,
  { cached, stored = 0 }: { cached: number; stored?: number },
  output_tokens: number,
): Usage {
  const cache_read_tokens = Math.min(cached, input);
  const cache_write_tokens = Math.min(stored, input - cache_read_tokens);
  const input_tokens = input - cache_read_tokens - cache_write_tokens;
  return { ...noUsage, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens };
}

/** How much a provider's total exceeds the sum of its counts. xAI counts reasoning in the total only. */
export function besideCounts(total: unknown, ...counts: number[]): number {
  return counts.reduce((rest, count) => rest - count, counter(total));
}

/** Combines two reports of a stream. Totals only grow, so the later input and the later output count unless smaller. */
export function laterUsage<Report extends Usage>(
  before: Report | undefined,
  now: Report | undefined,
): Report | undefined {
  if (!before || !now) return now ?? before;
  const input = inputOf(now) < inputOf(before) ? before : now;
  const output = now.output_tokens < before.output_tokens ? before : now;
  const { input_tokens, cache_read_tokens, cache_write_tokens } = input;
  const usage = { ...output, input_tokens, cache_read_tokens, cache_write_tokens };
  if (!before.details && !now.details) return usage;
  const tokens = eachKind((kind) => sideOf(kind, input, output).details?.tokens?.[kind]);
  const calls = eachCall(before, now, Math.max);
  return detailed(usage, { ...before.details, ...now.details, tokens, calls });
}

function inputOf({ input_tokens, cache_read_tokens, cache_write_tokens }: Usage): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}

function sideOf(kind: TokenKind, input: Usage, output: Usage): Usage {
  return countedIn[kind] === "output_tokens" ? output : input;
}

/** Adds two usages that a provider reports beside each other. Tier and speed are those of the first. */
export function sumUsage<Report extends Usage>(usage: Report, beside: Usage | undefined): Report {
  if (!beside) return usage;
  const sum = { ...usage };
  for (const name of dimensions) {
    sum[name] = Math.min(usage[name] + beside[name], limits.tokensMax) as Report[typeof name];
  }
  if (!usage.details && !beside.details) return sum;
  const of = ({ details }: Usage, kind: TokenKind) => details?.tokens?.[kind] ?? 0;
  const tokens = eachKind((kind) => of(usage, kind) + of(beside, kind));
  const calls = eachCall(usage, beside, (a, b) => a + b);
  return detailed(sum, { ...beside.details, ...usage.details, tokens, calls });
}

function eachKind(count: (kind: TokenKind) => number | undefined): NonNullable<UsageDetails["tokens"]> {
  return Object.fromEntries(tokenKinds.map((kind) => [kind, count(kind) ?? 0]));
}

function eachCall(
  { details: one }: Usage,
  { details: other }: Usage,
  both: (a: number, b: number) => number,
): Record<string, number> {
  const names = Object.keys({ ...one?.calls, ...other?.calls });
  return Object.fromEntries(
    names.map((name) => [name, both(one?.calls?.[name] ?? 0, other?.calls?.[name] ?? 0)]),
  );
}

/** A report with these details; each kind is cut to its whole. */
function detailed<Report extends Usage>(usage: Report, told: UsageDetails): Report {
  const { details: _, ...counts } = usage;
  const { details } = withDetails(countsOf(usage), told);
  return (details ? { ...counts, details } : counts) as Report;
}
