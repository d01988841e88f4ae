/** Prices as the catalog gives them: decimal strings of points per million tokens, per image or per second. */

export interface FlatTokens {
  mode: "flat_tokens";
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
}

export interface TokenTier {
  /** Inclusive upper bound of the basis; null on the last tier. */
  up_to: number | null;
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
}

/** Tier by total input, cached included; the whole call takes one tier (contract §2.3). */
export interface InputTokensTiers {
  mode: "input_tokens_tiers";
  tiers: TokenTier[];
}

export interface PriceTier {
  up_to: number | null;
  price: string;
}

/** The pay-as-you-go tiering: input and output have their own tiers, both by the call's total tokens. */
export interface TotalTokensTiers {
  mode: "total_tokens_tiers";
  input: PriceTier[];
  output: PriceTier[];
  cache_read: string;
  cache_write: string;
}

export interface PerImage {
  mode: "per_image";
  unit_price: string;
}

export interface PerSecond {
  mode: "per_second";
  by_resolution: Record<string, string>;
}

export type Price = FlatTokens | InputTokensTiers | TotalTokensTiers | PerImage | PerSecond;

/**
 * The price a call is charged at, fixed at admission: a deploy may replace the catalog while the call
 * runs, so intent, event and entry carry the price itself, not a reference to it.
 */
export interface PinnedPrice {
  price: Price;
  discount_rate: string;
  /** The first 12 hex digits of the SHA-256 of the two fields above. */
  version: string;
}
