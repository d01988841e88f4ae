/**
 * Sees the writes of a call from between the gateway and DynamoDB. It counts their capacity units, and tells what
 * happens to a call while a transaction holds its meter.
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { createLedger, type LedgerStore } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { call } from "#test/support/call.ts";
import { startDynamoDb, type TestDynamoDb } from "#test/support/dynamodb.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { type Refusal, startProxy } from "#test/support/proxy.ts";
import { chatBody, chatPath, completion, noise } from "#test/support/scenario.ts";
import { expectBalanced, openPlan, openWallet } from "#test/support/store.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { newWallet } from "#test/support/wallets.ts";

let db: TestDynamoDb;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let upstream: Upstream;
let memory: Memory;
let aws: Aws;
let meters: Meters;
let ledger: LedgerStore;
let serve: Pipeline;
/** What the proxy answers in DynamoDB's place. */
let refuse: (action: string) => Refusal | undefined;
/** Write units by action, in the order they were taken. */
let writes: { action: string; units: number }[];

beforeAll(async () => {
  [db, upstream] = await Promise.all([startDynamoDb(), startUpstream()]);
  const count = (action: string, { ConsumedCapacity = [] }: { ConsumedCapacity?: Capacity | Capacity[] }) => {
    const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
    if (action !== "GetItem") writes.push({ action, units });
  };
  proxy = await startProxy(
    db.endpoint,
    (action, input) => {
      input.ReturnConsumedCapacity = "TOTAL";
      return refuse(action);
    },
    count,
  );
  aws = createAws({
    region: "us-east-1",
    credentials: () => ({ accessKeyId: "test", secretAccessKey: "test" }),
    endpoints: { dynamodb: proxy.url },
    attemptsMax: 4,
    timeoutMs: 10_000,
  });
  meters = createMeters(aws, db.tables);
  ledger = createLedger(aws, db.tables);
});
beforeEach(() => {
  memory = createMemory(testCatalog(upstream.url));
  Object.assign(memory.deps, { meters, ledger });
  serve = createPipeline({} as LocalAnswers, memory.deps);
  upstream.json(completion);
  refuse = () => undefined;
  writes = [];
});
afterEach(() => upstream.reset());
afterAll(async () => {
  await proxy.stop();
  await Promise.all([db.stop(), upstream.stop()]);
});

interface Capacity {
  CapacityUnits: number;
}

const chat = (key: string, at = Date.now()) =>
  call(serve, chatPath, { headers: { authorization: `Bearer ${key}` }, body: chatBody, at });

async function payer(): Promise<{ meter: string; key: string }> {
  const meter = await openWallet(db, "5");
  return { meter, key: memory.addKey({}, { wallet: { meter, shards: 1 } }) };
}

async function subscriber(): Promise<{ meter: string; key: string }> {
  const meter = await openPlan(db);
  const subscription = { meter, plan: "free", period: "monthly", started_at: 0, ends_at: null } as const;
  return { meter, key: memory.addKey({ mode: "subscription" }, { subscription, wallet: null }) };
}

/** A key with a limit of its own, on a wallet of four shards. */
async function cappedPayer(): Promise<{ key: string }> {
  const { wallet } = await newWallet(db, "5", 4);
  return { key: memory.addKey({ limits: { max_concurrency: 2 } }, { wallet }) };
}

/** A key with a budget of the month, on a wallet of four shards. */
async function budgetedPayer(): Promise<{ key: string }> {
  const { wallet } = await newWallet(db, "5", 4);
  const limits = { budget_points: "3.123456789", budget_period: "month", max_concurrency: 2 } as const;
  return { key: memory.addKey({ limits }, { wallet }) };
}

async function budgetedSubscriber(): Promise<{ key: string }> {
  const meter = await openPlan(db);
  const subscription = { meter, plan: "free", period: "monthly", started_at: 0, ends_at: null } as const;
  const limits = { rpm: 2, tpm: 10_000, budget_points: "3.123456789", budget_period: "day" } as const;
  return { key: memory.addKey({ mode: "subscription", limits }, { subscription, wallet: null }) };
}

async function limitedSubscriber(): Promise<{ key: string }> {
  const { meter } = await subscriber();
  const subscription = { meter, plan: "free", period: "monthly", started_at: 0, ends_at: null } as const;
  const limits = { rpm: 2, tpm: 10_000, tpd: 20_000, max_concurrency: 1 };
  return { key: memory.addKey({ mode: "subscription", limits }, { subscription, wallet: null }) };
}

/** Whose writes are not counted: it marks the meter, and that is a write to an index. */
async function firstOfTheDay(key: string): Promise<void> {
  expect((await chat(key)).status).toBe(200);
  writes = [];
  memory.events = [];
}

