/**
 * What each SDK throws for each kind of error: class, status, code and message. Each is also asked how often it repeats
 * the call, and how long it waits. All against one local gateway.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, RetryError } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type Ask, broken, type Sdk, sdks, tooLong, vercel } from "#test/sdk/throwing-sdks.ts";
import { crossedCatalog, modelOf } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { customer } from "#test/support/money.ts";
import { completion, streamOf } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
const keys = { payg: "", poor: "", exhausted: "", limited: "", narrow: "", wrong: "sk-payg-wrong" };

const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
const plan = (quota: number, change: object = {}) => ({
  quota: everyPeriod(quota),
  price: everyPeriod("0"),
  rpm: null,
  tpm: null,
  tpd: null,
  ...change,
});

beforeAll(async () => {
  upstream = await startUpstream();
  const plans = { free: plan(1), lite: plan(9, { models: ["test/image-1"] }), pro: plan(999, { rpm: 1 }) };
  const catalog = { ...(crossedCatalog(upstream.url) as object), plans };
  gateway = await startLocal({ catalog, env: { TEST_API_KEY: "upstream-secret" } });
  keys.payg = gateway.keys.payg;
  keys.poor = (await customer(gateway, { points: 1n })).key;
  keys.exhausted = (await customer(gateway, { plan: "free" })).key;
  keys.limited = (await customer(gateway, { plan: "pro" })).key;
  keys.narrow = (await customer(gateway, { plan: "lite" })).key;
  upstream.json(completion);
  for (const key of [keys.exhausted, keys.limited]) expect((await raw(key)).status).toBe(200);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const raw = (key: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: modelOf("openai"), messages: [{ role: "user", content: "Hello" }] }),
  });

/** Requests that the SDK made. */
let asked = 0;
beforeEach(() => {
  asked = 0;
  upstream.reset();
  const platform = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((...input) => {
    asked += 1;
    return platform(...input);
  });
  return () => vi.restoreAllMocks();
});

type Thrown = Error & {
  status?: number;
  statusCode?: number;
  headers?: Headers;
  responseHeaders?: Record<string, string>;
};

async function thrownBy(sdk: Sdk, change: Partial<Ask>): Promise<Thrown> {
  const ask = {
    url: gateway.url,
    key: keys.payg,
    model: modelOf(sdk.speech),
    content: "Hello",
    stream: false,
    headers: {},
    ...change,
  };
  return await sdk.call(ask).then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error as Thrown,
  );
}

function expectThrown(sdk: Sdk, error: Thrown, status: number, said: string | RegExp): void {
  expect(error).toBeInstanceOf(sdk.thrown(status));
  expect(error.status ?? error.statusCode).toBe(status);
  expect(error.message).toMatch(said);
}

const header = ({ headers, responseHeaders }: Thrown, name: string) =>
  headers?.get(name) ?? responseHeaders?.[name];

/** The errors that no SDK asks again for, as each is made and what its message says. */
const final: [name: string, status: number, ask: (sdk: Sdk) => Partial<Ask>, said: string | RegExp][] = [
  ["a key that is not valid", 401, () => ({ key: keys.wrong }), "The API key is not valid."],
  [
    "a balance that does not cover the call",
    402,
    () => ({ key: keys.poor }),
    /may cost up to [\d.]+ points: so much is held/,
  ],
  ["a model that the plan lacks", 403, () => ({ key: keys.narrow }), "does not have the model"],
  [
    "a model that does not exist",
    404,
    ({ speech }) => ({ model: `${speech}/model-2` }),
    /does not exist\. Did you mean .(?:\\)?[a-z]+\/model-1/,
  ],
  ["a body that is too large", 413, () => ({ content: "x".repeat(limits.bodyBytesMax) }), "The body is over"],
  [
    "a quota that is used up",
    429,
    () => ({ key: keys.exhausted }),
    "The quota of 1 calls of this month is used up.",
  ],
];

describe.each(sdks)("%s", (_, sdk) => {
  test.each(final)("%s: %i, asked once", async (_name, status, ask, said) => {
    expectThrown(sdk, await thrownBy(sdk, ask(sdk)), status, said);
    expect(asked).toBe(1);
    expect(upstream.requests).toEqual([]);
  });

  test("a provider's 400: its code where the SDK shows codes, asked once", async () => {
    const { body, shown } = tooLong[sdk.speech];
    upstream.on((_request, response) => response.writeHead(400).end(JSON.stringify(body)));
    const error = await thrownBy(sdk, {});
    expect(error).toBeInstanceOf(sdk.thrown(400));
    const told = sdk === vercel ? (error as unknown as { data: { error: object } }).data.error : error;
    expect(told).toMatchObject(
      sdk === vercel ? { code: "context_length_exceeded", param: "messages" } : shown,
    );
    expect(asked).toBe(1);
  });

  test("409: a twin that still runs, asked once", async () => {
    const idempotency = { "idempotency-key": `twin-${Math.trunc(performance.now() * 1000)}` };
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    upstream.on(async (_request, response) => {
      arrived.resolve();
      await release.promise;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    });
    const twin = thrownOrDone(sdk, idempotency);
    await arrived.promise;
    asked = 0;
    const error = await thrownBy(sdk, { headers: idempotency });
    release.resolve();
    await twin;
    expectThrown(sdk, error, 409, "still running");
    expect(header(error, "x-should-retry") ?? "false").toBe("false");
    expect(asked).toBe(1);
  });

  test("429: the key's own limit says how long to wait, and that it is worth it", async () => {
    vi.mocked(globalThis.fetch).mockRestore();
    const reply = await raw(keys.limited);
    expect([reply.status, reply.headers.has("x-should-retry")]).toEqual([429, false]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await reply.text()).toContain("The limit of 1 requests per minute is exceeded until");
  });

  test("500: a provider that limits us is asked again after just the wait that it named", async () => {
    upstream.on((_request, response) => response.writeHead(429, { "retry-after-ms": "40" }).end("{}"));
    const pauses = vi.spyOn(globalThis, "setTimeout");
    const error = await thrownBy(sdk, {});
    expectThrown(sdk, error, 500, "The model's providers limit this gateway at the moment");
    expect(asked).toBe(sdk.retries ? 2 : 1);
    // Without the header the SDKs wait for about half a second.
    if (sdk.retries) expect(pauses.mock.calls.map(([, ms]) => ms)).toContain(40);
  });

  test("a provider that breaks off in a stream is thrown where it is read, asked once", async () => {
    upstream.on(streamOf(...broken[sdk.speech]));
    const error = await thrownBy(sdk, { stream: true });
    expect(error).toBeInstanceOf(sdk.thrown(undefined));
    expect(JSON.stringify([error.message, error])).toContain("The model's provider failed.");
    expect(asked).toBe(1);
  });
});

async function thrownOrDone(sdk: Sdk, headers: Record<string, string>): Promise<void> {
  await thrownBy(sdk, { headers }).catch(() => {});
}

test("ai 7 waits as the header says, too, where it may ask again", async () => {
  upstream.on((_request, response) => response.writeHead(429, { "retry-after-ms": "40" }).end("{}"));
  const chat = createOpenAI({ apiKey: keys.payg, baseURL: `${gateway.url}/v1` }).chat(modelOf("openai"));
  const pauses = vi.spyOn(globalThis, "setTimeout");
  const call = generateText({ model: chat, prompt: "Hello", maxRetries: 1 });
  await expect(call).rejects.toBeInstanceOf(RetryError);
  expect(asked).toBe(2);
  expect(pauses.mock.calls.map(([, ms]) => ms)).toContain(40);
});
