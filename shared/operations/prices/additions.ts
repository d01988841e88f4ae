/** `operator catalog import --add`: models that a list has and a catalog lacks, and further hosts of models. */
import type { Price } from "../../billing/pricing/price.ts";
import {
  type Catalog,
  type Channel,
  type ModelEntry,
  normalName,
  type PriceSource,
  priceOf,
} from "../../catalog/catalog.ts";
import { readEntry } from "../../catalog/schema.ts";
import { changesOf } from "./changes.ts";
import type { Compared } from "./drift.ts";
import { ownName } from "./host-names.ts";
import type { CatalogJson } from "./import.ts";
import { type ListedModel, tokenPrice } from "./list.ts";
import type { Amount } from "./numbers.ts";

type Row = Compared["fresh"][number];

/** What a list adds to a catalog. Each row that was asked for is in exactly one of the three. */
export interface Additions {
  entries: Partial<ModelEntry>[];
  /** Further hosts: of models that the catalog has, and of new ones. */
  channels: { model: string; channel: Channel }[];
  /** Rows that are not added. A reason that is of one field begins with its name. */
  refused: { provider: string; model: string; why: string }[];
}

/** A model of the catalog to be, by which later rows are judged. */
interface Known {
  entry: ModelEntry;
  price: Price | undefined;
  /** As it will be written; undefined for a model that the catalog has. */
  json?: Partial<ModelEntry>;
}

/** What entries are written with. */
interface Terms {
  source: PriceSource;
  pointsPerUsd: Amount;
}

/** Where rows are added: models by their compared names, and the makers behind the providers. */
interface Place {
  owners: ReadonlyMap<string, string>;
  known: Map<string, Known>;
  catalog: Catalog;
}

/**
 * What the rows add. A row becomes a model, unless there is a model with its maker's name. Then the row's provider becomes
 * a channel of that model, and is asked after the ones before it. Rows of makers go first, so that a model has its
 * maker's price. `prices` are the list's for models that the catalog has.
 */
export function additionsOf(
  rows: readonly Row[],
  catalog: Catalog,
  prices: Compared["prices"],
  terms: Terms,
): Additions {
  const owners = ownersOf(catalog);
  const at: Place = { owners, known: knownModels(catalog, prices), catalog };
  const made: Additions = { entries: [], channels: [], refused: [] };
  const isMaker = ({ provider }: Row) => Number(owners.has(provider));
  for (const row of rows.toSorted((a, b) => isMaker(b) - isMaker(a))) {
    const { provider, listed } = row;
    const added = addRow(row, at, terms);
    if ("why" in added) made.refused.push({ provider, model: listed.name, why: added.why });
    else if ("channel" in added) made.channels.push(added);
    else made.entries.push(added.entry);
  }
  return made;
}

function knownModels(catalog: Catalog, prices: Compared["prices"]): Place["known"] {
  const known: Place["known"] = new Map();
  for (const entry of catalog.models) {
    const model = { entry: { ...entry }, price: prices.get(entry.id) ?? priceOf(entry, catalog) };
    for (const name of [entry.id, ...entry.aliases].map(tailOf)) {
      if (!known.has(name)) known.set(name, model);
    }
  }
  return known;
}

/** Adds one row to what is known. Gives what it became, or why it cannot be added. */
function addRow(
  row: Row,
  { owners, known, catalog }: Place,
  { source, pointsPerUsd }: Terms,
): { entry: Partial<ModelEntry> } | Additions["channels"][number] | { why: string } {
  const { provider, listed } = row;
  const own = ownName(listed.provider, listed.name);
  if ("why" in own) return own;
  const translated = tokenPrice(listed, pointsPerUsd);
  if ("why" in translated) return translated;
  if (listed.about.capabilities.length === 0) {
    return { why: "the list does not say that it is for chat or embeddings" };
  }
  const { price } = translated;
  const name = idPart(own.name);
  const model = known.get(normalName(name));
  if (model) return addHost(model, row, price, catalog);
  const entry = newEntry(row, owners.get(provider) ?? provider, name, price, source);
  const read = readEntry(entry, catalog);
  if ("problems" in read) return { why: read.problems.join("; ") };
  known.set(normalName(name), { entry: read.entry, price, json: entry });
  return { entry };
}

