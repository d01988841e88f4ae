/**
 * The catalog in the form that every call looks things up in: models by any of their names, providers, plans, prices.
 */

import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { normalName } from "../accounts/pattern.ts";
import type { OwnFee } from "../billing/own-fee.ts";
import type { PinnedPrice, WholePrices } from "../billing/pricing/price.ts";
import { callNeeds } from "./call-needs.ts";
import {
  amongOf,
  type Catalog,
  type Channel,
  type Model,
  type ModelEntry,
  type PaygTerms,
  type Plan,
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
import type { HostName } from "./host.ts";
import { nearestModels } from "./nearest.ts";
import { pinnedPrices } from "./next-price.ts";
import { accountNames, keyNames, valueNames } from "./provider.ts";
import type { Traits } from "./traits.ts";

type Terms = Omit<Catalog, "models">;

/** A catalog as a bundle carries it. Its models are one text, of which a start parses nothing. */
export interface BundledCatalog extends Terms {
  /** A line of JSON for each model, in the file's order. */
  models: string;
  names: ModelPlaces;
}

/** At which place in the file's order a model stands, by each of its names in the form in which they are compared. */
type ModelPlaces = Readonly<Record<string, number>>;

/** Where the models of a catalog come from. */
interface ModelSource {
  names: ModelPlaces;
  count(): number;
  /** The model at a place. It is asked for once. */
  take(place: number): ModelEntry;
}

/** The models that the cache asks (catalog.ts `SemanticModels`). */
type CacheModelPair = Record<keyof SemanticModels, Model>;

export interface ModelCatalog {
  /** The model with this id or alias, or with one that differs only in case or punctuation. */
  find(name: string): Model | undefined;
  /** The first model that is served by a provider at this host under this name, the provider's own for it. */
  hosted(host: HostName, name: string): Model | undefined;
  /** All models, in the file's order. */
  models(): readonly Model[];
  provider(name: string): Provider | undefined;
  /** All providers by their names. */
  providers(): Readonly<Record<string, Provider>>;
  plan(name: string): Plan | undefined;
  plans(): Readonly<Record<string, Plan>>;
  payg(): PaygTerms;
  /** How points are sold, by currency; nothing where the catalog sells none. */
  recharge(): Recharge;
  seller(): Seller;
  /** What calls with an organization's own key cost; undefined where no such key is taken. */
  ownFee(): OwnFee | undefined;
  /** The models by which the cache compares meanings; undefined where the catalog names none. */
  cacheModels(): CacheModelPair | undefined;
  /** Names of the plans whose keys may use a model, in the file's order. */
  plansWith(model: Model): readonly string[];
  /** The price and discount for calls of this model that are admitted at an instant, Unix milliseconds. */
  price(model: Model, at: number): PinnedPrice;
  /** What a model takes at one of its channels, whose provider is asked in this dialect. */
  traits(model: Model, channel: Channel, dialect: ProviderProtocol): Traits;
}

/** Opens a bundle's catalog at a cold start. It checks nothing; a model is parsed when first named. */
export function openCatalog(bundled: BundledCatalog): ModelCatalog {
  let lines: readonly string[] | undefined;
  const texts = () => {
    lines ??= bundled.models === "" ? [] : bundled.models.split("\n");
    return lines;
  };
  return catalogOf(bundled, {
    names: bundled.names,
    count: () => texts().length,
    take: (place) => JSON.parse(texts()[place] as string) as ModelEntry,
  });
}

/** Opens a catalog that `parseCatalog` (schema.ts) has accepted and completed, for what runs outside of a bundle. */
export function createCatalog(catalog: Catalog): ModelCatalog {
  return catalogOf(catalog, {
    names: namesOf(catalog.models),
    count: () => catalog.models.length,
    take: (place) => catalog.models[place] as ModelEntry,
  });
}

/** At which place each name finds its model. `rules.ts` has refused two models that share a name. */
export function namesOf(models: readonly Pick<ModelEntry, "id" | "aliases">[]): ModelPlaces {
  return Object.fromEntries(
    models.flatMap(({ id, aliases }, place) => [id, ...aliases].map((name) => [normalName(name), place])),
  );
}

/** What belongs to one model is worked out when the first call names that model. */
function catalogOf(catalog: Terms, source: ModelSource): ModelCatalog {
  const known: Model[] = [];
  const modelAt = (place: number) => {
    known[place] ??= resolve(source.take(place), catalog);
    return known[place];
  };
  const find = (name: string) => {
    const place = own(source.names, normalName(name));
    return place === undefined ? undefined : modelAt(place);
  };
  let all: readonly Model[] | undefined;
  const models = () => {
    all ??= Array.from({ length: source.count() }, (_, place) => modelAt(place));
    return all;
  };
  let hosted: Map<string, Model> | undefined;
  let plans: { name: string; has: (id: string) => boolean }[] | undefined;
  const pinned = oncePerModel((model: Model) => pinnedPrices(model));
  const traitsOf = oncePerModel((_: Model) => new Map<string, Traits>());
  const provider = (name: string) => own(catalog.providers, name);
  return {
    find,
    hosted(host, name) {
      hosted ??= byHost(models(), catalog);
      return hosted.get(`${host} ${name}`);
    },
    models,
    provider,
    providers: () => catalog.providers,
    plan: (name) => own(catalog.plans, name),
    plans: () => catalog.plans,
    payg: () => catalog.payg,
    recharge: () => catalog.recharge ?? {},
    seller: () => sellerOf(catalog),
    ownFee: () => catalog.byok_fee,
    cacheModels() {
      const { embedder = "", verifier = "" } = catalog.cache ?? {};
      const pair = { embedder: find(embedder), verifier: find(verifier) };
      return pair.embedder && pair.verifier ? (pair as CacheModelPair) : undefined;
    },
    plansWith: oncePerModel(({ id }: Model) => {
      plans ??= Object.entries(catalog.plans).map(([name, plan]) => ({ name, has: amongOf(plan.models) }));
      return plans.filter(({ has }) => has(id)).map(({ name }) => name);
    }),
    price(model, at) {
      const { next, now } = pinned(model);
      return next && at >= next.from ? next.price : now;
    },
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

/** Models by the hosts of their channels and the names that they have there. */
function byHost(models: readonly Model[], { providers }: Terms): Map<string, Model> {
  const found = new Map<string, Model>();
  for (const model of models) {
    for (const channel of model.channels) {
      const name = `${own(providers, channel.provider)?.host} ${channel.model}`;
      if (!found.has(name)) found.set(name, model);
    }
  }
  return found;
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
    // The first price of all, and the last.
    const prices = model ? [0, Number.POSITIVE_INFINITY].map((at) => catalog.price(model, at)) : [];
    return prices.find((price) => price.version === version);
  };
}

/** A model by id, alias or normalised name. Throws `not_found`, with the nearest models that the caller may `see`. */
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

function resolve(entry: ModelEntry, catalog: Terms): Model {
  const price = priceOf(entry, catalog);
  if (!price) throw new Error(`model ${entry.id} has no price: the catalog was not checked`);
  const channels = entry.channels.flatMap((channel) => readyChannels(channel, entry, catalog));
  return { ...entry, price, protocols: protocolsOf(entry, catalog), channels };
}

/**
 * A channel once for each credential of its provider, with its share of the weight. Only the account that made a video
 * knows it, so videos have the first credential only.
 */
function readyChannels(channel: Channel, { capabilities }: ModelEntry, { providers }: Terms): ReadyChannel[] {
  const provider = own(providers, channel.provider) ?? {};
  const [keys, values] = [keyNames(provider), valueNames(provider)];
  const accounts = accountNames(provider);
  const names = capabilities.includes("video") ? accounts.slice(0, 1) : accounts;
  return names.map((name) => ({
    ...channel,
    id: channelId(channel.provider, channel.model, name),
    weight: channel.weight / names.length,
    secret: name,
    needs: keys.length > 0 ? [name, ...values] : values,
  }));
}

/** The protocols in which a call of the model can pass through to one of its channels. */
function protocolsOf(entry: ModelEntry, catalog: Terms): ProviderProtocol[] {
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
