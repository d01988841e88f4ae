/** The path, the body and the stream of Bedrock's `InvokeModel`, part by part. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { renderFrame } from "#shared/base/sse/frames.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { bedrockInvoke } from "#shared/calls/protocols/bedrock-invoke/index.ts";
import { messagesOf } from "#test/support/event-stream.ts";

// What writes counters is loaded with the first call.
await bedrockInvoke.load();

const asked = { query: new URLSearchParams(), headers: {}, path: "/model/{model}/invoke" };

describe("the path", () => {
  test.each([
    ["anthropic/claude-opus-4-8", []],
    ["anthropic.claude-opus-4-8", ["anthropic/claude-opus-4-8"]],
    [
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      [
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "anthropic/claude-sonnet-4-5-20250929",
        "anthropic/claude-sonnet-4-5",
      ],
    ],
    ["global.anthropic.claude-opus-4-6-v1", ["anthropic.claude-opus-4-6-v1", "anthropic/claude-opus-4-6"]],
    [
      "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0:300k",
      ["amazon.nova-pro-v1:0:300k", "amazon/nova-pro"],
    ],
    [
      "arn:aws-us-gov:bedrock:us-gov-west-1:1:inference-profile/us-gov.anthropic.claude-haiku-4-5",
      ["us-gov.anthropic.claude-haiku-4-5", "anthropic.claude-haiku-4-5", "anthropic/claude-haiku-4-5"],
    ],
    ["arn:aws:bedrock:eu-west-1:1:application-inference-profile/ab1", ["ab1"]],
    ["qwen.qwen3.5-397b-v1:0", ["qwen/qwen3.5-397b"]],
  ])("%s is also known as", (name, also) => {
    expect(bedrockInvoke.address(name, asked)).toEqual({
      model: name,
      also,
      host: "bedrock",
      stream: false,
      json_array: false,
    });
  });

  test("says whether the answer is a stream", () => {
    const path = "/model/{model}/invoke-with-response-stream";
    expect(bedrockInvoke.address("m", { ...asked, path }).stream).toBe(true);
  });

  test("a guardrail is refused, because no answer would have gone through it", () => {
    const headers = { "x-amzn-bedrock-guardrailidentifier": "g" };
    expect(() => bedrockInvoke.address("m", { ...asked, headers })).toThrow(GatewayError);
  });
});

describe("the body", () => {
  const members = ["model", "stream", "anthropic_version", "anthropic_beta", "max_tokens", "a", "b"];
  const moved = new Set(members.slice(0, 4));

  test("is Anthropic's but for what stands elsewhere, wherever it stands", () => {
    const given = fc.uniqueArray(fc.constantFrom(...members), { minLength: 1 });
    const space = fc.constantFrom("", " ", "\n\t");
    fc.assert(
      fc.property(given, space, fc.boolean(), (names, gap, stream) => {
        const text = `${gap}{${names.map((name) => `${gap}"${name}"${gap}:${gap}1.0`).join(`${gap},`)}${gap}}`;
        const sent = bedrockInvoke.passThrough(
          readJsonObject(Buffer.from(text)),
          { ...plainCall, stream },
          "up",
        );
        const kept = Object.fromEntries(names.filter((name) => !moved.has(name)).map((name) => [name, 1]));
        expect(JSON.parse(Buffer.concat([...sent]).toString())).toEqual({
          ...kept,
          model: "up",
          ...(stream && { stream: true }),
        });
      }),
      { seed: 31, numRuns: 300 },
    );
  });

  test("keeps the digits and the order of everything else", () => {
    const body = readJsonObject(Buffer.from('{"anthropic_version":"v","z":1.10,"max_tokens":5e0}'));
    const sent = bedrockInvoke.passThrough(body, plainCall, "up");
    expect(Buffer.concat([...sent]).toString()).toBe('{"z":1.10,"max_tokens":5e0,"model":"up"}');
  });

  test("gives its flags as a header", () => {
    const body = readJsonObject(Buffer.from('{"anthropic_beta":["a-1","b-2"]}'));
    expect(bedrockInvoke.forwardHeaders({ "anthropic-beta": "not-read" }, body)).toEqual({
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a-1,b-2",
    });
  });

  test.each(['"a"', "[1]", '["a b"]', '["a\\r\\nx-y: z"]', '["a,b"]'])("flags as %s are refused", (flags) => {
    const text = `{"max_tokens":1,"messages":[{"role":"user","content":"a"}],"anthropic_beta":${flags}}`;
    expect(() => bedrockInvoke.readRequest(readJsonObject(Buffer.from(text)))).toThrow(GatewayError);
  });
});

describe("the stream", () => {
  const form = bedrockInvoke.stream.createForm({ ...plainCall, stream: true });

  test("has each frame's JSON as bytes, and nothing of a comment", () => {
    const event = '{"type":"ping"}';
    const bytes = [form?.push(renderFrame(event, "ping")), form?.push(Buffer.from(": hi\n\n")), form?.end()];
    const [message, ...more] = messagesOf(Buffer.concat(bytes as Buffer[]));
    expect(more).toEqual([]);
    expect(message?.headers).toEqual({
      ":event-type": "chunk",
      ":content-type": "application/json",
      ":message-type": "event",
    });
    const { bytes: inside } = JSON.parse(message?.payload ?? "") as { bytes: string };
    expect(Buffer.from(inside, "base64").toString()).toBe(event);
  });

  test("its ping is a message", () => {
    expect(messagesOf(bedrockInvoke.stream.ping)).toHaveLength(1);
  });

  test.each([
    ["upstream_error", "modelStreamErrorException", 50001],
    ["no_channel", "serviceUnavailableException", 50002],
    ["internal", "internalServerException", 50000],
    ["invalid_request", "validationException", 40000],
    ["rate_limited", "throttlingException", 42901],
    ["insufficient_balance", "serviceQuotaExceededException", 40201],
  ] as const)("that ends by %s ends with %s", (key, type, code) => {
    const frame = bedrockInvoke.stream.errorFrame("aws", key, { message: "m" });
    const [message] = messagesOf(form?.push(frame) ?? Buffer.alloc(0));
    expect(message?.headers).toEqual({
      ":exception-type": type,
      ":content-type": "application/json",
      ":message-type": "exception",
    });
    expect(JSON.parse(message?.payload ?? "")).toMatchObject({ message: "m", code });
  });

  test("text of a model that looks like an exception is a chunk", () => {
    const data = JSON.stringify({ type: "content_block_delta", text: "event: internalServerException\n" });
    const [message] = messagesOf(form?.push(renderFrame(data, "content_block_delta")) ?? Buffer.alloc(0));
    expect(message?.headers[":message-type"]).toBe("event");
  });

  test("a whole answer has no form of its own", () => {
    expect(bedrockInvoke.stream.createForm(plainCall)).toBeUndefined();
  });
});
