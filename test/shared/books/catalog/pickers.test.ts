/**
 * The default catalog, as the model pickers of programs read it (shared/books/catalog/pickers.md), and page by page.
 */
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { match } from "#shared/base/http/router.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { listPublicModels } from "#shared/edges/api/models.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const catalog = createCatalog(parseCatalog(structuredClone(catalogFile)));
const ids = catalog.models().map(({ id }) => id);
const named = (id: string) => /claude|anthropic/i.test(id);

type Entry = Record<string, unknown>;

/** The list as the route of the gateway answers a client with these headers. */
function listAt(target: string, headers: Record<string, string> = {}): Record<string, Entry[]> {
  const url = new URL(target, "http://gateway.example");
  const found = match("GET", url.pathname, headers);
  if (!found.found) throw new Error(`${target} is no route`);
  const { style } = found.route;
  return JSON.parse(String(listPublicModels(catalog, { style, query: url.searchParams, at: 0 }).body));
}

const idsIn = (list: Record<string, Entry[]>) => list.data?.map(({ id }) => id);

/** What each program keeps of the list that it asks for. */
const pickers: Record<string, () => { kept: unknown; wanted: unknown }> = {
  "Claude Code": () => {
    const { data = [] } = listAt("/v1/models?limit=1000", { "anthropic-version": "2023-06-01" });
    const shown = data.filter(({ id }) => named(String(id)));
    return {
      kept: shown.map(({ id, display_name }) => [id, display_name]),
      wanted: catalog
        .models()
        .filter(({ id }) => named(id))
        .map(({ id, display_name }) => [id, display_name]),
    };
  },
  Cline: () => ({ kept: idsIn(listAt("/v1/models")), wanted: ids }),
  "Roo Code": () => ({ kept: idsIn(listAt("/v1/models")), wanted: ids }),
  "Open WebUI": () => ({
    kept: listAt("/v1/models").data?.map(({ id, name = id }) => name),
    wanted: ids,
  }),
};

test.each(Object.entries(pickers))("%s shows every model that it can show", (_, read) => {
  const { kept, wanted } = read();
  expect(kept).toEqual(wanted);
});

test("the document has a row of each of them", () => {
  const page = readFileSync(new URL("../../../../shared/books/catalog/pickers.md", import.meta.url), "utf8");
  for (const name of Object.keys(pickers)) expect(page).toMatch(new RegExp(`^\\| ${name}[ |0-9.]`, "m"));
});

describe("with the vendors' own clients", () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.on(({ url = "", headers }, response) => {
      const body = listAt(url, headers as Record<string, string>);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  afterAll(() => upstream.stop());
  const pages = () => upstream.requests.splice(0).length;

  test("OpenAI's reads one list", async () => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${upstream.url}/v1` });
    const listed = await Array.fromAsync(client.models.list());
    expect([listed.map(({ id }) => id), pages()]).toEqual([ids, 1]);
  });

  test.each([1000, 100, 7])("Anthropic's reads pages of %i", async (limit) => {
    const client = new Anthropic({ apiKey: "none", baseURL: upstream.url });
    const listed = await Array.fromAsync(client.models.list({ limit }));
    expect([listed.map(({ id }) => id), pages()]).toEqual([ids, Math.ceil(ids.length / limit)]);
    const { display_name, created_at, max_input_tokens } = listed[0] ?? {};
    const [first] = catalog.models();
    expect({ display_name, created_at, max_input_tokens }).toEqual({
      display_name: first?.display_name,
      created_at: new Date((first?.created ?? 0) * 1000).toISOString(),
      max_input_tokens: first?.context_tokens,
    });
  });

  test.each([1000, 100, 7])("Google's reads pages of %i", async (pageSize) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: upstream.url } });
    const listed = await Array.fromAsync(await client.models.list({ config: { pageSize } }));
    expect([listed.map(({ name }) => name), pages()]).toEqual([
      ids.map((id) => `models/${id}`),
      Math.ceil(ids.length / pageSize),
    ]);
    const [first] = catalog.models();
    expect(listed[0]).toMatchObject({
      inputTokenLimit: first?.context_tokens,
      outputTokenLimit: first?.output_tokens,
      supportedActions: expect.arrayContaining(["generateContent", "countTokens"]),
    });
  });
});
