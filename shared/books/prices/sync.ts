/** `operator catalog sync`: the import again, by what is declared once. It leaves alone what a person has set. */
import { daysSince } from "../billing/period.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import { type Catalog, type ModelEntry, priceOf } from "../catalog/catalog.ts";
import { parseCatalog } from "../catalog/schema.ts";
import { type Additions, namesOfRows } from "./additions.ts";
import { agreementOf } from "./agreement.ts";
import { type ComparedPrices, compare, grouped } from "./drift.ts";
import { type CatalogJson, withPrices } from "./import.ts";
import { goneWords, isFromList, withWords } from "./list-sources.ts";
import { addAll, type DatedList, judge, type Pattern, sourcesOf } from "./many-lists.ts";
import type { Amount } from "./numbers.ts";
import { changedBeside, latestDay, otherwiseBeside, type SideBySide } from "./side-by-side.ts";
import { endOf } from "./unsold.ts";

/** How many days a price that stays may be behind its list. Most weeks then change no line of it, and no check warns. */
const confirmDays = 30;

/** What to take from lists, by the catalog's names of providers. */
export interface SyncRequest {
  /** Which of the vendor's rows become models. */
  add: Pattern[];
  /** Only rows that two lists price alike. */
  agreed: boolean;
}

/** What a sync found. Everything but `confirmed` and the new part of `gone` is empty where nothing is to be done. */
interface SyncReport {
  /** How the lists and the prices that are from lists compare after the sync. */
  lists: { list: string; as_of: string; agree: number; differ: number; unknown: number }[];
  new: { model: string; input: string; output: string; source: string }[];
  /** Rates that change, with what each list has. */
  changes: SideBySide[];
  /** Models that no list has any more. They stay in the catalog, and their source says so from then on. */
  gone: { model: string; why: string }[];
  /** Models whose price stays, and is now known to be that of a later day. */
  confirmed: string[];
  /** Rates that a person has set, where a list has another. They stay. */
  pinned: SideBySide[];
  /** Models of the catalog whose price in the lists a catalog cannot express. */
  unpriced: { model: string; why: string }[];
  /** Rows that a pattern fits and that cannot be added, by their reason. */
  not_added: { what: string; models: number; such_as: string[] }[];
  /** Patterns that fit no row of any list. */
  without_rows: string[];
}

/**
 * A catalog's file after an import, and what has changed. The first of `lists` that prices a model counts. A model whose
 * price is from no list is pinned: a person has set it.
 */
export function syncWith<File extends CatalogJson>(
  file: File,
  lists: readonly DatedList[],
  { pointsPerUsd, wanted }: { pointsPerUsd: Amount; wanted: ReadonlyMap<string, SyncRequest> },
): { file: CatalogJson; report: SyncReport } {
  const before = parsed(file);
  const pinned = new Set(
    before.models.flatMap(({ id, price_source }) => (isFromList(price_source) ? [] : [id])),
  );
  const repriced = repricedBy(file, lists, pinned, pointsPerUsd);
  const patterns = [...wanted.values()];
  const alone = patterns.filter(({ agreed }) => !agreed).flatMap(({ add }) => add);
  const agreed = patterns.filter((each) => each.agreed).flatMap(({ add }) => add);
  const options = { pointsPerUsd, pinned };
  const first = addedTo(repriced.file, repriced.pricedBy, lists, { ...options, add: alone, agreed: false });
  const second = addedTo(first.file, new Map(), lists, { ...options, add: agreed, agreed: true });
  const next = { ...second.file, models: second.file.models.map((model) => keptOf(model, file, pinned)) };
  const after = parsed(next);
  const all = [...first.refused, ...second.refused];
  const changed = new Set(repriced.changed);
  const report: SyncReport = {
    lists: figuresOf(after, pinned, lists, pointsPerUsd),
    new: [...first.entries, ...second.entries].map((entry) => shownOf(entry, after)),
    changes: changedBeside(before, after, { lists, pointsPerUsd, wanted: (id) => changed.has(id) }),
    gone: repriced.gone,
    confirmed: repriced.confirmed,
    pinned: otherwiseBeside(before, { lists, pointsPerUsd, wanted: (id) => pinned.has(id) }),
    unpriced: repriced.unpriced,
    not_added: grouped(all.flatMap(unaddedOf)),
    without_rows: withoutRows(before, lists, [...alone, ...agreed], pointsPerUsd),
  };
  return { file: next, report };
}

interface Repriced {
  file: CatalogJson;
  /** The list of each price that is written with a new day. */
  pricedBy: Map<string, DatedList>;
  changed: string[];
  confirmed: string[];
  gone: SyncReport["gone"];
  unpriced: SyncReport["unpriced"];
}

/** The prices of models that are not pinned, each from the first list that has it. */
function repricedBy(
  file: CatalogJson,
  lists: readonly DatedList[],
  pinned: ReadonlySet<string>,
  pointsPerUsd: Amount,
): Repriced {
  const made: Repriced = { file, pricedBy: new Map(), changed: [], confirmed: [], gone: [], unpriced: [] };
  const found = new Set(pinned);
  const missing = new Map<string, string>();
  const unpriced = new Map<string, string>();
  for (const list of lists) {
    const catalog = parsed(made.file);
    const compared = compare(catalog, list.models, {
      ...{ pointsPerUsd, as_of: list.as_of, providers: new Map() },
      wanted: (id) => !found.has(id),
    });
    const { drift, prices, listedOf } = compared;
    for (const { model, why } of drift.gone) if (!missing.has(model)) missing.set(model, why);
    for (const { model, why } of drift.unpriced) unpriced.set(model, why);
    for (const { model } of drift.newer) found.add(model);
    const changed = new Set(drift.changes.map(({ model }) => model));
    const isStale = ({ id, price_source }: ModelEntry) => changed.has(id) || isOld(price_source, list.as_of);
    const written = new Set(catalog.models.filter(isStale).map(({ id }) => id));
    for (const id of prices.keys()) {
      const end = endOf(listedOf.get(id)?.about.ends, list.as_of);
      if (end === undefined) found.add(id);
      else missing.set(id, end);
      if (end !== undefined || !written.has(id)) prices.delete(id);
      else (changed.has(id) ? made.changed : made.confirmed).push(id);
    }
    for (const id of prices.keys()) made.pricedBy.set(id, list);
    made.file = withPrices(made.file, catalog, prices, sourcesOf(list, compared));
  }
  made.unpriced = [...unpriced].flatMap(([model, why]) => (found.has(model) ? [] : [{ model, why }]));
  const gone = [...missing].filter(([id]) => !found.has(id) && !unpriced.has(id));
  return { ...made, ...markedGone(made.file, gone, lists) };
}

