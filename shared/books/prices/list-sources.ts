/** The sources that import and sync write at prices. A source in other words is a person's. */
import type { PriceSource } from "../catalog/catalog.ts";
import { type ListFormat, listFormats } from "./list.ts";

/** The source that is noted beside a price from a list, unless the operator gives another. */
export const listSources: Record<ListFormat, string> = {
  litellm: "LiteLLM model_prices_and_context_window.json",
  "models.dev": "https://models.dev/api.json",
  "genai-prices": "genai-prices data.json",
};

/** Stands before the page where the list read the price. */
export const pageWords = ", from ";
/** What is said of a price that no other list has. */
export const aloneWords = "no other list has it";
/** Stands before the day on which no list had the price any more. */
export const goneWords = "in no list since ";

const parts = [aloneWords, goneWords, ...listFormats].map((words) => RegExp.escape(words));
/** What may stand behind a list's name: what other lists say, or that the price is gone. */
const said = new RegExp(`^(?:${parts.join("|")})(?: of)?(?: ?\\d{4}-\\d\\d-\\d\\d)?(?: agrees| differs)?$`);

/** Whether a price's source is as import and sync write it. Any other words are a person's. */
export function isFromList(source: PriceSource | null | undefined): boolean {
  const [list = "", ...words] = source?.source.split("; ") ?? [];
  const isList = Object.values(listSources).some(
    (name) => list === name || list.startsWith(name + pageWords),
  );
  return isList && words.every((each) => said.test(each));
}

/** A source with one more thing said of it. */
export function withWords(source: PriceSource, words: readonly string[]): PriceSource {
  return { ...source, source: [source.source, ...words].join("; ") };
}
