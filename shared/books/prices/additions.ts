/** `operator catalog import --add`: models that a list has and a catalog lacks, and further hosts of models. */

import { normalName } from "../accounts/pattern.ts";
import type { Price } from "../billing/pricing/price.ts";
import {
  capabilities as allCapabilities,
  type Capability,
  type Catalog,
  type Channel,
  type ModelEntry,
  type PriceSource,
  priceOf,
} from "../catalog/catalog.ts";
import { readEntry } from "../catalog/schema.ts";
import type { Traits } from "../catalog/traits.ts";
import { changesOf } from "./changes.ts";
import type { ComparedPrices } from "./drift.ts";
import { familyTraits } from "./families.ts";
import { ownName } from "./host-names.ts";
import type { CatalogJson } from "./import.ts";
import { imagePrice, type ListedModel, tokenPrice } from "./list.ts";
import { pageWords } from "./list-sources.ts";
import type { Amount } from "./numbers.ts";
import { isOwn } from "./own-models.ts";
import { whole, whyUnsold } from "./unsold.ts";

export type FreshRow = ComparedPrices["fresh"][number];

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
  /** What lists say of its maker's, which may lack what is known of its family. */
  capabilities: readonly Capability[];
  /** As it will be written; undefined for a model that the catalog has. */
  json?: Partial<ModelEntry>;
}

/** What a row of another maker's model becomes: one more channel of that model, or a model of its own. */
export const hostForms = ["channels", "models"] as const;

/** What entries are written with. */
interface Terms {
  source: PriceSource;
  pointsPerUsd: Amount;
  /** Default `channels`. */
  hosts?: (typeof hostForms)[number];
}

/** Where rows are added: models by their compared names, and the makers behind the providers. */
interface KnownCatalog {
  owners: ReadonlyMap<string, string>;
  known: Map<string, Known>;
  /** Every id and alias, in the form that names are compared in. */
  names: Set<string>;
  catalog: Catalog;
}

/**
 * What the rows add: models, and channels of models that have their maker's name, asked after the ones before. Makers'
 * rows go first, for the price. `prices` are the list's for models that the catalog has.
 */
export function additionsOf(
  rows: readonly FreshRow[],
  catalog: Catalog,
  prices: ComparedPrices["prices"],
  terms: Terms,
): Additions {
  const owners = ownersOf(catalog);
  const at: KnownCatalog = { owners, ...knownModels(catalog, prices), catalog };
  const made: Additions = { entries: [], channels: [], refused: [] };
  const isMaker = ({ provider, listed }: FreshRow) =>
    Number(owners.has(provider)) + Number(isOwn(provider, listed.name));
  for (const row of rows.toSorted((a, b) => isMaker(b) - isMaker(a))) {
    const { provider, listed } = row;
    const added = addRow(row, at, terms);
    if ("why" in added) made.refused.push({ provider, model: listed.name, why: added.why });
    else if ("channel" in added) made.channels.push(added);
    else made.entries.push(added.entry);
  }
  return made;
}

function knownModels(
  catalog: Catalog,
  prices: ComparedPrices["prices"],
): Pick<KnownCatalog, "known" | "names"> {
  const known: Pick<KnownCatalog, "known" | "names"> = { known: new Map(), names: new Set() };
  for (const entry of catalog.models) {
    const price = prices.get(entry.id) ?? priceOf(entry, catalog);
    learn(known, { entry: { ...entry }, price, capabilities: entry.capabilities });
  }
  return known;
}

/** Notes a model under its whole names, and under what they have behind the maker. The first model of a name keeps it. */
function learn({ known, names }: Pick<KnownCatalog, "known" | "names">, model: Known): void {
  const { id, aliases } = model.entry;
  for (const name of [id, ...aliases]) {
    const whole = normalName(name);
    names.add(whole);
    for (const key of [whole, tailOf(name)]) if (!known.has(key)) known.set(key, model);
  }
}

/** Adds one row to what is known. Gives what it became, or why it cannot be added. */
function addRow(
  row: FreshRow,
  { owners, known, names, catalog }: KnownCatalog,
  { source, pointsPerUsd, hosts }: Terms,
): { entry: Partial<ModelEntry> } | Additions["channels"][number] | { why: string } {
  const { provider, listed } = row;
  const own = ownName(listed.provider, listed.name);
  if ("why" in own) return own;
  const why = whyUnsold(listed, source.as_of);
  if (why !== undefined) return { why };
  const { capabilities } = listed.about;
  if (capabilities.length === 0) {
    return { why: "the list does not say that it is for chat, embeddings or pictures" };
  }
  const isPicture = capabilities.includes("images");
  const translated = isPicture ? imagePrice(listed, pointsPerUsd) : tokenPrice(whole(listed), pointsPerUsd);
  if ("why" in translated) return translated;
  const { price } = translated;
  const owner = owners.get(provider) ?? provider;
  const name = idPart(own.name);
  const key = normalName(hosts === "models" ? `${owner}/${name}` : name);
  const model = known.get(key);
  if (model) return addHost(model, row, price, catalog);
  const entry = newEntry(row, owner, name, price, source, names);
  const read = readEntry(entry, catalog);
  if ("problems" in read) return { why: read.problems.join("; ") };
  learn({ known, names }, { entry: read.entry, price, capabilities, json: entry });
  return { entry };
}

