/**
 * The vendors' own SDKs, whole and streamed, while their model's provider is out and a model of another vendor answers.
 * The demo provider plays both, in the weather that the test sets.
 */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { catalogFile } from "#test/support/default-catalog.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { customer, expectCleanAudit } from "#test/support/money.ts";

type Json = Record<string, unknown>;

const gpt = "openai/gpt-5.4-mini";
const claude = "anthropic/claude-sonnet-4-6";
const gemini = "google/gemini-2.5-flash";
const providerOf = { [gpt]: "openai", [claude]: "anthropic", [gemini]: "gemini" } as Record<string, string>;

/** Clouds sell these models too. Here each has its own vendor alone, so that another model is the next. */
const models = catalogFile.models.map((model) => {
  const channels = model.channels.filter(({ provider }) => provider === providerOf[model.id]);
  return model.id in providerOf ? { ...model, channels } : model;
});

let gateway: LocalGateway;
let key: string;
beforeAll(async () => {
  gateway = await startLocal({ catalog: { ...catalogFile, models } });
  ({ key } = await customer(gateway, { points: 10n ** 20n }));
});
afterAll(() => gateway?.stop());
beforeEach(async () => {
  for (const provider of Object.values(providerOf)) await weather(provider, "clear");
});

async function weather(provider: string, word: string): Promise<void> {
  const url = `${gateway.endpoints.demoProvider}/weather/${provider}`;
  expect((await fetch(url, { method: "PUT", body: word })).status).toBe(200);
}

async function get(path: string): Promise<Json> {
  const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
  return (await reply.json()) as Json;
}

/** The receipt of a call, once it is booked. */
async function receiptOf(id: string): Promise<Json> {
  const path = `/api/v1/requests/${id}`;
  await expect.poll(async () => (await get(path)).status).toBe("settled");
  return await get(path);
}

const messages = [{ role: "user" as const, content: "Say hello." }];

/** What a client's SDK gives: its text, its counters, and its answer's headers where it shows them. */
interface Told {
  text: string | null | undefined;
  counts: [input: unknown, output: unknown];
  headers?: Headers;
}
type Ask = (fallback: string) => Promise<Told>;

const openai = () => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });
const google = (fallback: string) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url, headers: headersOf(fallback) } });
const headersOf = (fallback: string) => ({ "x-gateway-fallback": fallback });

const clients: Record<string, { model: string; whole: Ask; streamed: Ask }> = {
  "OpenAI, chat": {
    model: gpt,
    async whole(fallback) {
      const asked = openai().chat.completions.create(
        { model: gpt, messages },
        { headers: headersOf(fallback) },
      );
      const { data, response } = await asked.withResponse();
      const { choices, usage } = data;
      return {
        text: choices[0]?.message.content,
        counts: [usage?.prompt_tokens, usage?.completion_tokens],
        headers: response.headers,
      };
    },
    async streamed(fallback) {
      const body = { model: gpt, messages, stream: true as const, stream_options: { include_usage: true } };
      const asked = openai().chat.completions.create(body, { headers: headersOf(fallback) });
      const { data, response } = await asked.withResponse();
      const chunks = await Array.fromAsync(data);
      const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
      return {
        text: chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
        counts: [usage?.prompt_tokens, usage?.completion_tokens],
        headers: response.headers,
      };
    },
  },
  "OpenAI, Responses": {
    model: gpt,
    async whole(fallback) {
      const body = { model: gpt, input: "Say hello.", store: false };
      const asked = openai().responses.create(body, { headers: headersOf(fallback) });
      const { data, response } = await asked.withResponse();
      const { output_text: text, usage } = data;
      return { text, counts: [usage?.input_tokens, usage?.output_tokens], headers: response.headers };
    },
    async streamed(fallback) {
      const body = { model: gpt, input: "Say hello.", store: false };
      const stream = openai().responses.stream(body, { headers: headersOf(fallback) });
      const { output_text: text, usage } = await stream.finalResponse();
      return { text, counts: [usage?.input_tokens, usage?.output_tokens] };
    },
  },
  Anthropic: {
    model: claude,
    async whole(fallback) {
      const body = { model: claude, max_tokens: 100, messages };
      const asked = anthropic().messages.create(body, { headers: headersOf(fallback) });
      const { data, response } = await asked.withResponse();
      return { ...toldBy(data), headers: response.headers };
    },
    async streamed(fallback) {
      const body = { model: claude, max_tokens: 100, messages };
      const stream = anthropic().messages.stream(body, { headers: headersOf(fallback) });
      const { data, response } = await stream.withResponse();
      return { ...toldBy(await data.finalMessage()), headers: response.headers };
    },
  },
  Google: {
    model: gemini,
    async whole(fallback) {
      const asked = { model: gemini, contents: "Say hello." };
      const {
        text,
        usageMetadata: usage,
        sdkHttpResponse,
      } = await google(fallback).models.generateContent(asked);
      const headers = new Headers(sdkHttpResponse?.headers);
      return { text, counts: [usage?.promptTokenCount, usage?.candidatesTokenCount], headers };
    },
    async streamed(fallback) {
      const asked = { model: gemini, contents: "Say hello." };
      const chunks = await Array.fromAsync(await google(fallback).models.generateContentStream(asked));
      const usage = chunks.at(-1)?.usageMetadata;
      const text = chunks.map((chunk) => chunk.text ?? "").join("");
      return { text, counts: [usage?.promptTokenCount, usage?.candidatesTokenCount] };
    },
  },
};

