/** `operator catalog sync`, from what lists.json declares to what it prints and writes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { listsFileOf, readListsFile } from "#infra/operator/lists-file.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { runHere } from "#test/support/streams.ts";

const folder = mkdtempSync(join(tmpdir(), "sync-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const first = "LiteLLM model_prices_and_context_window.json";
const second = "https://models.dev/api.json";

function model(id: string, input: string, price_source: object) {
  const [provider, name] = id.split("/");
  return {
    ...{ id, display_name: id, created: 1, owned_by: provider, capabilities: ["chat", "stream"] },
    ...{ context_tokens: 1000, output_tokens: 1000 },
    price: { mode: "flat_tokens", input, output: "2", cache_read: "0.1", cache_write: input },
    price_source,
    channels: [{ provider, model: name }],
  };
}

/** A catalog of two vendors: models of which the lists say the same, more, nothing, and something else. */
function catalog() {
  const vendor = (name: string, ...models: object[]) => {
    const provider = { protocols: { openai: `https://${name}.example` }, secret: "KEY" };
    return { providers: { [name]: provider }, models };
  };
  const of = (as_of: string, source = first) => ({ source, as_of });
  return {
    catalog: { version: "1", plans: {} },
    moonshot: vendor(
      "moonshot",
      model("moonshot/kimi-same", "1", of("2026-11-20")),
      model("moonshot/kimi-own", "5", of("2026-11-01", `${first}; the contract says 5`)),
      model("moonshot/kimi-page", "6", of("2026-11-01", "https://moonshot.example/prices")),
    ),
    xai: vendor(
      "xai",
      model("xai/grok-dear", "1", of("2026-11-20", `${first}, from https://x.example; no other list has it`)),
      model("xai/grok-gone", "1", of("2026-11-20", `${second}; litellm of 2026-11-20 differs`)),
    ),
  };
}

const row = (litellm_provider: string, input: number) => ({
  ...{ mode: "chat", litellm_provider, max_input_tokens: 1000, max_output_tokens: 1000 },
  input_cost_per_token: input / 1e6,
  ...{ output_cost_per_token: 2e-6, cache_read_input_token_cost: 1e-7 },
});
const listed = () => ({
  "moonshot/kimi-same": row("moonshot", 1),
  "moonshot/kimi-own": row("moonshot", 4),
  "moonshot/kimi-page": row("moonshot", 4),
  "xai/grok-dear": row("xai", 3),
  "xai/grok-new": row("xai", 7),
  "xai/grok-alone": row("xai", 8),
  "xai/grok-unasked": row("xai", 7),
});
const other = () => {
  const of = (input: number) => ({
    ...{ release_date: "2026-05-01", modalities: { output: ["text"] }, limit: { context: 9, output: 9 } },
    cost: { input, output: 2, cache_read: 0.1 },
  });
  return {
    xai: { models: { "grok-dear": of(2), "grok-new": of(7) } },
    moonshotai: { models: { "kimi-same": of(1) } },
  };
};

const declared = {
  lists: [
    { name: "litellm", from: "litellm.json" },
    { name: "models.dev", from: "api.json" },
  ],
  vendors: { xai: { models: ["grok-new", "grok-alone", "grok-old*"], agreed: true } },
};

function write(files: Record<string, object>, litellm: object = listed()): void {
  rmSync(at("catalog"), { recursive: true, force: true });
  mkdirSync(at("catalog"));
  for (const [name, json] of Object.entries(files))
    writeFileSync(at(`catalog/${name}.json`), catalogText(json));
  writeFileSync(at("litellm.json"), JSON.stringify(litellm));
  writeFileSync(at("api.json"), JSON.stringify(other()));
  writeFileSync(at("lists.json"), JSON.stringify(declared, null, 2));
}

async function sync(...words: string[]) {
  const { code, out, error } = await runHere([
    "catalog",
    "sync",
    "--catalog",
    at("catalog"),
    "--json",
    ...words,
  ]);
  return { code, complaint: error.trim(), said: out === "" ? undefined : JSON.parse(out) };
}
const day = ["--as-of", "2026-11-27"];
const textOf = (name: string) => readFileSync(at(`catalog/${name}.json`), "utf8");
const sourceOf = (id: string) =>
  readCatalog(at("catalog")).models.find((each) => each.id === id)?.price_source;

