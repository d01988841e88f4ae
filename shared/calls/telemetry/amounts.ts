/** Amounts of usage in the sense of the conventions. */
import type { UsageCounts } from "../../books/billing/usage.ts";

/** All tokens of the input. The conventions count those of the cache among them, and our counts are disjoint. */
export function tokensOfInput({ input_tokens, cache_read_tokens, cache_write_tokens }: UsageCounts): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}
