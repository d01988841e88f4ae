/** Bedrock's Converse across the neutral form: goldens, and how its answers and streams are read on the side. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact } from "#shared/base/json/exact.ts";
import { eventName } from "#shared/base/sse/event-name.ts";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { converseCrossing as crossing } from "#shared/calls/protocols/bedrock-converse/converse.ts";
import { bedrockConverse as answers } from "#shared/calls/protocols/bedrock-converse/index.ts";
import { readBody } from "#shared/calls/protocols/reply-body.ts";
import { casesIn, readGolden } from "#test/support/converse.ts";

await answers.load();

const readJson = (path: string): unknown => JSON.parse(readGolden(path).toString());

/** The frames of a stream that arrives cut at these offsets. */
function framesOf(bytes: Buffer, cuts: number[] = []): Buffer[] {
  const splitter = createFrameSplitter(1_000_000);
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  return ends.flatMap((end, at) => splitFrames(splitter.push(bytes.subarray(ends[at - 1] ?? 0, end))));
}

function decodeStream(bytes: Buffer, cuts?: number[]): ChatEvent[] {
  const decoder = crossing.createDecoder();
  return [...framesOf(bytes, cuts).flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

describe("goldens", () => {
  test.each(casesIn("requests", ".neutral.json"))("request %s", (name) => {
    const request = readJson(`requests/${name}.neutral.json`) as ChatRequest;
    const { body, dropped } = crossing.encodeRequest(request, { model: "m", output_tokens: 8_192 });
    expect(JSON.parse(JSON.stringify(body))).toEqual(readJson(`requests/${name}.json`));
    expect(dropped).toEqual([]);
  });

  test.each(casesIn("replies", ".neutral.json"))("reply %s", (name) => {
    const bytes = readGolden(`replies/${name}.json`);
    expect(crossing.decodeReply(readBody(bytes, crossing.exact))).toEqual(
      readJson(`replies/${name}.neutral.json`),
    );
    expect(answers.readReply(bytes)).toMatchObject({
      usage: readJson(`replies/${name}.usage.json`),
      produced: true,
      finish: "reason",
      failed: false,
    });
  });

  test.each(casesIn("streams", ".events.json"))("stream %s, cut anywhere, with either line end", (name) => {
    const bytes = readGolden(`streams/${name}.sse`);
    const events = readJson(`streams/${name}.events.json`);
    expect(decodeStream(bytes)).toEqual(events);
    expect(decodeStream(Buffer.from(bytes.toString().replaceAll("\n", "\r\n")))).toEqual(events);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        expect(decodeStream(bytes, cuts)).toEqual(events);
      }),
      { seed: 5, numRuns: 30 },
    );
  });

  test.each(casesIn("streams", ".usage.json"))("stream %s is read on the side", (name) => {
    const reader = answers.stream.createReader();
    const frames = framesOf(readGolden(`streams/${name}.sse`));
    const handled = frames.map((frame) => [eventName(frame), reader.read(frame), reader.over()]);
    expect(handled.slice(-2)).toEqual([
      ["messageStop", "hold", false],
      ["metadata", "hold", true],
    ]);
    expect(handled.slice(0, -2).map(([event, handling]) => [event === "messageStart", handling])).toEqual(
      handled.slice(0, -2).map((_, at) => (at === 0 ? [true, "opening"] : [false, "pass"])),
    );
    expect([reader.usage(), reader.produced(), reader.finish()]).toEqual([
      readJson(`streams/${name}.usage.json`),
      true,
      "reason",
    ]);
  });

  test("an answer says the same whole and in a stream", () => {
    const { parts } = foldEvents(decodeStream(readGolden("streams/text.sse")));
    expect(parts).toEqual([{ type: "text", text: "Hello «ö» 😀" }]);
  });
});

