/**
 * Prices as the catalog gives them: decimal strings of points per million tokens, per image, per second or per call.
 */
import type { MediaModes, TokenModes } from "./modes/index.ts";
import type { TokenKindRates } from "./modes/mode.ts";

/**
 * What a call costs beyond its counts: a rate for each thing that a request can switch on. The gateway refuses a
 * request that switches on a thing without a rate.
 */
export interface Rates extends TokenKindRates {
  /** By service tier: a factor for every price of tokens, or prices of its own. */
  service_tier?: Record<string, string | TierPrice>;
  /** Factors for every price of tokens. */
  speed?: Record<string, string>;
  inference_geo?: Record<string, string>;
  /** Points for each call of a tool that the provider runs itself. */
  tools?: Record<string, string>;
  /** Points for a request in which the provider ran the tool at all, however often. */
  tools_once?: Record<string, string>;
  /** Points for each request, for a tool that the provider runs in every one of them, asked or not, however often. */
  unasked?: Record<string, string>;
  /** What the vendor asks for calls that it answers in batches. No call here is one, so nothing is charged by it. */
  batch?: TierPrice;
}

/** Images and seconds have no token kinds, and a service tier can only multiply their price. */
interface MediaRates extends Pick<Rates, "tools" | "tools_once"> {
  service_tier?: Record<string, string>;
}

type WithRates<Priced, Own> = Priced extends unknown ? Priced & { rates?: Own } : never;

/** The prices of a service tier. A kind of token that they leave out costs what it costs without the tier. */
export type TierPrice = WithRates<TokenModes[keyof TokenModes], TokenKindRates>;

export type Price =
  | WithRates<TokenModes[keyof TokenModes], Rates>
  | WithRates<MediaModes[keyof MediaModes], MediaRates>;

/**
 * The price that a call is charged at. It is fixed at admission, because a deploy may replace the catalog while the
 * call runs. Intent, event and entry therefore carry the price itself. Of its `rates` they carry those that the
 * call was charged by.
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
  /** When the first recorded call at this price was admitted, Unix milliseconds. */
  since: number;
  /** The price is known from an entry alone, which may lack rates. The version is still the hash of the whole price. */
  partial?: true;
}

/**
 * The price that a catalog has for a model under this version; undefined where it has another one, or no such model.
 */
export type WholePrices = (model: string, version: string) => PinnedPrice | undefined;
