/**
 * Vercel's `ai` with the vendors' providers against the local gateway. Nothing but the base URL is changed. The
 * models' providers speak all four protocols, and the calls cover text, streams, tools and structured output.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, Output, streamText, type ToolSet } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createZhipu } from "zhipu-ai-provider";
import { speechAt } from "#test/support/answers.ts";
import { crossedCatalog, modelOf, type Speech, speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { spent, startVendors, toolArguments, type Vendors, words } from "#test/support/vendors.ts";

type Json = Record<string, unknown>;

/** What a provider of each protocol says when it is asked for a city by schema. */
const said = toolArguments;
const structured: Record<Speech, Json> = {
  openai: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "upstream",
    choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  anthropic: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "upstream",
    content: [{ type: "text", text: said }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  gemini: {
    candidates: [{ index: 0, content: { role: "model", parts: [{ text: said }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
  responses: {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "upstream",
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: said, annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
};

// What a provider of an earlier interface is missing is known, and said for every call.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

let vendors: Vendors;
let front: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  front = await startUpstream();
  front.on(async (request, response) => {
    const path = request.url ?? "";
    const text = front.requests.at(-1)?.body.toString() ?? "";
    const speech = speechAt(path);
    const { tools } = JSON.parse(text) as Json;
    const asksForSchema = text.includes("city") && !tools;
    const answer =
      asksForSchema && speech
        ? Response.json(structured[speech])
        : await fetch(vendors.url + path, { method: "POST", body: text });
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
  });
  gateway = await startLocal({
    catalog: crossedCatalog(front.url),
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await front?.stop();
  await vendors?.stop();
});

const at = (path: string) => ({ apiKey: gateway.keys.payg, baseURL: gateway.url + path });
const clients: Record<string, (model: string) => LanguageModel> = {
  "@ai-sdk/openai, chat": (model) => createOpenAI(at("/v1")).chat(model),
  "@ai-sdk/openai, responses": (model) => createOpenAI(at("/v1")).responses(model),
  "@ai-sdk/anthropic": (model) => createAnthropic(at("/v1"))(model),
  "@ai-sdk/google": (model) => createGoogleGenerativeAI(at("/api/v1beta"))(`models/${model}`),
  "zhipu-ai-provider": (model) => createZhipu(at("/api/paas/v4"))(model),
};

const schema = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
});
const tools: ToolSet = { weather: { inputSchema: schema } };
const asking = { system: "Be brief.", prompt: "Hello?", maxRetries: 0 };
const input = spent.input_tokens + spent.cache_read_tokens;

/** It sends no schema, and takes a streamed call only where each piece repeats its id and name, as GLM's do. */
const zhipu = "zhipu-ai-provider";

describe.each(Object.entries(clients))("%s", (name, client) => {
  describe.each(speeches)("with a provider that speaks %s", (speech) => {
    const model = () => client(modelOf(speech));

    test("generateText", async () => {
      const { text, usage, finishReason } = await generateText({ model: model(), ...asking });
      expect({ text, finishReason }).toEqual({ text: words.join(""), finishReason: "stop" });
      expect(usage).toMatchObject({ inputTokens: input, outputTokens: spent.output_tokens });
    });

    test("streamText", async () => {
      const { textStream, usage } = streamText({ model: model(), ...asking });
      const chunks = await Array.fromAsync(textStream);
      expect(chunks.join("")).toBe(words.join(""));
      expect(chunks.length).toBeGreaterThan(1);
      expect(await usage).toMatchObject({ inputTokens: input, outputTokens: spent.output_tokens });
    });

    const calling = () => ({ model: model(), ...asking, tools });
    const called = [{ toolName: "weather", input: JSON.parse(toolArguments) as Json }];

    test("a tool call, whole", async () => {
      expect((await generateText(calling())).toolCalls).toMatchObject(called);
    });

    test("a tool call, streamed", async () => {
      const errors: unknown[] = [];
      const onError = ({ error }: { error: unknown }) => void errors.push(error);
      const calls = await streamText({ ...calling(), onError }).toolCalls;
      expect(calls).toMatchObject(name === zhipu ? [] : called);
      expect(errors.map(String)).toEqual(
        name === zhipu ? [expect.stringContaining("Type validation failed")] : [],
      );
    });

    test("structured output", async () => {
      const prompt = "Which city? Answer in JSON.";
      const { output } = await generateText({
        model: model(),
        ...asking,
        prompt,
        output: Output.object({ schema }),
      });
      expect(output).toEqual(JSON.parse(said));
      const sent = front.requests.at(-1)?.body.toString() ?? "";
      expect(sent.includes('"city":{')).toBe(name !== zhipu);
    });
  });
});
