/** The rate card of one call: its unit prices by size, times the factors of the ways it was served in. */
import { modeOf } from "./modes/index.ts";
import type { PriceDimension, RateCard, UnitPrices } from "./modes/mode.ts";
import { type CallPrice, multiplied } from "./rates.ts";

/**
 * The unit prices of a call. Throws `RangeError` for a resolution without a price, and for a product with more than six
 * decimals.
 */
export function rateCard({ price, kindRates, multipliers }: CallPrice, resolution?: string): RateCard {
  const card = modeOf(price).rateCard(price, kindRates, resolution);
  if (multipliers.length === 0) return card;
  const times = (prices: UnitPrices): UnitPrices =>
    Object.fromEntries(
      (Object.entries(prices) as [PriceDimension, string][]).map(([dimension, unit]) => [
        dimension,
        multiplied(unit, multipliers),
      ]),
    );
  return { ...card, bands: card.bands.map((band) => ({ ...band, prices: times(band.prices) })) };
}
