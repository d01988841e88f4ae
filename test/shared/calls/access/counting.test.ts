/** Counting tokens: limited by the minute's requests, never charged; the provider's figure or a flagged estimate. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem, updateItem } from "#shared/edges/store/dynamodb/items.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";
import { counting, noon, openPlan, planHold, planLimits } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const scenario = useScenario();
const send = (path: string, body: object | string, key = scenario.key) =>
  call(scenario.serve, path, { headers: { authorization: `Bearer ${key}` }, body });
const messagesPath = "/v1/messages/count_tokens";
const geminiPath = "/api/v1beta/models/test/model-1:countTokens";
const message = { model: "test/model-1", messages: [{ role: "user", content: "Hello" }] };
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const untraced = () => {
  const { intents, events, direct, settled } = scenario.memory;
  expect([intents, events, direct, settled]).toEqual([[], [], [], []]);
};
const subscriber = () => {
  const subscription = {
    meter: newId("meter", Date.now()),
    plan: "free",
    period: "monthly" as const,
    started_at: Date.now(),
    ends_at: null,
  };
  return scenario.memory.addKey({ mode: "subscription" }, { subscription });
};

describe.each([
  [messagesPath, message, { input_tokens: 7 }, "/v1/messages/count_tokens", "input_tokens"],
  [geminiPath, { contents }, { totalTokens: 7 }, "/v1beta/models/upstream-model:countTokens", "totalTokens"],
])("%s", (path, body, counted, upstreamPath, name) => {
  test("passes the provider's count on, and leaves no trace on meter or ledger", async () => {
    scenario.upstream.json({ ...counted, extra: 1 });
    const reply = await send(path, body);
    expect([reply.status, reply.json()]).toEqual([200, { ...counted, extra: 1 }]);
    expect(reply.headers).toMatchObject({ "x-gateway-provider": "test", "x-gateway-attempts": "1" });
    expect(reply.headers).not.toHaveProperty("x-gateway-estimate");
    expect(scenario.upstream.requests[0]?.path).toBe(upstreamPath);
    expect(scenario.memory.holds).toEqual([]);
    untraced();
  });

  test.each([
    ["does not know the path", 404, { error: {} }],
    ["is down", 503, {}],
    ["answers no count", 200, { [name]: "many" }],
  ])("a provider that %s gives way to a flagged estimate", async (_, status, answer) => {
    scenario.upstream.on((_, response) => response.writeHead(status).end(JSON.stringify(answer)));
    const reply = await send(path, body);
    const tokens = Math.ceil(JSON.stringify(body).length / 3);
    expect([reply.status, reply.json()]).toEqual([200, { [name]: tokens }]);
    expect(reply.headers["x-gateway-estimate"]).toBe("true");
    untraced();
  });

  test("what the provider blames on the request is told", async () => {
    scenario.upstream.on((_, response) =>
      response.writeHead(400).end('{"error":{"message":"bad block","type":"invalid_request_error"}}'),
    );
    const reply = await send(path, body);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("bad block");
  });

  test("a subscription is asked for one request of its minute, and keeps what it says", async () => {
    scenario.upstream.json(counted);
    const key = subscriber();
    expect((await send(path, body, key)).status).toBe(200);
    expect(scenario.memory.holds).toMatchObject([{ counting: true, tokens: 0, points: 0n }]);
    untraced();
    scenario.memory.admission = {
      admitted: false,
      error: "rate_limited",
      retryAfterSeconds: 9,
      limitStatus: { requests: { limit: 3, remaining: 0, resetAt: Date.now() + 9_000 } },
    };
    const refused = await send(path, body, key);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "9"]);
    const prefix =
      path === messagesPath ? "anthropic-ratelimit-requests-limit" : "x-ratelimit-limit-requests";
    expect(refused.headers[prefix]).toBe("3");
    expect(scenario.upstream.requests).toHaveLength(1);
  });

  test("the key record is read each time, so that a wallet's revoked key is refused at once", async () => {
    scenario.upstream.json(counted);
    await send(path, body);
    await send(path, body);
    expect(scenario.memory.reads).toBe(2);
    const revoked = scenario.memory.addKey({ status: "revoked" });
    const frozen = scenario.memory.addKey({}, { status: "frozen" });
    expect([(await send(path, body, revoked)).status, (await send(path, body, frozen)).status]).toEqual([
      401, 401,
    ]);
    expect(scenario.upstream.requests).toHaveLength(2);
  });
});

test("a provider that speaks another protocol is never asked, and its chat least of all", async () => {
  const provider = scenario.memory.deps.catalog.provider("test");
  if (!provider) throw new Error("no provider");
  provider.protocols = { openai: scenario.upstream.url };
  for (const [path, body] of [
    [messagesPath, message],
    [geminiPath, { contents }],
  ] as const) {
    const reply = await send(path, body);
    expect([reply.status, reply.headers["x-gateway-estimate"]]).toEqual([200, "true"]);
  }
  expect(scenario.upstream.requests).toEqual([]);
});

test("a whole generate request is counted, under the provider's name for the model", async () => {
  scenario.upstream.json({ totalTokens: 7 });
  const inner = { model: "models/test/model-1", contents, systemInstruction: { parts: [{ text: "x" }] } };
  expect((await send(geminiPath, { generateContentRequest: inner })).status).toBe(200);
  expect(JSON.parse(String(scenario.upstream.requests[0]?.body))).toEqual({
    generateContentRequest: { ...inner, model: "models/upstream-model" },
  });
});

test.each([
  [messagesPath, { model: "test/model-1" }, "`messages`"],
  [messagesPath, { ...message, model: "test/embedding-1" }, "does not support chat"],
  [geminiPath, {}, "`contents`"],
  [geminiPath, { contents: [1] }, "`contents[0]`"],
  [geminiPath, { generateContentRequest: [] }, "`generateContentRequest`"],
  [geminiPath, '{"contents":[{"parts":[]}],"contents":[{"parts":[]}]}', "`contents` is given twice"],
])("%s refuses %j", async (path, body, why) => {
  const reply = await send(path, body, subscriber());
  expect(reply.status).toBe(400);
  expect(reply.text).toContain(why);
  expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
});

describe("on the meter item", () => {
  const { db, meters } = useStores();

  const itemOf = async (meter: string) =>
    Object.keys((await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {}).sort();
  const countAt = (meter: string, limits: Parameters<typeof planHold>[1], at: number) => ({
    ...planHold(meter, limits, 0, at),
    counting: true as const,
  });

  test("counts share the minute with calls, and cost neither quota nor tokens nor a hold", async () => {
    const meter = await openPlan(db);
    const before = await itemOf(meter);
    const limits = planLimits({ quota: 1, rpm: 3, tpm: 10, tpd: 10 });
    const metered = counting(db.aws);
    const first = await createMeters(metered.aws, db.tables).admit(countAt(meter, limits, noon));
    expect(first).toMatchObject({ admitted: true, limitStatus: { requests: { limit: 3, remaining: 2 } } });
    expect(metered.units.get("UpdateItem")).toBe(1);
    expect((await itemOf(meter)).filter((name) => !before.includes(name))).toEqual([
      expect.stringMatching(/^s/),
    ]);
    // The whole quota and all tokens of minute and day go to one call; counts are admitted all the same.
    expect(await meters.admit(planHold(meter, limits, 10, noon + 1))).toMatchObject({ admitted: true });
    expect(await meters.admit(countAt(meter, limits, noon + 2))).toMatchObject({ admitted: true });
    const attributes = await itemOf(meter);
    const refused = await meters.admit(countAt(meter, limits, noon + 3));
    expect(refused).toMatchObject({ admitted: false, error: "rate_limited", retryAfterSeconds: 60 });
    expect(await itemOf(meter)).toEqual(attributes);
    expect(await meters.admit(countAt(meter, limits, noon + 60_000))).toMatchObject({ admitted: true });
  });

  test("of one second of a large limit, refused counts are taken back from what others have", async () => {
    const meter = await openPlan(db);
    const limits = planLimits({ rpm: 100 });
    const all = await Promise.all(
      Array.from({ length: 110 }, () => meters.admit(countAt(meter, limits, noon))),
    );
    // Refused counts stand on the item until they are taken back, so that fewer may be admitted, never more.
    const admitted = all.filter((each) => each.admitted).length;
    expect(admitted).toBeLessThanOrEqual(100);
    const next = await meters.admit(countAt(meter, limits, noon + 1));
    expect(next.limitStatus.requests?.remaining).toBe(Math.max(0, 100 - admitted - 1));
  });

  test("freeze and revocation refuse them", async () => {
    const meter = await openPlan(db);
    const hold = countAt(meter, planLimits(), noon);
    const table = db.tables.counters;
    for (const [name, error] of [
      [names.frozen, "account_frozen"],
      [names.ended(hold.key), "invalid_key"],
    ] as const) {
      await updateItem(db.aws, { table, key: meterKey(meter, 0), set: { [name]: { N: String(noon) } } });
      expect(await meters.admit(hold)).toMatchObject({ admitted: false, error });
    }
  });

  test("a meter on which only counts happen does not grow", async () => {
    const meter = await openPlan(db);
    const sizes: number[] = [];
    for (let i = 0; i < 60; i++) {
      await meters.admit(countAt(meter, planLimits({ rpm: 60 }), noon + i * 10_000));
      sizes.push((await itemOf(meter)).length);
    }
    expect(Math.max(...sizes)).toBeLessThan(35);
  });
});
