/** The drift of a catalog against a public price list, and the catalog that comes of it. */

import { describe, expect, test } from "vitest";
import { readCatalogFiles } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { changesOf } from "#shared/books/prices/changes.ts";
import { type Comparison, compare } from "#shared/books/prices/drift.ts";
import { type CatalogJson, readPriceList, withPrices } from "#shared/books/prices/import.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { file, flat, rates } from "#test/support/price-catalog.ts";
import { litellmText } from "#test/support/price-lists.ts";

const day = "2026-11-20";
const usd = { digits: 1n, places: 0 };
const source = { source: "a list", as_of: "2026-11-20" };
const terms: Comparison = {
  pointsPerUsd: usd,
  as_of: source.as_of,
  providers: new Map(),
  wanted: () => true,
};

function importing(json: CatalogJson, change: Partial<Comparison> = {}, text = litellmText) {
  const catalog = parseCatalog(json);
  const compared = compare(catalog, readPriceList(text, day).models, { ...terms, ...change });
  const next = withPrices(json, catalog, compared.prices, () => source);
  return { catalog, ...compared, next, parsed: parseCatalog(structuredClone(next)) };
}

describe("the drift", () => {
  const { drift } = importing(file());

  test("names each rate that is dearer, cheaper or new, size by size and way by way", () => {
    const lines = drift.changes.map(
      ({ model, rate, old, new: now, change }) => `${model} ${rate} ${old} ${now} ${change}`,
    );
    expect(lines).toEqual([
      "openai/luna input to 272000 1 0.2 down",
      "openai/luna output to 272000 1 1.2 up",
      "openai/luna input over 272000 1 0.4 down",
      "openai/luna output over 272000 1 1.8 up",
      "openai/luna cache_read over 272000 0.02 0.04 up",
      "openai/luna cache_write over 272000 0.25 0.5 up",
      "openai/luna cache_write_1h over 272000 none 0.6 new",
      "openai/luna flex input to 272000 none 0.1 new",
      "openai/luna flex output to 272000 none 0.6 new",
      "openai/luna flex cache_read to 272000 none 0.02 new",
      "openai/luna flex cache_write to 272000 none 0.25 new",
      "openai/luna flex input over 272000 none 0.2 new",
      "openai/luna flex output over 272000 none 1.8 new",
      "openai/luna flex cache_read over 272000 none 0.04 new",
      "openai/luna flex cache_write over 272000 none 0.5 new",
      "openai/luna flex cache_write_1h over 272000 none 0.6 new",
      "openai/luna batch input to 272000 none 0.1 new",
      "openai/luna batch output to 272000 none 1.2 new",
      "openai/luna batch cache_read to 272000 none 0.02 new",
      "openai/luna batch cache_write to 272000 none 0.25 new",
      "openai/luna batch input over 272000 none 0.4 new",
      "openai/luna batch output over 272000 none 0.9 new",
      "openai/luna batch cache_read over 272000 none 0.04 new",
      "openai/luna batch cache_write over 272000 none 0.5 new",
      "openai/luna batch cache_write_1h over 272000 none 0.6 new",
      "openai/luna batch cache_write_1h none 0.15 new",
      "openai/luna cache_write_1h none 0.3 new",
      "openai/luna cache_write_12h none 0.5 new",
      "openai/nano output 1 1.25 up",
      "openai/nano flex output 0.5 0.625 up",
      "volcengine/seed input over 32000 0.46 0.7 up",
      "volcengine/seed output over 32000 2.3 3.5 up",
      "volcengine/seed cache_write over 32000 0.46 0.7 up",
      "minimax/picture image 0.003 0.0035 up",
    ]);
    expect(drift.same).toEqual(["google/flash"]);
  });

  test("names what the list has not, cannot say, or says later here", () => {
    expect(drift.gone).toEqual([
      { model: "minimax/old", why: "the list has no such model" },
      { model: "byteplus/seed", why: "the list has no provider byteplus" },
    ]);
    expect(drift.unpriced).toEqual([
      { model: "volcengine/vectors", why: "the list has it for free, or does not know its price" },
      { model: "minimax/off", why: "a rate has more than six decimals of a point" },
    ]);
    expect(drift.newer).toEqual([{ model: "zhipu/glm", as_of: "2026-11-21" }]);
    expect(drift.inexpressible).toEqual([
      { what: "output_cost_per_image_batches", models: 1, such_as: ["openai/luna"] },
      { what: "regional_processing_uplift_multiplier_eu", models: 1, such_as: ["openai/luna"] },
      { what: "search_context_cost_per_query", models: 1, such_as: ["zhipu/glm"] },
      { what: "no price for cache reads: it stays", models: 1, such_as: ["volcengine/seed"] },
    ]);
  });

  test("names new models of the catalog's providers, and nobody else's", () => {
    expect(drift.new).toEqual([
      { provider: "openai", model: "gpt-5.4-search" },
      { provider: "minimax", model: "speech-2" },
    ]);
  });

  test("is of the wanted models alone, and of providers by the names that are given", () => {
    const wanted = importing(file(), { wanted: (id) => id === "minimax/old" }).drift;
    expect([wanted.changes, wanted.gone.length, wanted.same]).toEqual([[], 1, []]);
    const mapped = importing(file(), { providers: new Map([["openai", "azure"]]) }).drift;
    expect(mapped.changes[0]).toMatchObject({ model: "openai/luna", rate: "input", new: "0.9" });
  });

  test("leaves alone what is priced by all tokens or by the second", () => {
    const json = file();
    const tiers = [{ up_to: null, price: "1" }];
    Object.assign(json.models[0] ?? {}, {
      price: { mode: "total_tokens_tiers", input: tiers, output: tiers, cache_read: "1", cache_write: "1" },
    });
    expect(importing(json).drift.unpriced[0]).toEqual({
      model: "openai/luna",
      why: "the catalog's tiers are of all tokens, the list's of input",
    });
    expect(changesOf(flat("1", "1", "1", "1"), { mode: "per_image", unit_price: "1" })).toEqual([]);
  });
});

