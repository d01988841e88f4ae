/** What the vendors' SDKs throw when they ask for what the gateway does not offer, and that nothing is read for it. */
import { Readable } from "node:stream";
import Anthropic from "@anthropic-ai/sdk";
import {
  ApplyGuardrailCommand,
  BedrockRuntimeClient,
  CountTokensCommand,
  ListAsyncInvokesCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { type HttpRequest, HttpResponse } from "@smithy/core/protocols";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";

/** The pipeline with nothing behind it: whatever would read a key or a table fails the call. */
const serve = createPipeline({} as never, {} as never);

/** Carries what an SDK sends into the pipeline. */
const carry: typeof fetch = async (input, init) => {
  const request = new Request(input, init as RequestInit);
  const { pathname } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const reply = await call(serve, pathname, { method: request.method, headers });
  return new Response(reply.text, { status: reply.status, headers: reply.headers });
};

const google2 = GoogleGenAI2 as unknown as typeof GoogleGenAI;
const apiKey = "sk-payg-1";
const openai = (base: string) => new OpenAI({ apiKey, baseURL: `http://gateway.test${base}`, fetch: carry });
const anthropic = (base: string) =>
  new Anthropic({ apiKey, baseURL: `http://gateway.test${base}`, fetch: carry });

const thrownBy = (asked: PromiseLike<unknown>) =>
  asked.then(
    () => expect.fail("the call was not refused"),
    (error: unknown) => error as Error & Record<string, unknown>,
  );

const openaiCalls: [name: string, (client: OpenAI) => PromiseLike<unknown>][] = [
  ["files", (client) => client.files.list()],
  ["batches", (client) => client.batches.retrieve("batch_1")],
  ["audio", (client) => client.audio.speech.create({ model: "m", voice: "alloy", input: "x" })],
  ["fine tuning", (client) => client.fineTuning.jobs.list()],
  ["assistants", (client) => client.beta.assistants.list()],
  ["realtime", (client) => client.realtime.clientSecrets.create({})],
  ["vector stores", (client) => client.vectorStores.list()],
  ["stored chat completions", (client) => client.chat.completions.list()],
  ["stored chat completions", (client) => client.chat.completions.retrieve("chatcmpl-1")],
  ["stored responses", (client) => client.responses.cancel("resp_1")],
  ["completions", (client) => client.completions.create({ model: "m", prompt: "x" })],
  ["model management", (client) => client.models.delete("acme/x")],
];

describe.each(["/v1", "/api/v1"])("openai at %s", (base) => {
  test.each(openaiCalls)("%s", async (name, ask) => {
    const error = await thrownBy(ask(openai(base)));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error.message).toContain(`The ${name} API is not offered by this gateway.`);
    expect(error.message).toContain(`Under ${base} it offers chat/completions, responses, embeddings,`);
    expect(error.requestID).toMatch(/^req_/);
  });
});

test.each([
  ["/chat", "POST /v1/chat/completions", () => openai("").chat.completions],
  ["/api/v0", "POST /v1/embeddings", () => openai("/api/v0").embeddings],
] as const)(
  "a base URL that misses the version or the route is told the path: %s",
  async (_, path, client) => {
    const error = await thrownBy((client() as OpenAI["embeddings"]).create({ model: "m", input: "x" }));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error.message).toContain(`Did you mean ${path}?`);
  },
);

