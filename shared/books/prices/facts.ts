/** What several lists together know of a model that one of them prices: its name, its days, its sizes. */
import { normalName } from "../accounts/pattern.ts";

import type { FreshRow } from "./additions.ts";
import { changesOf } from "./changes.ts";
import { ownName } from "./host-names.ts";
import { type ListedModel, type ListedRates, type ModelFacts, rateNames, tokenPrice } from "./list.ts";
import { type Amount, catalogDecimal } from "./numbers.ts";

/**
 * The rows of one list, with what they leave out taken from the first other list that says it. A price of something that
 * every call has counts wherever it stands, so that no row is sold too cheaply.
 */
export function withFacts(rows: readonly FreshRow[], others: readonly (readonly FreshRow[])[]): FreshRow[] {
  const indexes = others.map(indexOf);
  return rows.map((row) => {
    const found = indexes.flatMap((index) => sameIn(index, row) ?? []);
    return { ...row, listed: found.reduce(completed, row.listed) };
  });
}

/**
 * The rows with the names of one model together: `grok-4.3-latest` is `grok-4.3`, and `gpt-4.1-2025-04-14` is `gpt-4.1`,
 * where the list says the very same of both. Of several days none is the model's.
 */
export function withOneName(rows: readonly FreshRow[], pointsPerUsd: Amount): FreshRow[] {
  const named = new Map(rows.map((row) => [exactKey(row), row]));
  const baseOf = (row: FreshRow) => {
    const key = exactKey(row);
    const short = key.replace(latest, "").replace(dated, "");
    const base = short === key ? undefined : named.get(short);
    return base && saysTheSame(base.listed, row.listed, pointsPerUsd) ? base : undefined;
  };
  const twins = Map.groupBy(rows, baseOf);
  const isOfSeveralDays = (base: FreshRow) =>
    (twins.get(base) ?? []).filter((row) => dated.test(exactKey(row))).length > 1;
  const isOther = (row: FreshRow, base: FreshRow | undefined) =>
    base === undefined || (dated.test(exactKey(row)) && isOfSeveralDays(base));
  return rows
    .filter((row) => isOther(row, baseOf(row)))
    .map((row) => {
      const others = (twins.get(row) ?? []).filter((twin) => !isOther(twin, row));
      if (others.length === 0) return row;
      const { about } = row.listed;
      const aliases = [...(about.aliases ?? []), ...others.map(({ listed }) => listed.name)];
      return { ...row, listed: { ...row.listed, about: { ...about, aliases } } };
    });
}

const latest = /-latest$/;
const dated = /-20\d\d-?[01]\d-?[0-3]\d$/;

/** Whether both rows have the same page, sizes, capabilities and price. */
function saysTheSame(a: ListedModel, b: ListedModel, pointsPerUsd: Amount): boolean {
  const facts = ({ about }: ListedModel) =>
    JSON.stringify([about.page, about.ends, about.context_tokens, about.output_tokens, about.capabilities]);
  const [ofA, ofB] = [tokenPrice(a, pointsPerUsd), tokenPrice(b, pointsPerUsd)];
  if ("why" in ofA || "why" in ofB || facts(a) !== facts(b)) return false;
  return changesOf(ofA.price, ofB.price).length === 0 && changesOf(ofB.price, ofA.price).length === 0;
}

function completed(listed: ListedModel, other: ListedModel): ListedModel {
  const { about } = listed;
  const facts: ModelFacts = {
    ...other.about,
    ...about,
    display_name: hasBetterName(listed, other) ? other.about.display_name : about.display_name,
    released: about.released ?? other.about.released,
    capabilities: about.capabilities.length > 0 ? about.capabilities : other.about.capabilities,
    context_tokens: about.context_tokens || other.about.context_tokens,
    output_tokens: about.output_tokens || other.about.output_tokens,
  };
  const others = [...new Set([...listed.others, ...other.others])];
  return { ...listed, rates: { ...ratesFrom(listed, other), ...listed.rates }, others, about: facts };
}

/** The price of cache reads of a list that has the same prices beside it. */
function ratesFrom({ rates, tiers }: ListedModel, other: ListedModel): ListedRates {
  const { cache_read } = other.rates;
  const isSame = rateNames.slice(0, 2).every((name) => isEqual(rates[name], other.rates[name]));
  return cache_read && isSame && tiers.length + other.tiers.length === 0 ? { cache_read } : {};
}

function isEqual(a: Amount | undefined, b: Amount | undefined): boolean {
  return a !== undefined && b !== undefined && catalogDecimal(a) === catalogDecimal(b);
}

/** A list that knows the day of a release has the name as its maker writes it. */
function hasBetterName({ name, about }: ListedModel, other: ListedModel): boolean {
  const isPlain = about.display_name === name;
  return isPlain || (about.released === undefined && other.about.released !== undefined);
}

type Index = Map<string, ListedModel>;

/** The rows of a list that earlier lists do not have. What an earlier one has and refused is not asked of a later one. */
export function rowsBeyond(rows: readonly FreshRow[], earlier: readonly FreshRow[]): FreshRow[] {
  const index = indexOf(earlier);
  return rows.filter((row) => sameIn(index, row) === undefined);
}

/** Rows under their whole names, and under their makers' names, which lists of a host's models have in common. */
function indexOf(rows: readonly FreshRow[]): Index {
  const index: Index = new Map();
  for (const key of [exactKey, makersKey]) {
    for (const row of rows) {
      const name = key(row);
      if (!index.has(name)) index.set(name, row.listed);
    }
  }
  return index;
}

function sameIn(index: Index, row: FreshRow): ListedModel | undefined {
  return index.get(exactKey(row)) ?? index.get(makersKey(row));
}

function exactKey({ provider, listed }: FreshRow): string {
  return `${provider}/${normalName(listed.name)}`;
}

function makersKey({ provider, listed }: FreshRow): string {
  const own = ownName(listed.provider, listed.name);
  return `${provider}/${normalName("name" in own ? own.name : listed.name)}`;
}
