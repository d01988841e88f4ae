/** `GET /api/v1/models/{model}/routes`: what is told of a model's channels, and what never is. */
import { beforeEach, expect, test } from "vitest";
import type { Principal } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { type ChannelCounts, windowMs } from "#shared/calls/routing/board.ts";
import { bucketOf } from "#shared/calls/routing/histogram.ts";
import { witnessOf } from "#shared/calls/routing/witness.ts";
import { listRoutes } from "#shared/edges/api/model-routes.ts";
import { testCatalog } from "#test/support/memory.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";

/** The start of a window. */
const now = 1_000_000 * windowMs;
const minuteMs = 60_000;

type Json = Record<string, unknown>;
const base = testCatalog("https://secret-host.example") as { providers: { test: Json }; models: Json[] };
const names = ["north", "south", "west"];
const catalog = createCatalog(
  parseCatalog({
    ...base,
    providers: {
      ...base.providers,
      ...Object.fromEntries(names.map((name) => [name, { ...base.providers.test, secret: "SECRET_NAME" }])),
      pool: { ...base.providers.test, secret: "POOL_1", secrets: ["POOL_1", "POOL_2", "POOL_3"] },
    },
    models: base.models.map((model) =>
      model.id === "test/model-1"
        ? {
            ...model,
            channels: [...names, "pool"].map((provider) => ({ provider, model: "hidden-name" })),
          }
        : model,
    ),
  }),
);
const channels = catalog.find("test/model-1")?.channels ?? [];
const ids = channels.map(({ id }) => id);
const [north = "", south = "", west = ""] = ids;

const payg = {
  key: { mode: "payg", permissions: [] },
  organization: { id: "org_payg", subscription: null },
} as never;
const subscriber = {
  key: { mode: "subscription", permissions: [] },
  organization: { id: "org_subscriber", subscription: { plan: "free" } },
} as never;

let boards: MemoryBoards;
let logs: unknown[][];
beforeEach(() => {
  boards = new MemoryBoards();
  logs = [];
});

interface Shown {
  routing: string;
  data: { provider: string; state: string | null; uptime_5m: number | null }[];
}

async function show(model = "test/model-1", caller: Principal = payg): Promise<Shown> {
  const secrets = { provider: async (name: string) => (name === "POOL_3" ? undefined : "value") };
  const log = (...line: unknown[]) => void logs.push(line);
  const reply = await listRoutes(model, { caller, now }, { catalog, boards, secrets, log });
  expect(reply.status).toBe(200);
  return JSON.parse(String(reply.body)) as Shown;
}

const unmeasured = {
  uptime_5m: null,
  uptime_15m: null,
  first_byte_ms: { p50: null, p95: null },
  tokens_per_second: null,
  cached_share: null,
};

/** Adds counts of one channel so many minutes ago. */
const count = (channel: string, minutesAgo: number, counts: Partial<ChannelCounts>) =>
  boards.add({ model: "test/model-1", at: now - minutesAgo * minuteMs, channels: { [channel]: counts } });

/** Measurements of so many answers that began after so many milliseconds. */
function begunAfter(ms: number, answers: number): Partial<ChannelCounts> {
  const first_byte = Array.from({ length: bucketOf(ms) + 1 }, () => 0);
  first_byte[bucketOf(ms)] = answers;
  return { answers, first_byte, output_tokens: 100 * answers, generation_ms: 1000 * answers };
}

test("every channel that has a key is there, and what nobody has measured is null", async () => {
  expect(await show()).toEqual({
    object: "list",
    model: "test/model-1",
    routing: "basic",
    // The third key of the pool is not there.
    data: [...names, "pool", "pool"].map((provider) => ({ provider, state: "good", ...unmeasured })),
  });
});

test("a name that reads the same and an alias find the model, and a key hears which routing it gets", async () => {
  for (const name of ["TEST/model_1", "test/model-one"]) {
    expect(await show(name, subscriber)).toMatchObject({ model: "test/model-1", routing: "smart" });
  }
});