describe("@aws-sdk/client-bedrock-runtime", () => {
  const client = new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: "http://gateway.test",
    token: { token: apiKey },
    authSchemePreference: ["httpBearerAuth"],
    requestHandler: {
      async handle({ method, path, headers }: HttpRequest) {
        const { status: statusCode, headers: told, text } = await call(serve, path, { method, headers });
        return { response: new HttpResponse({ statusCode, headers: told, body: Readable.from([text]) }) };
      },
    },
  });
  const messages = [{ role: "user" as const, content: [{ text: "x" }] }];
  const guardrail = { guardrailIdentifier: "g", guardrailVersion: "1", source: "INPUT" as const };

  test.each<[string, string, () => PromiseLike<unknown>]>([
    [
      "count tokens",
      " Use POST /v1/messages/count_tokens.",
      () => client.send(new CountTokensCommand({ modelId: "m", input: { converse: { messages } } })),
    ],
    ["guardrail", "", () => client.send(new ApplyGuardrailCommand({ ...guardrail, content: [] }))],
    [
      "async invoke",
      " Use POST /api/v3/contents/generations/tasks.",
      () => client.send(new ListAsyncInvokesCommand({})),
    ],
  ])("%s", async (name, use, ask) => {
    const error = await thrownBy(ask());
    expect(error).toBeInstanceOf(ResourceNotFoundException);
    expect(error.message).toContain(
      `The ${name} API is not offered by this gateway.${use} Of Bedrock's it offers`,
    );
    expect(error.message).toContain("/model/{model}/converse-stream");
    expect(error.$metadata).toMatchObject({ requestId: expect.stringMatching(/^req_/) });
  });

  test.each(["/foundation-models", "/inference-profiles/p", "/model/m/invoke-twice"])("%s", async (path) => {
    const { status, headers, text } = await call(serve, path, { method: "GET" });
    expect([status, headers["x-amzn-errortype"]]).toEqual([404, "ResourceNotFoundException"]);
    expect(text).toContain("is not offered by this gateway.");
  });
});

describe.each(["", "/api", "/api/anthropic"])("@anthropic-ai/sdk at %j", (base) => {
  test.each<[string, (client: Anthropic) => PromiseLike<unknown>]>([
    ["message batches", (client) => client.messages.batches.list()],
    ["files", (client) => client.beta.files.list()],
    ["skills", (client) => client.beta.skills.list()],
  ])("%s", async (name, ask) => {
    const error = await thrownBy(ask(anthropic(base)));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error.error).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect(error.message).toContain(`The ${name} API is not offered by this gateway.`);
    expect(error.message).toContain("it offers messages, messages/count_tokens, models.");
    expect(error.requestID).toMatch(/^req_/);
  });

  test("a base URL with the version in it is told the path", async () => {
    const body = { model: "m", max_tokens: 1, messages: [] };
    const error = await thrownBy(anthropic(`${base}/v1`).messages.create(body));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error.message).toContain("Did you mean POST /v1/messages?");
  });
});

describe.each([
  ["", "v1"],
  ["", "v1beta"],
  ["/api", "v1"],
  ["/api", "v1beta"],
  ["/api/v1/gemini", "v1beta"],
])("@google/genai at %j, %s", (base, apiVersion) => {
  /** Google's SDK takes no fetch of one's own. */
  beforeAll(() => {
    const before = globalThis.fetch;
    globalThis.fetch = carry;
    return () => {
      globalThis.fetch = before;
    };
  });

  test.each<[string, (client: GoogleGenAI) => PromiseLike<unknown>, typeof GoogleGenAI?]>([
    ["cached contents", (client) => client.caches.list()],
    ["files", (client) => client.files.upload({ file: new Blob(["x"]), config: { mimeType: "text/plain" } })],
    ["batches", (client) => client.batches.list()],
    // Version 3 sends no request for videos.
    [
      "predict long running",
      (client) => client.models.generateVideos({ model: "veo", source: { prompt: "x" } }),
      google2,
    ],
  ])("%s", async (name, ask, Sdk = GoogleGenAI) => {
    const httpOptions = { baseUrl: `http://gateway.test${base}`, apiVersion };
    const error = await thrownBy(ask(new Sdk({ apiKey, httpOptions })));
    expect(error).toMatchObject({ name: "ApiError", status: 404 });
    const body = JSON.parse(error.message) as { error: { message: string } };
    expect(body.error).toMatchObject({ code: 404, status: "NOT_FOUND" });
    expect(body.error.message).toContain(`The ${name} API is not offered by this gateway.`);
    expect(body.error.message).toContain("models/{model}:generateContent");
  });
});
