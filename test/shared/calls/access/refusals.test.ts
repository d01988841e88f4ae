/**
 * Calls over a limit of the minute or day, refused again from memory: no writes, and nobody who would be let in (S24).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { call } from "#test/support/call.ts";
import { testCatalog } from "#test/support/memory.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { chatBody, chatPath, completion, messages, useScenario } from "#test/support/scenario.ts";
import { noon, openPlan, planHold, planLimits, settlement } from "#test/support/store.ts";
import { createVideoScenario, videoBody, withVideo } from "#test/support/video.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const scenario = useScenario();
const countPath = "/v1/messages/count_tokens";
const tasksPath = "/api/v3/contents/generations/tasks";

/** Writes that were asked for, in order. */
let writes: string[];
let clock: number;
/** What the subscriptions are held to. */
let plan: Plan;
const database = createMemoryDynamoDb();
const aws = awsOverMemory(database, (act, action) => {
  if (action !== "GetItem") writes.push(action);
  return act();
});
const db = { aws, tables: database.tables };
const meters = createMeters(aws, database.tables);

beforeEach(() => {
  clock = noon;
  writes = [];
  const { memory, upstream } = scenario;
  const catalog = createCatalog(parseCatalog(withVideo(testCatalog(upstream.url), upstream.url)));
  const videos = createVideoScenario(createTasks(aws, db.tables), meters).deps;
  const deps = { ...videos, ...memory.deps, meters, catalog, now: () => clock };
  scenario.serve = createPipeline(localAnswers(deps), deps);
  plan = catalog.plan("free") as Plan;
  upstream.json(completion);
});

/** A subscription to the plan `free`: 3 requests, 20,000 tokens a minute, 200,000 a day; its meter, and keys of it. */
async function subscriber() {
  const meter = await openPlan(db);
  const subscription = { meter, plan: "free", period: "monthly", started_at: 0, ends_at: null } as const;
  const addKey = (limits: KeyLimits | null = null) =>
    scenario.memory.addKey(
      { mode: "subscription", limits, id: newId("key", noon) },
      { id: "org_1", subscription, wallet: null },
    );
  return { meter, addKey, key: addKey() };
}

/**
 * Sends one call after another, so many milliseconds after noon; gives the answer, and what it asked
 * the meter to write.
 */
async function send(key: string, after: number, body: object = chatBody, path = chatPath) {
  clock = noon + after;
  writes = [];
  const headers = { authorization: `Bearer ${key}` };
  const answer = await call(scenario.serve, path, { headers, body, at: clock });
  return { ...answer, writes: writes.length };
}

/** Uses up the plan's minute at noon. */
async function fill(meter: string) {
  const holds = [0, 1, 2].map(() => planHold(meter, planLimits({ rpm: 3 })));
  for (const hold of holds) await meters.admit(hold);
  return holds;
}

const refusedAnew = { status: 429, writes: 3 };
const remembered = { status: 429, writes: 0 };

