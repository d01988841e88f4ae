/**
 * What a price mode must say of itself. Everything else about prices is written once, for all modes. A charge is a sum
 * over the rate card, and so is the most that a call can cost. A mode therefore needs no arithmetic.
 */
import type { TokenKind, UsageCounts } from "../../usage.ts";
import type { Tier, TierBasis } from "../tiers.ts";

/** The thing that a mode counts. A mode can price the kinds of call that produce this thing. */
export type Measure = "tokens" | "images" | "seconds";

/** Prices per million tokens of kinds that do not cost what the rest of their count costs. */
export type TokenKindRates = Partial<Record<TokenKind, string>>;

/** Prices per million tokens, as decimal strings of points. */
export interface TokenPrices {
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
}

/** The prices of tokens in calls up to a size. */
export interface TokenTier extends Tier, TokenPrices {
  /** These replace the price's own. */
  rates?: TokenKindRates;
}

/**
 * The thing that a line of a bill counts: one of the counts, one kind of tokens out of a count, or the calls of a tool.
 */
export type PriceDimension = keyof UsageCounts | `${TokenKind}_tokens` | `${string}_calls`;

export type UnitPrices = Partial<Record<PriceDimension, string>>;

/** Prices that hold while the size of the call lies in [from, to], both inclusive. */
export interface Band {
  from: number;
  to: number;
  prices: UnitPrices;
}

/** A price in the one form that charges read: unit prices by the size of the call. */
export interface RateCard {
  /** What sizes the call; null where the size does not matter. */
  basis: TierBasis | null;
  /** In rising order, without gaps. */
  bands: Band[];
}

/** The tiers of a whole call, or those of its input or its output alone. */
export interface TierList {
  side: "call" | "input" | "output";
  basis: TierBasis;
  tiers: readonly Tier[];
}

/** A price as public price lists have it: for tokens by the size of the input, or for an image. `why` none has it. */
type ListedPrice =
  | { per: "token"; tiers: TokenTier[] }
  | { per: "image"; price: string }
  | { per: "nothing"; why: string };

/** One price mode. `Own` is a price as the mode defines it. The `rates` of a price stand beside that (`price.ts`). */
export interface PriceMode<Own> {
  measures: Measure;
  /**
   * The unit prices of a call. `kindRates` are the rates of token kinds that hold for it. Throws `RangeError` for a
   * resolution without a price.
   */
  rateCard(price: Own, kindRates: TokenKindRates, resolution: string | undefined): RateCard;
  /** The tiers that an explanation of a charge names; empty where the price has none. */
  tierLists(price: Own): TierList[];
  /** The rates of token kinds that stand inside the price, one for each tier. */
  tierRates(price: Own): TokenKindRates[];
  /** The price with other rates of token kinds in its tiers. A tier for which `ratesOf` gives none has none. */
  withTierRates<Price extends Own>(price: Price, ratesOf: (tier: TokenTier) => TokenKindRates): Price;
  /** The resolutions that have a price; null where the price does not depend on one. */
  resolutions(price: Own): readonly string[] | null;
  /** The price as public price lists have it. `operator catalog import` compares it with a list. */
  listed(price: Own): ListedPrice;
}

/** For modes that have no rates of token kinds in tiers. */
export const withoutTierRates = {
  tierRates: () => [],
  withTierRates: <Price>(price: Price) => price,
};

/** A rate card of one band: the size of the call does not matter. */
export function sameForEverySize(prices: UnitPrices): RateCard {
  return { basis: null, bands: [{ from: 0, to: Number.POSITIVE_INFINITY, prices }] };
}

/** A rate card with a band for every range between two bounds of the tiers. `pricesAt` gives the prices of a size. */
export function bySize(
  basis: TierBasis,
  tiers: readonly Tier[],
  pricesAt: (size: number) => UnitPrices,
): RateCard {
  const bounds = new Set(tiers.map(({ up_to }) => up_to ?? Number.POSITIVE_INFINITY));
  const ends = [...bounds].sort((a, b) => a - b);
  const bands = ends.map((to, i) => ({
    from: i === 0 ? 0 : (ends[i - 1] ?? 0) + 1,
    to,
    prices: pricesAt(to),
  }));
  return { basis, bands };
}

/** The unit prices of tokens, including those of the kinds that have a rate. */
export function tokenUnitPrices(prices: TokenPrices, kindRates: TokenKindRates): UnitPrices {
  return {
    input_tokens: prices.input,
    output_tokens: prices.output,
    cache_read_tokens: prices.cache_read,
    cache_write_tokens: prices.cache_write,
    ...Object.fromEntries(Object.entries(kindRates).map(([kind, price]) => [`${kind}_tokens`, price])),
  };
}
