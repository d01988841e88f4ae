/** What a list adds to a catalog: models, further hosts of models, and the reason for every row that is left out. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { namesOfRows } from "#shared/books/prices/additions.ts";
import { ownName } from "#shared/books/prices/host-names.ts";
import { type CatalogJson, readPriceList } from "#shared/books/prices/import.ts";
import { doubtOfDay } from "#shared/books/prices/list-day.ts";
import { adding, day, hosted, listOf, source } from "#test/support/price-adding.ts";
import { file, flat } from "#test/support/price-catalog.ts";
import { litellmText, modelsDevText } from "#test/support/price-lists.ts";

const path = "fireworks_ai/accounts/fireworks/models/";

describe("a row of a list", () => {
  test("becomes a model of its maker, with the list's facts", () => {
    const json = file();
    const kept = ["minimax/old", "openai/luna", "google/flash"];
    json.models = json.models.filter(({ id = "" }) => kept.includes(id));
    const { added } = adding(json, litellmText);
    expect(added.entries.find(({ id }) => id === "openai/gpt-5.4-nano")).toEqual({
      id: "openai/gpt-5.4-nano",
      aliases: ["gpt-5.4-nano"],
      display_name: "gpt-5.4-nano",
      created: Date.parse("2026-11-20") / 1000,
      owned_by: "openai",
      capabilities: ["chat", "stream", "tools", "vision"],
      context_tokens: 272_000,
      output_tokens: 128_000,
      price: {
        ...flat("0.2", "1.25", "0.02", "0.2"),
        rates: { service_tier: { flex: flat("0.1", "0.625", "0.01", "0.1") } },
      },
      price_source: source,
      channels: [{ provider: "openai", model: "gpt-5.4-nano", priority: 1, weight: 1 }],
    });
  });

  test("that cannot be added says why, field first, and keeps no other row from it", () => {
    const { added, parsed } = adding(
      hosted(),
      listOf({
        "zai/glm-6": {},
        "zai/sizeless": { max_input_tokens: undefined, max_output_tokens: undefined },
        "zai/-dash": {},
        "zai/speech": { input_cost_per_token: undefined },
        "zai/unknown": { mode: "responses" },
        "zai/fine": { input_cost_per_token: 1.00000001e-6 },
        "zai/glm_6": {},
        "bedrock_mantle/anthropic.claude-x": { mode: "embedding" },
        "bedrock_mantle/us.anthropic.claude-y-v1:0": {},
        "fireworks_ai/accounts/fireworks/routers/glm-fast": {},
      }),
    );
    expect(added.refused.map(({ provider, model, why }) => `${provider} ${model}: ${why}`)).toEqual([
      "zhipu sizeless: context_tokens: must be at least 1; output_tokens: must be at least 1",
      "zhipu -dash: id: must look like <provider>/<model-name>",
      "zhipu speech: the list names no price per token",
      "zhipu unknown: the list does not say that it is for chat, embeddings or pictures",
      "zhipu fine: a rate has more than six decimals of a point",
      "zhipu glm_6: zhipu/glm-6 has a channel there already: glm-6",
      "fireworks accounts/fireworks/routers/glm-fast: it is a router of this host, and no model",
      "bedrock anthropic.claude-x: channels[0].provider: bedrock speaks no protocol for embeddings",
      "bedrock us.anthropic.claude-y-v1:0: this host is called in Anthropic's protocol, by names such as anthropic.claude-opus-4-8",
    ]);
    expect(parsed.models.at(-1)).toMatchObject({ id: "zhipu/glm-6" });
    expect(parsed.models).toHaveLength(3);
  });
});

describe("a host of a model that somebody else makes", () => {
  test("is a channel of it, asked after the maker, whose price it has; the order of the rows changes nothing", () => {
    const rows = {
      [`${path}glm-5p2`]: { input_cost_per_token: 9e-7 },
      [`${path}glm-5`]: {},
      "zai/glm-5.2": {},
      "zai/glm-5": {},
    };
    for (const entries of [Object.entries(rows), Object.entries(rows).reverse()]) {
      const { parsed, added } = adding(hosted(), listOf(Object.fromEntries(entries)));
      const hosts = (id: string) =>
        parsed.models
          .find((model) => model.id === id)
          ?.channels.map(({ provider, model, priority }) => `${priority} ${provider} ${model}`);
      expect(added.refused).toEqual([]);
      expect(hosts("zhipu/glm-5.2")).toEqual([
        "1 zhipu glm-5.2",
        "2 fireworks accounts/fireworks/models/glm-5p2",
      ]);
      expect(hosts("zhipu/glm-5")).toEqual(["1 zhipu glm-5", "2 fireworks accounts/fireworks/models/glm-5"]);
      expect(parsed.models.find(({ id }) => id === "zhipu/glm-5.2")?.price).toMatchObject({ input: "1" });
      expect(parsed.models).toHaveLength(3);
    }
  });

  test("has a model of its own where no maker is known", () => {
    const { added } = adding(hosted(), listOf({ [`${path}kimi-k2p5`]: {} }));
    expect(added.entries).toMatchObject([
      { id: "fireworks/kimi-k2.5", owned_by: "fireworks", channels: [{ priority: 1 }] },
    ]);
  });

  test.each([
    [{ max_input_tokens: 999 }, "context_tokens: 999 there, 1000 of zhipu/glm-5"],
    [{ max_output_tokens: 10 }, "output_tokens: 10 there, 1000 of zhipu/glm-5"],
    [{ mode: "embedding" }, "capabilities: zhipu/glm-5 has chat, stream too"],
    [{ output_cost_per_token: 2.1e-6 }, "price: output is 2.1 there, 2 of zhipu/glm-5"],
    [{ cache_read_input_token_cost: undefined }, "price: cache_read is 1 there, 0.1 of zhipu/glm-5"],
  ])("that takes less, does less or costs more is refused: %j", (row, why) => {
    const { added } = adding(hosted(), listOf({ "zai/glm-5": {}, [`${path}glm-5`]: row }));
    expect(added).toMatchObject({ entries: [], channels: [], refused: [{ provider: "fireworks", why }] });
  });

  test.each([
    ["fireworks_ai", "accounts/fireworks/models/glm-5p1", "glm-5.1"],
    ["fireworks-ai", "accounts/fireworks/models/llama-v3p1-8b", "llama-v3.1-8b"],
    ["fireworks_ai", "accounts/fireworks/models/gpt-oss-20b", "gpt-oss-20b"],
    ["bedrock_mantle", "anthropic.claude-opus-4-8", "claude-opus-4-8"],
    ["together_ai", "deepseek-ai/DeepSeek-V3", "DeepSeek-V3"],
    ["openai", "gpt-5.4", "gpt-5.4"],
  ])("is known by its maker's name: %s %s is %s", (host, name, own) => {
    expect(ownName(host, name)).toEqual({ name: own });
  });
});

describe.each([
  ["litellm", litellmText],
  ["models.dev", modelsDevText],
])("all rows of %s", (_format, text) => {
  test("are each added, refused, known, or of a provider that the catalog lacks", () => {
    const { list, compared, added } = adding(file(), text);
    const { fresh, known, elsewhere } = compared;
    expect(fresh.length + known.length + elsewhere.length).toBe(list.length);
    expect(added.entries.length + added.channels.length + added.refused.length).toBe(fresh.length);
  });

  test("are known the next time, but those that were refused", () => {
    const first = adding(file(), text);
    const again = adding(first.next as CatalogJson, text);
    expect(again.added).toMatchObject({ entries: [], channels: [] });
    expect(again.added.refused).toEqual(first.added.refused);
  });
});

test("any rows, in any order, come to a catalog that passes the check, with every row in one place", () => {
  const name = fc.constantFrom("zai/", "minimax/", path, "bedrock_mantle/anthropic.claude-");
  const tail = fc.constantFrom("glm-5", "glm-5p2", "glm-5.2", "GLM-5-2", "a:b", "-x", "minimax-m2", "1");
  const row = fc.record({
    max_input_tokens: fc.constantFrom(0, 999, 1000, 2000),
    input_cost_per_token: fc.constantFrom(0, 1e-6, 1.1e-6, 1e-13),
    mode: fc.constantFrom("chat", "embedding", "responses"),
    supports_vision: fc.boolean(),
  });
  const rows = fc.dictionary(
    fc.tuple(name, tail).map((parts) => parts.join("")),
    row,
    { maxKeys: 12, minKeys: 1, noNullPrototype: true },
  );
  fc.assert(
    fc.property(rows, (some) => {
      const { added, compared, parsed } = adding(hosted(), listOf(some));
      expect(added.entries.length + added.channels.length + added.refused.length).toBe(compared.fresh.length);
      for (const { channels } of parsed.models) {
        expect(new Set(channels.map(({ provider }) => provider)).size).toBe(channels.length);
      }
    }),
    { seed: 11, numRuns: 150 },
  );
});

test("a pattern means a row by the catalog's provider, by the list's name, or by its id", () => {
  const catalog: Catalog = parseCatalog(hosted());
  const [listed] = readPriceList(listOf({ [`${path}glm-5p1`]: {} }), day).models;
  if (!listed) throw new Error("no row");
  expect(namesOfRows(catalog)({ provider: "fireworks", listed })).toEqual([
    "fireworks/accounts/fireworks/models/glm-5p1",
    "accounts/fireworks/models/glm-5p1",
    "fireworks/glm-5.1",
  ]);
});

test.each([
  ["2026-11-28", undefined],
  ["2026-11-29", undefined],
  ["2026-11-30", "2026-11-30 is in the future"],
  ["1980-01-01", "1980-01-01 is before there were such lists"],
  ["2026-07-09", undefined],
  ["2026-07-08", "the list has a model that was released on 2026-07-09, after 2026-07-08"],
])("the day %s of a list is plausible: %s", (day, doubt) => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  expect(doubtOfDay(day, readPriceList(modelsDevText, day).models, now)).toBe(doubt);
});
