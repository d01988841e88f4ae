/** The vendors' SDKs count tokens and embed against the local gateway, with nothing changed but the base URL. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import { testCatalog } from "#test/support/memory.ts";
import { expectCleanAudit, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;

/** The test catalog with a second embedding model, whose provider speaks OpenAI's protocol only. */
function catalog(): unknown {
  const base = testCatalog(upstream.url) as {
    providers: Record<string, object>;
    models: { id: string; channels: object[] }[];
    plans: { free: object };
  };
  const plain = { ...base.providers.test, protocols: { openai: `${upstream.url}/v1` } };
  const embedding = base.models.find(({ id }) => id === "test/embedding-1");
  const other = { ...embedding, id: "plain/embedding-1", channels: [{ provider: "plain", model: "up" }] };
  const { free } = base.plans;
  return {
    ...base,
    providers: { ...base.providers, plain },
    models: [...base.models, other],
    plans: { free, lite: free, pro: free },
  };
}

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalog(), env: providerKey });
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

describe.each([
  ["@anthropic-ai/sdk 1", Anthropic],
  ["@anthropic-ai/sdk 0", AnthropicBefore1 as unknown as typeof Anthropic],
])("%s", (_, Sdk) => {
  test("counts, and pays nothing", async () => {
    upstream.json({ input_tokens: 42 });
    const before = await balanceOf(gateway, gateway.keys.payg);
    const client = new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url, maxRetries: 0 });
    const request = {
      model: "test/model-1",
      system: "Be brief.",
      messages: [{ role: "user" as const, content: "Hello" }],
    };
    expect((await client.messages.countTokens(request)).input_tokens).toBe(42);
    expect(upstream.requests[0]?.path).toMatch(/^\/v1\/messages\/count_tokens/);
    expect(await balanceOf(gateway, gateway.keys.payg)).toBe(before);
  });
});

test("a subscription's counts use up its minute, not its quota", async () => {
  upstream.json({ input_tokens: 42 });
  const client = new Anthropic({ apiKey: gateway.keys.free, baseURL: gateway.url, maxRetries: 0 });
  const count = () =>
    client.messages.countTokens({ model: "test/model-1", messages: [{ role: "user", content: "Hello" }] });
  for (let i = 0; i < 3; i++) expect((await count()).input_tokens).toBe(42);
  await expect(count()).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  expect(upstream.requests).toHaveLength(3);
});

describe.each([
  ["@google/genai 3", GoogleGenAI],
  ["@google/genai 2", GoogleGenAI2 as unknown as typeof GoogleGenAI],
])("%s", (_, Sdk) => {
  const models = () =>
    new Sdk({ apiKey: gateway.keys.payg, httpOptions: { baseUrl: `${gateway.url}/api` } }).models;

  test("counts", async () => {
    upstream.json({ totalTokens: 42 });
    const { totalTokens } = await models().countTokens({ model: "test/model-1", contents: "Hello" });
    expect(totalTokens).toBe(42);
  });

  test("embeds with a provider that speaks Gemini", async () => {
    upstream.json({ embeddings: [{ values: [1, 2] }] });
    const answer = await models().embedContent({ model: "test/embedding-1", contents: "Hello" });
    expect(answer.embeddings?.map(({ values }) => values)).toEqual([[1, 2]]);
    expect(upstream.requests[0]?.path).toBe("/v1beta/models/upstream-embedding:batchEmbedContents");
  });

  test("embeds with a provider that speaks OpenAI's protocol", async () => {
    upstream.json({
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
      usage: { prompt_tokens: 2 },
    });
    const answer = await models().embedContent({
      model: "plain/embedding-1",
      contents: ["a", "b"],
      config: { outputDimensionality: 8 },
    });
    expect(answer.embeddings?.map(({ values }) => values)).toEqual([[1], [2]]);
    expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
      model: "up",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 8,
    });
  });
});

test("nothing is left on a meter", () => expectCleanAudit(gateway));
