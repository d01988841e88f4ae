/** The console's list of models, and how the providers of one do: what is told of them, and what never is. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { type ChannelCounts, windowMs } from "#shared/calls/routing/board.ts";
import { witnessOf } from "#shared/calls/routing/witness.ts";
import type { ConsoleCall } from "#shared/edges/console/call.ts";
import { createModelList, listRoutes } from "#shared/edges/console/operations/models.ts";
import { testCatalog } from "#test/support/memory.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";

/** The start of a window. */
const now = 1_000_000 * windowMs;
const minuteMs = 60_000;
const id = "test/model-1";

type Json = Record<string, unknown>;
const base = testCatalog("https://secret-host.example") as { providers: { test: Json }; models: Json[] };
const keyed = (secret: string, more: Json = {}) => ({ ...base.providers.test, secret, ...more });
const channel = (provider: string, priority: number) => ({ provider, model: "hidden-name", priority });
const stated = { source: "a page", as_of: "2026-11-20" };
const changes: Record<string, Json> = {
  [id]: {
    capabilities: ["chat", "stream", "tools", "vision", "reasoning"],
    channels: [channel("last", 3), channel("pool", 1), channel("beside", 1)],
    traits: {
      ...stated,
      inputs: ["pdf_bytes", "image_url"],
      reasoning: { forms: ["effort"], efforts: ["low"] },
    },
    price_source: stated,
  },
};
const catalog = createCatalog(
  parseCatalog({
    ...base,
    providers: {
      ...base.providers,
      last: keyed("LAST_KEY"),
      beside: keyed("BESIDE_KEY"),
      pool: keyed("POOL_1", { secrets: ["POOL_1", "POOL_2"] }),
    },
    models: base.models.map((model) => ({ ...model, ...changes[model.id as string] })),
  }),
);

function callOf(headers: Record<string, string> = {}, query = "", model = id): ConsoleCall {
  return {
    request: { headers, query: new URLSearchParams(query), received_at: now },
    parameters: { model },
    route: { path: "/api/v1/models" },
    caller: { organization: { id: "org_reader" } },
  } as unknown as ConsoleCall;
}

describe("the list", () => {
  const list = createModelList({ catalog });
  const ask = (headers?: Record<string, string>, query?: string) => list(callOf(headers, query));
  const read = () => JSON.parse(String(ask().body)) as { data: Json[]; has_more: boolean; last_id: string };

  test("has the models of the public list, with the plans that have them", () => {
    const { data, ...page } = read();
    const models = catalog.models();
    expect(page).toEqual({ object: "list", has_more: false, last_id: models.at(-1)?.id });
    for (const [at, model] of models.entries()) {
      const { display_name, price, capabilities } = model;
      expect(data[at]).toMatchObject({
        ...{ id: model.id, display_name, price, capabilities },
        plans: catalog.plansWith(model),
      });
    }
    expect(() => ask({}, "limit=1")).toThrow(/limit/);
  });

  test("says what a model takes, who may answer, and where its price was read", () => {
    expect(read().data.find((model) => model.id === id)).toMatchObject({
      inputs: ["image", "pdf"],
      reasoning_efforts: ["low"],
      providers: ["pool", "beside", "last"],
      price_source: stated,
    });
    const told = (name: string) => read().data.find((model) => model.id === name);
    expect(told("test/embedding-1")).toMatchObject({ inputs: [], price_source: null, providers: ["test"] });
    expect(String(ask().body)).not.toMatch(/secret-host|hidden-name|POOL_1|LAST_KEY/);
  });

  test("is sent in few bytes, and not again to a browser that has it", () => {
    const whole = String(ask().body);
    const gzip = ask({ "accept-encoding": "gzip" });
    const br = ask({ "accept-encoding": "gzip, br" });
    expect(gunzipSync(gzip.body as Buffer).toString()).toBe(whole);
    expect(brotliDecompressSync(br.body as Buffer).toString()).toBe(whole);
    expect(br.headers).toMatchObject({ "cache-control": "private, no-cache", "content-encoding": "br" });
    const { etag = "" } = br.headers;
    expect(ask({ "accept-encoding": "br", "if-none-match": etag })).toMatchObject({ status: 304, body: "" });
    expect(ask({ "accept-encoding": "br", "if-none-match": '"old"' })).toMatchObject({ status: 200 });
  });
});

