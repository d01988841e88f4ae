/** The vendors' own SDKs list the models and fetch one, each at the base URLs the README gives it. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "./support/local.ts";
import { catalogAt, providerKey } from "./support/money.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal({ catalog: catalogAt("http://127.0.0.1:9"), env: providerKey });
});
afterAll(() => gateway?.stop());

const model = "test/model-1";

interface Models {
  list(): Promise<(string | undefined)[]>;
  retrieve(): Promise<string | undefined>;
}

const openai = (Sdk: typeof OpenAI, base: string) => (): Models => {
  const { models } = new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url + base, maxRetries: 0 });
  return {
    list: async () => (await Array.fromAsync(models.list())).map(({ id }) => id),
    retrieve: async () => (await models.retrieve(model)).id,
  };
};

const anthropic = (Sdk: typeof Anthropic, base: string) => (): Models => {
  const { models } = new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url + base, maxRetries: 0 });
  return {
    list: async () => (await Array.fromAsync(models.list())).map(({ id }) => id),
    retrieve: async () => (await models.retrieve(model)).id,
  };
};

const google = (Sdk: typeof GoogleGenAI, base: string, apiVersion?: string) => (): Models => {
  const httpOptions = { baseUrl: gateway.url + base, ...(apiVersion ? { apiVersion } : {}) };
  const { models } = new Sdk({ apiKey: gateway.keys.payg, httpOptions });
  const idOf = ({ name }: { name?: string }) => name?.replace("models/", "");
  return {
    list: async () => (await Array.fromAsync(await models.list())).map(idOf),
    retrieve: async () => idOf(await models.get({ model })),
  };
};

const openai6 = OpenAI6 as unknown as typeof OpenAI;
const anthropic0 = AnthropicBefore1 as unknown as typeof Anthropic;
const google2 = GoogleGenAI2 as unknown as typeof GoogleGenAI;

test.each([
  ["openai 7 at /v1", openai(OpenAI, "/v1")],
  ["openai 7 at /api/v1", openai(OpenAI, "/api/v1")],
  ["openai 6 at /api/v1", openai(openai6, "/api/v1")],
  ["@anthropic-ai/sdk 1", anthropic(Anthropic, "")],
  ["@anthropic-ai/sdk 1 at /api", anthropic(Anthropic, "/api")],
  ["@anthropic-ai/sdk 0 at /api", anthropic(anthropic0, "/api")],
  ["@google/genai 3 at /api, v1", google(GoogleGenAI, "/api")],
  ["@google/genai 3 at /api, v1beta", google(GoogleGenAI, "/api", "v1beta")],
  ["@google/genai 2 at /api", google(google2, "/api")],
  ["@google/genai 2 at /api/v1/gemini", google(google2, "/api/v1/gemini")],
])("%s", async (_, client) => {
  const { list, retrieve } = client();
  expect(await list()).toEqual(["test/model-1", "test/embedding-1", "test/image-1"]);
  expect(await retrieve()).toBe(model);
});
