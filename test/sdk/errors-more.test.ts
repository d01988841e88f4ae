/** Errors as Google's SDK and the previous OpenAI major throw them, and how often each asked. */
import { ApiError, GoogleGenAI } from "@google/genai";
import { ApiError as ApiError2, GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { crossedCatalog } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({
    catalog: crossedCatalog(upstream.url),
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await gateway?.stop();
  await upstream?.stop();
});

/** Requests the SDK made; it uses the platform's fetch. */
let asked = 0;
beforeEach(() => {
  asked = 0;
  const platform = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((...input) => {
    asked += 1;
    return platform(...input);
  });
  return () => vi.restoreAllMocks();
});

const majors = [
  ["@google/genai 3", GoogleGenAI, ApiError],
  ["@google/genai 2", GoogleGenAI2 as unknown as typeof GoogleGenAI, ApiError2 as unknown as typeof ApiError],
] as const;

describe.each(majors)("%s", (_, Sdk, Thrown) => {
  test.each([
    ["an unknown model", "payg", "openai/none", 404],
    ["a wrong key", undefined, "openai/model-1", 401],
    ["a provider that fails", "payg", "openai/model-1", 500],
  ] as const)("%s is an ApiError with its status, asked once", async (_name, key, model, status) => {
    upstream.on((_request, response) => response.writeHead(503).end("{}"));
    const client = new Sdk({
      apiKey: key ? gateway.keys[key] : "sk-payg-wrong",
      httpOptions: { baseUrl: `${gateway.url}/api` },
    });
    const error = await client.models
      .generateContent({ model, contents: "Hi" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Thrown);
    expect((error as ApiError).status).toBe(status);
    expect(asked).toBe(1);
  });
});

describe("openai 6", () => {
  test.each([
    ["an unknown model", "openai/none", OpenAI6.NotFoundError, 1],
    ["a provider that fails", "openai/model-1", OpenAI6.InternalServerError, 3],
  ] as const)("%s is thrown as its class", async (_name, model, Thrown, times) => {
    upstream.on((_request, response) => response.writeHead(503).end("{}"));
    const client = new OpenAI6({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 2 });
    const call = client.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
    await expect(call).rejects.toBeInstanceOf(Thrown);
    expect(asked).toBe(times);
  });
});
