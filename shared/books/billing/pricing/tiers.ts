/** Tiers of a price: which tokens size a call, and which tier takes a call of a size. */
import type { UsageCounts } from "../usage.ts";

/** The tokens that choose a call's tier: those of its input, cached ones included, or all of its tokens. */
export type TierBasis = "input_tokens" | "total_tokens";

/** Anything that holds up to a size. The bound belongs to the tier; null has no end. */
export interface Tier {
  up_to: number | null;
}

/** The size of a call by a basis, in tokens. Without a basis it is the size of its input. */
export function sizeOf(usage: UsageCounts, basis: TierBasis | null): number {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return basis === "total_tokens" ? input + usage.output_tokens : input;
}

/** The first tier that reaches a call's size. Throws `RangeError` where none does. */
export function tierOf<Own extends Tier>(tiers: readonly Own[], size: number): Own {
  const tier = tiers.find(({ up_to }) => up_to === null || size <= up_to);
  if (!tier) throw new RangeError(`no tier takes ${size} tokens`);
  return tier;
}
