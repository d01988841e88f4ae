/**
 * The catalog in the form that every call looks things up in: models by any of their names, providers, plans, prices.
 */

import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { pinPrice } from "../billing/pricing/charge.ts";
import type { PinnedPrice, WholePrices } from "../billing/pricing/price.ts";
import {
  amongOf,
  type Catalog,
  type Channel,
  callNeeds,
  type Model,
  type ModelEntry,
  normalName,
  type PaygTerms,
  type Plan,
  type PriceSource,
  type Provider,
  type ProviderProtocol,
  priceOf,
  protocolNames,
  type ReadyChannel,
  type Recharge,
  type Seller,
  type SemanticModels,
  sellerOf,
} from "./catalog.ts";
import { channelId } from "./channel-id.ts";
import { traitsIn } from "./dialect-traits.ts";
import { nearestModels } from "./nearest.ts";
import type { Traits } from "./traits.ts";

/** A source, and the ids of the models whose price was read there. */
export type PriceSourceOf = PriceSource & { models: string[] };

/** A catalog as a bundle carries it: each source of prices once. A catalog file has them at its models. */
export interface BundledCatalog extends Catalog {
  price_sources?: PriceSourceOf[];
}

/** The models that the cache asks (catalog.ts `SemanticModels`). */
type CacheModelPair = Record<keyof SemanticModels, Model>;

export interface ModelCatalog {
  /** The model with this id or alias, or with one that differs only in case or punctuation. */
  find(name: string): Model | undefined;
  /** All models, in the file's order. */
  models(): readonly Model[];
  provider(name: string): Provider | undefined;
  plan(name: string): Plan | undefined;
  plans(): Readonly<Record<string, Plan>>;
  payg(): PaygTerms;
  /** How points are sold, by currency; nothing where the catalog sells none. */
  recharge(): Recharge;
  seller(): Seller;
  /** The models by which the cache compares meanings; undefined where the catalog names none. */
  cacheModels(): CacheModelPair | undefined;
  /** Names of the plans whose keys may use a model, in the file's order. */
  plansWith(model: Model): readonly string[];
  /** Where and when its price was read; null where nobody has said. */
  priceSource(model: Model): PriceSource | null;
  /** The price and discount for calls of this model that are admitted now. */
  price(model: Model): PinnedPrice;
  /** What a model takes at one of its channels, whose provider is asked in this dialect. */
  traits(model: Model, channel: Channel, dialect: ProviderProtocol): Traits;
}

/**
 * Indexes a catalog that `parseCatalog` (schema.ts) has accepted and completed. It runs at every cold start, so it
 * checks nothing, and what belongs to one model is worked out when the first call names that model.
 */
export function createCatalog(catalog: BundledCatalog): ModelCatalog {
  const byName = new Map(
    catalog.models.flatMap((entry) => [entry.id, ...entry.aliases].map((name) => [normalName(name), entry])),
  );
  const modelOf = oncePerModel((entry: ModelEntry) => resolve(entry, catalog));
  const find = (name: string) => {
    const entry = byName.get(normalName(name));
    return entry && modelOf(entry);
  };
  let models: readonly Model[] | undefined;
  let sources: ReadonlyMap<string, PriceSource> | undefined;
  let plans: { name: string; has: (id: string) => boolean }[] | undefined;
  const traitsOf = oncePerModel((_: Model) => new Map<string, Traits>());
  const provider = (name: string) => own(catalog.providers, name);
  return {
    find,
    models() {
      models ??= catalog.models.map(modelOf);
      return models;
    },
    provider,
    plan: (name) => own(catalog.plans, name),
    plans: () => catalog.plans,
    payg: () => catalog.payg,
    recharge: () => catalog.recharge ?? {},
    seller: () => sellerOf(catalog),
    cacheModels() {
      const { embedder = "", verifier = "" } = catalog.cache ?? {};
      const pair = { embedder: find(embedder), verifier: find(verifier) };
      return pair.embedder && pair.verifier ? (pair as CacheModelPair) : undefined;
    },
    plansWith: oncePerModel(({ id }: Model) => {
      plans ??= Object.entries(catalog.plans).map(([name, plan]) => ({ name, has: amongOf(plan.models) }));
      return plans.filter(({ has }) => has(id)).map(({ name }) => name);
    }),
    priceSource({ id, price_source }) {
      sources ??= sourcesOf(catalog);
      return price_source ?? sources.get(id) ?? null;
    },
    price: oncePerModel((model: Model) => pinPrice(model.price, model.discount_rate)),
    traits(model, channel, dialect) {
      const known = traitsOf(model);
      const key = `${channel.provider} ${channel.model} ${dialect}`;
      const old = known.get(key);
      if (old) return old;
      const traits = traitsIn(dialect, model, provider(channel.provider) ?? { protocols: {} }, channel);
      known.set(key, traits);
      return traits;
    },
  };
}

