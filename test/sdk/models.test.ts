/**
 * The vendors' own SDKs list the models, page by page where the vendor has pages, and fetch one, each at the base URLs
 * the README gives it. Every field that an SDK documents has the type that it documents.
 */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, providerKey } from "#test/support/money.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal({ catalog: catalogAt("http://127.0.0.1:9"), env: providerKey });
});
afterAll(() => gateway?.stop());

const ids = ["test/model-1", "test/embedding-1", "test/image-1"];
const created = 1_760_000_000;

const openai = (Sdk: typeof OpenAI, base: string) =>
  new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url + base, maxRetries: 0 }).models;
const anthropic = (Sdk: typeof Anthropic, base: string) =>
  new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url + base, maxRetries: 0 }).models;
const google = (Sdk: typeof GoogleGenAI, base: string, apiVersion?: string) =>
  new Sdk({
    apiKey: gateway.keys.payg,
    httpOptions: { baseUrl: gateway.url + base, ...(apiVersion ? { apiVersion } : {}) },
  }).models;

const openai6 = OpenAI6 as unknown as typeof OpenAI;
const anthropic0 = AnthropicBefore1 as unknown as typeof Anthropic;
const google2 = GoogleGenAI2 as unknown as typeof GoogleGenAI;

/** What was thrown. */
const thrownBy = (call: Promise<unknown>): Promise<Record<string, unknown>> =>
  call.then(
    () => expect.fail("the call was not refused"),
    (error: unknown) => error as Record<string, unknown>,
  );

describe.each([
  ["openai 7 at /v1", OpenAI, "/v1"],
  ["openai 7 at /api/v1", OpenAI, "/api/v1"],
  ["openai 6 at /v1", openai6, "/v1"],
  ["openai 6 at /api/v1", openai6, "/api/v1"],
])("%s", (_, Sdk, base) => {
  test("all models, each with OpenAI's fields", async () => {
    const models = await Array.fromAsync(openai(Sdk, base).list());
    expect(models.map(({ id }) => id)).toEqual(ids);
    expect(models).toEqual(
      models.map(() => expect.objectContaining({ object: "model", created, owned_by: "test" })),
    );
  });

  test("one model", async () => {
    expect(await openai(Sdk, base).retrieve("test/model-1")).toMatchObject({ id: "test/model-1", created });
    const error = await thrownBy(openai(Sdk, base).retrieve("test/none"));
    expect(error).toBeInstanceOf(Sdk.NotFoundError);
    expect(error.message).toContain("The model `test/none` does not exist.");
  });
});

describe.each([
  ["@anthropic-ai/sdk 1", Anthropic, ""],
  ["@anthropic-ai/sdk 1 at /api", Anthropic, "/api"],
  ["@anthropic-ai/sdk 1 at /api/anthropic", Anthropic, "/api/anthropic"],
  ["@anthropic-ai/sdk 0", anthropic0, ""],
  ["@anthropic-ai/sdk 0 at /api", anthropic0, "/api"],
  ["@anthropic-ai/sdk 0 at /api/anthropic", anthropic0, "/api/anthropic"],
])("%s", (_, Sdk, base) => {
  test("all models, each with Anthropic's fields", async () => {
    const models = await Array.fromAsync(anthropic(Sdk, base).list());
    expect(models.map(({ id }) => id)).toEqual(ids);
    for (const { created_at, ...model } of models) {
      expect(new Date(created_at).getTime()).toBe(created * 1_000);
      expect(model).toEqual({
        type: "model",
        id: expect.any(String),
        display_name: expect.any(String),
        lifecycle: "active",
        deprecated_at: null,
        retires_at: null,
        line: null,
        max_input_tokens: model.id === "test/image-1" ? null : expect.any(Number),
        max_tokens: model.id === "test/image-1" ? null : expect.any(Number),
        capabilities: null,
      });
    }
  });

  test("page by page, in both directions", async () => {
    const { data, has_more } = await anthropic(Sdk, base).list({ limit: 2 });
    expect([data.map(({ id }) => id), has_more]).toEqual([ids.slice(0, 2), true]);
    const pagesOf = async (query: object) => {
      const first = await anthropic(Sdk, base).list({ limit: 1, ...query });
      const pages = await Array.fromAsync(first.iterPages());
      return pages.map((page) => page.data.map(({ id }) => id));
    };
    expect(await pagesOf({})).toEqual(ids.map((id) => [id]));
    expect(await pagesOf({ before_id: ids[2] })).toEqual([[ids[1]], [ids[0]]]);
    expect(await pagesOf({ lifecycle: ["retired"] })).toEqual([[]]);
    expect(await pagesOf({ lifecycle: ["active", "deprecated"], limit: 3 })).toEqual([ids]);
  });

  test("one model, and errors in Anthropic's form", async () => {
    const { models } = { models: anthropic(Sdk, base) };
    expect(await models.retrieve("test/model-1")).toMatchObject({ id: "test/model-1", max_tokens: 8_192 });
    const unknown = await thrownBy(models.retrieve("test/none"));
    expect(unknown).toBeInstanceOf(Sdk.NotFoundError);
    expect(unknown.error).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    const odd = await thrownBy(Promise.resolve(models.list({ after_id: "test/none" })));
    expect(odd).toBeInstanceOf(Sdk.BadRequestError);
    expect(odd.error).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });
});

describe.each([
  ["@google/genai 3", GoogleGenAI, "", undefined],
  ["@google/genai 3, v1beta", GoogleGenAI, "", "v1beta"],
  ["@google/genai 3 at /api", GoogleGenAI, "/api", undefined],
  ["@google/genai 3 at /api, v1beta", GoogleGenAI, "/api", "v1beta"],
  ["@google/genai 2", google2, "", undefined],
  ["@google/genai 2 at /api", google2, "/api", undefined],
  ["@google/genai 2 at /api/v1/gemini", google2, "/api/v1/gemini", undefined],
])("%s", (_, Sdk, base, version) => {
  const nameOf = (id: string) => `models/${id}`;

  test("all models, each with Google's fields", async () => {
    const models = await Array.fromAsync(await google(Sdk, base, version).list());
    expect(models.map(({ name }) => name)).toEqual(ids.map(nameOf));
    for (const model of models) {
      expect(model).toMatchObject({
        displayName: expect.any(String),
        inputTokenLimit: expect.any(Number),
        outputTokenLimit: expect.any(Number),
        supportedActions: expect.any(Array),
        thinking: false,
      });
    }
    expect(models[0]?.supportedActions).toEqual(["generateContent", "countTokens", "streamGenerateContent"]);
  });

  test("page by page", async () => {
    const pager = await google(Sdk, base, version).list({ config: { pageSize: 2 } });
    expect(pager.page.map(({ name }) => name)).toEqual(ids.slice(0, 2).map(nameOf));
    expect((await pager.nextPage()).map(({ name }) => name)).toEqual(ids.slice(2).map(nameOf));
    expect(pager.hasNextPage()).toBe(false);
  });

  test("one model, and errors in Google's form", async () => {
    const models = google(Sdk, base, version);
    expect(await models.get({ model: "test/model-1" })).toMatchObject({ name: nameOf("test/model-1") });
    const unknown = await thrownBy(models.get({ model: "test/none" }));
    expect(unknown).toMatchObject({ name: "ApiError", status: 404 });
    expect(JSON.parse(unknown.message as string)).toMatchObject({
      error: { code: 404, status: "NOT_FOUND" },
    });
  });
});
