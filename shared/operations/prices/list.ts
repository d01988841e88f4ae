/** Public price lists in one form: what a provider charges for a model, in US dollars. */
import { parseDecimal } from "../../billing/points.ts";
import type {
  FlatTokens,
  InputTokensTiers,
  PartRates,
  Price,
  Rates,
  TokenTier,
} from "../../billing/pricing/price.ts";
import { type Part, parts } from "../../billing/usage.ts";
import type { Capability } from "../../catalog/catalog.ts";
import { type Amount, catalogDecimal, times } from "./numbers.ts";

/** The four rates of a model that is priced by token. */
export const rateNames = ["input", "output", "cache_read", "cache_write"] as const;

/** US dollars per million tokens: the four, and those of tokens that are priced apart. */
export type ListedRates = Partial<Record<(typeof rateNames)[number] | Part, Amount>>;

/** What a list asks for tokens. */
export interface Sheet {
  rates: ListedRates;
  /** Rates of calls with more input than `above`, cached tokens included; what they leave out stays as it is. */
  tiers: { above: number; rates: ListedRates }[];
}

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
export interface ListedModel extends Sheet {
  /** The provider, as the list names it. */
  provider: string;
  /** The provider's name for the model. */
  name: string;
  /** What a service tier asks in place of the rest, by the tier's name. */
  ways: Record<string, Sheet>;
  /** US dollars for a call of a provider's own tool, by its name in a price. */
  tools: Record<string, Amount>;
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
 * The price of a model by token, in points. `oldRead` gives what a cache read costs so far in calls of a size. It stays
 * where the list has no price for reads, if that is no more than other input costs.
 */
export function tokenPrice(
  listed: ListedModel,
  pointsPerUsd: Amount,
  oldRead?: (size: number) => string,
): Translated {
  const { rates, ways, tools } = listed;
  if (!rates.input || !rates.output) return { why: "the list names no price per token" };
  const base = sheetPrice(listed, pointsPerUsd, oldRead);
  if (!base) return tooFine;
  const notes = rates.cache_read
    ? []
    : [`no price for cache reads: ${oldRead ? "it stays" : "taken as input"}`];
  const service_tier: Record<string, SheetPrice> = {};
  for (const [name, way] of Object.entries(ways)) {
    const price = sheetPrice(overlaid(listed, way), pointsPerUsd, oldRead);
    if (price) service_tier[name] = withParts(price, partsOf(way.rates, pointsPerUsd));
    else notes.push(`service tier ${name}: ${tooFine.why}`);
  }
  const calls = Object.entries(tools).flatMap(([name, amount]) => {
    const text = inPoints(amount, pointsPerUsd);
    return text === undefined ? [] : [[name, text]];
  });
  const extra: Rates = {
    ...(Object.keys(service_tier).length > 0 && { service_tier }),
    ...partsOf(rates, pointsPerUsd),
    ...(calls.length > 0 && { tools: Object.fromEntries(calls) }),
  };
  return { price: withParts(base, extra), notes };
}

type SheetPrice = Omit<FlatTokens, "rates"> | Omit<InputTokensTiers, "rates">;

/** The four rates, size by size; undefined where one takes too many decimals. */
function sheetPrice(
  { rates, tiers }: Sheet,
  pointsPerUsd: Amount,
  oldRead: ((size: number) => string) | undefined,
): SheetPrice | undefined {
  const steps = [{ above: 0, rates }, ...tiers.toSorted((a, b) => a.above - b.above)];
  const priced: TokenTier[] = [];
  for (const [index, step] of steps.entries()) {
    const up_to = steps[index + 1]?.above ?? null;
    const tier = written({ ...rates, ...step.rates }, pointsPerUsd, oldRead?.(up_to ?? Infinity));
    if (!tier) return undefined;
    const own = index === 0 ? {} : partsOf(step.rates, pointsPerUsd);
    priced.push(withParts({ up_to, ...tier }, own));
  }
  const [{ up_to: _, ...flat } = noTier, ...others] = priced;
  return others.length === 0
    ? { mode: "flat_tokens", ...flat }
    : { mode: "input_tokens_tiers", tiers: priced };
}

/** A service tier's sheet: what it does not name costs what it costs without it. */
function overlaid({ rates, tiers }: Sheet, way: Sheet): Sheet {
  const above = new Map([...tiers, ...way.tiers].map((tier) => [tier.above, {}]));
  return {
    rates: { ...rates, ...way.rates },
    tiers: [...above.keys()].map((size) => {
      const own = [tiers, way.tiers].map((each) => each.find((tier) => tier.above === size)?.rates);
      return { above: size, rates: { ...own[0], ...own[1] } };
    }),
  };
}

/** Rates of tokens that are priced apart. */
function partsOf(rates: ListedRates, pointsPerUsd: Amount): PartRates {
  const found = parts.flatMap((part) => {
    const text = inPoints(rates[part], pointsPerUsd);
    return text === undefined ? [] : [[part, text]];
  });
  return Object.fromEntries(found);
}

function withParts<Priced extends object, Extra extends object>(priced: Priced, extra: Extra): Priced {
  return Object.keys(extra).length === 0 ? priced : { ...priced, rates: extra };
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
  rates: ListedRates,
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
