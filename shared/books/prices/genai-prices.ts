/** Reads genai-prices' `data.json`, in dollars per million tokens. It does not say which calls a model takes. */
import { type Fields, isObject } from "../../base/json/fields.ts";
import type { ListedModel, ListedRates } from "./list.ts";
import { type Amount, countOf, fieldsOf, readAmount } from "./numbers.ts";

const rateFields = new Map<string, keyof ListedRates>([
  ["input_mtok", "input"],
  ["output_mtok", "output"],
  ["cache_read_mtok", "cache_read"],
  ["cache_write_mtok", "cache_write"],
  ["cache_write_1h_mtok", "cache_write_1h"],
  ["input_audio_mtok", "audio_input"],
  ["cache_audio_read_mtok", "audio_cache_read"],
  ["output_audio_mtok", "audio_output"],
  ["output_image_mtok", "image_output"],
]);
const searches = "web_searches_kcount";

/** Whether a list has this form: its entries have an id and a list of models. */
export function isGenaiPrices(list: unknown): list is Fields[] {
  return Array.isArray(list) && list.some((entry) => isObject(entry) && Array.isArray(entry.models));
}

/** The list's models, each at its price of `day` (a UTC day): a later price may stand there already. */
export function readGenaiPrices(list: readonly Fields[], day: string): ListedModel[] {
  return list.flatMap(({ id, models }) =>
    (Array.isArray(models) ? models : []).map(fieldsOf).map((model) => readModel(String(id), model, day)),
  );
}

function readModel(provider: string, model: Fields, day: string): ListedModel {
  const { prices, isOpen } = pricesOn(model.prices, day);
  const name = String(model.id);
  const search = readAmount(prices[searches]);
  return {
    provider,
    name,
    ...sheetOf(prices),
    ways: {},
    tools: search ? { [provider === "google" ? "google_search" : "web_search"]: perThousand(search) } : {},
    image: undefined,
    others: [...othersOf(prices), ...(isOpen ? [] : ["a price by the time of day"])],
    about: {
      display_name: typeof model.name === "string" ? model.name : name,
      released: undefined,
      capabilities: [],
      context_tokens: countOf(model.context_window),
      output_tokens: 0,
    },
  };
}

/**
 * The price of a day: the last one that has begun by then. `isOpen` is false where another price holds at some times of
 * the day. Then it is the dearest of them, because a catalog has one price for all times.
 */
function pricesOn(prices: unknown, day: string): { prices: Fields; isOpen: boolean } {
  if (!Array.isArray(prices)) return { prices: fieldsOf(prices), isOpen: true };
  const dated = prices
    .map(fieldsOf)
    .map(({ constraint, prices: own }) => ({ constraint: fieldsOf(constraint), own: fieldsOf(own) }));
  const isOpen = dated.every(({ constraint }) => !("start_time" in constraint));
  const begun = dated.filter(
    ({ constraint: { start_date, start_time } }) =>
      start_time === undefined && (typeof start_date !== "string" || start_date <= day),
  );
  const timed = dated.filter(({ constraint }) => "start_time" in constraint);
  const candidates = [...begun.slice(-1), ...timed].map(({ own }) => own);
  return { prices: candidates.toSorted((a, b) => inputOf(b) - inputOf(a))[0] ?? {}, isOpen };
}

/** What input costs, to put prices of one model in order. */
function inputOf({ input_mtok }: Fields): number {
  return Number(isObject(input_mtok) ? input_mtok.base : input_mtok) || 0;
}

/** A price is an amount, or a base with what holds above sizes of the input. */
function sheetOf(prices: Fields): Pick<ListedModel, "rates" | "tiers"> {
  const rates: ListedRates = {};
  const tiers = new Map<number, ListedRates>();
  for (const [field, rate] of rateFields) {
    const value = prices[field];
    const amount = readAmount(isObject(value) ? value.base : value);
    if (amount) rates[rate] = amount;
    const steps = isObject(value) && Array.isArray(value.tiers) ? value.tiers.map(fieldsOf) : [];
    for (const { start, price } of steps) {
      const above = countOf(start);
      const step = readAmount(price);
      if (step) tiers.set(above, { ...tiers.get(above), [rate]: step });
    }
  }
  return { rates, tiers: [...tiers].map(([above, own]) => ({ above, rates: own })) };
}

/** The names of all other prices above 0. */
function othersOf(prices: Fields): string[] {
  return Object.entries(prices).flatMap(([field, value]) => {
    if (rateFields.has(field) || field === searches) return [];
    return readAmount(value)?.digits === 0n ? [] : [field];
  });
}

function perThousand({ digits, places }: Amount): Amount {
  return { digits, places: places + 3 };
}
