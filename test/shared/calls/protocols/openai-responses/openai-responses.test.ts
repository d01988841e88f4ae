/** Responses passed through: what is read of a request, a whole reply and a stream, and what is never touched. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { splitFrames } from "#shared/base/sse/frames.ts";
import { openaiResponses } from "#shared/calls/protocols/openai-responses/index.ts";
import type { FrameHandling } from "#shared/calls/protocols/streaming.ts";
import { streamingOf } from "#test/support/streaming.ts";

const root = join(import.meta.dirname, "../../../../golden", "openai-responses");
const bodyOf = (fields: Fields) =>
  readJsonObject(Buffer.from(JSON.stringify({ model: "m", input: "x", ...fields })));
const stream = streamingOf("openai-responses");
const call = openaiResponses.readRequest(bodyOf({ stream: true }));
const replyOf = (fields: Fields) => openaiResponses.readReply(Buffer.from(JSON.stringify(fields)));

function readStream(name: string) {
  const reader = stream.createReader(call);
  const frames = splitFrames(readFileSync(join(root, "streams", `${name}.sse`)));
  const handlings: FrameHandling[] = frames.map((frame) => reader.read(frame));
  return { reader, frames, handlings };
}

describe("requests", () => {
  test("what admission needs is read", () => {
    const fields = {
      stream: true,
      max_output_tokens: 100,
      user: "ann",
      background: false,
      conversation: null,
    };
    expect(openaiResponses.readRequest(bodyOf(fields))).toEqual({
      stream: true,
      max_output_tokens: 100,
      choices: 1,
      user: "ann",
      hide_usage: false,
      unseen_input: false,
      switches: [],
    });
  });

  test("a response of the provider's may be continued where it is the provider's own protocol", () => {
    expect(openaiResponses.readRequest(bodyOf({ previous_response_id: "resp_1" })).stream).toBe(false);
  });

  test.each([
    ["background", true],
    ["conversation", { id: "conv_1" }],
    ["input", undefined],
    ["input", 7],
    ["temperature", 3],
    ["tools", {}],
    ["instructions", ["x"]],
  ])("%s: %j is refused", (name, value) => {
    let thrown: unknown;
    try {
      openaiResponses.readRequest(bodyOf({ [name]: value }));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ key: "invalid_request", detail: { param: name } });
  });
});

describe("whole replies", () => {
  test("the cache is taken off the input, and never makes it negative (pitfalls 4, 6)", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 70 },
      output_tokens: 20,
    };
    expect(replyOf({ output: [], usage }).usage).toMatchObject({
      input_tokens: 0,
      cache_read_tokens: 60,
      cache_write_tokens: 40,
      output_tokens: 20,
    });
  });

  test("missing usage is not zero", () => {
    expect(replyOf({ output: [], usage: null }).usage).toBeUndefined();
    expect(replyOf({ output: [], usage: {} }).usage).toBeUndefined();
  });

  const text = (value: Fields) => ({ type: "message", content: [value] });
  test.each([
    [[], 0, false],
    [[text({ type: "output_text", text: "" })], 0, false],
    [[text({ type: "output_text", text: "é" })], 2, true],
    [[text({ type: "refusal", refusal: "No" })], 2, true],
    [[{ type: "function_call", name: "now", arguments: "" }], 3, true],
    [[{ type: "reasoning", summary: [] }], 33, false],
    [[{ type: "image_generation_call", result: "A".repeat(1_000) }], 44, true],
  ])("%j has %i bytes, output: %s", (output, output_bytes, produced) => {
    expect(replyOf({ output })).toMatchObject({ produced, output_bytes, failed: false });
  });

  test.each([
    { status: "failed", error: { message: "x" } },
    { error: { message: "x" } },
    { status: "failed" },
  ])("%j is a failure inside a 200", (fields) => {
    expect(replyOf({ ...fields, output: [] }).failed).toBe(true);
  });
});

describe("streams, read on the side", () => {
  test.each(["x-text", "x-bare-crlf", "x-reasoning", "x-refusal", "x-zero-argument", "x-length"])(
    "of %s only the last event is held, and tells the usage",
    (name) => {
      const { reader, frames, handlings } = readStream(name);
      const last = frames.findIndex((frame) => /"response\.(?:completed|incomplete)"/.test(frame.toString()));
      expect(handlings.slice(0, last).every((handling) => handling === "pass")).toBe(true);
      expect(handlings[last]).toBe("hold");
      expect(reader.over()).toBe(true);
      expect(reader.produced()).toBe(true);
      const usage = JSON.parse(
        readFileSync(join(root, "streams", `${name}.usage.json`)).toString(),
      ) as object;
      expect(reader.usage()).toMatchObject(usage);
    },
  );

  test.each(["x-error-flat", "x-error-nested", "x-failed", "x-vendor-error"])("%s has failed", (name) => {
    const { reader, handlings } = readStream(name);
    expect(handlings).toContain("failed");
    expect(reader.over()).toBe(false);
  });

  test("a failed response that reports usage is known to have used it", () => {
    expect(readStream("x-failed").reader.usage()).toMatchObject({ input_tokens: 5, output_tokens: 2 });
  });

  test("an answer that was filtered whole produced nothing, one that was announced neither", () => {
    expect(readStream("x-filtered").reader.produced()).toBe(false);
    const { reader, frames } = readStream("x-cut");
    expect(reader.over()).toBe(false);
    const opening = stream.createReader(call);
    for (const frame of frames.slice(0, 3)) opening.read(frame);
    expect(opening.produced()).toBe(false);
  });

  test("words of the protocol inside an answer are only words", () => {
    const reader = stream.createReader(call);
    const delta = 'event: "error" {"type":"response.completed","error":{}}';
    const event = { type: "response.output_text.delta", sequence_number: 4, delta };
    const frame = Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    expect([reader.read(frame), reader.read(frame)]).toEqual(["pass", "pass"]);
    expect(reader.over()).toBe(false);
    expect(stream.outputBytes?.(event)).toBe(Buffer.byteLength(delta));
  });

  test("our error event is nested for SDKs and flat as documented, and says nothing of the provider", () => {
    const frame = stream.errorFrame("openai", "upstream_error").toString();
    const [name, data] = frame.trimEnd().split("\n");
    expect(name).toBe("event: error");
    expect(JSON.parse(data?.slice(6) ?? "")).toEqual({
      type: "error",
      sequence_number: 0,
      code: "50001",
      message: "The model's provider failed.",
      param: null,
      error: { type: "server_error", code: "50001", message: "The model's provider failed.", param: null },
    });
  });
});
