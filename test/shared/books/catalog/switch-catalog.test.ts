/** The default catalog's rates, against what its vendors publish (read 2026-11-22), by what whole calls cost. */
import { describe, expect, test } from "vitest";
import { formatPoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { type UsageDetails, withDetails } from "#shared/books/billing/usage.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { tokens } from "#test/support/prices.ts";

const catalog = createCatalog(parseCatalog(structuredClone(catalogFile)));

/** Prices of a million tokens each: input, output, cache read, cache write; and a call of the first tool. */
type Published = [model: string, details: UsageDetails, size: number, prices: string[]];

const way = (service_tier: string): UsageDetails => ({ service_tier });

const published: Published[] = [
  ["gpt-5.6-sol", way("priority"), 200_000, ["10", "60", "1", "12.5"]],
  ["gpt-5.6-sol", way("priority"), 300_000, ["20", "90", "2", "25"]],
  ["gpt-5.6-sol", way("flex"), 300_000, ["5", "22.5", "0.5", "6.25"]],
  ["gpt-5.6-terra", way("flex"), 200_000, ["1", "6", "0.1", "1.25"]],
  ["gpt-5.6-luna", way("priority"), 200_000, ["0.4", "2.4", "0.04", "0.5"]],
  ["gpt-5.4", way("flex"), 200_000, ["1.25", "7.5", "0.13", "1.25"]],
  ["gpt-5.4", way("flex"), 300_000, ["2.5", "11.25", "0.25", "2.5"]],
  ["gpt-5.4-mini", way("flex"), 1000, ["0.375", "2.25", "0.0375", "0.375"]],
  ["gpt-5.4-nano", way("flex"), 1000, ["0.1", "0.625", "0.01", "0.1"]],
  ["gpt-4.1", way("priority"), 1000, ["3.5", "14", "0.875", "3.5"]],
  ["gpt-4o-mini", way("priority"), 1000, ["0.25", "1", "0.125", "0.25"]],
  ["claude-opus-4-8", { speed: "fast" }, 1000, ["10", "50", "1", "12.5"]],
  ["claude-opus-4-8", { inference_geo: "us" }, 1000, ["5.5", "27.5", "0.55", "6.875"]],
  ["gemini-3.1-pro-preview", way("priority"), 300_000, ["7.2", "32.4", "0.72", "7.2"]],
  ["gemini-3.1-pro-preview", way("flex"), 100_000, ["1", "6", "0.2", "1"]],
  ["gemini-3.5-flash", way("flex"), 1000, ["0.75", "4.5", "0.08", "0.75"]],
  ["gemini-3.1-flash-lite", way("flex"), 1000, ["0.125", "0.75", "0.0125", "0.125"]],
  ["gemini-2.5-pro", way("flex"), 300_000, ["1.25", "7.5", "0.25", "1.25"]],
  ["gemini-2.5-flash", way("priority"), 1000, ["0.54", "4.5", "0.054", "0.54"]],
];

const modelOf = (name: string) => {
  const model = catalog.find(name);
  if (!model) throw new Error(`no model ${name}`);
  return { model, price: catalog.price(model, 0) };
};

describe("the default catalog", () => {
  test.each(published)("%s %j at %i tokens", (name, details, size, prices) => {
    const quarter = size / 4;
    const usage = withDetails(tokens(size - 2 * quarter, 1000, quarter, quarter), details);
    const { lines, unpriced } = charge(usage, modelOf(name).price);
    expect(lines.map(({ unit_price }) => unit_price)).toEqual(prices);
    expect(unpriced).toEqual([]);
  });

  test.each<[string, NonNullable<UsageDetails["tokens"]>, number, string]>([
    ["gpt-5.6-sol", { cache_write_12h: 1000 }, 1000, "12.5"],
    ["gpt-5.6-sol", { cache_write_12h: 1000 }, 300_000, "25"],
    ["claude-fable-5", { cache_write_1h: 1000 }, 1000, "20"],
    ["claude-opus-4-8", { cache_write_1h: 1000 }, 1000, "10"],
    ["claude-sonnet-4-6", { cache_write_1h: 1000 }, 1000, "6"],
    ["claude-haiku-4-5", { cache_write_1h: 1000 }, 1000, "2"],
    ["gemini-3.1-pro-preview", { audio_input: 1000 }, 1000, "2"],
    ["gemini-3.1-pro-preview", { audio_input: 1000 }, 300_000, "4"],
    ["gemini-3.1-flash-lite", { audio_input: 1000 }, 1000, "0.5"],
    ["gemini-2.5-flash", { audio_input: 1000 }, 1000, "1"],
    ["gemini-2.5-flash", { audio_cache_read: 1000 }, 1000, "0.1"],
    ["MiniMax-M2", { cache_write_1h: 1000 }, 1000, "0.375"],
  ])("%s %j in a call of %i", (name, parts, size, unit_price) => {
    const usage = withDetails(tokens(size, 0, size, size), { tokens: parts });
    const [part] = Object.keys(parts);
    const line = charge(usage, modelOf(name).price).lines.find(
      ({ dimension }) => dimension === `${part}_tokens`,
    );
    expect(line?.unit_price).toBe(unit_price);
  });

  test.each<[string, Record<string, number>, string]>([
    ["gpt-5.6-sol", { web_search: 1000, code_interpreter: 100 }, "13"],
    ["gpt-4.1", { web_search: 1000, file_search: 1000 }, "27.5"],
    ["claude-opus-4-8", { web_search: 1000 }, "10"],
    ["gemini-3.5-flash", { google_search: 1000, google_maps: 1000 }, "28"],
    ["gemini-2.5-flash", { google_search: 7, google_maps: 1 }, "0.06"],
    ["glm-5", { web_search: 100, retrieval: 5 }, "1"],
  ])("%s calls %j", (name, calls, points) => {
    const bill = charge(withDetails(tokens(0), { calls }), modelOf(name).price);
    expect([formatPoints(bill.points), bill.unpriced]).toEqual([points, []]);
  });

  test("shows a model's rates where it shows its price", () => {
    expect(modelOf("claude-haiku-4-5").model.price).toMatchObject({ rates: { cache_write_1h: "2" } });
  });
});
