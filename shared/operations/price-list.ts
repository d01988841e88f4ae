/** Public price lists in one form: what a provider charges for a model, in US dollars. */
import { parseDecimal } from "../billing/points.ts";
import type { Price, TokenTier } from "../billing/price.ts";
import type { Capability } from "../catalog/catalog.ts";
import { type Amount, catalogDecimal, times } from "./price-numbers.ts";

/** The four rates of a model that is priced by token. */
export const rateNames = ["input", "output", "cache_read", "cache_write"] as const;
export type RateName = (typeof rateNames)[number];

/** US dollars per million tokens. */
export type Rates = Partial<Record<RateName, Amount>>;

/** What a list says of a model beside its prices. */
export interface About {
  display_name: string;
  /** The day it came out; undefined where the list does not say. */
  released: string | undefined;
  /** None where we could not tell how it is called. */
  capabilities: Capability[];
  context_tokens: number;
  output_tokens: number;
}

/** A model of a price list. */
export interface ListedModel {
  /** The provider, as the list names it. */
  provider: string;
  /** The provider's name for the model. */
  name: string;
  rates: Rates;
  /** Rates of calls with more input than `above`, cached tokens included; what they leave out stays as it is. */
  tiers: { above: number; rates: Rates }[];
  /** US dollars per generated image. */
  image: Amount | undefined;
  /** Prices of other things, by the list's names for them. */
  others: string[];
  about: About;
}

export const listFormats = ["litellm", "models.dev"] as const;
export type ListFormat = (typeof listFormats)[number];

/** What a list's price comes to in a catalog: a price, or why there is none. `notes` say what the list leaves open. */
export type Translated = { price: Price; notes: string[] } | { why: string };

const tooFine = { why: "a rate has more than six decimals of a point" };

/**
 * The price of a model by token, in points. `oldRead` is what cache reads of calls of a size cost so far: they go on
 * doing so where the list has no price for them, if that is no more than other input.
 */
export function tokenPrice(
  { rates, tiers }: ListedModel,
  pointsPerUsd: Amount,
  oldRead?: (size: number) => string,
): Translated {
  if (!rates.input || !rates.output) return { why: "the list names no price per token" };
  const steps = [{ above: 0, rates }, ...tiers.toSorted((a, b) => a.above - b.above)];
  const priced: TokenTier[] = [];
  for (const [index, step] of steps.entries()) {
    const up_to = steps[index + 1]?.above ?? null;
    const tier = written({ ...rates, ...step.rates }, pointsPerUsd, oldRead?.(up_to ?? Infinity));
    if (!tier) return tooFine;
    priced.push({ up_to, ...tier });
  }
  const notes = rates.cache_read
    ? []
    : [`no price for cache reads: ${oldRead ? "it stays" : "taken as input"}`];
  const [{ up_to: _, ...flat } = noTier, ...others] = priced;
  const price: Price =
    others.length === 0 ? { mode: "flat_tokens", ...flat } : { mode: "input_tokens_tiers", tiers: priced };
  return { price, notes };
}

/** The price of a model by image, in points. */
export function imagePrice({ image }: ListedModel, pointsPerUsd: Amount): Translated {
  if (!image) return { why: "the list names no price per image" };
  const unit_price = catalogDecimal(times(image, pointsPerUsd));
  return unit_price === undefined ? tooFine : { price: { mode: "per_image", unit_price }, notes: [] };
}

const noTier: TokenTier = { up_to: null, input: "0", output: "0", cache_read: "0", cache_write: "0" };

/**
 * All four rates as a catalog writes them; undefined where it cannot. Cached tokens are input too: without a price of
 * their own they cost what input does. So does a write that a list prices at 0: it means that the provider reports
 * none, not that it gives them away.
 */
function written(
  rates: Rates,
  pointsPerUsd: Amount,
  oldRead: string | undefined,
): Omit<TokenTier, "up_to"> | undefined {
  const texts = rateNames.map((name) => [name, inPoints(rates[name], pointsPerUsd)] as const);
  if (texts.some(([name, text]) => rates[name] && text === undefined)) return undefined;
  const { input = "0", output = "0", cache_read, cache_write = "0" } = Object.fromEntries(texts);
  const kept = oldRead !== undefined && parseDecimal(oldRead, 6) <= parseDecimal(input, 6) ? oldRead : input;
  return {
    input,
    output,
    cache_read: cache_read ?? kept,
    cache_write: cache_write === "0" ? input : cache_write,
  };
}

function inPoints(amount: Amount | undefined, pointsPerUsd: Amount): string | undefined {
  return amount && catalogDecimal(times(amount, pointsPerUsd));
}
