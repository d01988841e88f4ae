/**
 * A large body is checked, measured and passed through without its long texts being decoded. The law: every protocol
 * says the same of it as of the whole value, whatever stands in whatever place.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProtocolName } from "#shared/base/http/routes.ts";
import { type JsonBody, readJsonObject } from "#shared/base/json/body.ts";
import { LongText } from "#shared/base/json/long-text.ts";
import { limits } from "#shared/base/limits.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { longTextPlaces, measureInput } from "#shared/calls/chat/measure.ts";
import { protocols } from "#shared/calls/protocols/index.ts";

const model = "m";
const text = "t";
const turns = [{ role: "user", parts: [{ text }, { inlineData: { mimeType: "image/png", data: text } }] }];
const called = { functionCall: { name: "f", args: { text } }, thoughtSignature: text };
const contents = [
  ...turns,
  { role: "model", parts: [called, { fileData: { mimeType: text, fileUri: text } }] },
];
const messages = [
  { role: "system", content: text },
  {
    role: "user",
    content: [
      { type: "text", text },
      { type: "image_url", image_url: { url: text } },
      { type: "input_audio", input_audio: { data: text, format: "wav" } },
      { type: "file", file: { file_data: text, filename: text } },
    ],
  },
  {
    role: "assistant",
    content: null,
    reasoning_content: text,
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }],
  },
  { role: "tool", tool_call_id: "c", content: text },
];
const blocks = [
  { type: "text", text, cache_control: { type: "ephemeral", ttl: "1h" } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: text } },
  { type: "document", source: { type: "text", media_type: "text/plain", data: text } },
  { type: "thinking", thinking: text, signature: text },
  { type: "tool_use", id: "t", name: "f", input: { text } },
  { type: "tool_result", tool_use_id: "t", content: text },
];
const converseBlocks = [
  { text },
  { image: { format: "png", source: { bytes: text } } },
  { document: { format: "txt", name: "a", source: { bytes: text } } },
  { document: { format: "pdf", name: "b", source: { bytes: text } } },
  { document: { format: "txt", name: "c", source: { text } } },
  { reasoningContent: { reasoningText: { text, signature: text } } },
  { reasoningContent: { redactedContent: text } },
  { toolUse: { toolUseId: "t", name: "f", input: { text } } },
  { toolResult: { toolUseId: "t", content: [{ text }, { json: { text } }] } },
];
const picture = { model, prompt: text, image: [text], user: "u", size: text };

/** A body of each protocol with text in every place that it has. */
const bodies: Record<ProtocolName, object> = {
  "openai-chat": { model, messages, tools: [{ type: "function" }], stream: true, user: "u" },
  "openai-responses": {
    model,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text },
          { type: "input_image", image_url: text },
        ],
      },
      {
        role: "user",
        content: [
          { type: "input_file", file_data: text },
          { type: "input_file", file_id: text },
        ],
      },
      { type: "reasoning", id: "r", encrypted_content: text, summary: [{ type: "summary_text", text }] },
      { type: "function_call_output", call_id: "c", output: text },
      { id: text },
    ],
    instructions: text,
  },
  anthropic: { model, max_tokens: 9, system: text, messages: [{ role: "user", content: blocks }] },
  "bedrock-converse": { system: [{ text }], messages: [{ role: "user", content: converseBlocks }] },
  "bedrock-invoke": { max_tokens: 9, system: text, messages: [{ role: "user", content: blocks }] },
  gemini: { contents, systemInstruction: { parts: [{ text }] }, model },
  "openai-embeddings": { model, input: [text, text], user: "u" },
  "ark-multimodal": {
    model,
    input: [
      { type: "text", text },
      { type: "image_url", image_url: { url: text } },
    ],
  },
  "openai-images": picture,
  "ark-images": picture,
  "zhipu-images": picture,
  "openai-image-edits": picture,
  "ark-image-edits": picture,
  "gemini-embedding": { content: { parts: [{ text }] }, model },
  "gemini-embeddings": { requests: [{ model, content: { parts: [{ text }] } }] },
  "anthropic-count": { model, messages: [{ role: "user", content: blocks }] },
  "gemini-count": { contents, generateContentRequest: { contents } },
};

const long = limits.longTextBytesMin;
const base64 = Buffer.alloc(long, "pdf").toString("base64");

