/** The drift of a catalog against a public price list, and the catalog that comes of it. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Price } from "#shared/billing/price.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { catalogText } from "#shared/operations/catalog-text.ts";
import { changesOf } from "#shared/operations/price-changes.ts";
import { type Comparison, compare } from "#shared/operations/price-drift.ts";
import { type CatalogJson, newEntries, readPriceList, withPrices } from "#shared/operations/price-import.ts";
import { litellmText, modelsDevText } from "./support/price-lists.ts";

const defaultFile = new URL("../shared/catalog/catalog.json", import.meta.url);
const usd = { digits: 1n, places: 0 };
const source = { source: "a list", as_of: "2026-11-20" };
const terms: Comparison = {
  pointsPerUsd: usd,
  as_of: source.as_of,
  providers: new Map(),
  wanted: () => true,
};

const rates = (input: string, output: string, cache_read: string, cache_write: string) => {
  return { input, output, cache_read, cache_write };
};
const flat = (...[input, output, read, write]: [string, string, string, string]): Price => {
  return { mode: "flat_tokens", ...rates(input, output, read, write) };
};
const chat = (id: string, provider: string, model: string, more: object) => ({
  id,
  display_name: id,
  created: 1,
  owned_by: id.split("/")[0],
  capabilities: ["chat", "stream"],
  context_tokens: 1000,
  output_tokens: 1000,
  ...more,
  channels: [{ provider, model }],
});

/** A catalog whose models stand in every relation to the lists. */
function file(): CatalogJson {
  const protocols = { openai: "https://api.example/v1" };
  const providers = ["openai", "gemini", "zhipu", "volcengine", "minimax", "byteplus"];
  return {
    version: "1",
    providers: Object.fromEntries(providers.map((name) => [name, { protocols, secret: "KEY" }])),
    pricing_groups: { nano: flat("0.2", "1", "0.02", "0.2") },
    models: [
      chat("openai/luna", "openai", "gpt-5.6-luna", { price: flat("1", "1", "0.02", "0.25") }),
      chat("openai/nano", "openai", "gpt-5-4-nano", { pricing_group: "nano" }),
      chat("google/flash", "gemini", "gemini-3.5-flash", {
        price: flat("1.5", "9", "0.15", "1.5"),
        price_source: { source: "before", as_of: "2026-11-19" },
      }),
      chat("zhipu/glm", "zhipu", "glm-5", {
        price: flat("2", "3.2", "0.2", "1"),
        price_source: { source: "the vendor", as_of: "2026-11-21" },
      }),
      chat("volcengine/seed", "volcengine", "seed-old", {
        aliases: ["volcengine/seed-pro"],
        price: flat("0.46", "2.3", "0.1", "0.46"),
      }),
      chat("volcengine/vectors", "volcengine", "seed-embedding", {
        capabilities: ["embeddings"],
        price: flat("0.07", "0", "0.07", "0.07"),
      }),
      chat("minimax/off", "minimax", "off", { price: flat("1", "1", "1", "1") }),
      chat("minimax/old", "minimax", "M1", { price: flat("1", "1", "1", "1") }),
      chat("byteplus/seed", "byteplus", "seed", { price: flat("1", "1", "1", "1") }),
      chat("minimax/picture", "minimax", "picture", {
        capabilities: ["images"],
        price: { mode: "per_image", unit_price: "0.003" },
      }),
    ],
    plans: {},
  } as unknown as CatalogJson;
}

function importing(json: CatalogJson, change: Partial<Comparison> = {}, text = litellmText) {
  const catalog = parseCatalog(json);
  const compared = compare(catalog, readPriceList(text).models, { ...terms, ...change });
  const next = withPrices(json, catalog, compared.prices, source);
  return { catalog, ...compared, next, parsed: parseCatalog(structuredClone(next)) };
}

