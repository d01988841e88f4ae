/** Prices as the catalog gives them: decimal strings of points per million tokens, per image or per second. */
import type { Part } from "../usage.ts";

/** Prices of tokens that are not priced as the count they are a part of, per million. */
export type PartRates = Partial<Record<Part, string>>;

/**
 * What a call costs beyond its counts: the rates of whatever a request can switch on. A request that
 * switches on what has no rate here is refused.
 */
export interface Rates extends PartRates {
  /** By tier of service: what multiplies every price of tokens, or the prices that hold in its place. */
  service_tier?: Record<string, string | TierPrice>;
  /** What multiplies every price of tokens. */
  speed?: Record<string, string>;
  inference_geo?: Record<string, string>;
  /** Points for each call of a tool that the provider runs itself. */
  tools?: Record<string, string>;
  /** Points for a request in which the provider ran the tool at all, however often. */
  tools_once?: Record<string, string>;
}

/** The prices of a tier of service. Parts that it does not price cost what they cost without it. */
export type TierPrice = TokenPrice & { rates?: PartRates };

type TokenPrice =
  | Omit<FlatTokens, "rates">
  | Omit<InputTokensTiers, "rates">
  | Omit<TotalTokensTiers, "rates">;

export interface FlatTokens {
  mode: "flat_tokens";
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
  rates?: Rates;
}

export interface TokenTier {
  /** Inclusive upper bound of the basis; null on the last tier. */
  up_to: number | null;
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
  /** In place of the price's own. */
  rates?: PartRates;
}

/** Tier by total input, cached included; the whole call takes one tier (contract §2.3). */
export interface InputTokensTiers {
  mode: "input_tokens_tiers";
  tiers: TokenTier[];
  rates?: Rates;
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
  rates?: Rates;
}

export interface PerImage {
  mode: "per_image";
  unit_price: string;
  rates?: MediaRates;
}

export interface PerSecond {
  mode: "per_second";
  by_resolution: Record<string, string>;
  rates?: MediaRates;
}

/** Pictures and seconds have no parts, and a tier of service only multiplies them. */
export interface MediaRates extends Pick<Rates, "tools" | "tools_once"> {
  service_tier?: Record<string, string>;
}

export type Price = FlatTokens | InputTokensTiers | TotalTokensTiers | PerImage | PerSecond;

/**
 * The price a call is charged at, fixed at admission: a deploy may replace the catalog while the call
 * runs, so intent, event and entry carry the price itself, not a reference to it. Of its `rates` they carry
 * those that the call was charged by.
 */
export interface PinnedPrice {
  price: Price;
  discount_rate: string;
  /** The first 12 hex digits of the SHA-256 of the two fields above, with all rates of the price. */
  version: string;
}

/** A price that a model has been charged at: what the version in a receipt, an entry or an export stands for. */
export interface PriceVersion extends PinnedPrice {
  model: string;
  /** When the first call at this price that was recorded had been admitted, Unix milliseconds. */
  since: number;
  /** It is known from an entry alone, which need not carry every rate; the version is the whole price's hash. */
  partial?: true;
}

/** The price that a catalog has for a model under this version; undefined where it has another, or no such model. */
export type WholePrices = (model: string, version: string) => PinnedPrice | undefined;
