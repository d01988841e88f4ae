/** `flat_tokens`: one price for each of the four token counts, whatever the size of the call. */
import {
  type PriceMode,
  sameForEverySize,
  type TokenPrices,
  tokenUnitPrices,
  withoutTierRates,
} from "./mode.ts";

export interface FlatTokens extends TokenPrices {
  mode: "flat_tokens";
}

/** The price of a model that nobody pays for, such as that of the warm-up: a point for a million tokens of any kind. */
export const nominalPrice: FlatTokens = {
  mode: "flat_tokens",
  input: "1",
  output: "1",
  cache_read: "1",
  cache_write: "1",
};

export const flatTokens: PriceMode<FlatTokens> = {
  measures: "tokens",
  rateCard: (price, kindRates) => sameForEverySize(tokenUnitPrices(price, kindRates)),
  tierLists: () => [],
  ...withoutTierRates,
  resolutions: () => null,
  listed: ({ input, output, cache_read, cache_write }) => ({
    per: "token",
    tiers: [{ up_to: null, input, output, cache_read, cache_write }],
  }),
};
