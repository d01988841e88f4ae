/** The rates of a catalog beside those of several lists. */
import { type Catalog, priceOf } from "../catalog/catalog.ts";
import { changesOf } from "./changes.ts";
import { compare } from "./drift.ts";
import type { ListedModel, ListFormat } from "./list.ts";
import type { Amount } from "./numbers.ts";

/** One rate of a model. Behind `here` stands the rate of each list, under the list's name. */
export interface SideBySide {
  model: string;
  rate: string;
  here: string;
  [column: string]: string;
}

/** What stands for a list that has the same rate, or none of its own. */
const asHere = "as here";
/** What stands for a list that does not price the model. */
const absent = "-";

/** No price is of a later day, so that older lists are compared too. */
export const latestDay = "9999-12-31";

interface Beside {
  lists: readonly { format: ListFormat; models: readonly ListedModel[] }[];
  wanted: (id: string) => boolean;
  pointsPerUsd: Amount;
}

/** The rates of wanted models that differ between two states of a catalog, each with its new one as `now`. */
export function changedBeside(before: Catalog, after: Catalog, beside: Beside): SideBySide[] {
  const cellsOf = cells(before, beside);
  return before.models
    .filter(({ id }) => beside.wanted(id))
    .flatMap((entry) => {
      const now = after.models.find(({ id }) => id === entry.id);
      const [old, next] = [priceOf(entry, before), now && priceOf(now, after)];
      if (!old || !next) return [];
      return changesOf(old, next).map((change) => {
        const { rate, old: here, new: now } = change;
        return { model: entry.id, rate, here, now, ...cellsOf(entry.id, rate) };
      });
    });
}

/** The rates of wanted models that any list has otherwise. What only a list has a rate for is left out. */
export function otherwiseBeside(catalog: Catalog, beside: Beside): SideBySide[] {
  const cellsOf = cells(catalog, beside);
  const found = new Map<string, { model: string; rate: string; here: string }>();
  for (const { drift } of comparedWith(catalog, beside)) {
    for (const { model, rate, old, change } of drift.changes)
      if (change !== "new") found.set(`${model} ${rate}`, { model, rate, here: old });
  }
  return [...found.values()].map((row) => ({ ...row, ...cellsOf(row.model, row.rate) }));
}

/** What each list has for a rate of a model, by the list's name. */
function cells(catalog: Catalog, beside: Beside): (model: string, rate: string) => Record<string, string> {
  const all = comparedWith(catalog, beside).map(({ drift, prices }, index) => ({
    format: beside.lists[index]?.format ?? "",
    rates: new Map(drift.changes.map(({ model, rate, new: now }) => [`${model} ${rate}`, now])),
    prices,
  }));
  return (model, rate) =>
    Object.fromEntries(
      all.map(({ format, rates, prices }) => [
        format,
        rates.get(`${model} ${rate}`) ?? (prices.has(model) ? asHere : absent),
      ]),
    );
}

function comparedWith(catalog: Catalog, { lists, wanted, pointsPerUsd }: Beside) {
  const options = { pointsPerUsd, as_of: latestDay, providers: new Map<string, string>(), wanted };
  return lists.map(({ models }) => compare(catalog, models, options));
}
