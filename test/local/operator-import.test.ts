/** `operator catalog import`, from its words to what it prints and writes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { listSources } from "#shared/books/prices/list-sources.ts";
import { file } from "#test/support/price-catalog.ts";
import { genaiPricesText, litellmText, modelsDevText } from "#test/support/price-lists.ts";
import { runHere } from "#test/support/streams.ts";

describe("the operator's command", () => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [list, base, out] = ["api.json", "base.json", "out.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(list, modelsDevText);
  writeFileSync(base, JSON.stringify(file()));

  /** What the command prints, and what it complains of with which exit code. */
  async function operator(...words: string[]): Promise<{ said: string; complaint: string; code: number }> {
    const files = ["--from", list, "--catalog", base];
    const { code, out: said, error } = await runHere(["catalog", "import", ...files, ...words]);
    return { said, complaint: error.trim(), code };
  }

  test("prints the drift in columns, or as one JSON value, and writes nothing unasked", async () => {
    const { said, code } = await operator("--model", "openai/l*,google/*");
    expect(code).toBe(0);
    const lines = said.split("\n").slice(2, 5);
    expect(lines).toEqual([
      "changes:",
      `  ${"model".padEnd(13)}${"rate".padEnd(34)}old   new   change`,
      `  ${"openai/luna".padEnd(13)}${"input to 272000".padEnd(34)}1     0.2   down`,
    ]);
    const { said: json } = await operator("--json", "--model", "openai/*");
    expect(JSON.parse(json)).toMatchObject({
      format: "models.dev",
      as_of: "2026-07-09",
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

  test("says which prices a second list has too, in the report and in the source", async () => {
    const second = join(folder, "data.json");
    const words = ["--also", second, "--json", "--as-of", "2026-11-20", "--out", out, "--force"];
    writeFileSync(second, genaiPricesText);
    const { said } = await operator(...words);
    expect(JSON.parse(said).also).toMatchObject([
      { format: "genai-prices", agree: ["google/flash", "openai/luna"], differ: [], unknown: [] },
    ]);
    const sources = () =>
      parseCatalog(JSON.parse(readFileSync(out, "utf8"))).models.flatMap(({ id, price_source }) =>
        price_source?.as_of === "2026-11-20" ? [`${id}: ${price_source.source}`] : [],
      );
    const list = "https://models.dev/api.json; genai-prices";
    expect(sources()).toEqual([`openai/luna: ${list} agrees`, `google/flash: ${list} agrees`]);
    writeFileSync(
      second,
      genaiPricesText.replace('"base": 1.2', '"base": 1.3').replace('"google"', '"other"'),
    );
    expect(JSON.parse((await operator(...words)).said).also).toMatchObject([
      {
        agree: [],
        differ: [{ model: "openai/luna", rate: "output to 272000", old: "1.2", new: "1.3", change: "up" }],
        unknown: ["google/flash"],
      },
    ]);
    expect(sources()).toEqual([
      `openai/luna: ${list} differs`,
      "google/flash: https://models.dev/api.json; no other list has it",
    ]);
  });

  test("adds by provider, says what it cannot add, and how many rows are of providers that the catalog lacks", async () => {
    const more = join(folder, "more.json");
    const list = JSON.parse(modelsDevText) as Record<string, object>;
    const model = {
      modalities: { output: ["text"] },
      limit: { context: 9, output: 9 },
      cost: { input: 1, output: 1 },
    };
    Object.assign(list, {
      minimax: { models: { M9: model, M10: { ...model, limit: {} } } },
      acme: { models: { one: model, two: model } },
    });
    writeFileSync(more, JSON.stringify(list));
    const words = ["--from", more, "--out", out, "--force", "--json", "--as-of", "2026-11-20"];
    const all = await operator(...words, "--add", "*");
    expect(JSON.parse(all.said)).toMatchObject({
      added: ["google/gemini-embedding-2", "minimax/M9"],
      added_channels: [],
      not_added: [
        {
          provider: "minimax",
          model: "M10",
          why: "context_tokens: must be at least 1; output_tokens: must be at least 1",
        },
      ],
      no_provider: [{ provider: "acme", models: 2 }],
    });
    const some = await operator(...words, "--add", "minimax/*,google/none*,gemini/*");
    expect(some).toMatchObject({
      code: 2,
      complaint: "--add google/none*: no model of the list has such a name",
    });
    const one = await operator(...words, "--add", "minimax/*");
    expect(JSON.parse(one.said)).toMatchObject({ added: ["minimax/M9"], no_provider: [] });
    expect(await operator(...words, "--add", "acme/*")).toMatchObject({
      code: 2,
      complaint: "--add acme/*: the catalog has no provider acme. --providers NAME=acme says which one it is",
    });
  });

  test("takes a list's day from its content, never from its file, and writes none that is not plausible", async () => {
    const plain = join(folder, "litellm.json");
    writeFileSync(plain, litellmText);
    expect(await operator("--from", plain)).toMatchObject({
      code: 2,
      complaint: `${plain} names no day: --as-of says of which day it is`,
    });
    expect((await operator("--from", plain, "--as-of", "2026-11-20")).code).toBe(0);
    const words = ["--from", list, "--out", out, "--force", "--json", "--as-of"];
    const given = await operator(...words, "2026-01-01");
    expect(JSON.parse(given.said).as_of_doubt).toBe(
      "the list has a model that was released on 2026-07-09, after 2026-01-01",
    );
    expect(await operator(...words, "2999-01-01")).toMatchObject({
      code: 2,
      complaint: "--as-of 2999-01-01 is in the future",
    });
  });

  test("adds what one list has with what others know of it, and with --agreed only what two lists price alike", async () => {
    const row = { mode: "chat", litellm_provider: "minimax", max_input_tokens: 9, max_output_tokens: 9 };
    const price = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    const listed = {
      "minimax/M9": { ...row, ...price, source: "https://minimax.example/prices" },
      "minimax/M10": { ...row, ...price },
      "minimax/M11": { ...row, ...price, deprecation_date: "2026-11-19" },
      "minimax/m-best": { alias_of: "minimax/M9" },
    };
    const known = (release_date: string, input: number) => ({
      ...{
        name: "The Ninth",
        release_date,
        modalities: { output: ["text"] },
        limit: { context: 9, output: 9 },
      },
      cost: { input, output: 2, cache_read: 0.1 },
    });
    const [first, second] = [join(folder, "first.json"), join(folder, "second.json")];
    writeFileSync(first, JSON.stringify(listed));
    writeFileSync(
      second,
      JSON.stringify({ minimax: { models: { M9: known("2026-05-01", 1), M10: known("2026-05-02", 3) } } }),
    );
    const words = [
      "--from",
      first,
      "--as-of",
      "2026-11-20",
      "--also",
      second,
      "--out",
      out,
      "--force",
      "--json",
    ];
    const agreed = JSON.parse((await operator(...words, "--add", "minimax/*", "--agreed")).said);
    expect(agreed.added).toEqual(["minimax/M9"]);
    expect(agreed.not_added).toEqual([
      { provider: "minimax", model: "M11", why: "its provider no longer serves it since 2026-11-19" },
      { provider: "minimax", model: "M10", why: "price: no other list has the same" },
    ]);
    const written = parseCatalog(JSON.parse(readFileSync(out, "utf8")));
    expect(written.models.at(-1)).toMatchObject({
      ...{
        display_name: "The Ninth",
        created: Date.UTC(2026, 4, 1) / 1000,
        aliases: ["M9", "m-best", "minimax/m-best"],
      },
      price: { input: "1", cache_read: "0.1" },
      price_source: {
        source: `${listSources.litellm}, from https://minimax.example/prices; models.dev of 2026-05-02 agrees`,
      },
    });
    const all = JSON.parse((await operator(...words, "--add", "minimax/M10")).said);
    expect(all.also[0].differ[0]).toMatchObject({ model: "minimax/M10", rate: "input", old: "1", new: "3" });
    expect(parseCatalog(JSON.parse(readFileSync(out, "utf8"))).models.at(-1)?.price_source?.source).toMatch(
      /; models\.dev of 2026-05-02 differs$/,
    );
  });

  test.each([
    [["--format", "csv"], "--format must be one of litellm, models.dev, genai-prices"],
    [["--as-of", "yesterday"], "--as-of takes a day like 2026-11-20"],
    [["--points-per-usd", "0"], "--points-per-usd takes a decimal above 0"],
    [["--providers", "openai"], "--providers takes NAME=LISTED,…"],
    [["--force"], "--force goes with --out"],
    [["--agreed"], "--agreed goes with --out"],
    [["--hosts", "models"], "--hosts goes with --out"],
    [["--format", "litellm"], "this file has not the form of litellm"],
  ])("refuses %j", async (words, complaint) => {
    expect(await operator(...words)).toMatchObject({ code: 2, complaint });
  });
});
