/** AWS's own SDK as a client of the demo provider: it speaks Bedrock's true forms, and asks for a signature. */
import {
  AccessDeniedException,
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  ValidationException,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import type { Listening } from "#infra/local/emulators/listen.ts";
import { bedrockClient } from "./bedrock-invoke.ts";

let demo: Listening;
beforeAll(async () => (demo = await startDemoProvider({ streamScale: 0, strict: true })));
afterAll(() => demo.stop());

const said = "Hello from the demo provider!";
const modelId = "us.anthropic.claude-opus-4-8-v1:0";
const counted = "anthropic.claude-opus-4-8-v1:0";
const given = {
  anthropic_version: "bedrock-2023-05-31",
  max_tokens: 500,
  messages: [{ role: "user", content: "ping" }],
};
const converse = {
  modelId: "us.amazon.nova-2-lite-v1:0",
  messages: [{ role: "user" as const, content: [{ text: "ping" }] }],
};

const place = () => `${demo.url}/bedrock/anthropic`;
const byRole = () =>
  new BedrockRuntimeClient({
    region: "eu-central-1",
    endpoint: place(),
    credentials: { accessKeyId: "ASIA", secretAccessKey: "secret", sessionToken: "token" },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
const byToken = () => bedrockClient({ url: place(), key: "bedrock-api-key" });

describe.each([
  ["a role's signature", byRole],
  ["an API key", byToken],
])("with %s", (_, open) => {
  test("InvokeModel answers a message, with its counts in headers", async () => {
    const { body, contentType } = await open().send(
      new InvokeModelCommand({ modelId, body: JSON.stringify(given) }),
    );
    expect(contentType).toBe("application/json");
    expect(JSON.parse(body.transformToString())).toMatchObject({
      model: "claude-opus-4-8",
      content: [{ type: "text", text: expect.stringContaining(said) }],
      stop_reason: "end_turn",
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  });

  test("InvokeModelWithResponseStream gives Anthropic's events, the last one with AWS's metrics", async () => {
    const { body = [] } = await open().send(
      new InvokeModelWithResponseStreamCommand({ modelId, body: JSON.stringify(given) }),
    );
    const events: Record<string, unknown>[] = [];
    for await (const { chunk } of body) events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
      ...["message_delta", "message_stop"],
    ]);
    const texts = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "");
    expect(texts.join("")).toContain(said);
    expect(events.at(-1)).toMatchObject({
      "amazon-bedrock-invocationMetrics": { inputTokenCount: expect.any(Number) },
    });
  });

  test("CountTokens counts both bodies", async () => {
    const body = Buffer.from(JSON.stringify(given));
    const count = (input: ConstructorParameters<typeof CountTokensCommand>[0]["input"]) =>
      open().send(new CountTokensCommand({ modelId: counted, input }));
    expect((await count({ invokeModel: { body } })).inputTokens).toBeGreaterThan(0);
    const { messages } = converse;
    expect((await count({ converse: { messages } })).inputTokens).toBeGreaterThan(0);
  });

  test("Converse and ConverseStream answer", async () => {
    const whole = await open().send(new ConverseCommand(converse));
    expect(whole).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: expect.any(Number) } });
    const { stream = [] } = await open().send(new ConverseStreamCommand(converse));
    let text = "";
    let tokens = 0;
    for await (const { contentBlockDelta, metadata } of stream) {
      text += contentBlockDelta?.delta?.text ?? "";
      tokens += metadata?.usage?.totalTokens ?? 0;
    }
    expect(text).toBe(whole.output?.message?.content?.[0]?.text);
    expect(tokens).toBe(whole.usage?.totalTokens);
  });
});

describe("what Bedrock refuses", () => {
  const { anthropic_version: _, ...unversioned } = given;
  test.each<[name: string, body: object]>([
    ["a body without the version", unversioned],
    ["a model in the body", { ...given, model: "claude-opus-4-8" }],
    ["a stream in the body", { ...given, stream: true }],
    ["metadata", { ...given, metadata: { user_id: "u" } }],
    ["betas that are no list", { ...given, anthropic_beta: "a" }],
    ["what Anthropic refuses for the model", { ...given, temperature: 0.5 }],
  ])("%s is a ValidationException, whole and in a stream", async (_, body) => {
    const asked = { modelId, body: JSON.stringify(body) };
    for (const command of [new InvokeModelCommand(asked), new InvokeModelWithResponseStreamCommand(asked)])
      await expect(byRole().send(command as InvokeModelCommand)).rejects.toBeInstanceOf(ValidationException);
  });

  test.each([modelId, "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1"])(
    "a count for the profile %s",
    async (profile) => {
      const input = { invokeModel: { body: Buffer.from(JSON.stringify(given)) } };
      const asked = byRole().send(new CountTokensCommand({ modelId: profile, input }));
      await expect(asked).rejects.toBeInstanceOf(ValidationException);
    },
  );

  test.each<[name: string, headers: Record<string, string>, error: string]>([
    ["nothing", {}, "MissingAuthenticationTokenException"],
    ["Anthropic's key", { "x-api-key": "key" }, "MissingAuthenticationTokenException"],
    [
      "half of a signature",
      { authorization: "AWS4-HMAC-SHA256 Credential=A" },
      "IncompleteSignatureException",
    ],
  ])("a request that shows %s", async (_, headers, error) => {
    const bodies = { invoke: given, converse: { messages: converse.messages } };
    for (const [operation, body] of Object.entries(bodies)) {
      const url = `${place()}/model/${counted}/${operation}`;
      const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      expect([operation, reply.status, reply.headers.get("x-amzn-errortype")]).toEqual([
        operation,
        403,
        error,
      ]);
    }
  });

  test("a signature for another service", async () => {
    const client = byRole();
    client.middlewareStack.add(
      (next) => async (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        headers.authorization = String(headers.authorization).replace("/bedrock/", "/s3/");
        return await next(args);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    const asked = client.send(new InvokeModelCommand({ modelId, body: JSON.stringify(given) }));
    const error: unknown = await asked.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BedrockRuntimeServiceException);
    expect(error).not.toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ name: "IncompleteSignatureException" });
  });
});
