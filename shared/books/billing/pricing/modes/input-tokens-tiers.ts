/** `input_tokens_tiers`: the size of the input, cached tokens included, chooses one tier for the whole call. */
import { tierOf } from "../tiers.ts";
import type { FlatTokens } from "./flat-tokens.ts";
import { bySize, type PriceMode, type TokenTier, tokenUnitPrices } from "./mode.ts";

export interface InputTokensTiers {
  mode: "input_tokens_tiers";
  tiers: TokenTier[];
}

export const inputTokensTiers: PriceMode<InputTokensTiers> = {
  measures: "tokens",
  rateCard: ({ tiers }, kindRates) =>
    bySize("input_tokens", tiers, (size) => {
      const { rates, ...prices } = tierOf(tiers, size);
      return tokenUnitPrices(prices, { ...kindRates, ...rates });
    }),
  tierLists: ({ tiers }) => [{ side: "call", basis: "input_tokens", tiers }],
  tierRates: ({ tiers }) => tiers.map(({ rates = {} }) => rates),
  withTierRates: (price, ratesOf) => ({
    ...price,
    tiers: price.tiers.map((tier) => {
      const rates = ratesOf(tier);
      const { rates: _, ...bare } = tier;
      return Object.keys(rates).length === 0 ? bare : { ...tier, rates };
    }),
  }),
  resolutions: () => null,
  listed: ({ tiers }) => ({ per: "token", tiers }),
};

/** The price that tiers come to: a single tier holds for every size, so its price is flat. */
export function priceOfTiers(tiers: TokenTier[]): FlatTokens | InputTokensTiers {
  const [only, ...more] = tiers;
  if (!only || more.length > 0) return { mode: "input_tokens_tiers", tiers };
  const { up_to: _, rates: __, ...prices } = only;
  return { mode: "flat_tokens", ...prices };
}