/** Makes a row's provider one more channel of a model. A further host is asked after the first one. */
function addHost(
  model: Known,
  { provider, listed }: Row,
  price: Price,
  catalog: Catalog,
): Additions["channels"][number] | { why: string } {
  const why = hostProblem(model, provider, listed, price);
  if (why !== undefined) return { why };
  const { id, channels } = model.entry;
  const priority = Math.max(2, ...channels.map((channel) => channel.priority));
  const channel = { provider, model: listed.name, priority, weight: 1 };
  const read = readEntry({ ...model.entry, channels: [...channels, channel] }, catalog);
  if ("problems" in read) return { why: read.problems.join("; ") };
  model.entry.channels = read.entry.channels;
  model.json?.channels?.push(channel);
  return { model: id, channel };
}

/** Why a provider cannot be one more host of a model: it must take as much, do as much, and cost no more. */
function hostProblem(
  { entry, price }: Known,
  provider: string,
  { about }: ListedModel,
  itsPrice: Price,
): string | undefined {
  const there = entry.channels.find((channel) => channel.provider === provider);
  if (there) return `${entry.id} has a channel there already: ${there.model}`;
  const missing = entry.capabilities.filter((each) => !about.capabilities.includes(each));
  if (missing.length > 0) return `capabilities: ${entry.id} has ${missing.join(", ")} too`;
  for (const size of ["context_tokens", "output_tokens"] as const) {
    if (about[size] < entry[size]) return `${size}: ${about[size]} there, ${entry[size]} of ${entry.id}`;
  }
  const dearer = price && changesOf(price, itsPrice).find(({ change }) => change === "up");
  return dearer && `price: ${dearer.rate} is ${dearer.new} there, ${dearer.old} of ${entry.id}`;
}

function newEntry(
  { provider, listed }: Row,
  owner: string,
  name: string,
  price: Price,
  source: PriceSource,
): Partial<ModelEntry> {
  const { capabilities, context_tokens, output_tokens, display_name, released } = listed.about;
  return {
    id: `${owner}/${name}`,
    aliases: [name],
    display_name,
    created: Math.floor(Date.parse(`${released ?? source.as_of}T00:00:00.000Z`) / 1000),
    owned_by: owner,
    capabilities,
    context_tokens,
    output_tokens,
    price,
    price_source: source,
    channels: [{ provider, model: listed.name, priority: 1, weight: 1 }],
  };
}

/** A file whose models have the further hosts that they are given. */
export function withChannels<File extends CatalogJson>(file: File, { channels }: Additions): File {
  const given = Map.groupBy(channels, ({ model }) => model);
  const models = file.models.map((model) => {
    const hosts = given.get(model.id ?? "")?.map(({ channel }) => channel) ?? [];
    return hosts.length === 0 ? model : { ...model, channels: [...(model.channels ?? []), ...hosts] };
  });
  return { ...file, models };
}

/**
 * The names that a pattern may mean a row by: with the catalog's provider before it, alone, and as the catalog will
 * have it.
 */
export function namesOfRows(catalog: Catalog): (row: Row) => string[] {
  const owners = ownersOf(catalog);
  return ({ provider, listed }) => {
    const own = ownName(listed.provider, listed.name);
    const id = "name" in own ? [`${owners.get(provider) ?? provider}/${idPart(own.name)}`] : [];
    return [`${provider}/${listed.name}`, listed.name, ...id];
  };
}

/** Providers that are a maker's own, and the maker: all models that are first asked for there are of one owner. */
function ownersOf({ models }: Catalog): Map<string, string> {
  const owners = new Map<string, Set<string>>();
  for (const { channels, owned_by } of models) {
    const first = Math.min(...channels.map(({ priority }) => priority));
    for (const { provider } of channels.filter(({ priority }) => priority === first)) {
      owners.set(provider, (owners.get(provider) ?? new Set()).add(owned_by));
    }
  }
  return new Map(
    [...owners].flatMap(([provider, [owner, other]]) => (owner && !other ? [[provider, owner]] : [])),
  );
}

function idPart(name: string): string {
  return name.replace(/[^\w.-]+/g, "-");
}

/** What names of one model have in common: the part behind the maker, in the form that names are compared in. */
function tailOf(name: string): string {
  return normalName(name.slice(name.indexOf("/") + 1));
}
