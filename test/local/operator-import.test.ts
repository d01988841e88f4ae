/** `operator catalog import`, from its words to what it prints and writes. */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { file } from "#test/support/price-catalog.ts";
import { modelsDevText } from "#test/support/price-lists.ts";
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
  utimesSync(list, new Date(), new Date("2026-11-18T23:00:00Z"));
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