/** Makes a row's provider one more channel of a model. A further host is asked after the first one. */
function addHost(
  model: Known,
  { provider, listed }: FreshRow,
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
  { entry, price, capabilities }: Known,
  provider: string,
  { about }: ListedModel,
  itsPrice: Price,
): string | undefined {
  const there = entry.channels.find((channel) => channel.provider === provider);
  if (there) return `${entry.id} has a channel there already: ${there.model}`;
  const missing = capabilities.filter((each) => !about.capabilities.includes(each));
  if (missing.length > 0) return `capabilities: ${entry.id} has ${missing.join(", ")} too`;
  for (const size of ["context_tokens", "output_tokens"] as const) {
    if (about[size] < entry[size]) return `${size}: ${about[size]} there, ${entry[size]} of ${entry.id}`;
  }
  const dearer = price && changesOf(price, itsPrice).find(({ change }) => change === "up");
  return dearer && `price: ${dearer.rate} is ${dearer.new} there, ${dearer.old} of ${entry.id}`;
}

function newEntry(
  row: FreshRow,
  owner: string,
  name: string,
  price: Price,
  source: PriceSource,
  names: KnownCatalog["names"],
): Partial<ModelEntry> {
  const { provider, listed } = row;
  const { capabilities, context_tokens, output_tokens, display_name, released, page } = listed.about;
  const id = `${owner}/${name}`;
  const traits = capabilities.includes("chat") ? familyTraits(id) : undefined;
  const sizes = capabilities.includes("images") ? {} : { context_tokens, output_tokens };
  return {
    id,
    aliases: aliasesOf(row, owner, name, names),
    display_name: display_name === listed.name ? name : display_name,
    created: Math.floor(Date.parse(`${released ?? source.as_of}T00:00:00.000Z`) / 1000),
    owned_by: owner,
    capabilities: traits ? capabilitiesBy(traits, capabilities) : capabilities,
    ...sizes,
    price,
    price_source: withPage(source, page),
    ...(traits && { traits }),
    channels: [{ provider, model: listed.name, priority: 1, weight: 1 }],
  };
}

/** A source with the page where the list read the price, if it names one. */
export function withPage(source: PriceSource, page: string | undefined): PriceSource {
  return page === undefined ? source : { ...source, source: `${source.source}${pageWords}${page}` };
}

/** What the list says that the model can, set right by what is known of its family. */
function capabilitiesBy({ reasoning, inputs }: Traits, listed: readonly Capability[]): Capability[] {
  const known: [Capability, boolean | undefined][] = [
    ["vision", inputs?.some((form) => form.startsWith("image"))],
    ["reasoning", reasoning && (reasoning.forms.length > 0 || reasoning.always === true)],
  ];
  const is = (name: Capability) => known.find(([each]) => each === name)?.[1] ?? listed.includes(name);
  return allCapabilities.filter(is);
}

/**
 * The other names of a new model. A maker's has its name alone. The name of another maker's model is that model's, so a
 * host's has the host before it. Names that another model has are left out.
 */
function aliasesOf(
  { provider, listed }: FreshRow,
  owner: string,
  name: string,
  names: KnownCatalog["names"],
): string[] {
  const others = listed.about.aliases ?? [];
  const own = isOwn(provider, name) ? [name, ...others] : [];
  const whole = [listed.name, ...others].map((each) => `${owner}/${each}`);
  const id = normalName(`${owner}/${name}`);
  const seen = new Set([id]);
  return [...own, ...whole].filter((alias) => {
    const key = normalName(alias);
    if (seen.has(key) || names.has(key) || !aliasForm.test(alias)) return false;
    seen.add(key);
    return true;
  });
}

/** Names of hosts may have signs that no name of a catalog has. */
const aliasForm = /^\w[\w.-]*(?:\/\w[\w.-]*){0,3}$/;

/** A file whose models have the further hosts that they are given. */
export function withChannels<File extends CatalogJson>(file: File, { channels }: Additions): File {
  const given = Map.groupBy(channels, ({ model }) => model);
  const models = file.models.map((model) => {
    const hosts = given.get(model.id ?? "")?.map(({ channel }) => channel) ?? [];
    return hosts.length === 0 ? model : { ...model, channels: [...(model.channels ?? []), ...hosts] };
  });
  return { ...file, models };
}

/** What a pattern may mean a row by: its name with the provider, alone, and as the catalog will have it. */
export function namesOfRows(catalog: Catalog): (row: FreshRow) => string[] {
  const owners = ownersOf(catalog);
  return ({ provider, listed }) => {
    const own = ownName(listed.provider, listed.name);
    const id = "name" in own ? [`${owners.get(provider) ?? provider}/${idPart(own.name)}`] : [];
    const [first = ""] = listed.name.split("/");
    const isOther = first !== provider && Object.hasOwn(catalog.providers, first);
    return [`${provider}/${listed.name}`, ...(isOther ? [] : [listed.name]), ...id];
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
  return normalName(name.slice(name.lastIndexOf("/") + 1));
}
