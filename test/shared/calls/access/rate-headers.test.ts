/**
 * What a client of each vendor reads of its limits: on answers, streams and refusals, over the real meter
 * (billing.md §3).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { speechAt, wholeAnswers } from "#test/support/answers.ts";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  delta,
  done,
  messageFrames,
  messages,
  messagesBody,
  namedFrame,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";
import { openPlan, openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const scenario = useScenario();
const { db, meters } = useStores();

beforeEach(() => {
  scenario.memory.deps.meters = meters;
  scenario.upstream.on((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const speech = speechAt(request.url ?? "");
    response.end(JSON.stringify(speech ? wholeAnswers[speech] : {}));
  });
});

/** A key of a new subscription to the plan `free`: 3 requests and 20,000 tokens a minute, 100 calls a month. */
async function subscriber(limits: KeyLimits | null = null): Promise<string> {
  const meter = await openPlan(db);
  const subscription = {
    meter,
    plan: "free",
    period: "monthly" as const,
    started_at: Date.now(),
    ends_at: null,
  };
  return scenario.memory.addKey(
    { mode: "subscription", limits, id: newId("key", Date.now()) },
    { subscription },
  );
}

const send = (key: string, path = chatPath, body: object = chatBody) =>
  call(scenario.serve, path, { headers: { authorization: `Bearer ${key}` }, body });

const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const input = { model: "test/model-1", input: "Hello" };
const geminiPath = "/api/v1beta/models/test/model-1";

/** Names of a family's headers for what is limited, left, and reset. */
const openai = ["x-ratelimit-limit-%", "x-ratelimit-remaining-%", "x-ratelimit-reset-%"] as const;
const anthropic = [
  "anthropic-ratelimit-%-limit",
  "anthropic-ratelimit-%-remaining",
  "anthropic-ratelimit-%-reset",
] as const;
const spans = /^(\d+ms|\d+s|1m0s|1m1s)$/;
const instants = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Family = [path: string, body: object, names: readonly [string, string, string], reset: RegExp];
const families: Family[] = [
  [chatPath, chatBody, openai, spans],
  ["/api/v3/chat/completions", chatBody, openai, spans],
  ["/api/paas/v4/chat/completions", chatBody, openai, spans],
  ["/v1/responses", input, openai, spans],
  [`${geminiPath}:generateContent`, { contents }, openai, spans],
  ["/v1/messages", messagesBody, anthropic, instants],
  ["/api/anthropic/v1/messages", messagesBody, anthropic, instants],
];

describe.each(families)("%s", (path, body, [limit, remaining, reset], form) => {
  const of = (dimension: string, name: string) => name.replace("%", dimension);

  test("says what is left with every answer, and when to come back with a refusal", async () => {
    const key = await subscriber();
    for (const left of ["2", "1", "0"]) {
      const reply = await send(key, path, body);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        [of("requests", limit)]: "3",
        [of("requests", remaining)]: left,
        [of("requests", reset)]: expect.stringMatching(form),
        [of("tokens", limit)]: "20000",
        [of("tokens", reset)]: expect.stringMatching(form),
      });
      expect(Number(reply.headers[of("tokens", remaining)])).toBeLessThan(20_000);
    }
    const refused = await send(key, path, body);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      [of("requests", limit)]: "3",
      [of("requests", remaining)]: "0",
      [of("requests", reset)]: expect.stringMatching(form),
      [of("tokens", limit)]: "20000",
    });
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers).not.toHaveProperty("x-should-retry");
  });

  test("says the key's own limit where it is the tighter", async () => {
    const key = await subscriber({ rpm: 1, tpm: 10_000 });
    for (const status of [200, 429]) {
      const reply = await send(key, path, body);
      expect(reply.status).toBe(status);
      expect(reply.headers).toMatchObject({
        [of("requests", limit)]: "1",
        [of("requests", remaining)]: "0",
        [of("tokens", limit)]: "10000",
      });
      if (status === 429) expect(reply.text).toContain("The key's limit of 1 requests per minute");
    }
  });
});

test("Google's clients read in the body when a limit or a quota has room again", async () => {
  const plan = scenario.memory.deps.catalog.plan("free");
  if (plan) plan.quota.monthly = 2;
  const waitOf = async (key: string) => {
    const refused = await send(key, `${geminiPath}:generateContent`, { contents });
    expect(refused.status).toBe(429);
    const { details } = refused.json().error as { details: Record<string, string>[] };
    const wait = details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.RetryInfo");
    return { headers: refused.headers, seconds: Number.parseFloat(wait?.retryDelay ?? "") };
  };
  const limited = await subscriber({ rpm: 1 });
  await send(limited);
  const minute = await waitOf(limited);
  expect(minute.seconds).toBe(Number(minute.headers["retry-after"]));
  const key = await subscriber();
  for (const _ of [1, 2]) await send(key);
  const month = await waitOf(key);
  const left = quotaPeriod(Date.now(), Date.now()).ends_at - Date.now();
  expect(Math.abs(month.seconds * 1000 - left)).toBeLessThan(60_000);
  expect(month.headers).toMatchObject({ "x-should-retry": "false" });
  expect(month.headers).not.toHaveProperty("retry-after");
});