describe("a call over the requests of a minute", () => {
  test("is written for once a second, however many come: 30 writes for 10,000", async () => {
    const { meter, key } = await subscriber();
    await fill(meter);
    let all = 0;
    for (let after = 0; after < 10_000; after++) {
      const { status, writes } = await send(key, after);
      expect(status).toBe(429);
      all += writes;
    }
    expect(all).toBe(30);
    expect((await meters.readMeter(meter, 0))?.holds.size).toBe(3);
  });

  test("gets the same answer, and is told the time that is left", async () => {
    const { meter, key } = await subscriber();
    await fill(meter);
    const [first, again] = [await send(key, 29_900), await send(key, 30_800)];
    expect([first, again]).toMatchObject([refusedAnew, remembered]);
    expect(again.text).toBe(first.text);
    expect([first, again].map(({ headers }) => headers["retry-after"])).toEqual(["31", "30"]);
    const reset = { "x-ratelimit-reset-requests": "30s", "x-ratelimit-reset-tokens": "30s" };
    const { "retry-after": _, "x-request-id": __, ...rest } = first.headers;
    expect(again.headers).toMatchObject({ ...rest, ...reset });
  });

  test("is admitted at the instant that the limit has room", async () => {
    const { meter, key } = await subscriber();
    await fill(meter);
    expect(await send(key, 59_700)).toMatchObject({ ...refusedAnew, headers: { "retry-after": "1" } });
    expect(await send(key, 59_999)).toMatchObject(remembered);
    expect((await send(key, 60_000)).status).toBe(200);
  });

  test("is asked for anew after a second, when a place was given back", async () => {
    const { meter, key } = await subscriber();
    const [failed] = await fill(meter);
    await send(key, 1_000);
    if (failed) await meters.settle(ticketOf(failed), settlement({ giveBack: true }));
    expect(await send(key, 1_999)).toMatchObject(remembered);
    expect((await send(key, 2_000)).status).toBe(200);
  });

  test("is admitted at once under another plan", async () => {
    const { meter, key } = await subscriber();
    await fill(meter);
    expect([await send(key, 1), await send(key, 2)]).toMatchObject([refusedAnew, remembered]);
    plan.rpm = 4;
    expect((await send(key, 3)).status).toBe(200);
  });

  test("binds counts of tokens and video tasks, as they bind it", async () => {
    const paths: [string, object, number][] = [
      [chatPath, chatBody, 3],
      [countPath, { model: "test/model-1", messages }, 2],
      [tasksPath, videoBody, 3],
    ];
    for (const [path, body, writes] of paths) {
      const { meter, key } = await subscriber();
      await fill(meter);
      expect(await send(key, 1, body, path)).toMatchObject({ status: 429, writes });
      for (const [other, body] of paths) expect(await send(key, 2, body, other)).toMatchObject(remembered);
    }
  });
});

describe("the plan's limit", () => {
  test("binds every key of the meter, and tells each what the plan has left", async () => {
    const { meter, key, addKey } = await subscriber();
    const limited = addKey({ rpm: 2, tpm: 5_000 });
    await fill(meter);
    const first = await send(limited, 1);
    expect(first).toMatchObject({ ...refusedAnew, headers: { "x-ratelimit-limit-tokens": "5000" } });
    for (const other of [key, addKey({ tpd: 9_000 })]) {
      const again = await send(other, 2);
      expect(again).toMatchObject({
        ...remembered,
        text: first.text,
        headers: { "x-ratelimit-limit-requests": "3", "x-ratelimit-limit-tokens": "20000" },
      });
    }
  });

  test("binds nobody of another meter", async () => {
    const [full, other] = [await subscriber(), await subscriber()];
    await fill(full.meter);
    await send(full.key, 1);
    expect((await send(other.key, 2)).status).toBe(200);
  });
});

describe("a key's own limit", () => {
  test("binds that key alone", async () => {
    const { key, addKey } = await subscriber();
    const [limited, twin] = [addKey({ rpm: 1 }), addKey({ rpm: 1 })];
    expect((await send(limited, 0)).status).toBe(200);
    expect([await send(limited, 1), await send(limited, 2)]).toMatchObject([refusedAnew, remembered]);
    expect([(await send(twin, 3)).status, (await send(key, 4)).status]).toEqual([200, 200]);
  });
});

describe("a call over the tokens of minute or day", () => {
  const asking = (max_tokens: number) => ({ ...chatBody, max_tokens });

  test.each(["tpm", "tpd"] as const)(
    "binds those that want as many of the %s, and none that wants less",
    async (limit) => {
      const { key } = await subscriber();
      Object.assign(plan, { rpm: 100, tpm: null, tpd: null, [limit]: 5_000 });
      scenario.upstream.on(() => {});
      void send(key, 0, asking(4_000));
      await expect.poll(() => scenario.upstream.requests.length).toBe(1);
      scenario.upstream.json({ input_tokens: 7 });
      expect(await send(key, 1, asking(2_000))).toMatchObject(refusedAnew);
      for (const most of [2_000, 3_000]) expect(await send(key, 2, asking(most))).toMatchObject(remembered);
      expect((await send(key, 3, { model: "test/model-1", messages }, countPath)).status).toBe(200);
      expect(await send(key, 4, asking(1_999))).toMatchObject(refusedAnew);
      scenario.upstream.json(completion);
      expect((await send(key, 5, asking(100))).status).toBe(200);
    },
  );
});
