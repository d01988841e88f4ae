/** What a provider puts out counts as output unless it is known to be empty; and a last frame may be large. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { isEmpty, jsonBytes } from "#shared/calls/protocols/output.ts";
import { call } from "#test/support/call.ts";
import { bare } from "#test/support/own-ids.ts";
import { frame, sse, streamOf, useScenario } from "#test/support/scenario.ts";
import { streamingOf } from "#test/support/streaming.ts";

const scenario = useScenario();
const input = { model: "test/model-1", input: "Hello" };
const chat = { stream: true, max_output_tokens: null, choices: 1, user: null, hide_usage: false };
const picture = "iVBORw0KGgo".repeat(100);

/** Frames by protocol, and whether a stream that breaks off behind them has put something out. */
const frames: [
  protocol: "openai-chat" | "anthropic" | "gemini" | "openai-responses",
  puts: boolean,
  data: object,
][] = [
  ["openai-chat", false, { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] }],
  ["openai-chat", false, { choices: [{ index: 0, delta: { content: null, tool_calls: [], audio: null } }] }],
  ["openai-chat", false, { choices: [{ index: 0, delta: {}, finish_reason: "stop", logprobs: null }] }],
  ["openai-chat", false, { choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
  ["openai-chat", false, { id: "c", object: "chat.completion.chunk", model: "m", created: 1 }],
  ["openai-chat", false, { type: "ping" }],
  ["openai-chat", true, { choices: [{ index: 0, delta: { content: "a" } }] }],
  ["openai-chat", true, { choices: [{ index: 0, delta: { audio: { id: "a", data: "AAAA" } } }] }],
  ["openai-chat", true, { choices: [{ index: 0, delta: { images: [{ image_url: { url: picture } }] } }] }],
  ["openai-chat", true, { choices: [{ index: 0, delta: { function_call: { name: "f" } } }] }],
  [
    "openai-chat",
    true,
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, mcp: { server: "s" } }] } }] },
  ],
  ["openai-chat", true, { choices: [{ index: 0, delta: { annotations: [{ url: "u" }] } }] }],
  ["openai-chat", true, { choices: [{ index: 0, text: "a" }] }],
  ["openai-chat", true, { web_search: [{ title: "t" }] }],
  ["anthropic", false, { type: "ping" }],
  ["anthropic", false, { type: "message_start", message: { id: "m", model: "m", content: [], usage: {} } }],
  ["anthropic", false, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
  [
    "anthropic",
    false,
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
  ],
  ["anthropic", false, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "" } }],
  ["anthropic", false, { type: "content_block_stop", index: 0 }],
  [
    "anthropic",
    true,
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "a" } },
  ],
  [
    "anthropic",
    true,
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "a" } },
  ],
  [
    "anthropic",
    true,
    { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "a" } },
  ],
  ["anthropic", true, { type: "content_block_delta", index: 0, delta: { type: "unheard_of_delta" } }],
  [
    "anthropic",
    true,
    { type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "s" } },
  ],
  [
    "anthropic",
    true,
    { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking" } },
  ],
  ["anthropic", true, { type: "message_start", message: { content: [{ type: "text", text: "a" }] } }],
  ["anthropic", true, { type: "unheard_of" }],
  ["gemini", false, { candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] } }] }],
  ["gemini", false, { candidates: [{ index: 0, safetyRatings: [{ category: "c", probability: "LOW" }] }] }],
  ["gemini", false, { modelVersion: "m", responseId: "r", usageMetadata: { promptTokenCount: 4 } }],
  [
    "gemini",
    true,
    { candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: picture } }] } }] },
  ],
  ["gemini", true, { candidates: [{ content: { parts: [{ executableCode: { language: "PYTHON" } }] } }] }],
  ["gemini", true, { candidates: [{ content: { parts: [{ text: "", thoughtSignature: "c2ln" }] } }] }],
  ["gemini", true, { candidates: [{ content: { parts: [{ unheardOf: { a: 1 } }] } }] }],
  ["gemini", true, { candidates: [{}], usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2 } }],
  ["openai-responses", false, { type: "response.reasoning.started", thought: "Searching." }],
  ["openai-responses", true, { type: "response.reasoning.search_results", results: [{ title: "t" }] }],
  ["openai-responses", false, { type: "response.created", response: { status: "in_progress", output: [] } }],
  ["openai-responses", false, { type: "response.in_progress", response: { model: "m", output: [] } }],
  ["openai-responses", false, { type: "keepalive", sequence_number: 3 }],
  [
    "openai-responses",
    false,
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "m", type: "message", status: "in_progress", role: "assistant", content: [] },
    },
  ],
  [
    "openai-responses",
    false,
    { type: "response.output_item.added", item: { id: "r", type: "reasoning", summary: [] } },
  ],
  [
    "openai-responses",
    false,
    {
      type: "response.content_part.added",
      item_id: "m",
      part: { type: "output_text", text: "", annotations: [], logprobs: [] },
    },
  ],
  [
    "openai-responses",
    false,
    { type: "response.output_text.delta", item_id: "m", delta: "", obfuscation: "x" },
  ],
  ["openai-responses", true, { type: "response.output_text.delta", item_id: "m", delta: "a" }],
  ["openai-responses", true, { type: "response.output_text.done", item_id: "m", text: "a" }],
  ["openai-responses", true, { type: "response.refusal.delta", delta: "No" }],
  ["openai-responses", true, { type: "response.audio.delta", delta: "AAAA" }],
  [
    "openai-responses",
    true,
    {
      type: "response.output_item.added",
      item: { id: "i", type: "image_generation_call", status: "in_progress" },
    },
  ],
  [
    "openai-responses",
    true,
    { type: "response.output_item.added", item: { type: "function_call", name: "f" } },
  ],
  ["openai-responses", true, { type: "response.image_generation_call.generating", item_id: "i" }],
  [
    "openai-responses",
    true,
    {
      type: "response.image_generation_call.partial_image",
      partial_image_index: 0,
      partial_image_b64: picture,
    },
  ],
  ["openai-responses", true, { type: "response.web_search_call.searching", item_id: "w" }],
  ["openai-responses", true, { type: "response.code_interpreter_call_code.delta", delta: "1" }],
  ["openai-responses", true, { type: "response.unheard_of" }],
];

