/** The vendors' own SDKs read an answer out of the cache, whole and streamed, as they read a provider's. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedCatalog } from "#test/support/cached.ts";
import { type Speech, speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  const catalog = cachedCatalog(vendors.url) as { plans: { pro: object } };
  const pro = { ...catalog.plans.pro, rpm: null, tpm: null, tpd: null };
  gateway = await startLocal({
    catalog: { ...catalog, plans: { ...catalog.plans, pro } },
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const headers = { "x-gateway-cache": "exact" };
const messages = [{ role: "user" as const, content: "Say hello." }];
const openai = () =>
  new OpenAI({ apiKey: gateway.keys.subscription, baseURL: `${gateway.url}/v1`, defaultHeaders: headers });
const anthropic = () =>
  new Anthropic({ apiKey: gateway.keys.subscription, baseURL: gateway.url, defaultHeaders: headers });
const google = () =>
  new GoogleGenAI({
    apiKey: gateway.keys.subscription,
    httpOptions: { baseUrl: `${gateway.url}/api`, headers },
  });

/** What a client's SDK gives: the text, and the counters of input and output. */
interface Told {
  text: string | null | undefined;
  counts: unknown[];
}

/** How each client asks, whole and streamed. */
const clients: Record<
  Speech,
  { whole(model: string): Promise<Told>; streamed(model: string): Promise<Told> }
> = {
  openai: {
    async whole(model) {
      const { choices, usage } = await openai().chat.completions.create({ model, messages });
      return { text: choices[0]?.message.content, counts: [usage?.prompt_tokens, usage?.completion_tokens] };
    },
    async streamed(model) {
      const asked = { model, messages, stream_options: { include_usage: true } };
      const { choices, usage } = await openai().chat.completions.stream(asked).finalChatCompletion();
      return { text: choices[0]?.message.content, counts: [usage?.prompt_tokens, usage?.completion_tokens] };
    },
  },
  responses: {
    async whole(model) {
      const asked = { model, input: "Say hello.", store: false };
      const { output_text, usage } = await openai().responses.create(asked);
      return { text: output_text, counts: [usage?.input_tokens, usage?.output_tokens] };
    },
    async streamed(model) {
      const asked = { model, input: "Say hello.", store: false };
      const { output_text, usage } = await openai().responses.stream(asked).finalResponse();
      return { text: output_text, counts: [usage?.input_tokens, usage?.output_tokens] };
    },
  },
  anthropic: {
    async whole(model) {
      const message = await anthropic().messages.create({ model, max_tokens: 100, messages });
      return toldBy(message);
    },
    async streamed(model) {
      return toldBy(await anthropic().messages.stream({ model, max_tokens: 100, messages }).finalMessage());
    },
  },
  gemini: {
    async whole(model) {
      const { text, usageMetadata } = await google().models.generateContent({
        model,
        contents: "Say hello.",
      });
      return { text, counts: [usageMetadata?.promptTokenCount, usageMetadata?.candidatesTokenCount ?? 0] };
    },
    async streamed(model) {
      const asked = { model, contents: "Say hello." };
      const chunks = await Array.fromAsync(await google().models.generateContentStream(asked));
      const usage = chunks.at(-1)?.usageMetadata;
      const text = chunks.map((chunk) => chunk.text ?? "").join("");
      return { text, counts: [usage?.promptTokenCount, usage?.candidatesTokenCount ?? 0] };
    },
  },
};

function toldBy({ content, usage }: Anthropic.Message): Told {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, counts: [usage.input_tokens, usage.output_tokens] };
}

test.each(speeches)("%s", async (client) => {
  const { whole, streamed } = clients[client];
  const model = `${client}/model-1`;
  const fresh = await whole(model);
  expect(fresh.text).toMatch(/\w/);
  expect(fresh.counts.every((count) => Number(count) > 0)).toBe(true);
  // What is kept is written after the answer has left.
  await expect.poll(async () => (await whole(model)).counts).toEqual([0, 0]);
  expect(await whole(model)).toEqual({ text: fresh.text, counts: [0, 0] });
  expect(await streamed(model)).toEqual({ text: fresh.text, counts: [0, 0] });
});
