/** Settling a batch on the embedded DynamoDB: what reaches the board, and what a board that fails may not touch. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ThrottledError } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { CallRoute, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { emptyMonth } from "#shared/calls/cache/statistics.ts";
import { type SettleDeps, settleBatch } from "#shared/edges/jobs/settle.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { createCacheStatistics } from "#shared/edges/store/cache-statistics.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { entryKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { usageEntry } from "#shared/edges/store/ledger/postings.ts";
import { type Collector, startCollector, tellTo } from "#test/support/collector.ts";
import { counting, eventOf, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger, meters } = useStores();

const attempt = { provider: "acme", channel: "a1b2c3", outcome: "answered", ms: 812 } as const;
const route: CallRoute = {
  routing: "smart",
  why: "conversation",
  of: 2,
  attempts: [attempt],
  generation_ms: 4_000,
};

let models = 0;
const newModel = () => `acme/Settled-${++models}`;
const call = (model: string, change: Partial<UsageEvent> = {}) =>
  eventOf(walletHold("mtr_1", "1"), "0.5", { model, route, ...change });
const messagesOf = (events: UsageEvent[]) =>
  events.map((event, id) => ({ id: String(id), body: JSON.stringify(event) }));

function depsWith(change: Partial<SettleDeps> = {}): { deps: SettleDeps; logged: string[] } {
  const logged: string[] = [];
  const log: SettleDeps["log"] = (_, event) => logged.push(event);
  return {
    deps: {
      ledger,
      boards: createBoards(db.aws, db.tables),
      statistics: createCacheStatistics(db.aws, db.tables),
      log,
      now: () => noon + 2_000,
      ...change,
    },
    logged,
  };
}

const countedOf = async (model: string) => {
  const { windows } = await createBoards(db.aws, db.tables).read(model, noon + 2_000);
  return windows.map(({ start, channels }) => [start, channels.a1b2c3?.answers]);
};

describe("a batch", () => {
  test("counts its new answers in one write, and those that come again count no more", async () => {
    const model = newModel();
    const { aws, units } = counting(db.aws);
    const { deps } = depsWith({ boards: createBoards(aws, db.tables) });
    const events = Array.from({ length: 5 }, () => call(model));
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(units).toEqual(new Map([["UpdateItem", 1]]));
    expect(await countedOf(model)).toEqual([[noon, 5]]);
    expect(await settleBatch(messagesOf([...events, call(model)]), deps)).toEqual([]);
    expect(await countedOf(model)).toEqual([[noon, 6]]);
  });

  test("counts nothing for an estimate of the sweeper, and nothing for its correction", async () => {
    const model = newModel();
    const { deps } = depsWith();
    const meter = await openWallet(db, "5");
    const real = eventOf(walletHold(meter, "1"), "0.5", { model, route });
    const { route: _, ...swept } = { ...real, source: "sweeper" as const, cost_points: "0.1" };
    expect(await ledger.record([swept])).toEqual(["recorded"]);
    expect(await settleBatch(messagesOf([real]), deps)).toEqual([]);
    expect((await ledger.entriesOf("org_1", real.id)).map(({ kind }) => kind)).toEqual([
      "usage",
      "adjustment",
    ]);
    expect(await countedOf(model)).toEqual([]);
    expect((await meters.readMeter(meter, 0))?.used).toBe(4n * 10n ** 17n);
  });

  test("with one message that cannot be recorded counts the others, in one write", async () => {
    const model = newModel();
    const { aws, units } = counting(db.aws);
    const events = Array.from({ length: 4 }, () => call(model));
    const record: SettleDeps["ledger"]["record"] = (each) =>
      each.some(({ id }) => id === events[2]?.id) ? Promise.reject(new Error("no")) : ledger.record(each);
    const { deps, logged } = depsWith({ ledger: { record }, boards: createBoards(aws, db.tables) });
    expect(await settleBatch(messagesOf(events), deps)).toEqual(["2"]);
    expect(logged).toEqual(["batch_failed", "settle_failed", "settled"]);
    expect(units).toEqual(new Map([["UpdateItem", 1]]));
    expect(await countedOf(model)).toEqual([[noon, 3]]);
  });

  test.each([
    ["throttled", new ThrottledError("ThrottlingException", 400, {})],
    ["gone", new Error("ResourceNotFoundException")],
  ])("is settled as ever where the board is %s", async (_, error) => {
    const models = [newModel(), newModel()];
    const { deps, logged } = depsWith({ boards: { add: () => Promise.reject(error) } });
    const events = models.map((model) => call(model));
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(logged).toEqual(["board_failed", "board_failed", "settled"]);
    for (const { id } of events) expect(await ledger.entry("org_1", id)).toMatchObject({ points: "0.5" });
  });
});

describe("a route", () => {
  const recorded = async (change: Partial<UsageEvent>) => {
    const event = call(newModel(), change);
    const { deps } = depsWith();
    expect(await settleBatch(messagesOf([event]), deps)).toEqual([]);
    return (await ledger.entry("org_1", event.id))?.event;
  };

  test("is kept by its entry without what the board alone needs", async () => {
    const failed = { provider: "other", channel: "d4e5f6", outcome: "limited", ms: 31 } as const;
    const kept = await recorded({ route: { ...route, attempts: [failed, attempt] }, attempts: 2 });
    expect(kept?.route).toEqual({
      routing: "smart",
      why: "conversation",
      of: 2,
      attempts: [
        { provider: "other", outcome: "limited", ms: 31 },
        { provider: "acme", outcome: "answered", ms: 812 },
      ],
    });
  });

  test("of a call that a fallback answered names the models of the others, and what was asked for", async () => {
    const requested_model = "acme/Ballad-1";
    const failed = { provider: "acme", outcome: "fault", ms: 31, model: requested_model } as const;
    const kept = await recorded({
      ...{ requested_model, attempts: 2 },
      route: { ...route, why: "fallback", of: 1, attempts: [failed, attempt] },
    });
    expect(kept).toMatchObject({ requested_model });
    expect(kept?.route).toEqual({
      routing: "smart",
      why: "fallback",
      of: 1,
      attempts: [failed, { provider: "acme", outcome: "answered", ms: 812 }],
    });
  });

  test("of a call that failed is kept too", async () => {
    const failed = { provider: "acme", channel: "a1b2c3", outcome: "fault", ms: 31 } as const;
    const kept = await recorded({
      ...{ route: { ...route, routing: "basic", of: 1, attempts: [failed] } },
      ...{ outcome: "failed", provider: null, calls: 0, cost_points: "0" },
    });
    expect(kept?.route).toMatchObject({
      routing: "basic",
      attempts: [{ provider: "acme", outcome: "fault", ms: 31 }],
    });
  });

  test("is not kept where one channel alone could take the call, and answered", async () => {
    expect(await recorded({ route: { ...route, of: 1 } })).not.toHaveProperty("route");
  });

  test.each<[what: string, route: unknown]>([
    ["is no object", "smart"],
    ["is null", null],
    ["has an unknown routing", { ...route, routing: "clever" }],
    ["has an unknown outcome", { ...route, attempts: [{ ...attempt, outcome: "closed" }] }],
    ["has too many attempts", { ...route, attempts: Array.from({ length: 17 }, () => attempt) }],
    ["has a time that is no count", { ...route, attempts: [{ ...attempt, ms: -1 }] }],
    ["has a generation that is no count", { ...route, generation_ms: 0.5 }],
    ["counts its channels in words", { ...route, of: "two" }],
    ["has a long name", { ...route, why: "y".repeat(65) }],
    ["has a provider that is no name", { ...route, attempts: [{ ...attempt, provider: 7 }] }],
    ["has a long model", { ...route, attempts: [{ ...attempt, model: "m".repeat(257) }] }],
    ["has no list of attempts", { ...route, attempts: { length: 0 } }],
  ])("that %s is left out, and its call is billed", async (_, odd) => {
    const kept = await recorded({ route: odd as CallRoute });
    expect(kept).toMatchObject({ cost_points: "0.5" });
    expect(kept).not.toHaveProperty("route");
  });
});

describe("an entry of an older version", () => {
  /** Puts an entry as versions did that knew no route: with all that the newer gateway had sent. */
  const keep = async (event: UsageEvent) => {
    const Item = { ...entryKey("org_1", event.id), ...toItem(usageEntry(event, noon)) };
    await db.aws("dynamodb", "PutItem", { TableName: db.tables.ledger, Item });
    return event;
  };

  test("has the route as its event had it, and the event may come again", async () => {
    const event = await keep(call(newModel()));
    expect((await ledger.entry("org_1", event.id))?.event).toEqual(event);
    expect(await settleBatch(messagesOf([event]), depsWith().deps)).toEqual([]);
  });

  test.each([["smart"], [{ routing: "smart" }]])("that has the route %j has none", async (odd) => {
    const { id } = await keep(call(newModel(), { route: odd as unknown as CallRoute }));
    expect((await ledger.entry("org_1", id))?.event).not.toHaveProperty("route");
  });
});

