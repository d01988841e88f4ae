/** A price as a rate card: what each dimension costs at each size of a call, so that charges know one shape only. */

import type { Counts, Part } from "../usage.ts";
import type { PartRates, Price, TierPrice } from "./price.ts";
import { multiplied, partRates, type Terms } from "./rates.ts";

/** What sizes a call where its price has tiers: its input, cached included, or all its tokens (billing.md §4.2). */
export type TierBasis = "input_tokens" | "total_tokens";

/** What a line counts: a count less the parts of it that have lines of their own, a part, or calls of a tool. */
export type Dimension = keyof Counts | `${Part}_tokens` | `${string}_calls`;

export type UnitPrices = Partial<Record<Dimension, string>>;

/** Prices that hold while the size of the call lies in [from, to], both inclusive. */
export interface Band {
  from: number;
  to: number;
  rates: UnitPrices;
}

/** A price's bands, and what a call is sized by. */
export interface RateCard {
  basis: TierBasis | null;
  bands: Band[];
}

/** The prices of one call's terms, by the size that chooses among them. */
export function rateCard(
  { price, parts: rates, multipliers }: Terms,
  resolution: string | undefined,
): RateCard {
  const times = (prices: UnitPrices): UnitPrices =>
    Object.fromEntries(
      (Object.entries(prices) as [Dimension, string][]).map(([dimension, unit]) => [
        dimension,
        multiplied(unit, multipliers),
      ]),
    );
  const { basis, bands } = baseCard(price, rates, resolution);
  return { basis, bands: bands.map((band) => ({ ...band, rates: times(band.rates) })) };
}

function baseCard(price: Price | TierPrice, rates: PartRates, resolution: string | undefined): RateCard {
  switch (price.mode) {
    case "flat_tokens":
      return { basis: null, bands: [everySize(tokenRates(price, rates))] };
    case "input_tokens_tiers": {
      const ratesAt = (size: number): UnitPrices => {
        const tier = tierOf(price.tiers, size);
        return tokenRates(tier, { ...rates, ...partRates(tier.rates) });
      };
      return { basis: "input_tokens", bands: bandsOf(price.tiers, ratesAt) };
    }
    case "total_tokens_tiers": {
      const { input, output, cache_read, cache_write } = price;
      const ratesAt = (size: number): UnitPrices =>
        tokenRates(
          { input: tierOf(input, size).price, output: tierOf(output, size).price, cache_read, cache_write },
          rates,
        );
      return { basis: "total_tokens", bands: bandsOf([...input, ...output], ratesAt) };
    }
    case "per_image":
      return { basis: null, bands: [everySize({ generated_images: price.unit_price })] };
    case "per_second":
      return {
        basis: null,
        bands: [everySize({ video_seconds: secondPrice(price.by_resolution, resolution) })],
      };
  }
}

function everySize(rates: UnitPrices): Band {
  return { from: 0, to: Infinity, rates };
}

function tokenRates(
  price: Record<"input" | "output" | "cache_read" | "cache_write", string>,
  rates: PartRates,
): UnitPrices {
  return {
    input_tokens: price.input,
    output_tokens: price.output,
    cache_read_tokens: price.cache_read,
    cache_write_tokens: price.cache_write,
    ...Object.fromEntries(Object.entries(rates).map(([part, unit]) => [`${part}_tokens`, unit])),
  };
}

function secondPrice(byResolution: Record<string, string>, resolution = ""): string {
  const price = Object.hasOwn(byResolution, resolution) ? byResolution[resolution] : undefined;
  if (price === undefined) throw new RangeError(`no price for the resolution ${JSON.stringify(resolution)}`);
  return price;
}

/** The ranges between all breakpoints, each with the rates that hold throughout it. */
function bandsOf(tiers: { up_to: number | null }[], ratesAt: (size: number) => UnitPrices): Band[] {
  const ends = [...new Set(tiers.map(({ up_to }) => up_to ?? Infinity))].sort((a, b) => a - b);
  return ends.map((to, i) => ({ from: i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, to, rates: ratesAt(to) }));
}

/** Tokens that choose a call's tier. */
export function sizeOf(usage: Counts, basis: TierBasis | null): number {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return basis === "total_tokens" ? input + usage.output_tokens : input;
}

/** The first tier that reaches as far as a call's size. Throws `RangeError` where none does. */
export function tierOf<Tier extends { up_to: number | null }>(tiers: Tier[], size: number): Tier {
  const tier = tiers.find(({ up_to }) => up_to === null || size <= up_to);
  if (!tier) throw new RangeError(`no tier takes ${size} tokens`);
  return tier;
}