describe("the providers of a model", () => {
  let boards: MemoryBoards;
  beforeEach(() => {
    boards = new MemoryBoards();
  });
  interface Row {
    provider: string;
    asked: string;
    state: string | null;
    uptime_15m: number | null;
  }
  const ask = async (model = id): Promise<{ data: Row[] }> => {
    const reply = await listRoutes(callOf({}, "", model), { catalog, boards, log: () => {} });
    return JSON.parse(String(reply.body)) as { data: Row[] };
  };
  const idsOf = (provider: string) =>
    (catalog.find(id)?.channels ?? []).filter((each) => each.provider === provider).map((each) => each.id);
  const count = (channel: string | undefined, counts: Partial<ChannelCounts>) =>
    boards.add({ model: id, at: now - minuteMs, channels: { [channel ?? ""]: counts } });
  const states = async () => (await ask()).data.map(({ provider, state }) => [provider, state]);

  test("stand in the order in which they are asked, each once, and nothing is said of what nobody calls", async () => {
    const none = {
      ...{ state: null, uptime_5m: null, uptime_15m: null, first_byte_ms: { p50: null, p95: null } },
      tokens_per_second: null,
    };
    expect(await ask("TEST/model_1")).toEqual({
      object: "list",
      model: id,
      at: new Date(now).toISOString(),
      data: [
        { provider: "pool", asked: "first", ...none },
        { provider: "beside", asked: "first", ...none },
        { provider: "last", asked: "later", ...none },
      ],
    });
  });

  test("are measured over all of their keys, and are as good as the best of these", async () => {
    const [one, two] = idsOf("pool");
    await count(one, { answers: 3, faults: 1, input_tokens: 10, cache_read_tokens: 5 });
    await count(two, { answers: 4 });
    const opening = { until: now + minuteMs, level: 1, now };
    await boards.open(id, one ?? "", opening);
    await count(idsOf("beside")[0], { answers: 1 });
    await boards.open(id, idsOf("last")[0] ?? "", opening);
    expect(await states()).toEqual([
      ["pool", "good"],
      ["beside", "good"],
      ["last", "open"],
    ]);
    const [pool] = (await ask()).data;
    expect(pool?.uptime_15m).toBe(0.875);
    // How others ask is not told.
    expect(pool).not.toHaveProperty("cached_share");
    await boards.open(id, two ?? "", opening);
    expect((await states())[0]).toEqual(["pool", "open"]);
  });

  test("are not out for whom they answer: a fault that one organization alone sees is told to that one alone", async () => {
    const [channel = ""] = idsOf("beside");
    await count(channel, { answers: 1 });
    const others = { until: now + minuteMs, level: 1, now, only_for: witnessOf("org_other") };
    await boards.open(id, channel, others);
    expect((await states())[1]).toEqual(["beside", "good"]);
    const own = { until: now + minuteMs, level: 1, now, only_for: witnessOf("org_reader") };
    await boards.open(id, idsOf("last")[0] ?? "", own);
    expect((await states())[2]).toEqual(["last", "open"]);
  });

  test("are not there while an operator has taken out all of their channels", async () => {
    const [one = "", two = ""] = idsOf("pool");
    await count(two, { answers: 1 });
    boards.takeOut(id, one, {});
    expect((await states())[0]).toEqual(["pool", "good"]);
    boards.takeOut(id, two, {});
    expect(await states()).toEqual([
      ["beside", null],
      ["last", null],
    ]);
  });

  test("are there without the board too, with nothing said of them", async () => {
    boards.read = async () => {
      throw new Error("unreachable");
    };
    expect(await states()).toEqual([
      ["pool", null],
      ["beside", null],
      ["last", null],
    ]);
  });

  test("of a model that does not exist are 40400, with the nearest name", async () => {
    await expect(ask("test/model-11")).rejects.toThrow(/does not exist.*test\/model-1/);
  });
});