test("an entry keeps four short values of a route whose first channel answered", async () => {
  const event = call(newModel());
  await ledger.record([event]);
  const { event: stored } = (await getItem(db.aws, db.tables.ledger, entryKey("org_1", event.id))) ?? {};
  const route = [{ S: "s" }, { S: "conversation" }, { N: "2" }, { N: "812" }];
  expect(stored?.M?.route).toEqual({ L: route });
});

describe("hits of the cache", () => {
  const hit = (change: Partial<UsageEvent> = {}, level: "exact" | "canonical" = "exact") =>
    eventOf(walletHold("mtr_1", "1"), "0", {
      ...{ organization, project: "", evidence: "cache" as const, provider: null, attempts: 0 },
      cache: { level, entry: newId("request", noon), age_seconds: 5, saved_points: "0.25", place: "s/n" },
      ...change,
    });
  let organization: string;

  test("are added to the sums of their month once, with one write for each project", async () => {
    organization = newId("organization", noon);
    const { aws, units } = counting(db.aws);
    const statistics = createCacheStatistics(aws, db.tables);
    const { deps } = depsWith({ statistics });
    const events = [
      hit(),
      hit({}, "canonical"),
      hit(),
      hit({ project: "one" }),
      call("acme/none", { route }),
    ];
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(units.get("UpdateItem")).toBe(2);
    const sums = await statistics.read(organization, undefined, noon);
    expect(sums).toEqual({ ...emptyMonth, exact: 3, canonical: 1, saved_points: 10n ** 18n });
    expect(await statistics.read(organization, "one", noon)).toMatchObject({ exact: 1, canonical: 0 });
  });

  test("that cannot be added cost nobody his bill", async () => {
    organization = newId("organization", noon);
    const add = () => Promise.reject(new ThrottledError("ThrottlingException", 400, {}));
    const { deps, logged } = depsWith({ statistics: { add } });
    const event = hit();
    expect(await settleBatch(messagesOf([event]), deps)).toEqual([]);
    expect(await ledger.entry(organization, event.id)).toMatchObject({ points: "0" });
    expect(logged).toEqual(["cache_uncounted", "settled"]);
  });
});