test.each(frames)("%s, output: %s, %j", (name, puts, data) => {
  const reader = streamingOf(name).createReader(chat);
  expect(reader.read(Buffer.from(frame(data)))).not.toBe("failed");
  expect(reader.produced()).toBe(puts);
});

test.each([["# not JSON"], ["[DONE]"], [": still here"]])("what no client can read is none: %s", (text) => {
  const reader = streamingOf("openai-chat").createReader(chat);
  reader.read(Buffer.from(text.startsWith(":") ? `${text}\n\n` : frame(text)));
  expect(reader.produced()).toBe(false);
});

test("a usage that its vendor writes with spaces is read, also after output", () => {
  const reader = streamingOf("openai-chat").createReader(chat);
  reader.read(Buffer.from(frame({ choices: [{ index: 0, delta: { content: "hi" } }] })));
  const usage = '{"choices": [], "usage" : {"prompt_tokens": 7, "completion_tokens": 3}}';
  expect(reader.passes?.(Buffer.from(frame(usage)))).toBe(false);
  reader.read(Buffer.from(frame(usage)));
  expect(reader.usage()).toMatchObject({ input_tokens: 7, output_tokens: 3 });
});

test("labels are no output, at any depth, and media say nothing of their tokens", () => {
  expect(isEmpty({ type: "x", parts: [{ role: "r", text: "" }, []], audio: null })).toBe(true);
  expect(isEmpty({ parts: [{ role: "r", text: " " }] })).toBe(false);
  expect(jsonBytes({ data: picture, b: "é" })).toBe('{"data":"","b":"é"}'.length + 1);
  expect(jsonBytes({ url: `data:image/png;base64,${picture}` })).toBe('{"url":""}'.length);
  // Text of any form is text, so that a strict stream cannot run on with it.
  expect(jsonBytes({ text: picture, data: "AAAA" })).toBe(`{"text":"${picture}","data":"AAAA"}`.length);
});

