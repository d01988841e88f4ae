/** `operator catalog import`: writes the prices of a public list into a catalog file. */

import { isObject } from "../../base/json/fields.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import type { Price, Rates, TierPrice } from "../billing/pricing/price.ts";
import type { Catalog, ModelEntry, PriceSource } from "../catalog/catalog.ts";
import { changesOf } from "./changes.ts";
import type { ComparedPrices } from "./drift.ts";
import { isGenaiPrices, readGenaiPrices } from "./genai-prices.ts";
import type { ListedModel, ListFormat } from "./list.ts";
import { isLitellm, readLitellm } from "./litellm.ts";
import { isModelsDev, readModelsDev } from "./models-dev.ts";
import { parseWithNumbersAsText } from "./numbers.ts";

/** Reads a list in the given format or its own, with its prices of `day` (UTC). Throws `Error` for any other text. */
export function readPriceList(
  text: string,
  day: string,
  format?: ListFormat,
): { format: ListFormat; models: ListedModel[] } {
  const list = parseWithNumbersAsText(text);
  const may = (name: ListFormat) => format === undefined || format === name;
  if (may("genai-prices") && isGenaiPrices(list))
    return { format: "genai-prices", models: readGenaiPrices(list, day) };
  if (may("litellm") && isObject(list) && isLitellm(list))
    return { format: "litellm", models: readLitellm(list) };
  if (may("models.dev") && isObject(list) && isModelsDev(list))
    return { format: "models.dev", models: readModelsDev(list) };
  const forms =
    format ??
    "LiteLLM's model_prices_and_context_window.json, models.dev's api.json and genai-prices' data.json";
  throw new Error(`this file has not the form of ${forms}`);
}

/** The JSON of a catalog file that has passed the check. Fields that it leaves out have their defaults. */
export interface CatalogJson {
  pricing_groups?: Record<string, Price>;
  models: Partial<ModelEntry>[];
}

/**
 * The file with the list's prices. `sourceOf` gives their sources, unless a price here was read on a later day. A
 * pricing group changes where all of its models do; else a model gets its own price.
 */
export function withPrices<File extends CatalogJson>(
  file: File,
  catalog: Catalog,
  prices: ComparedPrices["prices"],
  sourceOf: (id: string) => PriceSource,
): File {
  const next = structuredClone(file);
  const groups = groupPrices(catalog, prices);
  for (const [name, price] of groups) {
    const old = next.pricing_groups?.[name];
    if (next.pricing_groups && old) next.pricing_groups[name] = withOldRates(old, price);
  }
  next.models = next.models.map((model, index) => {
    const entry = catalog.models[index];
    const price = entry && prices.get(entry.id);
    if (!entry || !price) return model;
    const { price: own, pricing_group, price_source, ...rest } = model;
    const charged =
      own ?? (pricing_group && (groups.get(pricing_group) ?? catalog.pricing_groups[pricing_group]));
    const same = charged && changesOf(charged, price).length === 0;
    const kept: Partial<ModelEntry> = own ? { price: own } : { pricing_group: pricing_group ?? null };
    const priced = same || !charged ? kept : { price: withOldRates(charged, price) };
    const source = sourceOf(entry.id);
    const isNewer = price_source && price_source.as_of > source.as_of;
    return reordered(model, { ...rest, ...priced, price_source: isNewer ? price_source : source });
  });
  return next;
}

/**
 * The new price, with the rates of the old one that the list does not know. Tiers of the same bound keep theirs too.
 */
function withOldRates(old: Price, price: Price): Price {
  const rates = mergedRates(old, price);
  const own = { ...price, ...(Object.keys(rates).length > 0 && { rates }) } as Price;
  const before = modeOf(old).listed(old);
  const tiers = before.per === "token" ? before.tiers : [];
  return modeOf(own).withTierRates(own, ({ up_to, rates }) => ({
    ...tiers.find((tier) => tier.up_to === up_to)?.rates,
    ...rates,
  }));
}

function isSame(a: Price, b: Price): boolean {
  return changesOf(a, b).length === 0 && changesOf(b, a).length === 0;
}

/** The rates of both prices. A service tier stays a factor where that comes to the list's prices. */
function mergedRates(old: Price, price: Price): Rates {
  const [before, after]: Rates[] = [old.rates ?? {}, price.rates ?? {}];
  const service_tier = { ...before?.service_tier };
  for (const [name, rate] of Object.entries(after?.service_tier ?? {})) {
    const known = service_tier[name];
    const withTier = (each: string | TierPrice) =>
      ({ ...price, rates: { ...after, service_tier: { [name]: each } } }) as Price;
    if (known === undefined || changesOf(withTier(known), withTier(rate)).length > 0)
      service_tier[name] = rate;
  }
  const tools = { ...before?.tools, ...after?.tools };
  return {
    ...before,
    ...after,
    ...(Object.keys(service_tier).length > 0 && { service_tier }),
    ...(Object.keys(tools).length > 0 && { tools }),
  };
}

/** The new prices of pricing groups: of those whose models all have the same price in the list. */
function groupPrices(catalog: Catalog, prices: ComparedPrices["prices"]): Map<string, Price> {
  const groups = new Map<string, Price>();
  for (const [name, old] of Object.entries(catalog.pricing_groups)) {
    const members = catalog.models.filter(({ price, pricing_group }) => !price && pricing_group === name);
    const [first, ...others] = members.map(({ id }) => prices.get(id));
    const alike = first && others.every((price) => price && isSame(first, price));
    if (alike && changesOf(old, first).length > 0) groups.set(name, first);
  }
  return groups;
}

/** The fields of `next` in the order of `before`. The price and its source stand where a price stood. */
function reordered(before: object, next: Partial<ModelEntry>): Partial<ModelEntry> {
  const priceFields = new Set(["price", "pricing_group", "price_source"]);
  const { price, pricing_group, price_source, ...rest } = next;
  const own = {
    ...(price && { price }),
    ...(pricing_group && { pricing_group }),
    ...(price_source && { price_source }),
  };
  const at = Object.keys(before).findIndex((name) => priceFields.has(name));
  const others = Object.entries(rest);
  const head = others.slice(0, at);
  return Object.fromEntries([...head, ...Object.entries(own), ...others.slice(at)]);
}
