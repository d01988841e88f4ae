/** Rows of models that search in each request: what a search costs is a fee for the request. */
import { expect, test } from "vitest";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { changesOf } from "#shared/books/prices/changes.ts";
import { readPriceList } from "#shared/books/prices/import.ts";
import { tokenPrice } from "#shared/books/prices/list.ts";
import { flat } from "#test/support/price-catalog.ts";

const search_context_cost_per_query = { search_context_size_low: 0.01, search_context_size_high: 0.01 };
const row = {
  ...{ litellm_provider: "openai", mode: "chat", search_context_cost_per_query },
  ...{ input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, cache_read_input_token_cost: 1e-7 },
};

test("LiteLLM's rows of such models have the fee, and others have a tool", () => {
  const text = JSON.stringify({ "gpt-5-search-api": row, "gpt-5.4": row });
  const prices = readPriceList(text, "2026-11-20").models.map((listed) =>
    tokenPrice(listed, { digits: 1n, places: 0 }),
  );
  const four = flat("1", "2", "0.1", "1");
  expect(prices).toEqual([
    { price: { ...four, rates: { unasked: { web_search: "0.01" } } }, notes: [] },
    { price: { ...four, rates: { tools: { web_search: "0.01" } } }, notes: [] },
  ]);
});

test("another fee is a change", () => {
  const priced = (web_search: string) =>
    ({ ...flat("1", "2", "0.1", "1"), rates: { unasked: { web_search } } }) as Price;
  expect(changesOf(priced("0.01"), priced("0.02"))).toEqual([
    { rate: "each request's web_search", old: "0.01", new: "0.02", change: "up" },
  ]);
});
