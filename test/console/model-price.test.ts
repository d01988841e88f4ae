/** Price cards: every price of the default catalog as lines, with the units of receipts. */
import { describe, expect, test } from "vitest";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { mainPrice, type PriceLine, priceCard, priceLines } from "../../console/model-price.ts";
import { words } from "../../console/pages/daily/models/en.ts";
import { words as english } from "../../console/pages/daily/receipt/en.ts";

const flat = { mode: "flat_tokens", input: "2", output: "8", cache_read: "0.2", cache_write: "2.5" } as const;
const { mode: _, ...four } = flat;
/** Lines in short: what, its detail or size, the points or the factor, and the unit. */
const told = (price: Price) =>
  priceLines(price).map(({ what, detail, way = ["", ""], size, points, factor, per }: PriceLine) =>
    [what, detail, ...way, size && `${size.of} ${size.from}-${size.to}`, points ?? `×${factor}`, per]
      .filter(Boolean)
      .join(" "),
  );
const counts = ["input_tokens 2", "cache_read_tokens 0.2", "cache_write_tokens 2.5", "output_tokens 8"];

describe("a price card", () => {
  test("has the four counts of a flat price, for a million tokens", () => {
    expect(told(flat)).toEqual(counts.map((line) => `${line} million`));
    expect(mainPrice({ price: flat })).toEqual({
      ...{ input: "2", output: "8", cached: "0.2", isTiered: false, per: "million", tools: [] },
    });
  });

  test("says of tiers for which sizes each price holds", () => {
    const tiers = [
      { up_to: 1000, ...four, rates: { audio_input: "4" } },
      { up_to: null, ...four, input: "3" },
    ];
    const price: Price = { mode: "input_tokens_tiers", tiers };
    expect(told(price)).toEqual([
      ...counts.map((line) => line.replace(" ", " input 0-1000 ")).map((line) => `${line} million`),
      "audio_input_tokens input 0-1000 4 million",
      "input_tokens input 1001-null 3 million",
      ...counts.slice(1).map((line) => `${line.replace(" ", " input 1001-null ")} million`),
    ]);
    expect(mainPrice({ price })).toMatchObject({ input: "2", isTiered: true });
  });

  test("has input and output by all tokens of the call each for itself", () => {
    const price: Price = {
      mode: "total_tokens_tiers",
      input: [
        { up_to: 10, price: "1" },
        { up_to: null, price: "2" },
      ],
      output: [{ up_to: null, price: "5" }],
      ...{ cache_read: "0.1", cache_write: "1" },
    };
    expect(told(price)).toEqual([
      "input_tokens total 0-10 1 million",
      "input_tokens total 11-null 2 million",
      "cache_read_tokens 0.1 million",
      "cache_write_tokens 1 million",
      "output_tokens 5 million",
    ]);
  });

  test("has a picture, and each resolution of a second of video", () => {
    expect(told({ mode: "per_image", unit_price: "0.04" })).toEqual(["generated_images 0.04 image"]);
    const price: Price = { mode: "per_second", by_resolution: { "720p": "0.3", "480p": "0.1" } };
    expect(told(price)).toEqual(["video_seconds 720p 0.3 second", "video_seconds 480p 0.1 second"]);
    expect(mainPrice({ price })).toMatchObject({ each: ["0.1", "0.3"], per: "second" });
  });

  test("has what a request may switch on: kinds of tokens, tools, and ways with a factor or prices of their own", () => {
    const rates = {
      cache_write_1h: "4",
      tools: { web_search: "0.01" },
      tools_once: { file_search: "0.02" },
      unasked: { google_search: "0.03" },
      service_tier: { flex: "0.5", priority: { ...flat, input: "4", rates: { audio_input: "7" } } },
      inference_geo: { us: "1.1" },
      batch: { ...flat, output: "4" },
    };
    expect(told({ ...flat, rates }).slice(4)).toEqual([
      "cache_write_1h_tokens 4 million",
      "web_search 0.01 call",
      "file_search 0.02 request",
      "google_search 0.03 each_request",
      "service_tier flex ×0.5",
      "input_tokens service_tier priority 4 million",
      ...counts.slice(1).map((line) => `${line.replace(" ", " service_tier priority ")} million`),
      "audio_input_tokens service_tier priority 7 million",
      "inference_geo us ×1.1",
      ...counts.slice(0, 3).map((line) => `${line.replace(" ", " batch ")} million`),
      "output_tokens batch 4 million",
    ]);
  });
});

