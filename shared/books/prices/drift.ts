/** Compares the prices of a catalog with a public list, and gives the prices that the catalog would get from it. */

import { normalName } from "../accounts/pattern.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import type { Price } from "../billing/pricing/price.ts";
import { tierOf } from "../billing/pricing/tiers.ts";
import { type Catalog, type ModelEntry, priceOf } from "../catalog/catalog.ts";
import { changesOf, type RateChange } from "./changes.ts";
import { imagePrice, type ListedModel, type Translated, tokenPrice } from "./list.ts";
import type { Amount } from "./numbers.ts";

export interface Comparison {
  pointsPerUsd: Amount;
  /** The day of the list. */
  as_of: string;
  /** The list's names of providers, by the catalog's names, where the two differ. */
  providers: ReadonlyMap<string, string>;
  /** Whether to compare a model of the catalog, by its id. */
  wanted: (id: string) => boolean;
}

/** The drift report of a list. Each model is in one of `same`, `changes`, `gone`, `unpriced` and `newer`. */
interface Drift {
  changes: (RateChange & { model: string })[];
  gone: { model: string; why: string }[];
  /** Models of the list whose price a catalog cannot express, and why. */
  unpriced: { model: string; why: string }[];
  /** Models whose price here was read on a later day than the list's. That price stays. */
  newer: { model: string; as_of: string }[];
  /** Prices that a catalog has no rate for, and needed rates that the list lacks, each once with three of its models. */
  inexpressible: { what: string; models: number; such_as: string[] }[];
  /** Models of the catalog's providers that the list has and the catalog lacks. */
  new: { provider: string; model: string }[];
  /** Models with the same prices in both. */
  same: string[];
}

/** The report, and the list's price for every model that has one. */
export interface ComparedPrices {
  drift: Drift;
  prices: Map<string, Price>;
  /** The rows of the list that are models of the catalog, by the models' ids. */
  listedOf: Map<string, ListedModel>;
  /** The models of `drift.new`, under the catalog's names of their providers. */
  fresh: { provider: string; listed: ListedModel }[];
  /** The other models of the catalog's providers: the catalog has them. */
  known: { provider: string; listed: ListedModel }[];
  /** The models of providers that the catalog lacks. */
  elsewhere: ListedModel[];
}

/** Other names of the default catalog's providers in lists; the first counts. A `+` joins parts of one provider. */
const listNames = new Map([
  ["alibaba", ["dashscope", "alibaba"]],
  ["bedrock", ["bedrock_mantle", "amazon-bedrock", "bedrock"]],
  ["cohere", ["cohere_chat+cohere", "cohere"]],
  ["fireworks", ["fireworks_ai+fireworks_ai-embedding-models", "fireworks-ai", "fireworks"]],
  ["gemini", ["gemini", "google"]],
  ["moonshot", ["moonshot", "moonshotai"]],
  ["novita", ["novita", "novita-ai"]],
  ["nvidia", ["nvidia", "nvidia_nim"]],
  ["tencent", ["tencent", "tencent-tokenhub"]],
  ["together", ["together_ai", "togetherai", "together"]],
  ["xai", ["xai", "x-ai"]],
  ["xiaomi", ["xiaomi_mimo", "xiaomi"]],
  ["zhipu", ["zhipu", "zai", "zhipuai"]],
]);

/** Compares every wanted model of a catalog with a list. */
export function compare(catalog: Catalog, list: readonly ListedModel[], options: Comparison): ComparedPrices {
  const listed = indexOf(Object.keys(catalog.providers), list, options.providers);
  const drift: Drift = {
    changes: [],
    gone: [],
    unpriced: [],
    newer: [],
    inexpressible: [],
    new: [],
    same: [],
  };
  const prices = new Map<string, Price>();
  const listedOf: ComparedPrices["listedOf"] = new Map();
  const unsaid: Unsaid[] = [];
  const seen = new Set<ListedModel>();
  for (const entry of catalog.models.filter(({ id }) => options.wanted(id))) {
    const found = findListed(entry, listed);
    if ("why" in found) drift.gone.push({ model: entry.id, why: found.why });
    else {
      seen.add(found.listed);
      listedOf.set(entry.id, found.listed);
      compareModel(entry, catalog, found.listed, options, { drift, prices, unsaid });
    }
  }
  const channels = new Set(
    catalog.models.flatMap((entry) => entry.channels.map(({ provider, model }) => keyOf(provider, model))),
  );
  const rows = [...listed].flatMap(([provider, models]) =>
    models.rows.map((model) => ({ provider, listed: model })),
  );
  const isKnown = ({ provider, listed: model }: ComparedPrices["known"][number]) =>
    seen.has(model) || channels.has(keyOf(provider, model.name));
  const fresh = rows.filter((row) => !isKnown(row));
  drift.inexpressible = grouped(unsaid);
  drift.new = fresh.map(({ provider, listed: { name } }) => ({ provider, model: name }));
  const here = new Set(rows.map((row) => row.listed));
  const elsewhere = list.filter((model) => !here.has(model));
  return { drift, prices, listedOf, fresh, known: rows.filter(isKnown), elsewhere };
}

