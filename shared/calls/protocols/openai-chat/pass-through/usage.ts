/** The counters of OpenAI's chat form, wherever vendors put them, by any name (dialects.md "How they count"). */

import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { noUsage, type Usage } from "../../../../books/billing/usage.ts";
import { besideCounts, counter, hasReasoned, isCount, usageWithin } from "../../counters.ts";

/** Where a whole reply or a chunk may have its usage, the usual place first. */
const places: readonly ((reply: Fields) => unknown)[] = [
  ({ usage }) => usage,
  // Moonshot puts it into the choice that ends the answer.
  ({ choices }) => objectsOf(choices).find(({ usage }) => isObject(usage))?.usage,
  ({ x_groq: own }) => (isObject(own) ? own.usage : undefined),
];

const inputDetails = ["prompt_tokens_details", "prompt_token_details"] as const;

/** What was read from a cache, and what was written to one: in the details, and beside the counters. */
const cacheNames = {
  cached: {
    details: ["cached_tokens"],
    usage: ["cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens", "num_cached_tokens"],
  },
  stored: {
    details: ["cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens"],
    usage: ["cache_creation_input_tokens"],
  },
} as const;

/** The usage object of a whole reply or a chunk; undefined where it has none. */
export function usageOf(reply: Fields): Fields | undefined {
  for (const place of places) {
    const usage = place(reply);
    if (isObject(usage)) return usage;
  }
  return undefined;
}

/** The reasoning among the output as it is reported, or undefined. */
export function reasoningOf(usage: Fields): unknown {
  const details = usage.completion_tokens_details;
  return (isObject(details) ? details.reasoning_tokens : undefined) ?? usage.reasoning_tokens;
}

/** Whether a usage object tells of reasoning. */
export function reasoned(usage: Fields | undefined): boolean {
  return hasReasoned({ reasoning_tokens: usage && reasoningOf(usage) });
}

/**
 * The four disjoint counters (protocols.md §6.4). A missing side is unknown, not zero. What the total has beyond both
 * is output, unless it is the cache. Some providers leave the cache out of the prompt, as Anthropic does. A cache that
 * is larger than the prompt is beside it too, where the total says so (xAI).
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if (!isCount(value.prompt_tokens) || !isCount(value.completion_tokens)) return undefined;
  const prompt = counter(value.prompt_tokens);
  const completion = counter(value.completion_tokens);
  const cached = countIn(value, cacheNames.cached);
  const stored = countIn(value, cacheNames.stored);
  const beside = Math.max(0, besideCounts(value.total_tokens, prompt, completion));
  const named = [value.cache_read_input_tokens, value.cache_creation_input_tokens].some(isCount);
  const isBeside = named ? beside > 0 && beside === cached + stored : cached > prompt && beside >= cached;
  if (!isBeside) return usageWithin(prompt, { cached, stored }, completion + beside);
  const cache = { cache_read_tokens: cached, cache_write_tokens: stored };
  return {
    ...noUsage,
    input_tokens: prompt,
    ...cache,
    output_tokens: completion + beside - cached - stored,
  };
}

/** The largest count under any of its names. */
function countIn(usage: Fields, names: { details: readonly string[]; usage: readonly string[] }): number {
  let most = 0;
  for (const place of inputDetails) {
    const details = usage[place];
    if (isObject(details)) for (const name of names.details) most = Math.max(most, counter(details[name]));
  }
  for (const name of names.usage) most = Math.max(most, counter(usage[name]));
  return most;
}