describe("as tables", () => {
  const card = (price: Price) => priceCard(priceLines(price));

  test("a flat price has one column, and what is switched on stands apart", () => {
    const { tables, others } = card({
      ...flat,
      rates: { tools: { web_search: "0.01" }, speed: { fast: "6" } },
    });
    expect(tables).toMatchObject([{ way: undefined, sizes: [undefined] }]);
    expect(tables[0]?.rows.map(({ what, points }) => [what, points])).toEqual([
      ["input_tokens", ["2"]],
      ["cache_read_tokens", ["0.2"]],
      ["cache_write_tokens", ["2.5"]],
      ["output_tokens", ["8"]],
    ]);
    expect(others.map(({ what }) => what)).toEqual(["web_search", "speed"]);
  });

  test("each tier is a column, and a way with prices of its own a table", () => {
    const tiers = [
      { up_to: 10, ...four },
      { up_to: null, ...four, input: "3", rates: { audio_input: "4" } },
    ];
    const rates = { service_tier: { flex: { mode: "input_tokens_tiers", tiers } as const } };
    const { tables } = card({ mode: "input_tokens_tiers", tiers, rates });
    expect(tables.map(({ way, sizes }) => [way, sizes.map((size) => size?.from)])).toEqual([
      [undefined, [0, 11]],
      [
        ["service_tier", "flex"],
        [0, 11],
      ],
    ]);
    for (const { rows } of tables) {
      expect(rows[0]).toMatchObject({ what: "input_tokens", points: ["2", "3"] });
      // A kind that one tier alone prices otherwise.
      expect(rows.at(-1)).toMatchObject({ what: "audio_input_tokens", points: ["", "4"] });
    }
  });

  test("where input and output have other sizes, each column has the price that holds there", () => {
    const price: Price = {
      mode: "total_tokens_tiers",
      input: [
        { up_to: 10, price: "1" },
        { up_to: null, price: "2" },
      ],
      output: [
        { up_to: 20, price: "5" },
        { up_to: null, price: "6" },
      ],
      ...{ cache_read: "0.1", cache_write: "1" },
    };
    const [table] = card(price).tables;
    expect(table?.sizes.map((size) => size?.from)).toEqual([0, 11, 21]);
    expect(table?.rows.map(({ what, points }) => [what, points])).toEqual([
      ["input_tokens", ["1", "2", "2"]],
      ["cache_read_tokens", ["0.1", "0.1", "0.1"]],
      ["cache_write_tokens", ["1", "1", "1"]],
      ["output_tokens", ["5", "5", "6"]],
    ]);
  });

  test("resolutions are rows", () => {
    const { tables } = card({ mode: "per_second", by_resolution: { "480p": "0.1", "720p": "0.3" } });
    expect(tables[0]?.rows.map(({ detail, points, per }) => [detail, points, per])).toEqual([
      ["480p", ["0.1"], "second"],
      ["720p", ["0.3"], "second"],
    ]);
  });
});

const catalog = createCatalog(parseCatalog(catalogFile));

test("every model of the default catalog has lines, each once, and each with words for what it counts", () => {
  for (const { id, price } of catalog.models()) {
    const lines = priceLines(price);
    expect(lines.length, id).toBeGreaterThan(0);
    expect(new Set(lines.map((line) => JSON.stringify(line))).size, id).toBe(lines.length);
    for (const { kind, what, per } of lines) {
      if (kind === "count") expect(english.dimensions[what], `${id} ${what}`).toBeTypeOf("string");
      if (kind === "way") expect(words.ways[what], `${id} ${what}`).toBeTypeOf("string");
      if (per) expect(words.pers[per], id).toBeTypeOf("string");
    }
  }
});
