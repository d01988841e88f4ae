/** Several lists at once: what each adds to a catalog, and what the others say of its prices. */
import type { Catalog, PriceSource } from "../catalog/catalog.ts";
import { parseCatalog } from "../catalog/schema.ts";
import {
  type Additions,
  additionsOf,
  type FreshRow,
  type hostForms,
  namesOfRows,
  withChannels,
  withPage,
} from "./additions.ts";
import { agreementOf, withAgreement } from "./agreement.ts";
import type { ComparedPrices, Comparison } from "./drift.ts";
import { rowsBeyond, withFacts, withOneName } from "./facts.ts";
import type { CatalogJson } from "./import.ts";
import type { ListedModel, ListFormat } from "./list.ts";

export interface PriceList {
  format: ListFormat;
  models: ListedModel[];
  /** The last day that it names of itself, or what --as-of gives; undefined where nobody knows. */
  as_of: string | undefined;
  source: string;
}

/** A list of which the day is known. */
export interface DatedList extends PriceList {
  as_of: string;
}

/** A pattern of names, such as `openai/*`. */
export interface Pattern {
  text: string;
  fits: (name: string) => boolean;
}

/** What lists make of a catalog's file. */
interface Made extends Additions {
  file: CatalogJson;
  /** The list that each model that was added has its price from. */
  pricedBy: Map<string, PriceList>;
  no_provider: { provider: string; models: number }[];
}

/** Adds the rows that patterns choose: those of the first list, then what only later lists have. */
export function addAll(
  priced: CatalogJson,
  compared: readonly ComparedPrices[],
  lists: readonly PriceList[],
  options: Omit<Comparison, "wanted"> & {
    add: readonly Pattern[];
    hosts: (typeof hostForms)[number] | undefined;
  },
): Made {
  const { pointsPerUsd, as_of, add, hosts } = options;
  const all = compared.map(({ fresh, known }) => [...fresh, ...known]);
  const made: Made = {
    file: priced,
    entries: [],
    channels: [],
    refused: [],
    pricedBy: new Map(),
    no_provider: [],
  };
  for (const [index, list] of lists.entries()) {
    const { fresh, elsewhere } = compared[index] ?? { fresh: [], elsewhere: [] };
    const beyond = rowsBeyond(fresh, all.slice(0, index).flat());
    const whole = withOneName(
      withFacts(
        beyond,
        all.filter((_, other) => other !== index),
      ),
      pointsPerUsd,
    );
    const at = parsed(made.file);
    const chosen = chosenRows(whole, at, add);
    const terms = { source: sourceOf(list, list.as_of ?? as_of), pointsPerUsd, ...(hosts && { hosts }) };
    const added = additionsOf(chosen, at, new Map(), terms);
    const file = withChannels(made.file, added);
    made.file = { ...file, models: [...file.models, ...added.entries] };
    made.entries.push(...added.entries);
    made.channels.push(...added.channels);
    made.refused.push(...added.refused);
    for (const { id = "" } of added.entries) made.pricedBy.set(id, list);
    if (index === 0) made.no_provider = countAway(elsewhere, add);
  }
  return made;
}

/**
 * Says of each price whether other lists have it, and drops new models where none has and that is asked for. `priced` has
 * the list of each price that the catalog has got for a model that it had.
 */
export function judge(
  made: Made,
  priced: ReadonlyMap<string, PriceList>,
  lists: readonly PriceList[],
  { agreed, ...options }: Omit<Comparison, "wanted"> & { agreed: boolean },
) {
  const catalog = parsed(made.file);
  const pricedBy = new Map([...priced, ...made.pricedBy]);
  const pricedElsewhere = (list: PriceList) =>
    new Set([...pricedBy].flatMap(([id, other]) => (other === list ? [] : [id])));
  const all = lists.map((list) => agreementOf(catalog, pricedElsewhere(list), list, options));
  const agreements = all.slice(1);
  const alike = new Set(all.flatMap(({ agree }) => agree));
  const isDropped = ({ id = "" }: { id?: string }) => agreed && made.pricedBy.has(id) && !alike.has(id);
  const dropped = made.entries.filter(isDropped);
  const file = { ...made.file, models: made.file.models.filter((model) => !isDropped(model)) };
  const sources = lists.map((list) => sourceOf(list, list.as_of ?? options.as_of));
  const refused = [
    ...made.refused,
    ...dropped.map(({ id = "", channels = [] }) => ({
      provider: channels[0]?.provider ?? "",
      model: channels[0]?.model ?? id,
      why: "price: no other list has the same",
    })),
  ];
  return {
    file: lists.length > 1 ? withAgreement(file, sources, all) : file,
    agreements,
    entries: made.entries.filter((entry) => !isDropped(entry)),
    channels: made.channels,
    refused,
  };
}

const namesAway = (row: ListedModel) => [`${row.provider}/${row.name}`, row.name];

/** Throws for a pattern that fits no row that could be added: its writer means something else. */
export function checkPatterns(
  patterns: readonly Pattern[],
  compared: readonly ComparedPrices[],
  catalog: Catalog,
): void {
  const namesOf = namesOfRows(catalog);
  const here = compared.flatMap(({ fresh, known }) => [...fresh, ...known].map(namesOf));
  for (const { text, fits } of patterns) {
    if (here.some((names) => names.some(fits))) continue;
    const away = compared.flatMap(({ elsewhere }) => elsewhere).find((row) => namesAway(row).some(fits));
    throw new Error(
      away
        ? `--add ${text}: the catalog has no provider ${away.provider}. --providers NAME=${away.provider} says which one it is`
        : `--add ${text}: no model of the list has such a name`,
    );
  }
}

function chosenRows(rows: readonly FreshRow[], catalog: Catalog, patterns: readonly Pattern[]): FreshRow[] {
  const namesOf = namesOfRows(catalog);
  return rows.filter((row) => {
    const names = namesOf(row);
    return patterns.some(({ fits }) => names.some(fits));
  });
}

/** How many rows the patterns would choose at providers that the catalog lacks. */
function countAway(elsewhere: readonly ListedModel[], patterns: readonly Pattern[]): Made["no_provider"] {
  const meant = elsewhere.filter((row) => patterns.some(({ fits }) => namesAway(row).some(fits)));
  return [...Map.groupBy(meant, ({ provider }) => provider)].map(([provider, all]) => ({
    provider,
    models: all.length,
  }));
}

function sourceOf({ source }: PriceList, as_of: string) {
  return { source, as_of };
}

/** What is noted at the prices of models that the catalog has: the list, and the page that it names for the model. */
export function sourcesOf(list: DatedList, { listedOf }: ComparedPrices): (id: string) => PriceSource {
  return (id) => withPage(sourceOf(list, list.as_of), listedOf.get(id)?.about.page);
}

function parsed(json: CatalogJson): Catalog {
  return parseCatalog(structuredClone(json));
}