/** What is put in a place of a body: long texts of every kind, and values that are no text. */
const values: unknown[] = [
  "plain ".repeat(long),
  'é你😀\n"'.repeat(long),
  `data:image/png;base64,${base64}`,
  `data:text/plain;base64,${base64}`,
  `data:text/plain;base64,${Buffer.from(`%PDF-1.7 ${"x".repeat(long)}`).toString("base64")}`,
  `data:text/plain,${"words ".repeat(long)}`,
  `data:application/json,${"{} ".repeat(long)}`,
  `https://files.example/${"p".repeat(long)}`,
  base64,
  ["a".repeat(2 * long), "b".repeat(2 * long)],
  { text: "c".repeat(2 * long), url: "d".repeat(2 * long) },
  ...["", "short", "1h", "input_audio", 7, null, true, []],
];

type Node = Record<string | number, unknown>;

/** Every place in a value, as its path. */
function placesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.keys(value).flatMap((key) => placesOf((value as Node)[key], [...path, key]))];
}

function put(value: unknown, path: readonly (string | number)[], instead: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return instead;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Node) }) as Node;
  copy[key] = put(copy[key], rest, instead);
  return copy;
}

/** What a protocol makes of a body, as far as a request that is passed through needs it. */
function outcomes(name: ProtocolName, body: JsonBody): unknown[] {
  const protocol = protocols[name];
  const address = { model, stream: true, json_array: false };
  const tried = (step: () => unknown): unknown => {
    try {
      return step();
    } catch (error) {
      return String(error);
    }
  };
  const call = tried(() => protocol.readRequest(body, address));
  const isRead = typeof call === "object";
  return [
    call,
    measureInput(body.outline, body.bytes.length),
    isRead && Buffer.concat(protocol.passThrough(body, { ...plainCall, ...call }, "up")).toString(),
    isRead && tried(() => protocol.dropped?.(body)),
  ];
}

const names = Object.keys(bodies) as ProtocolName[];
for (const name of names) await protocols[name].load?.();
const padding = "p".repeat(limits.outlinedBytesMin);

describe("a large body", () => {
  const expectSame = (name: ProtocolName, body: unknown): void => {
    const bytes = Buffer.from(JSON.stringify(body));
    const outlined = outcomes(name, readJsonObject(bytes, longTextPlaces));
    expect(outlined).toEqual(outcomes(name, readJsonObject(bytes)));
  };

  test.each(names)("of %s is read, measured and passed through as its whole value is", (name) => {
    const body = { ...bodies[name], padding };
    expect(outcomes(name, readJsonObject(Buffer.from(JSON.stringify(body))))[0]).toBeTypeOf("object");
    const places = placesOf(bodies[name]).filter((path) => path.length > 0);
    for (const path of places) for (const instead of values) expectSame(name, put(body, path, instead));
    const change = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...values));
    fc.assert(
      fc.property(fc.array(change, { minLength: 2, maxLength: 4 }), (changes) => {
        let changed: unknown = body;
        for (const [path, instead] of changes) {
          // An earlier change may have taken the place away.
          if (placesOf(changed).some((place) => place.join() === path.join()))
            changed = put(changed, path, instead);
        }
        expectSame(name, changed);
      }),
      { seed: 7, numRuns: 50 },
    );
  });

  test("of a chat is read and measured without its texts", () => {
    const bytes = Buffer.from(JSON.stringify({ ...bodies["openai-chat"], messages: heavy }));
    const body = readJsonObject(bytes, longTextPlaces);
    const call = protocols["openai-chat"].readRequest(body);
    measureInput(body.outline, bytes.length);
    protocols["openai-chat"].passThrough(body, call, "up");
    const [message] = body.outline.messages as { content: unknown }[];
    expect(message?.content).toBeInstanceOf(LongText);
  });

  test("is sent in slices of the client's own bytes", () => {
    const bytes = Buffer.from(JSON.stringify({ model, messages: heavy, stream: true }));
    const body = readJsonObject(bytes, longTextPlaces);
    const slices = protocols["openai-chat"].passThrough(body, { ...plainCall, stream: true }, "up");
    expect(slices.find(({ length }) => length > limits.outlinedBytesMin)?.buffer).toBe(bytes.buffer);
    expect(Buffer.concat(slices).toString()).toBe(
      bytes.toString().replace('"model":"m"', '"stream_options":{"include_usage":true},"model":"up"'),
    );
  });
});

const heavy = [{ role: "user", content: "heavy ".repeat(limits.outlinedBytesMin) }];
