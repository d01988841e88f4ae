/** Clients of Bedrock's Converse: their requests as neutral ones, what is refused, and answers in their form. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { parseExact } from "#shared/base/json/exact.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { eventName } from "#shared/base/sse/event-name.ts";
import { frameObject } from "#shared/base/sse/frames.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import { measureInput } from "#shared/calls/chat/measure.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { converseCrossing as crossing } from "#shared/calls/protocols/bedrock-converse/converse.ts";
import { bedrockConverse as protocol } from "#shared/calls/protocols/bedrock-converse/index.ts";
import type { ReplyTarget } from "#shared/calls/protocols/crossing.ts";
import { casesIn, readGolden } from "#test/support/converse.ts";
import { messagesOf } from "#test/support/event-stream.ts";

await protocol.load();

const readJson = (path: string): unknown => JSON.parse(readGolden(path).toString());
const bodyOf = (value: object) => readJsonObject(Buffer.from(JSON.stringify(value)));
const target: ReplyTarget = { model: "m", request: {}, hide_usage: false, latency_ms: () => 7 };
const hello = { messages: [{ role: "user", content: [{ text: "Hello" }] }] };
const png = { format: "png", source: { bytes: "iVBORw0KGgo=" } };

/** What only a request to a provider has: names that are cut, and a schema that is closed. */
const onlyThere = new Set(["files", "format"]);

