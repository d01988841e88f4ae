/**
 * What a catalog offers customers: rates, names, plans, and what a point is worth and sold for. `npm run deploy`
 * compares two of them, so nothing may be left out: a price is walked through whatever its mode.
 */
import { createHash } from "node:crypto";
import { formatDecimal, parseDecimal } from "../billing/points.ts";
import { type Catalog, priceOf } from "../catalog/catalog.ts";
import type { NextPrice } from "../catalog/next-price.ts";

/** Terms as text by what they belong to: a model's id, `plan NAME`, `alias NAME`, `currency`, `recharge CODE`. */
export type Offer = Record<string, Record<string, string>>;

/** One term that differs between two offers. */
interface OfferChange {
  /** The model, plan or name. */
  of: string;
  term: string;
  /** "none" where there was no such term. */
  before: string;
  /** "none" where there is no such term any more. */
  after: string;
  /** By how much a number changes, in per cent of the one before; "new", "gone", or "-" where nothing can be said. */
  change: string;
}

const none = "none";
/** Decimals are compared by their value, with as many places as a catalog may give. */
const decimalPlaces = 18;
const isDecimal = /^\d+(?:\.\d{1,18})?$/;

/** The offer of a catalog that was checked. */
export function offerOf(catalog: Catalog): Offer {
  const models = catalog.models.map((model) => {
    const { discount_rate, next_price: next } = model;
    const now = { ...priceOf(model, catalog), discount_rate };
    return [model.id, termsOf(next ? { ...now, next_price: nextTerms(now, next) } : now)];
  });
  const aliases = catalog.models.flatMap(({ id, aliases }) =>
    aliases.map((name) => [`alias ${name}`, { model: id }]),
  );
  const plans = Object.entries(catalog.plans).map(([name, plan]) => [`plan ${name}`, termsOf(plan)]);
  const currency = catalog.currency ? [["currency", termsOf(catalog.currency)]] : [];
  const recharge = Object.entries(catalog.recharge ?? {}).map(([code, sold]) => [
    `recharge ${code}`,
    termsOf(sold),
  ]);
  return Object.fromEntries([...currency, ...recharge, ...plans, ...models, ...aliases]);
}

/** A next price as a whole: it may leave out what stays. */
function nextTerms(now: { discount_rate: string }, { price, ...next }: NextPrice): object {
  return price ? { discount_rate: now.discount_rate, ...price, ...next } : { ...now, ...next };
}

/** How the terms of a next price begin. */
const nextPrefix = "next_price ";

/** An offer as it is on a UTC day: a next price whose day has come is the price. */
export function offerOn(offer: Offer, day: string): Offer {
  return Object.fromEntries(Object.entries(offer).map(([of, terms]) => [of, termsOn(terms, day)]));
}

function termsOn(terms: Offer[string], day: string): Offer[string] {
  const from = terms[`${nextPrefix}from`];
  if (from === undefined || from > day) return terms;
  const next = Object.entries(terms).filter(([name]) => name.startsWith(nextPrefix));
  const { from: _, ...price } = Object.fromEntries(
    next.map(([name, text]) => [name.slice(nextPrefix.length), text]),
  );
  return price;
}

/** A term, or "none". Without a next price the term is that of the price: so only what will change is told. */
function termIn(terms: Offer[string] | undefined, term: string): string {
  const bare = term.startsWith(nextPrefix) ? term.slice(nextPrefix.length) : term;
  return terms?.[term] ?? terms?.[bare] ?? none;
}

/** How many changes of a price its text names. */
const changesNamedMax = 20;

/** What differs between two prices of a model as one text, such as `input: 2.5 → 3 (+20.0 %); output: 10 → 12 (+20.0 %)`. */
export function priceChanges(before: object, after: object): string {
  const changes = offerChanges({ price: termsOf(before) }, { price: termsOf(after) });
  const told = changes.slice(0, changesNamedMax).map((each) => {
    const { term, before: was, after: is, change } = each;
    return `${term}: ${was} → ${is}${/\d/.test(change) ? ` (${change})` : ""}`;
  });
  const rest = changes.length - told.length;
  return told.join("; ") + (rest > 0 ? `; ${rest} more` : "");
}

/** Every value within `value` as text, by the words that lead to it. */
function termsOf(value: unknown, path: readonly string[] = []): Record<string, string> {
  const under = (...words: string[]) => [...path, ...words];
  if (Array.isArray(value)) return Object.assign({}, ...listTerms(value, under));
  if (typeof value === "object" && value !== null) {
    return Object.assign({}, ...Object.entries(value).map(([name, inner]) => termsOf(inner, under(name))));
  }
  return { [path.join(" ")]: value === null ? "no limit" : textOf(String(value)) };
}

/** The terms of a list: tiers by the sizes that they hold for, anything else by itself. */
function listTerms(
  list: readonly unknown[],
  under: (...words: string[]) => string[],
): Record<string, string>[] {
  return list.map((item, at) => {
    if (typeof item !== "object" || item === null) return { [under(String(item)).join(" ")]: "yes" };
    const { up_to, ...rest } = item as { up_to?: number | null };
    const below = at === 0 ? 0 : (list[at - 1] as { up_to: number }).up_to;
    return termsOf(rest, under(typeof up_to === "number" ? `to ${up_to}` : `over ${below}`));
  });
}

/** Decimals in one form, so that `5` and `5.0` are the same. */
function textOf(text: string): string {
  return isDecimal.test(text) ? formatDecimal(parseDecimal(text, decimalPlaces), decimalPlaces) : text;
}

/** Every term that differs. A model, plan or name that goes is one line; one that comes has all of its terms. */
export function offerChanges(before: Offer, after: Offer): OfferChange[] {
  return joined(before, after).flatMap(([of, old, now]) => {
    if (old && !now) return [{ of, term: "all", before: "offered", after: none, change: "gone" }];
    return joined(old ?? {}, now ?? {}).flatMap(([term]) => {
      const [was, is] = [termIn(old, term), termIn(now, term)];
      return was === is ? [] : [{ of, term, before: was, after: is, change: changeOf(was, is) }];
    });
  });
}

/** Every name of two records, with what either has under it. */
function joined<Value>(one: Record<string, Value>, other: Record<string, Value>) {
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names].map((name) => [name, first.get(name), second.get(name)] as const);
}

/** The change in per cent, to a tenth. What is less than that is never shown as nothing. */
function changeOf(before: string, after: string): string {
  if (before === none) return "new";
  if (after === none) return "gone";
  if (!isDecimal.test(before) || !isDecimal.test(after)) return "-";
  const [was, is] = [parseDecimal(before, decimalPlaces), parseDecimal(after, decimalPlaces)];
  if (was === 0n) return "from 0";
  const sign = is > was ? "+" : "-";
  const difference = is > was ? is - was : was - is;
  const tenths = (difference * 2000n + was) / (2n * was);
  return tenths === 0n ? `${sign}<0.1 %` : `${sign}${formatDecimal(tenths, 1)} %`;
}

/** The first 12 hex digits of the SHA-256 of an offer, or of changes: it stands for exactly these. */
export function digestOf(what: Offer | readonly OfferChange[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 12);
}
