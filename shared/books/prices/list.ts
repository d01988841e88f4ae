/** Public price lists in one form, and the catalog's price for a model of such a list. */
import { parseDecimal } from "../billing/points.ts";
import { priceOfTiers } from "../billing/pricing/modes/input-tokens-tiers.ts";
import type { TokenKindRates, TokenTier } from "../billing/pricing/modes/mode.ts";
import { priceOfImage } from "../billing/pricing/modes/per-image.ts";
import type { Price, Rates, TierPrice } from "../billing/pricing/price.ts";
import { type TokenKind, tokenKinds } from "../billing/usage.ts";
import type { Capability } from "../catalog/catalog.ts";
import { type Amount, catalogDecimal, times } from "./numbers.ts";

/** The four rates of a model that is priced by token. */
export const rateNames = ["input", "output", "cache_read", "cache_write"] as const;

/** US dollars per million tokens: the four rates, and those of token kinds. */
export type ListedRates = Partial<Record<(typeof rateNames)[number] | TokenKind, Amount>>;

/** The token prices of a list. */
export interface Sheet {
  rates: ListedRates;
  /**
   * Rates of calls whose input, cached tokens included, is over `above`. Rates that they leave out stay as they are.
   */
  tiers: { above: number; rates: ListedRates }[];
}

/** The facts that a list has of a model beside its prices. */
export interface ModelFacts {
  display_name: string;
  /** The day of its release; undefined where the list does not say. */
  released: string | undefined;
  /** The day from which its provider no longer serves it; `"gone"` where the list says no day. Absent: it stays. */
  ends?: string;
  /** Other names that the list has for the same model. */
  aliases?: string[];
  /** The page where the list read the price. */
  page?: string;
  /** Empty where the list does not show what kinds of call the model takes. */
  capabilities: Capability[];
  context_tokens: number;
  output_tokens: number;
}

export interface ListedModel extends Sheet {
  /** The provider, as the list names it. */
  provider: string;
  /** The provider's name for the model. */
  name: string;
  /** The prices of service tiers, by the tier's name. */
  ways: Record<string, Sheet>;
  /** The prices of calls that the vendor answers in batches. */
  batch?: Sheet;
  /** US dollars for a call of a provider's own tool, by the tool's name in a catalog. */
  tools: Record<string, Amount>;
  /** The same for each request, where the provider runs the tool in every one. */
  unasked?: Record<string, Amount>;
  /** US dollars per generated image. */
  image: Amount | undefined;
  /** Prices of other things, by the list's names for them. */
  others: string[];
  about: ModelFacts;
}

export const listFormats = ["litellm", "models.dev", "genai-prices"] as const;
export type ListFormat = (typeof listFormats)[number];

/**
 * A list's price as a catalog has it, or why a catalog cannot have it. `notes` name rates that the list leaves open.
 */
export type Translated = { price: Price; notes: string[] } | { why: string };

const tooFine = { why: "a rate has more than six decimals of a point" };

/**
 * The price of a model that is charged by token, in points. `oldRead` gives the catalog's present price of cache reads
 * for calls of a size. Where the list has no price of reads the present one stays, unless other input is cheaper.
 */