describe("a request", () => {
  test.each(casesIn("requests", ".neutral.json").filter((name) => !onlyThere.has(name)))(
    "%s is read",
    (name) => {
      const { request, dropped } = crossing.decodeRequest(readJson(`requests/${name}.json`) as Fields);
      expect(request).toEqual({
        ...(readJson(`requests/${name}.neutral.json`) as ChatRequest),
        stream: false,
      });
      expect(dropped).toEqual([]);
    },
  );

  test.each(casesIn("clients", ".json").filter((name) => !name.includes(".")))(
    "%s of a client is read",
    (name) => {
      const body = readJson(`clients/${name}.json`) as Fields;
      expect(() => protocol.readRequest(bodyOf(body))).not.toThrow();
      expect(JSON.parse(JSON.stringify(crossing.decodeRequest(body)))).toEqual(
        readJson(`clients/${name}.neutral.json`),
      );
    },
  );

  test("keeps the digits of arguments and results", () => {
    const content = [{ toolResult: { toolUseId: "t", content: [{ json: { n: 1 } }] } }];
    const text = JSON.stringify({ messages: [{ role: "user", content }] }).replace(
      "1}",
      "12345678901234567890}",
    );
    const { request } = crossing.decodeRequest(parseExact(text) as Fields);
    expect(request.messages[0]?.parts).toMatchObject([{ content: [{ text: '{"n":12345678901234567890}' }] }]);
  });

  const own = (fields: object) => ({ ...hello, additionalModelRequestFields: fields });
  test.each<[string, object, unknown]>([
    ["Claude's budget", { thinking: { type: "enabled", budget_tokens: 2000 } }, { budget_tokens: 2000 }],
    [
      "its older name",
      { reasoning_config: { type: "enabled", budget_tokens: 2000 } },
      { budget_tokens: 2000 },
    ],
    [
      "Claude's word",
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      { effort: "low" },
    ],
    ["Nova's word", { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } }, { effort: "high" }],
    ["Nova's switch", { reasoningConfig: { type: "disabled" } }, { effort: "none" }],
    ["the word of OpenAI's open models", { reasoning_effort: "medium" }, { effort: "medium" }],
    ["flags of Claude's alone", { anthropic_beta: ["a-1"] }, undefined],
  ])("says how much to reason: %s", (_, fields, reasoning) => {
    expect(() => protocol.readRequest(bodyOf(own(fields)))).not.toThrow();
    const { request, dropped } = crossing.decodeRequest(own(fields));
    expect([request.reasoning, dropped]).toEqual([reasoning, []]);
  });

  test.each<[string, object, string]>([
    ["no messages", {}, "messages"],
    ["a content that is a text", { messages: [{ role: "user", content: "Hello" }] }, "messages[0].content"],
    ["a role of another protocol", { messages: [{ role: "system", content: [] }] }, "messages[0].role"],
    ["a maximum of 0", { ...hello, inferenceConfig: { maxTokens: 0 } }, "maxTokens"],
    ["a temperature above 1", { ...hello, inferenceConfig: { temperature: 1.5 } }, "temperature"],
    ["tools without a list", { ...hello, toolConfig: {} }, "toolConfig.tools"],
    ["a guardrail", { ...hello, guardrailConfig: { guardrailIdentifier: "g" } }, "guardrailConfig"],
    ["variables of a prompt", { ...hello, promptVariables: { a: { text: "b" } } }, "promptVariables"],
    ["a field that no model shares", own({ performance: 1 }), "additionalModelRequestFields.performance"],
    [
      "an object of S3",
      {
        messages: [
          {
            role: "user",
            content: [{ image: { format: "png", source: { s3Location: { uri: "s3://a/b" } } } }],
          },
        ],
      },
      "messages",
    ],
  ])("with %s is refused", (_, body, param) => {
    expect(refusalOf(() => protocol.readRequest(bodyOf(body)))).toBe(param);
  });

  test.each<[string, object[], string]>([
    ["a kind that is none", [{ someLaterBlock: {} }], "messages[0].content[0]"],
    ["two kinds in one block", [{ text: "a", image: png }], "messages[0].content[0]"],
    ["a format that is none", [{ image: { ...png, format: "bmp" } }], "messages[0].content[0].image.format"],
    [
      "a picture without bytes",
      [{ image: { format: "png", source: {} } }],
      "messages[0].content[0].image.source.bytes",
    ],
    ["a call", [{ toolUse: { toolUseId: "t", name: "f", input: {} } }], "messages[0].content[0]"],
  ])("whose user says %s is refused where it crosses", (_, content, param) => {
    expect(refusalOf(() => crossing.decodeRequest({ messages: [{ role: "user", content }] }))).toBe(param);
  });

  test("with a tool of Amazon's own tells it, since nobody else runs it", () => {
    const body = { ...hello, toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } };
    expect(crossing.decodeRequest(body).native).toEqual([
      { name: "nova_grounding", at: "toolConfig.tools[0]", hosted: true },
    ]);
    expect(protocol.readRequest(bodyOf(body)).switches).toMatchObject([
      { kind: "tool", name: "nova_grounding" },
    ]);
    expect(measureInput(body, 100).provider_tools).toBe(true);
  });

  test("what costs more is a switch", () => {
    const content = [{ text: "a" }, { cachePoint: { type: "default", ttl: "1h" } }];
    const ways = { serviceTier: { type: "priority" }, performanceConfig: { latency: "optimized" } };
    expect(protocol.readRequest(bodyOf({ messages: [{ role: "user", content }], ...ways })).switches).toEqual(
      [
        { field: "serviceTier", kind: "service_tier", name: "priority" },
        { field: "performanceConfig", kind: "speed", name: "optimized" },
        { field: "cachePoint.ttl", kind: "tokenKind", name: "cache_write_1h" },
      ],
    );
  });
});

function refusalOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    if (error instanceof GatewayError) return error.detail.param;
    throw error;
  }
  return undefined;
}

