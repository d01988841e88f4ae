/**
 * Every official SDK × every provider protocol, with nothing changed but the base URL: whole, streamed and
 * with a tool. The provider behind each model speaks one protocol only; the gateway crosses where it must.
 */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/connection.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { type LocalGateway, startLocal } from "./support/local.ts";
import { expectCleanAudit } from "./support/money.ts";
import { spent, startVendors, toolArguments, type Vendors, words } from "./support/vendors.ts";

/** What a client made of an answer. */
interface Heard {
  text: string;
  tool?: { name: string; arguments: unknown };
  usage: { input: number; output: number };
}

type Client = (model: string, options: { stream: boolean; tools: boolean }) => Promise<Heard>;

const providers = ["openai", "anthropic", "gemini", "responses"] as const;
const schema = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
};
const prompt = "Hello?";
const parsed = (text: string | undefined): unknown => JSON.parse(text ?? "null");

let vendors: Vendors;
let gateway: LocalGateway;

function catalog(): object {
  const base = {
    created: 1_760_000_000,
    owned_by: "test",
    display_name: "Test",
    context_tokens: 100_000,
    output_tokens: 8_192,
  };
  const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
  const plan = { quota: everyPeriod(100), rpm: null, tpm: null, tpd: null, price: everyPeriod("0") };
  const urls = { openai: "/v1", anthropic: "", gemini: "", responses: "/v1" };
  return {
    version: "2026-11-21",
    providers: Object.fromEntries(
      providers.map((name) => [
        name,
        { protocols: { [name]: vendors.url + urls[name] }, auth: "bearer", secret: "TEST_API_KEY" },
      ]),
    ),
    models: providers.map((name) => ({
      ...base,
      id: `${name}/model-1`,
      capabilities: ["chat", "stream", "tools"],
      price: { mode: "flat_tokens", input: "2.5", output: "10", cache_read: "0.25", cache_write: "3.125" },
      channels: [{ provider: name, model: "upstream" }],
    })),
    plans: { free: plan, lite: plan, pro: plan },
  };
}

function openaiChat(Sdk: typeof OpenAI): Client {
  return async (model, { stream, tools }) => {
    const client = new Sdk({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const request = {
      model,
      messages: [
        { role: "system" as const, content: "Be brief." },
        { role: "user" as const, content: prompt },
      ],
      ...(tools
        ? { tools: [{ type: "function" as const, function: { name: "weather", parameters: schema } }] }
        : {}),
    };
    const answer = stream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const message = answer.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    expect(answer.choices[0]?.finish_reason).toBe(tools ? "tool_calls" : "stop");
    return {
      text: message?.content ?? "",
      ...(call?.type === "function"
        ? { tool: { name: call.function.name, arguments: parsed(call.function.arguments) } }
        : {}),
      usage: { input: answer.usage?.prompt_tokens ?? 0, output: answer.usage?.completion_tokens ?? 0 },
    };
  };
}

const openaiResponses: Client = async (model, { stream, tools }) => {
  const client = new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const request = {
    model,
    instructions: "Be brief.",
    input: prompt,
    ...(tools
      ? { tools: [{ type: "function" as const, name: "weather", parameters: schema, strict: false }] }
      : {}),
  };
  const answer = stream
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  const call = answer.output.find((item) => item.type === "function_call") as
    | { name: string; arguments: string }
    | undefined;
  expect(answer.status).toBe("completed");
  return {
    text: answer.output_text,
    ...(call ? { tool: { name: call.name, arguments: parsed(call.arguments) } } : {}),
    usage: { input: answer.usage?.input_tokens ?? 0, output: answer.usage?.output_tokens ?? 0 },
  };
};

function anthropic(Sdk: typeof Anthropic): Client {
  return async (model, { stream, tools }) => {
    const client = new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url, maxRetries: 0 });
    const request = {
      model,
      max_tokens: 1000,
      system: "Be brief.",
      messages: [{ role: "user" as const, content: prompt }],
      ...(tools ? { tools: [{ name: "weather", input_schema: schema }] } : {}),
    };
    const message = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    const call = message.content.find((block) => block.type === "tool_use");
    expect(message.stop_reason).toBe(tools ? "tool_use" : "end_turn");
    const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
    return {
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      ...(call ? { tool: { name: call.name, arguments: call.input } } : {}),
      usage: { input: input_tokens + (cache_read_input_tokens ?? 0), output: output_tokens },
    };
  };
}