beforeEach(() => write(catalog()));

describe("the sync", () => {
  test("shows what changed side by side, writes nothing unasked, and exits with 3", async () => {
    const before = textOf("xai");
    const { code, complaint, said } = await sync(...day);
    expect({ code, complaint }).toEqual({ code: 3, complaint: "" });
    const rate = { here: "1", now: "3", litellm: "3", "models.dev": "2" };
    const lists = { litellm: "4", "models.dev": "-" };
    expect(said).toEqual({
      lists: [
        { list: "litellm", as_of: "2026-11-27", agree: 3, differ: 0, unknown: 1 },
        { list: "models.dev", as_of: "2026-05-01", agree: 2, differ: 1, unknown: 1 },
      ],
      new: [
        {
          model: "xai/grok-new",
          input: "7",
          output: "2",
          source: `${first}; models.dev of 2026-05-01 agrees`,
        },
      ],
      changes: [
        { model: "xai/grok-dear", rate: "input", ...rate },
        { model: "xai/grok-dear", rate: "cache_write", ...rate },
      ],
      gone: [{ model: "xai/grok-gone", why: "the list has no such model" }],
      confirmed: [],
      pinned: [
        { model: "moonshot/kimi-own", rate: "input", here: "5", ...lists },
        { model: "moonshot/kimi-own", rate: "cache_write", here: "5", ...lists },
        { model: "moonshot/kimi-page", rate: "input", here: "6", ...lists },
        { model: "moonshot/kimi-page", rate: "cache_write", here: "6", ...lists },
      ],
      unpriced: [],
      not_added: [{ what: "price: no other list has the same", models: 1, such_as: ["xai/grok-alone"] }],
      without_rows: ["xai/grok-old*"],
      files: [at("catalog/xai.json")],
      written: false,
    });
    expect(textOf("xai")).toBe(before);
  });

  test("writes the files of the vendors that change, and then finds nothing more", async () => {
    const before = { moonshot: textOf("moonshot"), catalog: textOf("catalog") };
    // A file in another form than the sync would write.
    writeFileSync(at("catalog/moonshot.json"), JSON.stringify(catalog().moonshot));
    expect(await sync(...day, "--write")).toMatchObject({ code: 3, said: { written: true } });
    expect(textOf("moonshot")).toBe(JSON.stringify(catalog().moonshot));
    expect(textOf("catalog")).toBe(before.catalog);
    expect(sourceOf("xai/grok-dear")).toEqual({
      source: `${first}; models.dev of 2026-05-01 differs`,
      as_of: "2026-11-27",
    });
    expect(sourceOf("xai/grok-gone")).toEqual({
      source: `${second}; litellm of 2026-11-20 differs; in no list since 2026-11-27`,
      as_of: "2026-11-20",
    });
    expect(await sync(...day)).toMatchObject({
      code: 0,
      said: { new: [], changes: [], gone: [], confirmed: [], files: [], written: false },
    });
  });

  test("never changes what a person has pinned: a source with words of their own", async () => {
    const hosts = { ...declared, vendors: { moonshot: { models: ["*"] }, xai: { models: ["*"] } } };
    writeFileSync(at("lists.json"), JSON.stringify(hosts));
    const models = () => readCatalog(at("catalog")).models.filter(({ id }) => /kimi-(?:own|page)/.test(id));
    const before = models();
    expect((await sync("--as-of", "2026-11-28", "--write")).code).toBe(3);
    expect(models()).toEqual(before);
  });

  test("confirms a price that stays once its day is a month old, and takes back that it is gone", async () => {
    write(catalog(), { ...listed(), "xai/grok-dear": row("xai", 1), "xai/grok-gone": row("xai", 1) });
    const files = catalog();
    for (const one of files.xai.models) {
      const { price_source } = one as { price_source: { source: string; as_of: string } };
      if (price_source.source.startsWith(second)) price_source.source += "; in no list since 2026-11-21";
      else price_source.as_of = "2026-10-28";
    }
    write(files, { ...listed(), "xai/grok-dear": row("xai", 1), "xai/grok-gone": row("xai", 1) });
    const { said } = await sync(...day, "--write");
    expect(said.confirmed).toEqual(["xai/grok-dear", "xai/grok-gone"]);
    expect(sourceOf("xai/grok-gone")).toEqual({
      source: `${first}; no other list has it`,
      as_of: "2026-11-27",
    });
  });

  test("a model that its provider has ended is gone, also where the list still prices it", async () => {
    write(catalog(), {
      ...listed(),
      "moonshot/kimi-same": { ...row("moonshot", 1), deprecation_date: "2026-11-26" },
    });
    const api = { ...other(), moonshotai: { models: {} } };
    writeFileSync(at("api.json"), JSON.stringify(api));
    expect((await sync(...day)).said.gone).toContainEqual({
      model: "moonshot/kimi-same",
      why: "its provider no longer serves it since 2026-11-26",
    });
  });
});