describe("an answer", () => {
  test.each(casesIn("replies", ".neutral.json"))("%s is told", (name) => {
    const reply = parseExact(readGolden(`replies/${name}.neutral.json`).toString()) as ChatReply;
    const request = { additionalModelResponseFieldPaths: ["/stop_sequence"] };
    const told = crossing.encodeReply(reply, { ...target, request });
    const {
      stopReason,
      usage,
      additionalModelResponseFields: more,
    } = readJson(`replies/${name}.json`) as Fields;
    const { cacheDetails: _, ...counts } = usage as Fields;
    expect(told).toMatchObject({ usage: counts, metrics: { latencyMs: 7 } });
    // A guardrail's refusal is one of the content.
    expect(told.stopReason).toBe(String(stopReason).replace("guardrail_intervened", "content_filtered"));
    expect(told.additionalModelResponseFields).toEqual(more);
    expect(crossing.decodeReply(parseExact(JSON.stringify(told)) as Fields).parts).toEqual(
      JSON.parse(JSON.stringify(reply.parts)) as unknown,
    );
  });

  test("which stop sequence was met is told where it was asked for", () => {
    const reply = readJson("replies/stop-sequence.neutral.json") as ChatReply;
    expect(crossing.encodeReply(reply, target)).not.toHaveProperty("additionalModelResponseFields");
  });

  test.each(["text", "length", "thinking-tools-cached"])("stream %s is told as it came", (name) => {
    const encoder = crossing.createEncoder(target);
    const events = readJson(`streams/${name}.events.json`) as ChatEvent[];
    const told = events
      .flatMap((event) => encoder.push(event))
      .map((frame) => [eventName(frame), frameObject(frame)]);
    const given = readGolden(`streams/${name}.sse`).toString().trim().split("\n\n");
    const names = given.map((frame) => /^event: (\w+)/.exec(frame)?.[1]).filter((each) => each !== undefined);
    // Where the arguments begin with an empty piece, or are none, the gateway has one piece less or `{}`.
    const dense = (list: unknown[]) => list.filter((each, at) => each !== list[at - 1]);
    expect(dense(told.map(([each]) => each))).toEqual(dense(names));
    expect(told.at(-1)?.[1]).toMatchObject({ metrics: { latencyMs: 7 } });
  });

  test("calls that come side by side are told one after the other, and one without arguments has some", () => {
    const encoder = crossing.createEncoder(target);
    const told = (
      [
        { type: "reply-start", id: "", created: 0 },
        { type: "tool-call-start", index: 0, id: "a", name: "f" },
        { type: "tool-call-start", index: 1, id: "b", name: "g" },
        { type: "tool-call-delta", index: 0, arguments: '{"x":1}' },
        { type: "tool-call-end", index: 1 },
        { type: "tool-call-end", index: 0 },
      ] satisfies ChatEvent[]
    ).flatMap((event) => encoder.push(event).map((frame) => [eventName(frame), frameObject(frame)]));
    expect(told).toEqual([
      ["messageStart", { role: "assistant" }],
      ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "a", name: "f" } } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"x":1}' } } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "b", name: "g" } } }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: "{}" } } }],
      ["contentBlockStop", { contentBlockIndex: 1 }],
    ]);
  });
});

test("a stream that is stopped closes its block, and has no last event", () => {
  const stopper = protocol.stream.createStopper();
  const form = protocol.stream.createForm({ ...plainCall, stream: true });
  const encoder = crossing.createEncoder(target);
  for (const event of [
    { type: "reply-start", id: "", created: 0 },
    { type: "text-delta", text: "Hi" },
  ] satisfies ChatEvent[])
    for (const frame of encoder.push(event)) stopper.follow(frame);
  const frames = stopper.end({ style: "aws", key: "insufficient_balance", output_tokens: 1 });
  const told = messagesOf(Buffer.concat(frames.map((frame) => form?.push(frame) ?? frame)));
  expect(
    told.map(({ headers, payload }) => [
      headers[":event-type"] ?? headers[":exception-type"],
      JSON.parse(payload),
    ]),
  ).toEqual([
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["messageStop", { stopReason: "max_tokens" }],
    ["serviceQuotaExceededException", expect.objectContaining({ code: 40201 })],
  ]);
});

describe("passed through", () => {
  const sent = (text: string, traits = {}) =>
    Buffer.concat([
      ...protocol.passThrough(readJsonObject(Buffer.from(text)), plainCall, "m", traits),
    ]).toString();

  test("the body stays byte for byte", () => {
    const text = '{ "messages":[], "z":1.10 }';
    expect(sent(text)).toBe(text);
  });

  test.each(['{"a":1}', '{"guardrailConfig":null,"a":1}'])(
    "the guardrail of the operator is put in: %s",
    (text) => {
      const { guardrailConfig } = JSON.parse(sent(text, { guardrail: { id: "g", version: "2" } })) as Fields;
      expect(guardrailConfig).toEqual({ guardrailIdentifier: "g", guardrailVersion: "2" });
    },
  );
});