function toldBy({ content, usage }: Anthropic.Message): Told {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, counts: [usage.input_tokens, usage.output_tokens] };
}

describe.each(Object.keys(clients))("%s", (name) => {
  const { model = "" } = clients[name] ?? {};
  const others = [gpt, claude, gemini].filter((each) => each !== model);

  test.each([
    ["whole", others[0]],
    ["whole", others[1]],
    ["streamed", others[0]],
    ["streamed", others[1]],
  ] as const)("%s, falls back to %s", async (way, other = "") => {
    await weather(providerOf[model] ?? "", "outage");
    const ask = clients[name]?.[way];
    const { text, counts, headers } = (await ask?.(other)) ?? { counts: [], headers: undefined };
    expect(text).toMatch(/\w/);
    expect(counts.every((count) => Number(count) > 0)).toBe(true);
    if (!headers) return;
    expect(headers.get("x-gateway-model")).toBe(other);
    expect(headers.get("x-gateway-provider")).toBe(providerOf[other]);
    expect(headers.get("x-gateway-route")).toBe(`basic; via=${providerOf[other]}; why=fallback; of=1`);
    const receipt = await receiptOf(headers.get("x-request-id") ?? "");
    expect(receipt).toMatchObject({
      model: other,
      requested_model: model,
      provider: providerOf[other],
      attempts: 2,
      evidence: "reported",
      usage: { input_tokens: counts[0], output_tokens: counts[1] },
      route: {
        why: "fallback",
        attempts: [
          { model, provider: providerOf[model], outcome: "fault" },
          { provider: providerOf[other], outcome: "answered" },
        ],
      },
    });
  });
});

test("each model is charged at its own price, reports count the one that answered, and the books are whole", async () => {
  ({ key } = await customer(gateway, { points: 10n ** 20n }));
  const whole = (fallback: string) => clients["OpenAI, chat"]?.whole(fallback);
  const ids: string[] = [];
  for (const [word, fallback] of [
    ["clear", claude],
    ["outage", claude],
    ["outage", gemini],
  ] as const) {
    await weather("openai", word);
    ids.push((await whole(fallback))?.headers?.get("x-request-id") ?? "");
  }
  await weather("anthropic", "limit");
  ids.push((await whole(`${claude}, ${gemini}`))?.headers?.get("x-request-id") ?? "");
  const receipts = await Promise.all(ids.map(receiptOf));
  expect(receipts.map((receipt) => receipt.model)).toEqual([gpt, claude, gemini, gemini]);
  const versions = receipts.map((receipt) => (receipt.price as Json).version);
  expect(new Set(versions).size).toBe(3);
  expect(versions[2]).toBe(versions[3]);
  const around = (ms: number) => new Date(Date.now() + ms).toISOString();
  const range = `from=${around(-86_400_000)}&to=${around(86_400_000)}`;
  const report = await get(`/api/business/v1/customer/usage?${range}`);
  const counted = (report.by_model as Json[]).map(({ model, calls }) => [model, calls]);
  expect(Object.fromEntries(counted)).toEqual({ [gpt]: 1, [claude]: 1, [gemini]: 2 });
  await expectCleanAudit(gateway);
});

test("where all models fail the SDK gets the first one's error, with its wait, and nothing is charged", async () => {
  ({ key } = await customer(gateway, { points: 10n ** 20n }));
  await weather("openai", "limit");
  await weather("anthropic", "outage");
  const failure = await clients["OpenAI, chat"]?.whole(claude).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(OpenAI.APIError);
  const { status, headers, message } = failure as InstanceType<typeof OpenAI.APIError>;
  expect([status, headers?.get("retry-after"), headers?.get("x-gateway-attempts")]).toEqual([500, "12", "2"]);
  expect(message).toContain("limit this gateway");
  expect(headers?.get("x-gateway-cost-points")).toBe("0");
  const receipt = await receiptOf(headers?.get("x-request-id") ?? "");
  expect(receipt).toMatchObject({ model: gpt, outcome: "failed", cost_points: "0", calls: 0 });
});

test("an unknown fallback is an error that the SDK does not repeat", async () => {
  const failure = await clients.Anthropic?.whole("nobody/model").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Anthropic.BadRequestError);
  expect(String(failure)).toContain("`nobody/model` does not exist");
});
