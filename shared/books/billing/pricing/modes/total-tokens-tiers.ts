/** `total_tokens_tiers`: input and output each have their own tiers, both chosen by all tokens of the call. */
import { type Tier, tierOf } from "../tiers.ts";
import { bySize, type PriceMode, tokenUnitPrices, withoutTierRates } from "./mode.ts";

interface PriceTier extends Tier {
  price: string;
}

export interface TotalTokensTiers {
  mode: "total_tokens_tiers";
  input: PriceTier[];
  output: PriceTier[];
  cache_read: string;
  cache_write: string;
}

export const totalTokensTiers: PriceMode<TotalTokensTiers> = {
  measures: "tokens",
  rateCard: ({ input, output, cache_read, cache_write }, kindRates) =>
    bySize("total_tokens", [...input, ...output], (size) => {
      const prices = { input: tierOf(input, size).price, output: tierOf(output, size).price };
      return tokenUnitPrices({ ...prices, cache_read, cache_write }, kindRates);
    }),
  tierLists: ({ input, output }) => [
    { side: "input", basis: "total_tokens", tiers: input },
    { side: "output", basis: "total_tokens", tiers: output },
  ],
  ...withoutTierRates,
  resolutions: () => null,
  listed: () => ({ per: "nothing", why: "the catalog's tiers are of all tokens, the list's of input" }),
};