/** A price that could not be taken over. */
interface Unsaid {
  model: string;
  what: string;
}

/** What is said of models, by what it is, with three of its models. What most models have comes first. */
export function grouped(unsaid: readonly Unsaid[]): { what: string; models: number; such_as: string[] }[] {
  return [...Map.groupBy(unsaid, ({ what }) => what)]
    .map(([what, all]) => ({
      what,
      models: all.length,
      such_as: all.slice(0, 3).map(({ model }) => model),
    }))
    .sort((a, b) => b.models - a.models);
}

function compareModel(
  entry: ModelEntry,
  catalog: Catalog,
  listed: ListedModel,
  { pointsPerUsd, as_of }: Comparison,
  { drift, prices, unsaid }: Pick<ComparedPrices, "drift" | "prices"> & { unsaid: Unsaid[] },
): void {
  const model = entry.id;
  const old = priceOf(entry, catalog);
  const others = listed.others.map((what) => ({ model, what }));
  unsaid.push(...others);
  // A list's price would stand beside another one that comes into force, or is in force already.
  if (entry.next_price) {
    drift.unpriced.push({
      model,
      why: `it has a next_price from ${entry.next_price.from}: set both by hand`,
    });
    return;
  }
  const translated = old ? translate(old, listed, pointsPerUsd) : { why: "the catalog has no price for it" };
  if (!old || "why" in translated) {
    drift.unpriced.push({ model, why: "why" in translated ? translated.why : "" });
    return;
  }
  unsaid.push(...translated.notes.map((what) => ({ model, what })));
  const changes = changesOf(old, translated.price);
  if (entry.price_source && entry.price_source.as_of > as_of && changes.length > 0) {
    drift.newer.push({ model, as_of: entry.price_source.as_of });
    return;
  }
  if (changes.length === 0) drift.same.push(model);
  drift.changes.push(...changes.map((change) => ({ model, ...change })));
  prices.set(model, translated.price);
}

/** The list's price in the form of the catalog's, where the list can say such a price. */
function translate(old: Price, listed: ListedModel, pointsPerUsd: Amount): Translated {
  const known = modeOf(old).listed(old);
  if (known.per === "nothing") return { why: known.why };
  if (known.per === "image") return imagePrice(listed, pointsPerUsd);
  const { tiers } = known;
  if (tiers.some(({ input }) => input !== "0") && listed.rates.input?.digits === 0n) {
    return { why: "the list has it for free, or does not know its price" };
  }
  return tokenPrice(listed, pointsPerUsd, (size) => tierOf(tiers, size).cache_read);
}

/** The models of a provider: all, and by the compared form of their names. Rows may read the same. */
interface Rows {
  rows: ListedModel[];
  named: Map<string, ListedModel>;
}

type Index = Map<string, Rows>;

/** The list's models by the catalog's names of their providers. */
function indexOf(providers: string[], list: readonly ListedModel[], given: Comparison["providers"]): Index {
  const inList = Map.groupBy(list, ({ provider }) => provider);
  return new Map(
    providers.flatMap((provider) => {
      const mapped = given.get(provider);
      const names = mapped === undefined ? (listNames.get(provider) ?? [provider]) : [mapped];
      const models = names
        .map((name) => name.split("+").flatMap((part) => inList.get(part) ?? []))
        .find((each) => each.length > 0);
      if (!models) return [];
      const named = new Map(models.map((model) => [normalName(model.name), model]));
      return [[provider, { rows: models, named }]];
    }),
  );
}

/** The listed model for a catalog's. Channels are tried by priority, each with its name, the id, then the aliases. */
function findListed(entry: ModelEntry, listed: Index): { listed: ListedModel } | { why: string } {
  const own = [entry.id, ...entry.aliases].map((name) => name.slice(name.indexOf("/") + 1));
  const channels = entry.channels.toSorted((a, b) => a.priority - b.priority);
  const reached = channels.filter(({ provider }) => listed.has(provider));
  if (reached.length === 0) {
    return { why: `the list has no provider ${channels.map(({ provider }) => provider).join(", ")}` };
  }
  for (const { provider, model } of reached) {
    for (const name of [model, ...own]) {
      const found = listed.get(provider)?.named.get(normalName(name));
      if (found) return { listed: found };
    }
  }
  return { why: "the list has no such model" };
}

function keyOf(provider: string, model: string): string {
  return `${provider}/${normalName(model)}`;
}
