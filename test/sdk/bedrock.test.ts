/** What AWS's SDK makes of a refusal, of streams that fail or are left, and of the names of its own models. */
import {
  AccessDeniedException,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  ModelErrorException,
  ModelStreamErrorException,
  ResourceNotFoundException,
  ServiceQuotaExceededException,
  ValidationException,
} from "@aws-sdk/client-bedrock-runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, customer, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { done, frame, messageFrames, namedFrame, sse, usageFrame } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { bedrockClient } from "./bedrock-invoke.ts";

let upstream: Upstream;
let gateway: LocalGateway;
let poor: string;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
  poor = (await customer(gateway, { points: 1n })).key;
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const chatFrames = frame({
  id: "c",
  choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }],
});
const chatEnd = frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 4 },
};
const given = {
  anthropic_version: "bedrock-2023-05-31",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
};

interface Ask {
  key?: string;
  modelId?: string;
  body?: object;
  guardrailIdentifier?: string;
}

const invoke = ({ key = gateway.keys.payg, modelId = "test/model-1", body = given, ...more }: Ask) =>
  bedrockClient({ url: gateway.url, key }).send(
    new InvokeModelCommand({ modelId, body: JSON.stringify(body), ...more }),
  );

describe("a refusal", () => {
  test.each<[name: string, ask: () => Ask, thrown: object]>([
    ["a model that is none", () => ({ modelId: "us.none.such-v1:0" }), ResourceNotFoundException],
    ["a body without messages", () => ({ body: { max_tokens: 1 } }), ValidationException],
    ["a guardrail", () => ({ guardrailIdentifier: "g-1" }), ValidationException],
    ["a balance that does not do", () => ({ key: poor }), ServiceQuotaExceededException],
  ])("of %s is thrown as the class of its name", async (_, ask, thrown) => {
    const error = await invoke(ask()).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(thrown);
    expect(error).toMatchObject({ $metadata: { requestId: expect.stringMatching(/^req_/) } });
    expect(upstream.requests).toEqual([]);
  });

  test("of a key that is none is no class of Bedrock's, and has its name", async () => {
    const error = await invoke({ key: "sk-payg-none" }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BedrockRuntimeServiceException);
    expect(error).not.toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ name: "UnrecognizedClientException", $metadata: { httpStatusCode: 401 } });
  });

  test("by a provider that fails is asked again, and thrown in the end", async () => {
    upstream.on((_, response) => response.writeHead(503).end("{}"));
    const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg }, 3);
    const asked = client.send(
      new InvokeModelCommand({ modelId: "test/model-1", body: JSON.stringify(given) }),
    );
    await expect(asked).rejects.toBeInstanceOf(ModelErrorException);
    await expect(asked).rejects.toMatchObject({ $metadata: { attempts: 3 } });
  });
});

test("the counters are where programs on AWS's SDKs read them: in headers, and in a stream's last chunk", async () => {
  upstream.json(message);
  const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg });
  let headers: Record<string, string> = {};
  client.middlewareStack.add(
    (next) => async (args) => {
      const answered = await next(args);
      ({ headers } = answered.response as { headers: Record<string, string> });
      return answered;
    },
    { step: "deserialize", priority: "low" },
  );
  const asked = { modelId: "test/model-1", body: JSON.stringify(given) };
  await client.send(new InvokeModelCommand(asked));
  expect(headers).toMatchObject({
    "x-amzn-bedrock-input-token-count": "10",
    "x-amzn-bedrock-output-token-count": "4",
  });

  upstream.on((_, response) => {
    const delta = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } };
    const end = [delta, { type: "message_stop" }].map(namedFrame);
    response.writeHead(200, sse).end([...messageFrames, ...end].join(""));
  });
  const { body = [] } = await client.send(new InvokeModelWithResponseStreamCommand(asked));
  let last: unknown;
  for await (const { chunk } of body) last = JSON.parse(Buffer.from(chunk?.bytes ?? []).toString());
  expect(last).toMatchObject({
    "amazon-bedrock-invocationMetrics": { inputTokenCount: 10, outputTokenCount: 4 },
  });
});

test("a stream that breaks off is thrown where the program reads, after what came", async () => {
  upstream.on((_, response) => {
    response.writeHead(200, sse).write(messageFrames.join(""), () => response.destroy());
  });
  const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg });
  const command = new InvokeModelWithResponseStreamCommand({
    modelId: "test/model-1",
    body: JSON.stringify(given),
  });
  const { body = [] } = await client.send(command);
  let chunks = 0;
  const read = async () => {
    for await (const { chunk } of body) chunks += chunk ? 1 : 0;
  };
  await expect(read()).rejects.toBeInstanceOf(ModelStreamErrorException);
  expect(chunks).toBe(messageFrames.length);
});

describe("Converse", () => {
  const messages = [{ role: "user" as const, content: [{ text: "Hello" }] }];
  const modelId = "test/model-1";
  const ask = (more: object) =>
    bedrockClient({ url: gateway.url, key: gateway.keys.payg }).send(
      new ConverseCommand({ modelId, messages, ...more }),
    );

  test.each<[string, object, object]>([
    ["a model that is none", { modelId: "us.none.such-v1:0" }, ResourceNotFoundException],
    ["no messages", { messages: [] }, ValidationException],
    ["a field that is none", { additionalModelRequestFields: { odd: 1 } }, ValidationException],
    [
      "a guardrail",
      { guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" } },
      ValidationException,
    ],
  ])("a refusal of %s is thrown as the class of its name", async (_, more, thrown) => {
    await expect(ask(more)).rejects.toBeInstanceOf(thrown);
    expect(upstream.requests).toEqual([]);
  });

  const stream = async (signal?: AbortSignal) => {
    const client = bedrockClient({ url: gateway.url, key: gateway.keys.payg });
    const command = new ConverseStreamCommand({ modelId, messages });
    return (await client.send(command, signal && { abortSignal: signal })).stream ?? [];
  };

  test("a stream that breaks off is thrown where the program reads, after what came", async () => {
    upstream.on((_, response) => {
      response.writeHead(200, sse).write(chatFrames, () => response.destroy());
    });
    const told: string[] = [];
    const read = async () => {
      for await (const { contentBlockDelta } of await stream())
        told.push(contentBlockDelta?.delta?.text ?? "");
    };
    await expect(read()).rejects.toBeInstanceOf(ModelStreamErrorException);
    expect(told.join("")).toBe("Hi");
  });

  test("a program that leaves a stream has its call on the ledger", async () => {
    let finish = () => {};
    upstream.on((_, response) => {
      response.writeHead(200, sse).write(chatFrames);
      finish = () => void response.end(`${chatEnd}${usageFrame}${done}`);
    });
    const leaving = new AbortController();
    const read = async () => {
      for await (const { contentBlockDelta } of await stream(leaving.signal))
        if (contentBlockDelta) leaving.abort();
    };
    await read().catch(() => {});
    finish();
    expect(leaving.signal.aborted).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });
});

test.each([
  "test/model-1",
  "us.test.model-1-20250929-v1:0",
  "arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.test.model-1-v1:0",
])("the model is found as %s", async (modelId) => {
  upstream.json(message);
  const { body, contentType } = await invoke({ modelId });
  expect([JSON.parse(body.transformToString()), contentType]).toEqual([message, "application/json"]);
});

test("every call is on the ledger", () => expectCleanAudit(gateway));