test("the shares of answers are those of 5 and of 15 minutes, and older ones count for nothing", async () => {
  await count(north, 16, { faults: 100 });
  await count(north, 14, { answers: 2, faults: 2, input_tokens: 100, cache_read_tokens: 25 });
  await count(north, 6, { faults: 3 });
  await count(north, 4, { answers: 2, faults: 1, limited: 50, input_tokens: 200 });
  expect((await show()).data[0]).toMatchObject({
    provider: "north",
    state: "good",
    uptime_5m: 0.6667,
    uptime_15m: 0.4,
    cached_share: 0.0833,
  });
});

test("first bytes and speed are those of the whole time", async () => {
  await count(north, 10, begunAfter(500, 19));
  await count(north, 1, begunAfter(5_000, 1));
  const { first_byte_ms, tokens_per_second } = (await show()).data[0] as never as {
    first_byte_ms: { p50: number; p95: number };
    tokens_per_second: number;
  };
  // The bucket of 500 ms is that from 410 to 655 ms.
  expect(first_byte_ms.p50).toBeGreaterThan(410);
  expect(first_byte_ms.p50).toBeLessThan(first_byte_ms.p95);
  expect(first_byte_ms.p95).toBe(655);
  expect(tokens_per_second).toBe(100);
});

test("a channel that an operator has taken out is not there, until it is back", async () => {
  boards.takeOut("test/model-1", south, { until: now + 1 });
  expect((await show()).data.map(({ provider }) => provider)).toEqual(["north", "west", "pool", "pool"]);
  boards.takeOut("test/model-1", south, { until: now });
  expect((await show()).data).toHaveLength(5);
});

test("a channel's state is what routing sees", async () => {
  const steady = begunAfter(400, 40);
  for (const id of ids) await count(id, 0, steady);
  await count(west, 0, begunAfter(8_000, 400));
  await boards.open("test/model-1", north, { until: now + 2_500, level: 1, now });
  await boards.limit("test/model-1", south, now + 12_000);
  expect((await show()).data.map(({ state }) => state)).toEqual(["open", "limited", "slow", "good", "good"]);
  await count(ids[3] ?? "", 0, { faults: 200 });
  expect((await show()).data[3]).toMatchObject({ provider: "pool", state: "flaky", uptime_5m: 0.1667 });
});

test("a channel that one organization alone saw failing is open for it alone", async () => {
  const only_for = witnessOf("org_payg");
  await boards.open("test/model-1", north, { until: now + 2_500, level: 1, only_for, now });
  expect((await show()).data[0]).toMatchObject({ state: "open" });
  expect((await show("test/model-1", subscriber)).data[0]).toMatchObject({ state: "good" });
});

test("without the board every value is null, and the page is still there", async () => {
  boards.read = () => Promise.reject(new Error("throttled"));
  expect((await show()).data).toEqual(
    [...names, "pool", "pool"].map((provider) => ({ provider, state: null, ...unmeasured })),
  );
  expect(logs).toEqual([["warn", "board_unreachable", { model: "test/model-1", error: "Error: throttled" }]]);
});

test("no key, account, address or channel is told", async () => {
  for (const id of ids) await count(id, 0, begunAfter(300, 3));
  const text = JSON.stringify(await show());
  for (const word of [...ids, "hidden-name", "SECRET_NAME", "POOL_1", "secret-host", "https"])
    expect(text).not.toContain(word);
});

test("a model that is not there, or not in the key's plan, is refused", async () => {
  await expect(show("test/none")).rejects.toMatchObject({ key: "not_found" });
  const plans = { free: { ...catalog.plans().free, models: ["test/embedding-1"] } };
  const narrow = createCatalog(parseCatalog({ ...base, plans }));
  const deps = { catalog: narrow, boards, secrets: { provider: async () => "value" }, log: () => {} };
  const asked = listRoutes("test/model-1", { caller: subscriber, now }, deps);
  await expect(asked).rejects.toMatchObject({ key: "permission_denied" });
  expect(boards.reads).toBe(0);
});
