/** What other lists say of the prices that a catalog has from one of them. */
import type { Catalog, PriceSource } from "../catalog/catalog.ts";
import type { RateChange } from "./changes.ts";
import { type Comparison, compare } from "./drift.ts";
import type { CatalogJson } from "./import.ts";
import type { ListedModel, ListFormat } from "./list.ts";
import { aloneWords, withWords } from "./list-sources.ts";

/** What another list says of the prices that a catalog got elsewhere. */
interface Agreement {
  format: ListFormat;
  /** The day that the list names of itself. */
  as_of: string | undefined;
  /** Models whose prices are the same in both. */
  agree: string[];
  /** The rates that differ: `old` is the catalog's. */
  differ: (RateChange & { model: string })[];
  /** Models that the list does not have, or whose price it cannot say. */
  unknown: string[];
}

/** Compares those models of a catalog whose ids are `priced` with a list that they were not priced by. */
export function agreementOf(
  catalog: Catalog,
  priced: ReadonlySet<string>,
  list: { format: ListFormat; as_of?: string | undefined; models: readonly ListedModel[] },
  options: Omit<Comparison, "wanted">,
): Agreement {
  const models = list.models.map((model) => ({ ...model, tiers: model.tiers.map(roundBound) }));
  const { drift } = compare(catalog, models, { ...options, wanted: (id) => priced.has(id) });
  const differ = drift.changes.filter(({ change }) => change !== "new");
  const differing = new Set(differ.map(({ model }) => model));
  const unknown = [...drift.gone, ...drift.unpriced].map(({ model }) => model);
  const agree = [...priced].filter((id) => !differing.has(id) && !unknown.includes(id));
  const { format, as_of } = list;
  return { format, as_of, agree: agree.sort(), differ, unknown: unknown.sort() };
}

/** A bound of 199,999 tokens and one of 200,000 are two readings of one price page. */
function roundBound<Tier extends { above: number }>(tier: Tier): Tier {
  return (tier.above + 1) % 1000 === 0 ? { ...tier, above: tier.above + 1 } : tier;
}

/**
 * The file with what other lists say of its prices. It looks at prices from one of the `sources`. Their source then names
 * the lists that agree and those that differ, or says that no other list has the price. The day of a list says which price
 * is the later one.
 */
export function withAgreement<File extends CatalogJson>(
  file: File,
  sources: readonly PriceSource[],
  agreements: readonly Agreement[],
): File {
  const verdicts = new Map<string, string[]>();
  const say = (id: string, words: string) => verdicts.set(id, [...(verdicts.get(id) ?? []), words]);
  for (const { format, as_of, agree, differ } of agreements) {
    const list = as_of === undefined ? format : `${format} of ${as_of}`;
    for (const id of agree) say(id, `${list} agrees`);
    for (const id of new Set(differ.map(({ model }) => model))) say(id, `${list} differs`);
  }
  const judged = new Set(
    agreements.flatMap(({ agree, differ, unknown }) => [
      ...agree,
      ...differ.map(({ model }) => model),
      ...unknown,
    ]),
  );
  const models = file.models.map((model) => {
    const { id = "", price_source } = model;
    const isFromList = sources.some(
      ({ source, as_of }) => price_source?.source.startsWith(source) && price_source.as_of === as_of,
    );
    if (!price_source || !isFromList || !judged.has(id)) return model;
    const words = verdicts.get(id) ?? [aloneWords];
    return { ...model, price_source: withWords(price_source, words) };
  });
  return { ...file, models };
}