describe("a Responses stream with pictures", () => {
  const item = { id: "ig", type: "image_generation_call", status: "in_progress" };
  const opening = [
    frame({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } }),
    frame({ type: "response.output_item.added", output_index: 0, item }),
  ];
  const partial = (data: string) =>
    frame({
      type: "response.image_generation_call.partial_image",
      item_id: "ig",
      output_index: 0,
      partial_image_index: 0,
      partial_image_b64: data,
    });
  const ask = () =>
    call(scenario.serve, "/v1/responses", { headers: scenario.bearer(), body: { ...input, stream: true } });

  test.each([
    ["breaks off", []],
    ["fails in its own band", [frame({ type: "error", message: "no" })]],
  ])("that %s is billed", async (_, end) => {
    scenario.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write([...opening, partial(picture)].join(""));
      // What has left is no second try's any more.
      await pause(20);
      response.end(end.join(""));
    });
    await ask();
    const [event] = scenario.memory.events;
    expect(event).toMatchObject({
      outcome: "truncated",
      calls: 1,
      evidence: "estimated",
      flags: ["no_usage"],
    });
    expect(event?.usage.input_tokens).toBeGreaterThan(0);
  });

  test("passes whole where its last frame repeats five of 4 MB each, and costs what it reports", async () => {
    const large = "iVBORw0KGgo".repeat(381_300);
    const pictures = Array.from({ length: 5 }, () => ({ ...item, status: "completed", result: large }));
    const usage = { input_tokens: 50, output_tokens: 4_000, total_tokens: 4_050 };
    const last = frame({
      type: "response.completed",
      response: { status: "completed", output: pictures, usage },
    });
    expect(last.length).toBeGreaterThan(20_000_000);
    scenario.upstream.on(streamOf(...opening, partial(large), last));
    const reply = await ask();
    expect(bare(reply.text) === [...opening, partial(large), last].join("")).toBe(true);
    expect(scenario.memory.events).toMatchObject([{ outcome: "completed", usage: { output_tokens: 4_000 } }]);
  });
});

test.each([
  [
    "openai-chat",
    { choices: [{ message: { content: "Hi" } }] },
    { usage: { prompt_tokens: 9, completion_tokens: 4 } },
  ],
  [
    "anthropic",
    { content: [{ type: "text", text: "Hi" }] },
    { usage: { input_tokens: 9, output_tokens: 4 } },
  ],
  [
    "openai-responses",
    { output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }] },
    { usage: { input_tokens: 9, output_tokens: 4 } },
  ],
  [
    "gemini",
    { candidates: [{ content: { parts: [{ text: "Hi" }] } }] },
    { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 } },
  ],
] as const)("%s: the text of a reply is counted only where it has no usage", (name, reply, usage) => {
  const read = (value: object) => protocols[name].readReply(Buffer.from(JSON.stringify(value)), chat);
  expect(read(reply)).toMatchObject({ usage: undefined, output_bytes: 2 });
  expect(read({ ...reply, ...usage })).toMatchObject({ usage: { output_tokens: 4 }, output_bytes: 0 });
});

describe("the splitter", () => {
  test("takes a large frame in time that grows with it, and not with its square", () => {
    const bytes = 24_000_000;
    const read = Buffer.alloc(16_384, "A");
    const splitter = createFrameSplitter(limits.frameBytesMax);
    const before = process.cpuUsage();
    splitter.push(Buffer.from("data: "));
    for (let sent = 0; sent < bytes; sent += read.length) splitter.push(read);
    const [whole] = splitFrames(splitter.push(Buffer.from("\n\n")));
    const { user, system } = process.cpuUsage(before);
    expect(whole?.length).toBeGreaterThan(bytes);
    // 50 ms of CPU; 9 s where each read copies all that came before it.
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  test("takes the largest frame there may be, and no larger one", () => {
    const splitter = createFrameSplitter(limits.frameBytesMax);
    splitter.push(Buffer.alloc(limits.frameBytesMax - 1, "A"));
    expect(splitter.push(Buffer.from("A"))).toHaveLength(0);
    expect(() => splitter.push(Buffer.from("A"))).toThrow(RangeError);
  });
});
