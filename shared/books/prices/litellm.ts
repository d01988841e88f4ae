/** Reads LiteLLM's `model_prices_and_context_window.json`: dollars per token, by `<provider>/<model>` or a model. */

import { type Fields, isObject } from "../../base/json/fields.ts";
import type { Capability } from "../catalog/catalog.ts";
import type { ListedModel, ListedRates, Sheet } from "./list.ts";
import { type Amount, countOf, perMillion, readAmount } from "./numbers.ts";

const rateFields = new Map<string, keyof ListedRates>([
  ["input_cost_per_token", "input"],
  ["output_cost_per_token", "output"],
  ["cache_read_input_token_cost", "cache_read"],
  ["cache_creation_input_token_cost", "cache_write"],
  ["cache_creation_input_token_cost_above_1hr", "cache_write_1h"],
  ["cache_creation_input_token_cost_above_12hr", "cache_write_12h"],
  ["input_cost_per_audio_token", "audio_input"],
  ["cache_read_input_audio_token_cost", "audio_cache_read"],
  ["output_cost_per_audio_token", "audio_output"],
  ["output_cost_per_image_token", "image_output"],
]);

/** A field such as `input_cost_per_token_above_272k_tokens_flex`. `batches` says the price of calls in batches. */
const rateField = /^(.+?)(?:_above_(\d{1,5})k_tokens)?(?:_(priority|flex|batches))?$/;
const priceField = /(?:cost|pricing|multiplier)/;

/** Whether a list has this form: its entries name their provider as `litellm_provider`. */
export function isLitellm(list: Fields): boolean {
  return Object.values(list).some((entry) => isObject(entry) && typeof entry.litellm_provider === "string");
}

/** The list's models. The file begins with a specification, which is no model and is left out. */
export function readLitellm(list: Fields): ListedModel[] {
  const others = otherNames(list);
  return Object.entries(list).flatMap(([key, entry]) => {
    if (key === "sample_spec" || !isObject(entry)) return [];
    const provider = entry.litellm_provider;
    return typeof provider === "string" ? [readEntry(key, provider, entry, others.get(key) ?? [])] : [];
  });
}

/** The keys that only say which other key they stand for, by that key. */
function otherNames(list: Fields): Map<string, string[]> {
  const pairs = Object.entries(list).flatMap(([key, entry]) =>
    isObject(entry) && typeof entry.alias_of === "string" ? [{ key, target: entry.alias_of }] : [],
  );
  const groups = Map.groupBy(pairs, ({ target }) => target);
  return new Map([...groups].map(([target, all]) => [target, all.map(({ key }) => key)]));
}

function readEntry(key: string, provider: string, entry: Fields, others: string[]): ListedModel {
  const nameOf = (text: string) => (text.startsWith(`${provider}/`) ? text.slice(provider.length + 1) : text);
  const name = nameOf(key);
  const { "": sheet = noSheet, batches, ...ways } = sheetsOf(entry);
  const [first, ...rest] = rangesOf(entry.tiered_pricing);
  return {
    provider,
    name,
    rates: { ...sheet.rates, ...first?.rates },
    tiers: first ? rest : sheet.tiers,
    ways,
    ...(batches && { batch: batches }),
    ...toolsIn(name, toolsOf(provider, entry)),
    image: readAmount(entry.output_cost_per_image),
    others: othersOf(entry),
    about: {
      display_name: name,
      released: undefined,
      ...(typeof entry.deprecation_date === "string" && { ends: entry.deprecation_date }),
      ...(others.length > 0 && { aliases: others.map(nameOf) }),
      ...(typeof entry.source === "string" && { page: entry.source }),
      capabilities: capabilitiesOf(key, entry),
      context_tokens: countOf(entry.max_input_tokens),
      output_tokens: countOf(entry.max_output_tokens),
    },
  };
}

