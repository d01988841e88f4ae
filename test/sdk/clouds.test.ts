/** The clouds' own SDKs as clients of the demo provider: it speaks the true forms of Vertex AI and Azure. */
import { AnthropicFoundry } from "@anthropic-ai/foundry-sdk";
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import { GoogleGenAI } from "@google/genai";
import { AwsClient, OAuth2Client } from "google-auth-library";
import { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import type { Listening } from "#infra/local/emulators/listen.ts";

let demo: Listening;
beforeAll(async () => (demo = await startDemoProvider({ streamScale: 0 })));
afterAll(() => demo.stop());

const said = "Hello from the demo provider!";
const messages = [{ role: "user" as const, content: "ping" }];

/** A client of Google's that has a token already. */
function holder(): OAuth2Client {
  const client = new OAuth2Client();
  client.setCredentials({ access_token: "token", expiry_date: Date.now() + 3_600_000 });
  return client;
}

describe("@google/genai on Vertex AI", () => {
  const open = (location: string) =>
    new GoogleGenAI({
      vertexai: true,
      project: "acme",
      location,
      googleAuthOptions: { authClient: holder() },
      httpOptions: { baseUrl: `${demo.url}/vertex/gemini` },
    }).models;

  test.each(["global", "us-central1"])("in %s is answered, whole and in a stream", async (location) => {
    const models = open(location);
    const asked = { model: "gemini-2.5-flash", contents: "ping" };
    expect((await models.generateContent(asked)).text).toContain(said);
    let text = "";
    for await (const chunk of await models.generateContentStream(asked)) text += chunk.text ?? "";
    expect(text).toContain(said);
    expect((await models.countTokens(asked)).totalTokens).toBeGreaterThan(0);
  });

  test.each(["gemini-embedding-001", "gemini-embedding-2"])(
    "gets a vector of %s, with its tokens",
    async (model) => {
      const asked = {
        model,
        contents: "ping",
        config: { outputDimensionality: 256, taskType: "CLUSTERING" },
      };
      const { embeddings = [] } = await open("global").embedContent(asked);
      expect(
        embeddings.map(({ values = [], statistics }) => [values.length, statistics?.tokenCount]),
      ).toEqual([[256, expect.any(Number)]]);
    },
  );
});

describe("@anthropic-ai/vertex-sdk", () => {
  const open = () =>
    new AnthropicVertex({
      projectId: "acme",
      region: "global",
      authClient: holder(),
      baseURL: `${demo.url}/vertex/anthropic/v1`,
      maxRetries: 0,
    });
  const asked = { model: "claude-opus-4-8", max_tokens: 200, messages };

  test("is answered, whole, in a stream and with a count", async () => {
    const client = open();
    const whole = await client.messages.create(asked);
    expect(whole.content).toMatchObject([{ type: "text", text: expect.stringContaining(said) }]);
    const streamed = await client.messages.stream(asked).finalMessage();
    expect(streamed).toMatchObject({ model: asked.model, stop_reason: "end_turn", content: whole.content });
    const { max_tokens: _, ...counted } = asked;
    expect((await client.messages.countTokens(counted)).input_tokens).toBeGreaterThan(0);
  });

  test("and a body as Anthropic takes it is refused", async () => {
    const path = "/projects/acme/locations/global/publishers/anthropic/models/claude:rawPredict";
    const ask = async (body: object) => {
      const url = `${demo.url}/vertex/anthropic/v1${path}`;
      const reply = await fetch(url, { method: "POST", body: JSON.stringify(body) });
      return { status: reply.status, body: await reply.json() };
    };
    const version = { anthropic_version: "vertex-2023-10-16" };
    expect(await ask({ ...asked, ...version })).toMatchObject({ status: 400 });
    expect(await ask({ max_tokens: 1, messages })).toMatchObject({ status: 400 });
    expect(await ask({ max_tokens: 1, messages, ...version })).toMatchObject({ status: 200 });
  });
});

describe("AzureOpenAI", () => {
  const open = () =>
    new AzureOpenAI({
      endpoint: `${demo.url}/azure/openai`,
      apiKey: "key",
      apiVersion: "2024-10-21",
      maxRetries: 0,
    });
  const asked = { model: "our-deployment", messages };

  test("is answered with the ratings of the content filter, whole and in a stream", async () => {
    const client = open();
    const whole = await client.chat.completions.create(asked);
    expect(whole).toMatchObject({
      prompt_filter_results: [{ prompt_index: 0 }],
      choices: [{ message: { content: expect.stringContaining(said) }, content_filter_results: {} }],
    });
    const stream = await client.chat.completions.create({ ...asked, stream: true });
    const [opening, ...chunks] = await Array.fromAsync(stream);
    expect(opening).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toContain(said);
  });

  test("has vectors, and no path without a version", async () => {
    const { data } = await open().embeddings.create({ model: "our-vectors", input: "ping" });
    expect(data[0]?.embedding.length).toBeGreaterThan(0);
    const url = `${demo.url}/azure/openai/openai/deployments/our-deployment/chat/completions`;
    const reply = await fetch(url, { method: "POST", body: JSON.stringify(asked) });
    expect([reply.status, await reply.json()]).toEqual([
      404,
      { error: { code: "404", message: "Resource not found" } },
    ]);
  });
});

test("@anthropic-ai/foundry-sdk is answered at Azure's Anthropic address", async () => {
  const client = new AnthropicFoundry({ baseURL: `${demo.url}/azure/anthropic`, apiKey: "key" });
  const whole = await client.messages.create({ model: "claude-opus-4-8", max_tokens: 200, messages });
  expect(whole.content).toMatchObject([{ type: "text", text: expect.stringContaining(said) }]);
});

test("Google's own library gets a token by a role of AWS", async () => {
  const client = new AwsClient({
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/aws",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${demo.url}/vertex/token/google/exchange`,
    service_account_impersonation_url: `${demo.url}/vertex/token/google/models@acme.test:generateAccessToken`,
    aws_security_credentials_supplier: {
      getAwsRegion: async () => "eu-central-1",
      getAwsSecurityCredentials: async () => ({ accessKeyId: "ASIA", secretAccessKey: "secret" }),
    },
  } as ConstructorParameters<typeof AwsClient>[0]);
  expect((await client.getAccessToken()).token).toBe("demo-impersonated");
});
