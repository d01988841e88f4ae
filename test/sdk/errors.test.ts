/**
 * How the vendors' own SDKs take the gateway's refusals and its providers' failures: the class they throw,
 * and whether they ask again, counted at their own fetch.
 */
import Anthropic from "@anthropic-ai/sdk";
import AnthropicBefore1 from "anthropic-sdk-0";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, customer, post, providerKey } from "#test/support/money.ts";
import { delta, messageFrames, streamOf } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
let poor: string;
let exhausted: string;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
  poor = (await customer(gateway, { points: 1n })).key;
  exhausted = (await customer(gateway, { plan: "free" })).key;
  upstream.json(completion);
  for (let call = 0; call < 10; call++) expect((await post(gateway.url, exhausted)).status).toBe(200);
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

type Ask = Partial<{ key: string; content: string; stream: boolean; maxRetries: number }>;
type Refused = { error: InstanceType<typeof OpenAI.APIError>; requests: number };

/** Makes one call with a client of its own, which must throw; gives what it threw and how often it asked. */
async function refuse(
  call: (
    options: { apiKey: string; maxRetries: number; fetch: typeof fetch },
    body: { model: string; max_tokens: number; messages: { role: "user"; content: string }[] },
  ) => Promise<unknown>,
  { key = gateway.keys.payg, content = "Hello", maxRetries = 2 }: Ask,
): Promise<Refused> {
  let requests = 0;
  const counted: typeof fetch = (...parameters) => {
    requests += 1;
    return fetch(...parameters);
  };
  const error = await call(
    { apiKey: key, maxRetries, fetch: counted },
    { model: "test/model-1", max_tokens: 100, messages: [{ role: "user", content }] },
  ).then(
    () => expect.fail("the call was not refused"),
    (thrown: unknown) => thrown as Refused["error"],
  );
  return { error, requests };
}

async function readToEnd(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const viaOpenAi = (ask: Ask) =>
  refuse(async (options, body) => {
    const { completions } = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` }).chat;
    if (ask.stream) await readToEnd(await completions.create({ ...body, stream: true }));
    else await completions.create(body);
  }, ask);

const viaAnthropic = (Client: typeof Anthropic) => (ask: Ask) =>
  refuse(async (options, body) => {
    const { messages } = new Client({ ...options, baseURL: gateway.url });
    if (ask.stream) await readToEnd(await messages.create({ ...body, stream: true }));
    else await messages.create(body);
  }, ask);

const before1 = AnthropicBefore1 as unknown as typeof Anthropic;

/** Each with its classes; only Anthropic's newest has one of its own for 402 and for 413. */
const sdks = [
  {
    name: "openai 7",
    sdk: OpenAI,
    ask: viaOpenAi,
    paymentRequired: OpenAI.APIError,
    tooLarge: OpenAI.APIError,
    broken: [delta("Hi")],
  },
  {
    name: "@anthropic-ai/sdk 1",
    sdk: Anthropic,
    ask: viaAnthropic(Anthropic),
    paymentRequired: Anthropic.PaymentRequiredError,
    tooLarge: Anthropic.ContentTooLargeError,
    broken: messageFrames,
  },
  {
    name: "@anthropic-ai/sdk 0",
    sdk: before1,
    ask: viaAnthropic(before1),
    paymentRequired: before1.APIError,
    tooLarge: before1.APIError,
    broken: messageFrames,
  },
];

describe.each(sdks)("$name", ({ sdk, ask, paymentRequired, tooLarge, broken }) => {
  test("402: a balance that does not cover the call is thrown at once", async () => {
    const { error, requests } = await ask({ key: poor });
    expect(error.constructor).toBe(paymentRequired);
    expect(error.status).toBe(402);
    expect(requests).toBe(1);
    expect(upstream.requests).toHaveLength(0);
  });

  test("413: a body over the bound", async () => {
    const { error, requests } = await ask({ content: "x".repeat(limits.bodyBytesMax) });
    expect(error.constructor).toBe(tooLarge);
    expect(error.status).toBe(413);
    expect(requests).toBe(1);
  });

  test("429: a quota that is used up is not asked for again, since x-should-retry says so", async () => {
    const { error, requests } = await ask({ key: exhausted });
    expect(error.constructor).toBe(sdk.RateLimitError);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(requests).toBe(1);
    expect(upstream.requests).toHaveLength(0);
  });

  test("500: a provider that fails, which may be asked again", async () => {
    upstream.on((_, response) => response.writeHead(503).end("{}"));
    const { error } = await ask({ maxRetries: 0 });
    expect(error.constructor).toBe(sdk.InternalServerError);
    expect(error.status).toBe(500);
    expect(error.headers?.has("x-should-retry")).toBe(false);
  });

  test("a provider that breaks off in a stream is thrown where the client reads", async () => {
    upstream.on(streamOf(...broken));
    const { error, requests } = await ask({ stream: true });
    expect(error).toBeInstanceOf(sdk.APIError);
    expect(error.message).toContain("The model's provider failed.");
    expect(requests).toBe(1);
  });
});