function gemini(Sdk: typeof GoogleGenAI, apiVersion?: string): Client {
  return async (model, { stream, tools }) => {
    const client = new Sdk({
      apiKey: gateway.keys.payg,
      ...(apiVersion ? { apiVersion } : {}),
      httpOptions: { baseUrl: `${gateway.url}/api` },
    });
    const request = {
      model,
      contents: prompt,
      config: {
        systemInstruction: "Be brief.",
        ...(tools
          ? { tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: schema }] }] }
          : {}),
      },
    };
    const chunks = stream
      ? await Array.fromAsync(await client.models.generateContentStream(request))
      : [await client.models.generateContent(request)];
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const call = parts.find((part) => part.functionCall)?.functionCall;
    const usage = chunks.at(-1)?.usageMetadata;
    return {
      text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
      ...(call ? { tool: { name: call.name ?? "", arguments: call.args } } : {}),
      usage: {
        input: usage?.promptTokenCount ?? 0,
        output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      },
    };
  };
}

const clients: Record<string, Client> = {
  "openai 7, chat": openaiChat(OpenAI),
  "openai 6, chat": openaiChat(OpenAI6 as unknown as typeof OpenAI),
  "openai 7, responses": openaiResponses,
  "@anthropic-ai/sdk 1": anthropic(Anthropic),
  "@anthropic-ai/sdk 0": anthropic(AnthropicBefore1 as unknown as typeof Anthropic),
  "@google/genai 3 (v1)": gemini(GoogleGenAI),
  "@google/genai 2 (v1beta)": gemini(GoogleGenAI2 as unknown as typeof GoogleGenAI),
};

beforeAll(async () => {
  vendors = await startVendors();
  gateway = await startLocal({ catalog: catalog(), env: { TEST_API_KEY: "upstream-secret" } });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const ways = [
  ["whole", { stream: false, tools: false }],
  ["streamed", { stream: true, tools: false }],
  ["a tool, whole", { stream: false, tools: true }],
  ["a tool, streamed", { stream: true, tools: true }],
] as const;

/** Cells by client: what `npm run matrix` prints. */
const table = new Map<string, string[]>();

describe.each(Object.entries(clients))("%s", (name, client) => {
  describe.each(providers)("with a provider that speaks %s", (provider) => {
    test.each(ways)("%s", async (way, options) => {
      const cells = table.get(name) ?? [];
      table.set(name, cells);
      cells.push(`${provider} ${way}: failed`);
      const heard = await client(`${provider}/model-1`, options);
      expect(heard.text).toBe(words.join(""));
      expect(heard.usage).toEqual({
        input: spent.input_tokens + spent.cache_read_tokens,
        output: spent.output_tokens,
      });
      if (options.tools)
        expect(heard.tool).toEqual({ name: "weather", arguments: JSON.parse(toolArguments) });
      cells[cells.length - 1] = `${provider} ${way}: ok`;
    });
  });
});

test("every call is charged by the same four numbers, whatever was crossed", async () => {
  await expectCleanAudit(gateway);
  const { aws, tables } = connectLocally(gateway.readyFile);
  const entries = (await Array.fromAsync(createLedger(aws, tables).everyEntry())).filter(
    ({ kind }) => kind === "usage",
  );
  expect(entries).toHaveLength(Object.keys(clients).length * providers.length * ways.length);
  for (const { event } of entries)
    expect(event).toMatchObject({ evidence: "reported", usage: spent, flags: [] });
});

afterAll(() => {
  for (const [name, cells] of table) {
    const bad = cells.filter((cell) => !cell.endsWith(": ok"));
    console.log(
      `${name.padEnd(26)} ${cells.length - bad.length}/${cells.length} green${bad.length > 0 ? `, ${bad.join("; ")}` : ""}`,
    );
  }
});