/** The file with a note at the sources of prices that no list has. Models that have one are not gone anew. */
function markedGone(file: CatalogJson, gone: readonly [string, string][], lists: readonly DatedList[]) {
  const day = lists
    .map(({ as_of }) => as_of)
    .sort()
    .at(-1);
  const fresh = new Map(gone);
  const models = file.models.map((model) => {
    const { id = "", price_source } = model;
    if (!price_source || !fresh.has(id)) return model;
    if (!price_source.source.includes(goneWords))
      return { ...model, price_source: withWords(price_source, [`${goneWords}${day}`]) };
    fresh.delete(id);
    return model;
  });
  return { file: { ...file, models }, gone: [...fresh].map(([model, why]) => ({ model, why })) };
}

/** Whether a price's day is to be written anew, although the price stays. */
function isOld(source: ModelEntry["price_source"], day: string): boolean {
  if (!source) return false;
  return source.source.includes(goneWords) || daysSince(source.as_of, Date.parse(day)) >= confirmDays;
}

/** The file with the rows that the patterns choose. */
function addedTo(
  file: CatalogJson,
  pricedBy: ReadonlyMap<string, DatedList>,
  lists: readonly DatedList[],
  options: { pointsPerUsd: Amount; pinned: ReadonlySet<string>; add: readonly Pattern[]; agreed: boolean },
): { file: CatalogJson; entries: Additions["entries"]; refused: Additions["refused"] } {
  const { pointsPerUsd, add, agreed } = options;
  const [first] = lists;
  if (!first) throw new Error("no list");
  const terms = { pointsPerUsd, as_of: first.as_of, providers: new Map<string, string>() };
  const compared = comparedAll(parsed(file), lists, pointsPerUsd);
  const made = addAll(file, compared, lists, { ...terms, add, hosts: "models" });
  return judge(made, pricedBy, lists, { ...terms, agreed });
}

function comparedAll(catalog: Catalog, lists: readonly DatedList[], pointsPerUsd: Amount): ComparedPrices[] {
  const wanted = () => true;
  return lists.map(({ models, as_of }) =>
    compare(catalog, models, { pointsPerUsd, as_of, providers: new Map(), wanted }),
  );
}

/** A model as it is written: one that is pinned as it was. */
function keptOf(
  model: Partial<ModelEntry>,
  { models }: CatalogJson,
  pinned: ReadonlySet<string>,
): Partial<ModelEntry> {
  if (!pinned.has(model.id ?? "")) return model;
  return models.find(({ id }) => id === model.id) ?? model;
}

/** A row that was not added. One that is only another name of a model that the catalog has is left out. */
function unaddedOf({ provider, model, why }: Additions["refused"][number]) {
  const isHere = why.includes("has a channel there already");
  return isHere ? [] : [{ model: `${provider}/${model}`, what: why.split(" since ")[0] ?? why }];
}

/** A new model with its first rates, and what its source says of the lists. */
function shownOf({ id = "" }: Partial<ModelEntry>, after: Catalog): SyncReport["new"][number] {
  const model = after.models.find((each) => each.id === id);
  const price = model && priceOf(model, after);
  const listed = price && modeOf(price).listed(price);
  const source = model?.price_source?.source ?? "";
  if (listed?.per === "token") {
    const [tier] = listed.tiers;
    return { model: id, input: tier?.input ?? "", output: tier?.output ?? "", source };
  }
  return { model: id, input: "", output: listed?.per === "image" ? listed.price : "", source };
}

/** How many models that are not pinned each list prices alike, otherwise, or not at all. */
function figuresOf(
  catalog: Catalog,
  pinned: ReadonlySet<string>,
  lists: readonly DatedList[],
  pointsPerUsd: Amount,
): SyncReport["lists"] {
  const own = new Set(catalog.models.flatMap(({ id }) => (pinned.has(id) ? [] : [id])));
  return lists.map((list) => {
    const options = { pointsPerUsd, as_of: latestDay, providers: new Map<string, string>() };
    const { agree, differ, unknown } = agreementOf(catalog, own, list, options);
    const differing = new Set(differ.map(({ model }) => model)).size;
    const counts = { agree: agree.length, differ: differing, unknown: unknown.length };
    return { list: list.format, as_of: list.as_of, ...counts };
  });
}

function withoutRows(
  catalog: Catalog,
  lists: readonly DatedList[],
  patterns: readonly Pattern[],
  pointsPerUsd: Amount,
): string[] {
  const all = comparedAll(catalog, lists, pointsPerUsd);
  const names = all.flatMap(({ fresh, known }) => [...fresh, ...known]).flatMap(namesOfRows(catalog));
  return patterns.filter(({ fits }) => !names.some(fits)).map(({ text }) => text);
}

function parsed(json: CatalogJson): Catalog {
  return parseCatalog(structuredClone(json));
}
