/**
 * A read without anything to look at leaves whole. What leaves must be the same as when every frame is looked at,
 * whatever the stream is and wherever it is cut.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProtocolName } from "#shared/base/http/routes.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { createRelay, type StreamFailed } from "#shared/calls/exchange/relay.ts";
import type { StreamReader } from "#shared/calls/protocols/streaming.ts";
import { streamingOf } from "#test/support/streaming.ts";

const call = { ...plainCall, stream: true };
const line = (data: unknown, event?: string) =>
  `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const typed = (data: { type: string }) => line(data, data.type);

const chat = (choice: object, more: object = {}) =>
  line({ id: "c", choices: [{ index: 0, ...choice }], ...more });
const part = (text: string, more: object = {}) => ({
  content: { role: "model", parts: [{ text }] },
  ...more,
});
const usage = { prompt_tokens: 10, completion_tokens: 4 };
const textDelta = (text: string) =>
  typed({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } });
const outputDelta = (delta: string) => typed({ type: "response.output_text.delta", ...{ delta } });

/** Frames that every provider may send. */
const anywhere = [
  ": ping\n\n",
  "\n\n",
  "\r\n\r\n",
  "\n",
  "data: {\n\n",
  'data: {"x":1}\r\n\r\n',
  ": a\ndata: {}\n\n",
];
const doubtful = ['"usage":{', '"error":{', "[DONE]", "message_delta", "response.completed", "usage", "{"];

/** Frames of each protocol: most bring output, some tell more. */
const frames: Record<string, string[]> = {
  "openai-chat": [
    ...["Hi", "é漢字😀", "", ...doubtful].map((content) => chat({ delta: { content } }, { usage: null })),
    chat({ delta: { role: "assistant", content: "" } }),
    chat({ delta: {}, finish_reason: "stop" }),
    chat({ delta: {}, finish_reason: "stop" }, { usage }),
    chat({ delta: { content: "x" } }, { usage }),
    'data: {"choices":[],"usage" :  {"prompt_tokens":12,"completion_tokens":5}}\n\n',
    line({ error: { message: "overloaded" } }),
    line("[DONE]"),
  ],
  anthropic: [
    typed({
      type: "message_start",
      ...{ message: { usage: { input_tokens: 10, output_tokens: 1 }, content: [] } },
    }),
    typed({ type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } }),
    ...["Hi", "é漢字😀", "", ...doubtful].map(textDelta),
    typed({ type: "ping" }),
    typed({ type: "message_delta", ...{ delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } } }),
    typed({ type: "message_stop" }),
    typed({ type: "error", ...{ error: { type: "overloaded_error" } } }),
  ],
  "openai-responses": [
    typed({ type: "response.created", ...{ response: { id: "r" } } }),
    ...["Hi", "é漢字😀", "", ...doubtful].map(outputDelta),
    typed({
      type: "response.output_item.done",
      ...{ item: { type: "web_search_call", id: "w", action: { type: "search" } } },
    }),
    typed({ type: "response.completed", ...{ response: { usage: { input_tokens: 10, output_tokens: 4 } } } }),
    typed({ type: "response.failed", ...{ response: {} } }),
    typed({ type: "vendor.error", ...{ message: "overloaded" } }),
  ],
  gemini: [
    ...["Hi", "", ...doubtful].map((text) => line({ candidates: [part(text)] })),
    line({ candidates: [part("Hi")], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4 } }),
    line({ candidates: [part("", { finishReason: "STOP" })], usageMetadata: { promptTokenCount: 10 } }),
    '{"error":{"code":503}}\n\n',
  ],
  "openai-images": [
    typed({ type: "image_generation.partial_image", ...{ b64_json: "AAAA" } }),
    typed({ type: "image_generation.completed", ...{ b64_json: "AAAA", usage: { generated_images: 1 } } }),
    line("[DONE]"),
  ],
};

interface Given {
  /** What left at each read, and what was known then. */
  reads: { out: string; begun: boolean; over: boolean; produced: boolean }[];
  failed: boolean;
  end: string;
  told: unknown[];
  outputBytes: number;
}

function relayed(
  name: ProtocolName,
  bytes: Buffer,
  cuts: number[],
  readerOf: (reader: StreamReader) => StreamReader,
): Given {
  const streaming = streamingOf(name);
  const reader = readerOf(streaming.createReader(call));
  const relay = createRelay(streaming, reader);
  const given: Given = { reads: [], failed: false, end: "", told: [], outputBytes: 0 };
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  let from = 0;
  for (const end of ends) {
    let out: Buffer;
    try {
      out = relay.push(Buffer.from(bytes.subarray(from, end)));
    } catch (error) {
      given.failed = true;
      out = (error as StreamFailed).before;
    }
    given.reads.push({
      out: out.toString("latin1"),
      begun: relay.begun(),
      over: reader.over(),
      produced: reader.produced(),
    });
    if (given.failed) break;
    from = end;
  }
  given.end = Buffer.concat(relay.held()).toString("latin1");
  given.told = [reader.usage(), reader.early(), reader.details?.(), reader.finish(), reader.pictures?.()];
  given.outputBytes = relay.outputBytes();
  return given;
}

test.each(Object.entries(frames))("%s: reads that leave whole change nothing", (name, own) => {
  const protocol = name as ProtocolName;
  const frame = fc.oneof(
    { arbitrary: fc.constantFrom(...own.slice(0, 3)), weight: 4 },
    { arbitrary: fc.constantFrom(...own), weight: 3 },
    { arbitrary: fc.constantFrom(...anywhere), weight: 1 },
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 14 }), fc.array(fc.nat(), { maxLength: 6 }), (stream, cuts) => {
      const bytes = Buffer.from(stream.join(""));
      const whole = relayed(protocol, bytes, cuts, (reader) => reader);
      // A reader that never says that a read passes is shown each frame.
      const single = relayed(protocol, bytes, cuts, (reader) => ({ ...reader, passes: () => false }));
      expect(whole).toEqual(single);
    }),
    { seed: 7, numRuns: 800 },
  );
});

test.each(["openai-chat", "anthropic", "openai-responses"] as const)(
  "%s: a read of output alone leaves as the same bytes, uncopied",
  (name) => {
    const streaming = streamingOf(name);
    const relay = createRelay(streaming, streaming.createReader(call));
    const read = Buffer.from((frames[name] ?? []).slice(1, 3).join(""));
    expect(relay.push(read).toString()).toBe(read.toString());
    const next = Buffer.from(read);
    expect(relay.push(next)).toBe(next);
  },
);
