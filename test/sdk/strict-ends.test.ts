/**
 * The vendors' own SDKs on a strict stream that the gateway stops. Each SDK gathers what came, reads that the
 * length ended it, and then throws the reason.
 */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { ApiError as ApiError2, GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { readBody } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import { modelOf, type Speech, useCrossed } from "#test/support/crossed.ts";
import { begun, stopAfter, text, thought, twoAnswers, unfinished } from "#test/support/unfinished.ts";

const crossed = useCrossed();
/** Told of what the client is sent. */
let onChunk: (chunk: Buffer) => void = () => {};
let gateway: Listening;

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const headers = request.headers as Record<string, string>;
    const { reply } = await open(crossed.serve, url, { method, headers, body: await buffer(request) });
    response.writeHead(reply.status, reply.headers);
    await readBody(reply, (piece) => {
      response.write(piece);
      return void onChunk(piece);
    });
    response.end();
    await reply.after?.();
  });
  gateway = await listen(server, 0);
});
afterAll(() => gateway.stop());

const key = () => (crossed.headers.authorization ?? "").slice("Bearer ".length);
const messages = [{ role: "user" as const, content: "Hello" }];

/** A provider that breaks off in the middle; gives its model. */
function stop(provider: Speech, last: string, items = unfinished[provider]): string {
  ({ onChunk } = stopAfter(crossed, provider, items, last));
  return modelOf(provider);
}

/** What a stream gives before it throws, and what it throws. */
async function until<Item>(items: AsyncIterable<Item>): Promise<{ items: Item[]; thrown: unknown }> {
  const seen: Item[] = [];
  try {
    for await (const item of items) seen.push(item);
  } catch (thrown) {
    return { items: seen, thrown };
  }
  throw new Error("the stream ended without an error");
}

const openais = [
  ["openai 7", OpenAI],
  ["openai 6", OpenAI6 as unknown as typeof OpenAI],
] as const;

describe.each(openais)("%s", (_, Client) => {
  const client = () => new Client({ apiKey: key(), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const refused = { code: "40201", type: "quota_exceeded" };

  test.each(["openai", "anthropic"] as const)("chat at a provider of %s", async (provider) => {
    const model = stop(provider, "Par");
    const stream = client().chat.completions.stream({ model, messages });
    const { items, thrown } = await until(stream);
    expect(thrown).toMatchObject(refused);
    expect(items.at(-1)?.choices).toMatchObject([{ index: 0, finish_reason: "length" }]);
    const calls = [{ function: { name: "weather", arguments: begun } }];
    expect(stream.currentChatCompletionSnapshot?.choices).toMatchObject([
      { finish_reason: "length", message: { content: text, tool_calls: calls } },
    ]);
    await expect(stream.finalChatCompletion()).rejects.toMatchObject(refused);
  });

  test("chat with two choices, one of which had ended", async () => {
    const model = stop("openai", "END", twoAnswers.openai);
    const stream = client().chat.completions.stream({ model, messages, n: 2 });
    expect((await until(stream)).thrown).toMatchObject(refused);
    expect(stream.currentChatCompletionSnapshot?.choices).toMatchObject([
      { index: 0, finish_reason: "stop", message: { content: "One" } },
      { index: 1, finish_reason: "length", message: { content: `Two${text}` } },
    ]);
  });

  test.each(["responses", "gemini", "openai"] as const)("responses at a provider of %s", async (provider) => {
    const model = stop(provider, provider === "gemini" ? "END" : "Par");
    const stream = client().responses.stream({ model, input: "Hello" });
    const { items, thrown } = await until(stream);
    expect(thrown).toMatchObject(refused);
    const last = items.at(-1);
    if (last?.type !== "response.incomplete") throw new Error(`the last event is ${last?.type}`);
    const { response } = last;
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    const call = { type: "function_call", name: "weather", arguments: begun, status: "incomplete" };
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ text: thought }] },
      { type: "message", content: [{ text }] },
      ...(provider === "gemini" ? [] : [call]),
    ]);
    await expect(stream.finalResponse()).rejects.toMatchObject(refused);
  });
});

const anthropics = [
  ["@anthropic-ai/sdk 1", Anthropic],
  ["@anthropic-ai/sdk 0", AnthropicBefore1 as unknown as typeof Anthropic],
] as const;

describe.each(anthropics)("%s", (_, Client) => {
  test.each(["anthropic", "responses"] as const)("at a provider of %s", async (provider) => {
    const model = stop(provider, "Par");
    const client = new Client({ apiKey: key(), baseURL: gateway.url, maxRetries: 0 });
    const stream = client.messages.stream({ model, max_tokens: 8_192, messages });
    const { items, thrown } = await until(stream);
    expect(thrown).toBeInstanceOf(Client.APIError);
    expect(thrown).toMatchObject({ error: { error: { type: "billing_error" } } });
    expect(items.slice(-2)).toMatchObject([
      { type: "content_block_stop", index: 2 },
      { type: "message_delta" },
    ]);
    expect(stream.currentMessage).toMatchObject({
      stop_reason: "max_tokens",
      usage: { output_tokens: crossed.memory.events[0]?.usage.output_tokens },
      content: [
        { type: "thinking", thinking: thought },
        { type: "text", text },
        { type: "tool_use", name: "weather" },
      ],
    });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Client.APIError);
  });
});

const googles = [
  ["@google/genai 3", GoogleGenAI, ApiError],
  ["@google/genai 2", GoogleGenAI2 as unknown as typeof GoogleGenAI, ApiError2 as unknown as typeof ApiError],
] as const;

describe.each(googles)("%s", (_, Sdk, Thrown) => {
  test.each(["gemini", "openai"] as const)("at a provider of %s", async (provider) => {
    const model = stop(provider, "END");
    const client = new Sdk({ apiKey: key(), httpOptions: { baseUrl: `${gateway.url}/api` } });
    const { items, thrown } = await until(
      await client.models.generateContentStream({ model, contents: "Hello" }),
    );
    expect(thrown).toBeInstanceOf(Thrown);
    expect((thrown as ApiError).status).toBe(402);
    expect(items.map((item) => item.text ?? "").join("")).toBe(text);
    expect(items.at(-1)?.candidates?.[0]?.finishReason).toBe("MAX_TOKENS");
  });
});