export function tokenPrice(
  listed: ListedModel,
  pointsPerUsd: Amount,
  oldRead?: (size: number) => string,
): Translated {
  const { rates, ways, batch } = listed;
  if (!rates.input || !rates.output) return { why: "the list names no price per token" };
  const base = sheetPrice(listed, pointsPerUsd, oldRead);
  if (!base) return tooFine;
  const notes = rates.cache_read
    ? []
    : [`no price for cache reads: ${oldRead ? "it stays" : "taken as input"}`];
  const service_tier: Record<string, TierPrice> = {};
  const pricesOf = (way: Sheet): TierPrice | undefined => {
    const price = sheetPrice(wholeSheet(listed, way), pointsPerUsd, oldRead);
    return price && withRates(price, kindRatesOf(way.rates, pointsPerUsd));
  };
  for (const [name, way] of Object.entries(ways)) {
    const price = pricesOf(way);
    if (price) service_tier[name] = price;
    else notes.push(`service tier ${name}: ${tooFine.why}`);
  }
  const inBatches = batch && pricesOf(batch);
  if (batch && !inBatches) notes.push(`batches: ${tooFine.why}`);
  const [tools, unasked] = [listed.tools, listed.unasked].map((each) => toolRatesOf(each, pointsPerUsd));
  const extra: Rates = {
    ...(Object.keys(service_tier).length > 0 && { service_tier }),
    ...kindRatesOf(rates, pointsPerUsd),
    ...(tools && { tools }),
    ...(unasked && { unasked }),
    ...(inBatches && { batch: inBatches }),
  };
  return { price: withRates(base, extra), notes };
}

/** The prices of tools, in points; undefined where there are none. */
function toolRatesOf(tools: Record<string, Amount> = {}, pointsPerUsd: Amount) {
  const calls = Object.entries(tools).flatMap(([name, amount]) => {
    const text = inPoints(amount, pointsPerUsd);
    return text === undefined ? [] : [[name, text] as const];
  });
  return calls.length > 0 ? Object.fromEntries(calls) : undefined;
}

/** The price of a sheet, without `rates`; undefined where one of the four rates takes too many decimals. */
function sheetPrice(
  { rates, tiers }: Sheet,
  pointsPerUsd: Amount,
  oldRead: ((size: number) => string) | undefined,
): TierPrice | undefined {
  const steps = [{ above: 0, rates }, ...tiers.toSorted((a, b) => a.above - b.above)];
  const priced: TokenTier[] = [];
  for (const [index, step] of steps.entries()) {
    const up_to = steps[index + 1]?.above ?? null;
    const tier = fourRates({ ...rates, ...step.rates }, pointsPerUsd, oldRead?.(up_to ?? Infinity));
    if (!tier) return undefined;
    const own = index === 0 ? {} : kindRatesOf(step.rates, pointsPerUsd);
    priced.push(withRates({ up_to, ...tier }, own));
  }
  return priceOfTiers(priced);
}

/** The whole sheet of a service tier. Rates that the tier does not name are those of the model. */
function wholeSheet({ rates, tiers }: Sheet, way: Sheet): Sheet {
  const above = new Map([...tiers, ...way.tiers].map((tier) => [tier.above, {}]));
  return {
    rates: { ...rates, ...way.rates },
    tiers: [...above.keys()].map((size) => {
      const own = [tiers, way.tiers].map((each) => each.find((tier) => tier.above === size)?.rates);
      return { above: size, rates: { ...own[0], ...own[1] } };
    }),
  };
}

/** The rates of token kinds, in points. */
function kindRatesOf(rates: ListedRates, pointsPerUsd: Amount): TokenKindRates {
  const found = tokenKinds.flatMap((kind) => {
    const text = inPoints(rates[kind], pointsPerUsd);
    return text === undefined ? [] : [[kind, text]];
  });
  return Object.fromEntries(found);
}

function withRates<Priced extends object, Extra extends object>(priced: Priced, extra: Extra): Priced {
  return Object.keys(extra).length === 0 ? priced : { ...priced, rates: extra };
}

/** The price of a model that is charged by image, in points. */
export function imagePrice({ image }: ListedModel, pointsPerUsd: Amount): Translated {
  if (!image) return { why: "the list names no price per image" };
  const text = inPoints(image, pointsPerUsd);
  return text === undefined ? tooFine : { price: priceOfImage(text), notes: [] };
}

/**
 * The four rates as a catalog writes them; undefined where it cannot. Cached tokens without a price cost what input
 * costs. So does a write at 0: such a provider reports none, and does not give them away.
 */
function fourRates(
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
