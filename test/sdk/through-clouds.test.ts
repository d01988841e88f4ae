/** The vendors' SDKs through the gateway to the clouds, as the demo provider plays them, tokens and signatures included. */
import Anthropic from "@anthropic-ai/sdk";
import {
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import { testCatalog } from "#test/support/memory.ts";
import { expectCleanAudit } from "#test/support/money.ts";
import { bedrockClient } from "./bedrock-invoke.ts";

const said = "Hello from the demo provider!";
const messages = [{ role: "user" as const, content: "ping" }];
const project = "https://aiplatform.googleapis.com/v1/projects/{GOOGLE_PROJECT}/locations/global";

const runtime = "https://bedrock-runtime.us-west-2.amazonaws.com";

let gateway: LocalGateway;
beforeAll(async () => {
  const base = testCatalog("https://test.example") as {
    providers: object;
    models: { id: string; channels: object[] }[];
    plans: { free: object };
  };
  const google = { auth: "google", secret: "GOOGLE_CREDENTIALS", host: "vertex" };
  const providers = {
    ...base.providers,
    vertex: { ...google, protocols: { gemini: project } },
    "vertex-claude": { ...google, protocols: { anthropic: project } },
    bedrock: { auth: "aws_role", host: "bedrock", protocols: { anthropic: runtime } },
    "bedrock-key": { secret: "BEDROCK_KEY", host: "bedrock", protocols: { anthropic: runtime } },
    converse: { auth: "aws_role", host: "bedrock", protocols: { converse: runtime } },
    azure: {
      ...{ auth: "azure", secret: "AZURE_CREDENTIALS", host: "azure" },
      protocols: { openai: "https://{AZURE_RESOURCE}.openai.azure.com" },
    },
  };
  const [chat] = base.models;
  const modelAt = (provider: string, model: string) => ({
    ...{ ...chat, aliases: [], id: `${provider}/model` },
    channels: [{ provider, model }],
  });
  const models = [
    ...base.models,
    modelAt("vertex", "gemini-2.5-flash"),
    modelAt("vertex-claude", "claude-opus-4-8"),
    modelAt("azure", "our-deployment"),
    modelAt("bedrock", "us.anthropic.claude-opus-4-8-v1:0"),
    modelAt("bedrock-key", "anthropic.claude-opus-4-8-v1:0"),
    modelAt("converse", "us.amazon.nova-2-lite-v1:0"),
  ];
  const { free } = base.plans;
  gateway = await startLocal({
    catalog: { ...base, providers, models, plans: { free, lite: free, pro: free } },
    args: ["--strict"],
    env: { STREAM_WAIT_SCALE: "0.1" },
  });
});
afterAll(() => gateway?.stop());

const openai = () => new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: gateway.keys.payg, baseURL: gateway.url, maxRetries: 0 });
const gemini = () =>
  new GoogleGenAI({ apiKey: gateway.keys.payg, httpOptions: { baseUrl: gateway.url } }).models;

describe.each([
  "vertex/model",
  "vertex-claude/model",
  "azure/model",
  "bedrock/model",
  "bedrock-key/model",
  "converse/model",
])("%s", (model) => {
  test("answers OpenAI's SDK, whole and in a stream", async () => {
    const before = Number(await balanceOf(gateway, gateway.keys.payg));
    const client = openai();
    const whole = await client.chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message.content).toContain(said);
    let text = "";
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
      text += choices[0]?.delta.content ?? "";
    expect(text).toContain(said);
    expect(Number(await balanceOf(gateway, gateway.keys.payg))).toBeLessThan(before);
  });

  test("answers OpenAI's SDK in Responses, whole and in a stream", async () => {
    const client = openai();
    const asked = { model, input: "ping", store: false };
    expect((await client.responses.create(asked)).output_text).toContain(said);
    let text = "";
    for await (const event of await client.responses.create({ ...asked, stream: true }))
      text += event.type === "response.output_text.delta" ? event.delta : "";
    expect(text).toContain(said);
  });

  test("answers Anthropic's SDK, whole and in a stream, and counts", async () => {
    const client = anthropic();
    const asked = { model, max_tokens: 500, messages };
    expect((await client.messages.create(asked)).content).toMatchObject([
      { text: expect.stringContaining(said) },
    ]);
    const streamed = await client.messages.stream(asked).finalMessage();
    expect(streamed).toMatchObject({ content: [{ text: expect.stringContaining(said) }] });
    expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0);
  });

  test("answers Google's SDK, whole and in a stream", async () => {
    const asked = { model, contents: "ping" };
    expect((await gemini().generateContent(asked)).text).toContain(said);
    let text = "";
    for await (const chunk of await gemini().generateContentStream(asked)) text += chunk.text ?? "";
    expect(text).toContain(said);
  });

  test("answers AWS's SDK, whole and in a stream", async () => {
    const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg });
    const given = { anthropic_version: "bedrock-2023-05-31", max_tokens: 500, messages };
    const asked = { modelId: model, body: JSON.stringify(given) };
    const whole = await client.send(new InvokeModelCommand(asked));
    expect(whole.body.transformToString()).toContain(said);
    const { body = [] } = await client.send(new InvokeModelWithResponseStreamCommand(asked));
    const events: { delta?: { text?: string } }[] = [];
    for await (const { chunk } of body) events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
    expect(events.map(({ delta }) => delta?.text ?? "").join("")).toContain(said);
  });

  test("answers AWS's SDK with Converse, whole and in a stream", async () => {
    const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg });
    const asked = { modelId: model, messages: [{ role: "user" as const, content: [{ text: "ping" }] }] };
    const whole = await client.send(new ConverseCommand(asked));
    expect(whole.output?.message?.content?.[0]?.text).toContain(said);
    const { stream = [] } = await client.send(new ConverseStreamCommand(asked));
    const events = await Array.fromAsync(stream);
    const texts = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? "");
    expect(texts.join("")).toContain(said);
    expect(events.at(-1)?.metadata?.usage?.outputTokens).toBeGreaterThan(0);
  });
});

test("the ratings of Azure's content filter reach the client, whole and in a stream", async () => {
  const client = openai();
  const asked = { model: "azure/model", messages };
  expect(await client.chat.completions.create(asked)).toMatchObject({
    prompt_filter_results: [{ prompt_index: 0 }],
    choices: [{ content_filter_results: { hate: { filtered: false } } }],
  });
  const [opening] = await Array.fromAsync(await client.chat.completions.create({ ...asked, stream: true }));
  expect(opening).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
});

test("every call is booked, and the books balance", async () => {
  await expectCleanAudit(gateway);
});