describe("the drift", () => {
  const { drift } = importing(file());

  test("names each rate that is dearer or cheaper, size by size", () => {
    expect(
      drift.changes.map(({ model, rate, old, new: now, change }) => [model, rate, old, now, change]),
    ).toEqual([
      ["openai/luna", "input to 272000", "1", "0.2", "down"],
      ["openai/luna", "output to 272000", "1", "1.2", "up"],
      ["openai/luna", "input over 272000", "1", "0.4", "down"],
      ["openai/luna", "output over 272000", "1", "1.8", "up"],
      ["openai/luna", "cache_read over 272000", "0.02", "0.04", "up"],
      ["openai/luna", "cache_write over 272000", "0.25", "0.5", "up"],
      ["openai/nano", "output", "1", "1.25", "up"],
      ["volcengine/seed", "input over 32000", "0.46", "0.7", "up"],
      ["volcengine/seed", "output over 32000", "2.3", "3.5", "up"],
      ["volcengine/seed", "cache_write over 32000", "0.46", "0.7", "up"],
      ["minimax/picture", "image", "0.003", "0.0035", "up"],
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
    expect(drift.inexpressible.map(({ model, what }) => `${model} ${what}`)).toEqual([
      "openai/luna input_cost_per_token_batches",
      "openai/luna input_cost_per_token_flex",
      "openai/luna regional_processing_uplift_multiplier_eu",
      "google/flash input_cost_per_audio_token",
      "google/flash search_context_cost_per_query",
      "volcengine/seed no price for cache reads: it stays",
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
    expect(parsed.models[0]?.price).toEqual({
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
    expect(alike.parsed.pricing_groups["nano"]).toEqual(flat("0.2", "1.25", "0.02", "0.2"));
    expect(alike.next.models[1]).toMatchObject({ pricing_group: "nano" });
    const json = file();
    Object.assign(json.models[7] ?? {}, { price: null, pricing_group: "nano" });
    const apart = importing(json);
    expect(apart.parsed.pricing_groups["nano"]).toEqual(flat("0.2", "1", "0.02", "0.2"));
    expect(apart.parsed.models[1]).toMatchObject({ pricing_group: null, price: { output: "1.25" } });
    expect(apart.parsed.models[7]).toMatchObject({ pricing_group: "nano", price: null });
  });

  test("keeps what a price says of other things, each tier its own", () => {
    const json = file();
    const tier = (up_to: number | null, more: object) => ({ up_to, ...rates("1", "1", "1", "1"), ...more });
    const old = {
      mode: "input_tokens_tiers",
      extra: 1,
      tiers: [tier(272_000, { more: 2 }), tier(null, { more: 3 })],
    };
    const prices = importing(file()).prices;
    Object.assign(json.models[0] ?? {}, { price: old });
    const next = withPrices(json, parseCatalog(file()), prices, source);
    expect(next.models[0]?.price).toMatchObject({
      extra: 1,
      tiers: [
        { input: "0.2", more: 2 },
        { input: "0.4", more: 3 },
      ],
    });
  });

  test("has new models where they are asked for, if the list says enough of them", () => {
    const json = file();
    json.models = json.models.filter(
      ({ id }) => id === "minimax/old" || id === "openai/luna" || id === "google/flash",
    );
    const { catalog, fresh } = importing(json);
    const { entries, refused } = newEntries(fresh, catalog, source, usd);
    expect(entries.find(({ id }) => id === "openai/gpt-5.4-nano")).toEqual({
      id: "openai/gpt-5.4-nano",
      aliases: ["gpt-5.4-nano"],
      display_name: "gpt-5.4-nano",
      created: Date.parse("2026-11-20") / 1000,
      owned_by: "openai",
      capabilities: ["chat", "stream", "tools", "vision"],
      context_tokens: 272_000,
      output_tokens: 128_000,
      price: flat("0.2", "1.25", "0.02", "0.2"),
      price_source: source,
      channels: [{ provider: "openai", model: "gpt-5.4-nano", priority: 1, weight: 1 }],
    });
    expect(refused).toContainEqual({
      model: "gpt-5.4-search",
      why: "the list does not say that it is for chat or embeddings",
    });
    expect(refused).toContainEqual({ model: "speech-2", why: "the list names no price per token" });
  });

  test("is laid out as the default one is", () => {
    const text = readFileSync(defaultFile, "utf8");
    expect(catalogText(JSON.parse(text))).toBe(text);
  });
});

describe("the operator's command", () => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [list, base, out] = ["api.json", "base.json", "out.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(list, modelsDevText);
  utimesSync(list, new Date(), new Date("2026-11-18T23:00:00Z"));
  writeFileSync(base, JSON.stringify(file()));

  /** What the command prints, and what it complains of with which exit code. */
  function operator(...words: string[]): Promise<{ said: string; complaint: string; code: number }> {
    const entry = join(import.meta.dirname, "../infra/operator.ts");
    const args = [entry, "catalog", "import", "--from", list, "--catalog", base, ...words];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { env: { PATH: process.env["PATH"] } }, (error, said, complaint) =>
        resolve({
          said,
          complaint: complaint.trim(),
          code: typeof error?.code === "number" ? error.code : 0,
        }),
      );
    });
  }

  test("prints the drift in columns, or as one JSON value, and writes nothing unasked", async () => {
    const { said, code } = await operator("--model", "openai/l*,google/*");
    expect(code).toBe(0);
    const lines = said.split("\n").slice(2, 5);
    expect(lines).toEqual([
      "changes:",
      `  ${"model".padEnd(13)}${"rate".padEnd(25)}old   new   change`,
      `  ${"openai/luna".padEnd(13)}${"input to 272000".padEnd(25)}1     0.2   down`,
    ]);
    const { said: json } = await operator("--json", "--model", "openai/*");
    expect(JSON.parse(json)).toMatchObject({
      format: "models.dev",
      as_of: "2026-11-18",
      gone: [{ model: "openai/nano", why: "the list has no such model" }],
      written: null,
    });
  });

  test("writes a whole catalog, over a file only with --force", async () => {
    const words = ["--out", out, "--add", "gemini-emb*", "--points-per-usd", "7.1", "--as-of", "2026-11-20"];
    const { said, complaint } = await operator(...words, "--json");
    expect(complaint).toBe("");
    expect(JSON.parse(said)).toMatchObject({
      added: ["google/gemini-embedding-2"],
      not_added: [],
      written: out,
    });
    const written = parseCatalog(JSON.parse(readFileSync(out, "utf8")));
    expect(written.models[0]).toMatchObject({
      price: { tiers: [{ input: "1.42", output: "8.52", cache_read: "0.142", cache_write: "1.775" }, {}] },
      price_source: { source: "https://models.dev/api.json", as_of: "2026-11-20" },
    });
    expect(written.models.at(-1)).toMatchObject({
      id: "google/gemini-embedding-2",
      price: { input: "1.065" },
    });
    const again = await operator(...words);
    expect(again).toMatchObject({ code: 2, complaint: `${out} is there already: --force writes over it` });
    expect((await operator(...words, "--force")).code).toBe(0);
  });

  test.each([
    [["--format", "csv"], "--format must be one of litellm, models.dev"],
    [["--as-of", "yesterday"], "--as-of takes a day like 2026-11-20"],
    [["--points-per-usd", "0"], "--points-per-usd takes a decimal above 0"],
    [["--providers", "openai"], "--providers takes NAME=LISTED,…"],
    [["--force"], "--force goes with --out"],
    [["--format", "litellm"], "this file has not the form of litellm"],
  ])("refuses %j", async (words, complaint) => {
    expect(await operator(...words)).toMatchObject({ code: 2, complaint });
  });
});