describe("the lists", () => {
  test("are read from an address too, and one that answers with an error stops it", async () => {
    const asked: string[] = [];
    const server = createServer((request, answer) => {
      asked.push(request.url ?? "");
      if (request.url === "/api.json") answer.end(readFileSync(at("api.json")));
      else answer.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await sync(...day, "--from", `models.dev=${base}/api.json`)).toMatchObject({ code: 3 });
      expect(asked).toEqual(["/api.json"]);
      expect(await sync(...day, "--from", `litellm=${base}/none`)).toMatchObject({
        code: 2,
        complaint: `${base}/none answered with 404`,
      });
    } finally {
      server.close();
    }
    const gone = await sync(...day, "--from", `litellm=${base}/none`);
    expect(gone.code).toBe(2);
    expect(gone.complaint).toContain(`${base}/none cannot be reached: `);
  });

  test("that name no day need one", async () => {
    expect(await sync()).toMatchObject({
      code: 2,
      complaint: "litellm names no day: --as-of says of which day the first list is",
    });
  });

  test("of the catalog that ships are declared, for its own vendors", () => {
    const { lists, wanted } = readListsFile(listsFileOf(defaultCatalog));
    expect(lists.map(({ name }) => name)).toEqual(["litellm", "genai-prices", "models.dev"]);
    const { providers } = readCatalog(defaultCatalog);
    expect([...wanted.keys()].filter((vendor) => !(vendor in providers))).toEqual([]);
  });
});

describe("refuses", () => {
  test("a declared file that is wrong, at its line", async () => {
    const wrong = {
      ...declared,
      lists: [{ name: "litellm", from: "ftp://x" }],
      vendors: { xai: { models: [] } },
    };
    writeFileSync(at("lists.json"), JSON.stringify(wrong, null, 2));
    const { code, complaint } = await sync(...day);
    expect(code).toBe(2);
    expect(complaint.replaceAll(`${folder}/`, "").split("\n")).toEqual([
      "lists.json:5:7: lists[0].from: must be an https address (http on loopback only), or the path of a file",
      "lists.json:10:7: vendors.xai.models: Too small: expected array to have >=1 items",
    ]);
    writeFileSync(at("lists.json"), JSON.stringify({ ...declared, vendors: { acme: { models: ["*"] } } }));
    expect((await sync(...day)).complaint).toBe("vendors: the catalog has no provider acme");
    writeFileSync(at("lists.json"), "{");
    expect((await sync(...day)).complaint).toMatch(/lists\.json: not JSON: /);
    rmSync(at("lists.json"));
    expect((await sync(...day)).complaint).toContain(`there is no file ${at("lists.json")}`);
  });

  test("a catalog that extends another, whose prices are not its own", async () => {
    mkdirSync(at("own"), { recursive: true });
    writeFileSync(at("own/catalog.json"), JSON.stringify({ extends: "../catalog" }));
    expect(await sync(...day, "--catalog", at("own"))).toMatchObject({
      code: 2,
      complaint: `this catalog extends ${at("catalog")}: give that one by --catalog`,
    });
  });

  test.each([
    [["--from", "genai-prices=x"], "--from: the file declares no list genai-prices"],
    [["--from", "x"], "--from takes NAME=PLACE,…"],
    [["--as-of", "2999-01-01"], "--as-of 2999-01-01 is in the future"],
    [["--from", "litellm=none.json", ...day], "there is no file none.json"],
  ])("%j", async (words, complaint) => {
    expect(await sync(...words)).toMatchObject({ code: 2, complaint });
  });
});