/** The rates of tokens by service tier, "" for none, and those of batches. */
function sheetsOf(entry: Fields): Record<string, Sheet> {
  const sheets: Record<string, Sheet> = {};
  for (const [field, value] of Object.entries(entry)) {
    const [, base = "", thousands, way = ""] = rateField.exec(field) ?? [];
    const rate = rateFields.get(base);
    const amount = readAmount(value);
    if (!rate || !amount) continue;
    sheets[way] ??= { rates: {}, tiers: [] };
    ratesAbove(sheets[way], Number(thousands ?? 0) * 1000)[rate] = perMillion(amount);
  }
  return sheets;
}

function ratesAbove({ rates, tiers }: Sheet, above: number): ListedRates {
  if (above === 0) return rates;
  const known = tiers.find((tier) => tier.above === above) ?? { above, rates: {} };
  if (!tiers.includes(known)) tiers.push(known);
  return known.rates;
}

const noSheet: Sheet = { rates: {}, tiers: [] };

const searches = "search_context_cost_per_query";
const maps = "google_maps_grounding_cost_per_query";

/** Models that search the web in each request, by their names (docs.litellm.ai/docs/completion/web_search). */
const searching = /^gpt-.*-search-(?:api|preview)/;

/** The prices of tools, by whether the model runs them in each request. */
function toolsIn(name: string, { web_search, ...tools }: Record<string, Amount>) {
  if (!web_search) return { tools };
  return searching.test(name) ? { tools, unasked: { web_search } } : { tools: { ...tools, web_search } };
}

function toolsOf(provider: string, entry: Fields): Record<string, Amount> {
  const [search, ofMaps] = [searchPrice(entry[searches]), readAmount(entry[maps])];
  return {
    ...(search && { [provider === "gemini" ? "google_search" : "web_search"]: search }),
    ...(ofMaps && { google_maps: ofMaps }),
  };
}

/** The price of a search. A catalog has one such price, so a list with a price for each size of the context gives none. */
function searchPrice(costs: unknown): Amount | undefined {
  const prices = new Set(isObject(costs) ? Object.values(costs) : []);
  return prices.size === 1 ? readAmount([...prices][0]) : undefined;
}

/** Tiers that the list writes as ranges of input. Each range begins where the one before it ends. */
function rangesOf(tiers: unknown): ListedModel["tiers"] {
  if (!Array.isArray(tiers)) return [];
  return tiers.filter(isObject).map((tier) => {
    const [from] = Array.isArray(tier.range) ? (tier.range as unknown[]) : [];
    return { above: countOf(from), rates: sheetsOf(tier)[""]?.rates ?? {} };
  });
}

/** The fields of all other prices above 0. A price of reasoning that equals the output's says nothing new. */
function othersOf(entry: Fields): string[] {
  return Object.entries(entry).flatMap(([field, value]) => {
    if (!priceField.test(field) || field === "tiered_pricing" || field === "output_cost_per_image") return [];
    if (rateFields.has(rateField.exec(field)?.[1] ?? field)) return [];
    if (field === maps || (field === searches && searchPrice(value))) return [];
    if (field === "output_cost_per_reasoning_token" && value === entry.output_cost_per_token) return [];
    return readAmount(value)?.digits === 0n ? [] : [field];
  });
}

/** A row whose name has a size in it prices one size of a model's pictures, and is no model. */
const oneSize = /\d-x-\d/;

function capabilitiesOf(key: string, entry: Fields): Capability[] {
  const { mode } = entry;
  if (mode === "embedding") return ["embeddings"];
  if (mode === "image_generation" && !oneSize.test(key) && !readAmount(entry.output_cost_per_token))
    return ["images"];
  if (mode !== "chat") return [];
  const flags: [field: string, capability: Capability][] = [
    ["supports_function_calling", "tools"],
    ["supports_vision", "vision"],
    ["supports_reasoning", "reasoning"],
  ];
  const named = flags.filter(([field]) => entry[field] === true).map(([, capability]) => capability);
  return ["chat", "stream", ...named];
}
