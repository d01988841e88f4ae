/** Who is let in: credentials, the meter's refusals, and what a refusal consumes (nothing). */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { AwsError, ThrottledError } from "#shared/base/platform/aws.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { call } from "#test/support/call.ts";
import { chatBody, completion, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

describe("admission", () => {
  test.each([
    ["insufficient_balance", 402, "40201"],
    ["rate_limited", 429, "42901"],
    ["quota_exhausted", 429, "42902"],
    ["account_frozen", 401, "40102"],
    ["global_rate_limited", 429, "42900"],
  ] as const)("%s", async (error, status, code) => {
    scenario.memory.admission = {
      admitted: false,
      error,
      retryAfterSeconds: 7,
      limitStatus: { requests: { limit: 3, remaining: 0, resetAt: Date.now() + 61_000 } },
    };
    const reply = await scenario.chat();
    expect(reply.status).toBe(status);
    expect(reply.json()).toMatchObject({ error: { code } });
    expect(reply.headers).toMatchObject({
      "retry-after": "7",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1m1s",
    });
    expect(scenario.upstream.requests).toEqual([]);
    expect(scenario.memory.events).toEqual([]);
  });

  test("invalid_key, once the record was read anew as often as it may be", async () => {
    let asked = 0;
    scenario.memory.deps.meters.admit = async () => {
      asked += 1;
      return { admitted: false, error: "invalid_key", limitStatus: {} };
    };
    const reply = await scenario.chat();
    expect([reply.status, reply.json()]).toMatchObject([401, { error: { code: "40101" } }]);
    expect(asked).toBe(5);
    expect(scenario.upstream.requests).toEqual([]);
    expect(scenario.memory.events).toEqual([]);
  });

  test.each([
    ["without limits of its own may be on any shard", null],
    ["with limits is on one, where they are counted", { max_concurrency: 100 }],
  ])("a call of a key %s", async (_, limits) => {
    const key = scenario.memory.addKey({ limits }, { wallet: { meter: "mtr_1", shards: 8 } });
    scenario.upstream.json(completion);
    for (let calls = 0; calls < 30; calls++) await scenario.chat({ headers: { "x-api-key": key } });
    const shards = new Set(scenario.memory.holds.map(({ shard }) => shard));
    expect(scenario.memory.holds).toHaveLength(30);
    // By chance alone, 30 calls would lie on one of eight shards once in 10²⁶ times.
    expect(shards.size === 1).toBe(limits !== null);
  });

  test("money that others take again and again, as often as it is brought together, is no lack of balance", async () => {
    const { memory } = scenario;
    memory.admission = {
      admitted: false,
      error: "insufficient_balance",
      tryOtherShard: true,
      limitStatus: {},
    };
    memory.deps.meters.gather = async () => ({ shard: 0 });
    const reply = await scenario.chat();
    expect([reply.status, reply.headers["retry-after"]]).toEqual([429, "1"]);
    expect(reply.json()).toMatchObject({
      error: { code: "42900", message: "The service is at its limit. Try again shortly." },
    });
  });

  test("Anthropic's own headers on its paths", async () => {
    scenario.memory.admission = {
      admitted: false,
      error: "rate_limited",
      limitStatus: { requests: { limit: 3, remaining: 0, resetAt: 1_795_238_651_000 } },
    };
    const reply = await scenario.message();
    expect(reply.headers).toMatchObject({
      "anthropic-ratelimit-requests-limit": "3",
      "anthropic-ratelimit-requests-reset": "2026-11-21T05:24:11.000Z",
      "request-id": reply.id,
    });
  });

  test("a subscription that has ended is 40202; nothing is asked of the meter", async () => {
    const subscription = {
      meter: "mtr_1",
      plan: "free",
      period: "monthly" as const,
      started_at: 0,
      ends_at: 1,
    };
    const lapsed = scenario.memory.addKey({ mode: "subscription" }, { subscription, wallet: null });
    const reply = await scenario.chat({ headers: { "x-api-key": lapsed }, body: chatBody });
    expect([reply.status, scenario.memory.holds.length]).toEqual([402, 0]);
    expect(reply.json()).toMatchObject({ error: { code: "40202", type: "quota_exceeded" } });
  });

  test("a meter that is throttled admits nobody", async () => {
    scenario.memory.admission = new ThrottledError("ThrottlingException", 400, {});
    const reply = await scenario.chat();
    expect([reply.status, scenario.upstream.requests.length]).toEqual([429, 0]);
    expect(reply.headers["retry-after"]).toBe("1");
  });

  test("without its intent no call is sent, and the hold goes back", async () => {
    scenario.memory.intentFails = new AwsError("InternalServerError", 500, {});
    const reply = await scenario.chat();
    expect(reply.json()).toMatchObject({ error: { code: "50000" } });
    expect(scenario.upstream.requests).toEqual([]);
    expect(scenario.memory.settled[0]?.settlement.giveBack).toBe(true);
  });

  test("the hold is the dearest the call can be", async () => {
    scenario.upstream.json(completion);
    await scenario.chat({ body: { ...chatBody, max_tokens: 1000, n: 2 } });
    const bound = BigInt(scenario.memory.intents[0]?.input_tokens ?? 0);
    // At least 2 × 1000 tokens of output at 10 points a million, and some input.
    expect(scenario.memory.holds[0]?.points).toBeGreaterThan(20_000_000_000_000_000n);
    expect(bound).toBeGreaterThan(0n);
  });

  test.each([
    ["of two maxima", "/v1/chat/completions", { max_tokens: 9_000, max_completion_tokens: 1 }, 8_192],
    ["of two maxima the other way", "/v1/chat/completions", { max_tokens: 1, max_completion_tokens: 50 }, 50],
  ])("the larger %s is held for", async (_, path, maxima, output) => {
    scenario.upstream.json(completion);
    const body = { ...chatBody, ...maxima };
    expect((await call(scenario.serve, path, { headers: scenario.bearer(), body })).status).toBe(200);
    const input = BigInt(JSON.stringify(body).length + 64);
    expect(scenario.memory.holds[0]?.points).toBe(
      input * 3_125_000_000_000n + BigInt(output) * 10_000_000_000_000n,
    );
  });

  test.each<[string, string, object, (own: string) => object]>([
    [
      "an earlier response",
      "/v1/responses",
      { input: "Hi", max_output_tokens: 1 },
      (previous_response_id) => ({ previous_response_id }),
    ],
    ["a stored prompt", "/v1/responses", { input: "Hi", max_output_tokens: 1 }, (id) => ({ prompt: { id } })],
    [
      "a cached content",
      "/api/v1beta/models/test/model-1:generateContent",
      { contents: [{ parts: [{ text: "Hi" }] }], generationConfig: { maxOutputTokens: 1 } },
      (cachedContent) => ({ cachedContent }),
    ],
  ])("%s may fill the context, and is held for", async (_, path, body, more) => {
    for (const fields of [body, { ...body, ...more(scenario.memory.give("known_1")) }]) {
      const sent = { model: "test/model-1", ...fields };
      await call(scenario.serve, path, { headers: scenario.bearer(), body: sent });
    }
    const [without, withIt] = scenario.memory.holds.map(({ points }) => points);
    expect(without).toBeLessThan(10n ** 18n / 100n);
    expect(withIt).toBe(200_000n * 3_125_000_000_000n + 10_000_000_000_000n);
  });
});

describe("credentials", () => {
  const attempts: [name: string, headers: () => Record<string, string>, code: string | undefined][] = [
    ["bearer", () => ({ authorization: `Bearer ${scenario.key}` }), undefined],
    ["bearer in lower case", () => ({ authorization: `bearer ${scenario.key}` }), undefined],
    ["x-api-key", () => ({ "x-api-key": scenario.key }), undefined],
    ["none", () => ({}), "40100"],
    ["an empty one", () => ({ authorization: "", "x-api-key": " " }), "40100"],
    ["an empty bearer", () => ({ authorization: "Bearer " }), "40100"],
    ["another scheme", () => ({ authorization: `Basic ${scenario.key}` }), "40101"],
    ["unknown", () => ({ "x-api-key": "sk-payg-unknown" }), "40101"],
    ["not ASCII", () => ({ "x-api-key": "sk-payg-é" }), "40101"],
    ["two words", () => ({ authorization: `Bearer ${scenario.key} x` }), "40101"],
    ["a megabyte", () => ({ "x-api-key": "x".repeat(1_000_000) }), "40101"],
  ];
  test.each(attempts)("%s", async (_, headers, code) => {
    scenario.upstream.json(completion);
    const reply = await scenario.chat({ headers: headers(), body: chatBody });
    if (code === undefined) expect(reply.status).toBe(200);
    else expect(reply.json()).toMatchObject({ error: { code, type: "authentication_error" } });
  });

  test.each([
    [{ status: "revoked" as const }, {}, "40101"],
    [{ expires_at: 1 }, {}, "40101"],
    [{}, { status: "frozen" as const }, "40102"],
  ])("a key %j of %j is %s", async (keyChange, organizationChange, code) => {
    const refused = scenario.memory.addKey(keyChange, organizationChange);
    const reply = await scenario.chat({ headers: { "x-api-key": refused }, body: chatBody });
    expect(reply.json()).toMatchObject({ error: { code } });
  });

  test.each(["abc", "sk-payg-abc", `sk-payg-${"a".repeat(49)}`, `pk-${"a".repeat(43)}`])(
    "%s is refused without a read",
    async (key) => {
      const reply = await scenario.chat({ headers: { "x-api-key": key } });
      expect([reply.status, scenario.memory.reads]).toEqual([401, 0]);
    },
  );

  test.each(["sk-payg-", "sk-sub-", "sk_live_"])(
    "%s of an earlier form is looked for, once in ten seconds",
    async (prefix) => {
      const headers = { "x-api-key": prefix + "u".repeat(43) };
      const { deps } = scenario.memory;
      let now = Date.now();
      deps.now = () => now;
      for (const later of [0, 1, 9_998]) {
        now += later;
        expect((await scenario.chat({ headers })).status).toBe(401);
        expect(scenario.memory.reads).toBe(1);
      }
      now += 1;
      expect((await scenario.chat({ headers })).status).toBe(401);
      expect(scenario.memory.reads).toBe(2);
    },
  );

  test("a flood of wrong keys is remembered within a bound", () => {
    const cache = new PrincipalCache();
    for (let n = 0; n < limits.refusedKeysMax + 5; n++) cache.refuse(String(n), undefined, 1);
    const known = Array.from(
      { length: limits.refusedKeysMax + 5 },
      (_, n) => cache.refused(String(n), 1) !== undefined,
    );
    expect(known.filter(Boolean)).toHaveLength(5);
  });

  test("a key's record is read once for many calls", async () => {
    scenario.upstream.json(completion);
    for (let index = 0; index < 5; index++) await scenario.chat();
    expect(scenario.memory.reads).toBe(1);
  });
});

describe("a model that reasons, on Ark", () => {
  const held = async (fields: object) => {
    const { catalog } = scenario.memory.deps;
    const provider = catalog.provider("test");
    Object.assign(provider?.protocols ?? {}, { ark: provider?.protocols.openai });
    const model = catalog.find("test/model-1");
    if (model) Object.assign(model, { capabilities: [...new Set([...model.capabilities, "reasoning"])] });
    scenario.upstream.json(completion);
    await scenario.chat({ body: { ...chatBody, ...fields } });
    return scenario.memory.holds.at(-1)?.points ?? 0n;
  };

  test("goes beyond the maximum of its answer, and is held for that", async () => {
    const [answer, whole, none] = [
      await held({ max_tokens: 100 }),
      await held({ max_completion_tokens: 100 }),
      await held({}),
    ];
    expect(answer > 10n * whole).toBe(true);
    expect(answer - none < whole).toBe(true);
    expect((await held({ max_tokens: 100, thinking: { type: "disabled" } })) < 2n * whole).toBe(true);
  });
});

describe("a model that needs a permission", () => {
  const granted = ["AVG_V2" as const];
  test.each([
    ["key and organization", granted, granted, 200],
    ["only the key", granted, [], 403],
    ["only the organization", [], granted, 403],
  ])("granted to %s", async (_, key, organization, status) => {
    const model = scenario.memory.deps.catalog.find("test/model-1");
    if (model) Object.assign(model, { permission: "AVG_V2" });
    scenario.upstream.json(completion);
    const caller = scenario.memory.addKey({ permissions: key }, { permissions: organization });
    const reply = await scenario.chat({ headers: { "x-api-key": caller } });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.json()).toMatchObject({ error: { code: "40300" } });
    expect(scenario.upstream.requests.length).toBe(status === 200 ? 1 : 0);
  });
});

test("neither prompt nor answer nor key is ever logged", async () => {
  scenario.upstream.on((_, response) =>
    response.writeHead(400).end(JSON.stringify({ error: { message: "CANARY-error" } })),
  );
  const body = { ...chatBody, messages: [{ role: "user", content: "CANARY-prompt" }] };
  await scenario.chat({ body });
  scenario.upstream.json({ ...completion, choices: [{ message: { content: "CANARY-answer" } }] });
  await scenario.chat({ body });
  const logged = JSON.stringify(scenario.memory.logs);
  expect(scenario.memory.logs.length).toBeGreaterThan(0);
  for (const secret of ["CANARY", scenario.key, "upstream-secret"]) expect(logged).not.toContain(secret);
});