describe.each([
  ["pay-as-you-go", payer],
  ["subscription", subscriber],
  ["a capped key on four shards", cappedPayer],
  ["a subscription's key with every limit", limitedSubscriber],
  ["a key with a budget on four shards", budgetedPayer],
  ["a subscription's key with a budget", budgetedSubscriber],
])("the writes of a call, %s", (_, customer) => {
  test("two units before the provider is asked, one after the last byte, four at the ledger", async () => {
    const { key } = await customer();
    await firstOfTheDay(key);
    let before: typeof writes = [];
    upstream.on((_request, response) => {
      before = writes.slice();
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    });
    expect((await chat(key)).status).toBe(200);
    expect(before.toSorted((a, b) => (a.action < b.action ? -1 : 1))).toEqual([
      { action: "PutItem", units: 1 },
      { action: "UpdateItem", units: 1 },
    ]);
    expect(writes.slice(2)).toEqual([{ action: "UpdateItem", units: 1 }]);
    writes = [];
    await ledger.record(memory.events);
    // The first call of a process at a price puts that too: the test below.
    const posted = writes.filter(({ action }) => action !== "PutItem");
    expect(posted).toEqual([{ action: "TransactWriteItems", units: 4 }]);
  });
});

test("the first call of the day takes one unit more, to mark the meter for the sweep", async () => {
  const { key } = await payer();
  const units = async () => {
    writes = [];
    expect((await chat(key)).status).toBe(200);
    return writes.map(({ action, units }) => `${action} ${units}`).sort();
  };
  expect(await units()).toEqual(["PutItem 1", "UpdateItem 1", "UpdateItem 2"]);
  expect(await units()).toEqual(["PutItem 1", "UpdateItem 1", "UpdateItem 1"]);
});

test("a process puts a price into the history once, with the first call at it, and writes no more with the next", async () => {
  const process = createLedger(aws, db.tables);
  const { key } = await payer();
  for (const actions of [["PutItem", "TransactWriteItems"], ["TransactWriteItems"]]) {
    expect((await chat(key)).status).toBe(200);
    writes = [];
    await process.record(memory.events.splice(0));
    expect(writes.map(({ action }) => action)).toEqual(actions);
  }
});

test.each([
  ["two more: its key, and its end with the answer", {}, 5],
  ["three more where the answer is long: its key, its answer, its end", { note: noise(22) }, 6],
])("a call with an idempotency key takes %s", async (_, more, units) => {
  const { key } = await payer();
  await firstOfTheDay(key);
  memory.deps.replays = createReplays(aws, db.tables);
  upstream.json({ ...completion, ...more });
  const headers = { authorization: `Bearer ${key}`, "idempotency-key": randomUUID() };
  expect((await call(serve, chatPath, { headers, body: chatBody })).status).toBe(200);
  expect(writes.filter(({ action }) => action === "PutItem")).toHaveLength(units - 2);
  expect(writes.filter(({ action }) => action === "UpdateItem")).toHaveLength(2);
  expect(writes.reduce((sum, { units }) => sum + units, 0)).toBe(units);
});

test("a refused call takes what it asked with, and nothing to take that back", async () => {
  const meter = await openWallet(db, "0.000001");
  const key = memory.addKey({}, { wallet: { meter, shards: 1 } });
  expect((await chat(key)).status).toBe(402);
  expect(writes.map(({ action }) => action).sort()).toEqual(["PutItem", "UpdateItem"]);
});

test("a call over its minute takes three units, and those of the next second none", async () => {
  const { key } = await subscriber();
  const at = Date.now();
  for (let i = 0; i < 3; i++) expect((await chat(key, at)).status).toBe(200);
  const units = async (at: number) => {
    writes = [];
    expect((await chat(key, at)).status).toBe(429);
    return writes.map(({ units }) => units);
  };
  expect([await units(at), await units(at + 1), await units(at + 999)]).toEqual([[1, 1, 1], [], []]);
  expect(await units(at + 1_000)).toEqual([1, 1, 1]);
});

test("ten settled together share their rollup: 22 units for all", async () => {
  const { key } = await payer();
  for (let i = 0; i < 10; i++) expect((await chat(key)).status).toBe(200);
  writes = [];
  await ledger.record(memory.events);
  expect(writes).toEqual([{ action: "TransactWriteItems", units: 22 }]);
});

/** What DynamoDB says of a plain write on an item that a transaction has. */
const conflict = {
  status: 400,
  body: { __type: "com.amazonaws.dynamodb.v20120810#TransactionConflictException", message: "ongoing" },
};

describe.each(["UpdateItem", "PutItem"])("an admission whose %s meets a transaction", (refused) => {
  test("is tried again, and the call served and settled as ever", async () => {
    const { meter, key } = await payer();
    let conflicts = 2;
    refuse = (action) => (action === refused && conflicts-- > 0 ? conflict : undefined);
    expect((await chat(key)).status).toBe(200);
    expect(conflicts).toBeLessThan(0);
    expect((await meters.readMeter(meter, 0))?.holds.size).toBe(0);
    await expectBalanced(db, meter);
  });

  test("that never ends is 42900, sends nothing and holds nothing", async () => {
    const { meter, key } = await payer();
    let asked = 0;
    refuse = (action) => {
      if (action !== refused) return undefined;
      asked += 1;
      return conflict;
    };
    const reply = await chat(key);
    expect(reply.json()).toMatchObject({ error: { code: "42900" } });
    expect([reply.status, reply.headers["retry-after"], asked]).toEqual([429, "1", 4]);
    expect(upstream.requests).toEqual([]);
    refuse = () => undefined;
    const item = await meters.readMeter(meter, 0);
    expect([item?.holds.size, item?.avail]).toEqual([0, item?.granted]);
  });
});