/** The sources that a bundle carries, by model. */
function sourcesOf({ price_sources = [] }: BundledCatalog): Map<string, PriceSource> {
  return new Map(
    price_sources.flatMap(({ source, as_of, models }) =>
      models.map((id) => [id, { source, as_of }] as const),
    ),
  );
}

/** The function, computed once for each model: a catalog never changes. */
function oncePerModel<Of extends { id: string }, Value>(compute: (model: Of) => Value): (model: Of) => Value {
  const known = new Map<string, Value>();
  return (model) => {
    const old = known.get(model.id);
    if (old !== undefined) return old;
    const value = compute(model);
    known.set(model.id, value);
    return value;
  };
}

/** A catalog's prices by model and version, for the price history. */
export function wholePrices(catalog: Pick<ModelCatalog, "find" | "price">): WholePrices {
  return (name, version) => {
    const model = catalog.find(name);
    const price = model && catalog.price(model);
    return price?.version === version ? price : undefined;
  };
}

/**
 * A model by id, alias or normalised name. Throws `not_found` otherwise. The message repeats the beginning of the name
 * and suggests the nearest among the models that the caller may `see`.
 */
export function findModel(
  name: string,
  catalog: Pick<ModelCatalog, "find">,
  see: () => readonly Model[],
): Model {
  const model = Buffer.byteLength(name) <= limits.modelNameBytesMax ? catalog.find(name) : undefined;
  if (model) return model;
  const ids = nearestModels(name, see());
  const near = ids.map((id) => `\`${id}\``);
  const last = near.pop();
  const meant = near.length > 0 ? `${near.join(", ")} or ${last}` : last;
  const suggestion = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const message = `The model \`${name.slice(0, 100)}\` does not exist.${suggestion}`;
  throw new GatewayError("not_found", { message, param: "model", ...(ids[0] && { nearest: ids[0] }) });
}

function resolve(entry: ModelEntry, catalog: Catalog): Model {
  const price = priceOf(entry, catalog);
  if (!price) throw new Error(`model ${entry.id} has no price: the catalog was not checked`);
  const channels = entry.channels.flatMap((channel) => readyChannels(channel, entry, catalog));
  return { ...entry, price, protocols: protocolsOf(entry, catalog), channels };
}

/**
 * A channel once for each credential of its provider. They share its weight, so a provider with many of them gets no
 * more calls than another one. A video task is known to the account that made it alone, so videos have the first
 * credential only.
 */
function readyChannels(
  channel: Channel,
  { capabilities }: ModelEntry,
  { providers }: Catalog,
): ReadyChannel[] {
  const { secret = "", secrets = [secret] } = own(providers, channel.provider) ?? {};
  const names = capabilities.includes("video") ? [secret] : secrets;
  return names.map((name) => ({
    ...channel,
    id: channelId(channel.provider, channel.model, name),
    weight: channel.weight / names.length,
    secret: name,
  }));
}

/** The protocols in which a call of the model can pass through to one of its channels. */
function protocolsOf(entry: ModelEntry, catalog: Catalog): ProviderProtocol[] {
  const usable = new Set(entry.capabilities.flatMap((capability) => callNeeds[capability]?.protocols ?? []));
  const spoken = new Set(
    entry.channels.flatMap(({ provider }) => Object.keys(catalog.providers[provider]?.protocols ?? {})),
  );
  return protocolNames.filter((name) => usable.has(name) && spoken.has(name));
}

/** A member by a name from outside. Names that every object inherits find nothing. */
function own<Value>(record: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