test("Anthropic's clients are told of input and output tokens apart: each may come to all that is left", async () => {
  const { headers } = await send(await subscriber(), "/v1/messages", messagesBody);
  for (const told of ["limit", "remaining", "reset"]) {
    const tokens = headers[`anthropic-ratelimit-tokens-${told}`];
    expect(tokens).toBeDefined();
    for (const side of ["input", "output"])
      expect(headers[`anthropic-ratelimit-${side}-tokens-${told}`]).toBe(tokens);
  }
});

test.each<[string, object, string[], string]>([
  [
    chatPath,
    { ...chatBody, stream: true },
    [delta("Hi"), usageFrame, done],
    "x-ratelimit-remaining-requests",
  ],
  [
    "/v1/messages",
    { ...messagesBody, stream: true },
    [...messageFrames, namedFrame({ type: "message_stop" })],
    "anthropic-ratelimit-requests-remaining",
  ],
])("a stream on %s says it before its first frame", async (path, body, frames, name) => {
  scenario.upstream.on(streamOf(...frames));
  const reply = await send(await subscriber(), path, body);
  expect([reply.status, reply.headers[name]]).toEqual([200, "2"]);
  expect(reply.headers["content-type"]).toContain("text/event-stream");
});

test("counts of tokens keep to the key's minute", async () => {
  scenario.upstream.json({ input_tokens: 7 });
  const key = await subscriber({ rpm: 1 });
  const path = "/v1/messages/count_tokens";
  const [first, second] = [
    await send(key, path, { model: "test/model-1", messages }),
    await send(key, path, chatBody),
  ];
  expect([first.status, first.headers["anthropic-ratelimit-requests-remaining"]]).toEqual([200, "0"]);
  expect([second.status, second.headers["anthropic-ratelimit-requests-limit"]]).toEqual([429, "1"]);
});

describe("a refusal", () => {
  test("for the month has no retry-after: its message names the instant", async () => {
    const plan = scenario.memory.deps.catalog.plan("free");
    if (plan) plan.quota.monthly = 1;
    const key = await subscriber();
    await send(key);
    const refused = await send(key);
    expect(refused.json()).toMatchObject({ error: { code: "42902" } });
    expect(refused.text).toContain(new Date(quotaPeriod(Date.now(), Date.now()).ends_at).toISOString());
    expect(refused.headers).toMatchObject({ "x-should-retry": "false", "x-ratelimit-limit-requests": "3" });
    expect(refused.headers).not.toHaveProperty("retry-after");
  });

  test("of a call that can never fit has none either", async () => {
    const refused = await send(await subscriber(), chatPath, { ...chatBody, max_tokens: 100_000, n: 3 });
    expect(refused.json()).toMatchObject({ error: { code: "42901" } });
    expect(refused.text).toContain("it can never fit");
    expect(refused.headers["x-should-retry"]).toBe("false");
    expect(refused.headers).not.toHaveProperty("retry-after");
  });

  test.each(["payg", "subscription"] as const)(
    "for calls in flight of a %s key says so, and to try soon",
    async (mode) => {
      const limits = { max_concurrency: 1 };
      const wallet = { meter: await openWallet(db, "10", newId("organization", Date.now())), shards: 1 };
      const key = mode === "payg" ? scenario.memory.addKey({ limits }, { wallet }) : await subscriber(limits);
      let reached = () => {};
      let answer = () => {};
      const running = new Promise<void>((resolve) => (reached = resolve));
      const released = new Promise<void>((resolve) => (answer = resolve));
      scenario.upstream.on(async (_, response) => {
        reached();
        await released;
        response.writeHead(200).end(JSON.stringify(wholeAnswers.openai));
      });
      const first = send(key);
      await running;
      const refused = await send(key);
      expect(refused.json()).toMatchObject({ error: { code: "42901" } });
      expect(refused.text).toContain("limit of 1 calls in flight");
      expect(refused.headers["retry-after"]).toBe("1");
      answer();
      expect((await first).status).toBe(200);
      expect((await send(key)).status).toBe(200);
    },
  );

  test("for money that calls in flight hold says to try soon, and for money that is gone does not", async () => {
    const wallet = { meter: await openWallet(db, "0.1", newId("organization", Date.now())), shards: 1 };
    const key = scenario.memory.addKey({}, { wallet });
    const body = { ...chatBody, max_tokens: 8000 };
    let refused: Awaited<ReturnType<typeof send>> | undefined;
    scenario.upstream.on(async (_, response) => {
      refused ??= await send(key, chatPath, body);
      response.writeHead(200).end(JSON.stringify(wholeAnswers.openai));
    });
    expect((await send(key, chatPath, body)).status).toBe(200);
    expect([refused?.status, refused?.headers["retry-after"]]).toEqual([402, "5"]);
    expect(Object.keys(refused?.headers ?? {}).filter((name) => name.includes("ratelimit"))).toEqual([]);
    const poor = await send(key, chatPath, { ...body, n: 3 });
    expect(poor.status).toBe(402);
    expect(poor.headers).not.toHaveProperty("retry-after");
  });
});