describe("a collector of metrics", () => {
  let collector: Collector;
  beforeAll(async () => {
    collector = await startCollector();
  });
  afterAll(() => collector.stop());
  const telling = (url: string, log: SettleDeps["log"]) =>
    depsWith({ log, metering: Promise.resolve(tellTo(url, { log }).metering) });

  test("is told of each event once, and together with those of its batch", async () => {
    const model = newModel();
    const { deps } = telling(collector.url, () => {});
    const events = [call(model), call(model), call(model)];
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(await settleBatch(messagesOf(events), deps)).toEqual([]);
    expect(collector.received).toHaveLength(1);
    const counts = collector
      .points()
      .map(({ metric, count, sum, asDouble }) => [metric, count, sum ?? asDouble]);
    expect(counts).toEqual([
      ["gen_ai.client.operation.duration", 3, expect.closeTo(3 * 4.812)],
      ["gen_ai.client.operation.time_to_first_chunk", 3, expect.closeTo(3 * 0.812)],
      ["gen_ai.client.token.usage", 3, 30],
      ["gen_ai.client.token.usage", 3, 15],
      ["gen_ai.server.request.duration", 3, 3],
      ["model_gateway.cost", undefined, 1.5],
    ]);
  });

  test("that hangs changes nothing in the ledger, and no message comes again", async () => {
    collector.on(() => {});
    const lines: string[] = [];
    const { deps } = telling(collector.url, (_, event) => void lines.push(event));
    const event = call(newModel());
    expect(await settleBatch(messagesOf([event]), deps)).toEqual([]);
    expect(await ledger.entry(event.organization, event.id)).toMatchObject({ points: "0.5" });
    expect(lines).toEqual(["telemetry_lost", "settled"]);
  });
});