describe("an answer", () => {
  const reply = (more: object) => ({
    output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
    stopReason: "end_turn",
    ...more,
  });
  const bytesOf = (value: object) => Buffer.from(JSON.stringify(value));

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "refusal"],
    ["content_filtered", "refusal"],
    ["some_later_reason", "stop"],
  ])("that ends by %s ends by %s", (stopReason, stop_reason) => {
    expect(crossing.decodeReply(reply({ stopReason })).stop_reason).toBe(stop_reason);
  });

  test.each(["malformed_model_output", "malformed_tool_use", undefined])(
    "that ends by %s is none",
    (stopReason) => {
      expect(() => crossing.decodeReply(reply({ stopReason }))).toThrow(TypeError);
    },
  );

  test("with calls ends for them, whatever reason it names", () => {
    const content = [{ toolUse: { toolUseId: "a", name: "f", input: {} } }];
    const called = reply({ output: { message: { role: "assistant", content } } });
    expect(crossing.decodeReply(called).stop_reason).toBe("tool_calls");
  });

  test("tells its tier, its latency and what is kept for an hour", () => {
    const { details } = answers.readReply(readGolden("replies/thinking-tool-cached.json"));
    expect(details).toEqual({
      service_tier: "priority",
      speed: "optimized",
      tokens: { cache_write_1h: 100 },
    });
    const reader = answers.stream.createReader();
    for (const frame of framesOf(readGolden("streams/thinking-tools-cached.sse"))) reader.read(frame);
    expect(reader.details?.()).toEqual({ service_tier: "flex" });
  });

  test("without counts has no usage, and its bytes are counted", () => {
    const facts = answers.readReply(bytesOf(reply({ usage: { inputTokens: 3 } })));
    expect([facts.usage, facts.output_bytes]).toEqual([undefined, 2]);
    const empty = answers.readReply(bytesOf(reply({ output: { message: { content: [{ text: "" }] } } })));
    expect(empty.produced).toBe(false);
  });

  test("without an output is an error", () => {
    const unknown = {
      Output: { __type: "com.amazon.coral.service#UnknownOperationException" },
      Version: "1.0",
    };
    expect(answers.readReply(bytesOf(unknown)).failed).toBe(true);
    expect(() => crossing.decodeReply(unknown)).toThrow(TypeError);
  });

  test("keeps the digits of its arguments", () => {
    const { parts } = crossing.decodeReply(
      readBody(readGolden("replies/thinking-tool-cached.json"), crossing.exact),
    );
    const last = parts.at(-1);
    expect(last?.type === "tool_call" && JSON.stringify(parseExact(last.arguments))).toBe(
      '{"id":12345678901234567890}',
    );
  });
});

describe("a stream", () => {
  const frame = (event: string, data: object) =>
    Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  test.each([
    "throttlingException",
    "modelStreamErrorException",
    "internalServerException",
    "validationException",
    "serviceUnavailableException",
  ])("with %s has failed", (name) => {
    const reader = answers.stream.createReader();
    expect(reader.read(frame(name, { message: "No." }))).toBe("failed");
    expect(crossing.createDecoder().push(frame(name, {}))).toEqual([{ type: "error", message: name }]);
  });

  test("that does not begin at its beginning has failed, and nothing follows", () => {
    const decoder = crossing.createDecoder();
    const delta = frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } });
    expect(decoder.push(delta)).toMatchObject([{ type: "error" }]);
    expect([...decoder.push(delta), ...decoder.end()]).toEqual([]);
  });

  test("counts the bytes of what it brings, and is output from the first of them", () => {
    const { outputBytes, createReader } = answers.stream;
    const call = { contentBlockIndex: 0, start: { toolUse: { toolUseId: "a", name: "f" } } };
    const deltas = [{ text: "«" }, { toolUse: { input: "{}" } }, { reasoningContent: { text: "abc" } }];
    expect(deltas.map((delta) => outputBytes({ delta }))).toEqual([2, 2, 3]);
    expect(outputBytes(call)).toBeGreaterThan(0);
    expect(outputBytes({ role: "assistant" })).toBe(0);
    const reader = createReader();
    reader.read(frame("messageStart", { role: "assistant" }));
    reader.read(frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "" } }));
    expect(reader.produced()).toBe(false);
    reader.read(frame("contentBlockStart", call));
    expect(reader.produced()).toBe(true);
  });
});

test("the path has the model's name as one part, also that of an ARN", () => {
  const { upstreamPath } = answers;
  const call = (stream: boolean) => ({ stream }) as Parameters<typeof upstreamPath>[1];
  expect(upstreamPath("us.amazon.nova-lite-v1:0", call(false))).toBe(
    "/model/us.amazon.nova-lite-v1%3A0/converse",
  );
  expect(upstreamPath("arn:aws:bedrock:us-east-1:1:inference-profile/x", call(true))).toBe(
    "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream",
  );
});