describe("the catalog that is written", () => {
  test("passes the check, and comes to no drift any more", () => {
    const { next, parsed } = importing(file());
    expect(parsed.models[0]?.price).toMatchObject({
      mode: "input_tokens_tiers",
      tiers: [
        { up_to: 272_000, ...rates("0.2", "1.2", "0.02", "0.25") },
        { up_to: null, ...rates("0.4", "1.8", "0.04", "0.5") },
      ],
    });
    const again = importing(next);
    expect(again.drift.changes).toEqual([]);
    expect(again.next).toEqual(next);
  });

  test("says where prices were read that the list has, unless they were read later", () => {
    const sources = importing(file()).parsed.models.map(({ id, price_source }) => [id, price_source?.source]);
    expect(Object.fromEntries(sources)).toEqual({
      "openai/luna": "a list",
      "openai/nano": "a list",
      "google/flash": "a list",
      "zhipu/glm": "the vendor",
      "volcengine/seed": "a list",
      "volcengine/vectors": undefined,
      "minimax/off": undefined,
      "minimax/old": undefined,
      "byteplus/seed": undefined,
      "minimax/picture": "a list",
    });
  });

  test("keeps a group while all of it changes alike, and takes who does not out of it", () => {
    const alike = importing(file());
    expect(alike.parsed.pricing_groups.nano).toMatchObject(flat("0.2", "1.25", "0.02", "0.2"));
    expect(alike.next.models[1]).toMatchObject({ pricing_group: "nano" });
    const json = file();
    Object.assign(json.models[7] ?? {}, { price: null, pricing_group: "nano" });
    const apart = importing(json);
    expect(apart.parsed.pricing_groups.nano).toMatchObject(flat("0.2", "1", "0.02", "0.2"));
    expect(apart.parsed.models[1]).toMatchObject({ pricing_group: null, price: { output: "1.25" } });
    expect(apart.parsed.models[7]).toMatchObject({ pricing_group: "nano", price: null });
  });

  test("keeps what a price says of other things, and a multiplier that comes to the list's prices", () => {
    const json = file();
    const tier = (up_to: number | null, rates: object) => ({
      up_to,
      ...flat("1", "1", "1", "1"),
      mode: undefined,
      rates,
    });
    const service_tier = { flex: "0.5", scale: "2" };
    const old = {
      mode: "input_tokens_tiers",
      tiers: [tier(272_000, { audio_input: "7" }), tier(null, { audio_input: "8", cache_write_1h: "9" })],
      rates: { service_tier, tools: { web_search: "0.01" }, audio_output: "5" },
    };
    Object.assign(json.models[0] ?? {}, { price: JSON.parse(JSON.stringify(old)) });
    const { next, parsed } = importing(json);
    const price = parsed.models[0]?.price;
    expect(price).toMatchObject({
      tiers: [
        { input: "0.2", rates: { audio_input: "7" } },
        { input: "0.4", rates: { audio_input: "8", cache_write_1h: "0.6" } },
      ],
      rates: { tools: { web_search: "0.01" }, audio_output: "5", cache_write_1h: "0.3" },
    });
    expect(price?.rates?.service_tier).toMatchObject({ flex: { mode: "input_tokens_tiers" }, scale: "2" });
    expect(importing(next).drift.changes).toEqual([]);
    expect(parsed.pricing_groups.nano?.rates).toEqual({ service_tier: { flex: "0.5" } });
  });

  test("keeps a multiplier where only the rates of batches are new, and the list has rates of kinds beside it", () => {
    const listed = {
      ...{
        litellm_provider: "openai",
        mode: "chat",
        input_cost_per_token: 2e-6,
        output_cost_per_token: 8e-6,
      },
      ...{ cache_read_input_token_cost: 2e-7, input_cost_per_audio_token: 4e-6 },
      ...{ input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 },
      ...{ cache_read_input_token_cost_flex: 1e-7, input_cost_per_audio_token_flex: 2e-6 },
      ...{ cache_creation_input_token_cost: 2e-6, cache_creation_input_token_cost_flex: 1e-6 },
      ...{ input_cost_per_token_batches: 1e-6, output_cost_per_token_batches: 4e-6 },
    };
    const json = file();
    const price = {
      ...flat("2", "8", "0.2", "2"),
      rates: { service_tier: { flex: "0.5" }, audio_input: "4" },
    };
    Object.assign(json.models[0] ?? {}, { price });
    const { drift, parsed } = importing(json, {}, JSON.stringify({ "gpt-5.6-luna": listed }));
    expect(drift.changes.map(({ rate }) => rate)).toEqual([
      ...["batch input", "batch output", "batch cache_read", "batch cache_write"],
    ]);
    const batch = flat("1", "4", "0.2", "2");
    expect(parsed.models[0]?.price).toEqual({ ...price, rates: { ...price.rates, batch } });
  });

  test("is laid out as the files of the default one are", () => {
    const { parts } = readCatalogFiles(defaultCatalog);
    for (const { text } of parts) expect(catalogText(JSON.parse(text))).toBe(text);
    expect(parts.length).toBeGreaterThan(2);
  });
});
