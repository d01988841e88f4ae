/** What other gateways got wrong with tools, reasoning and turns (protocols.md §6.6), through the whole pipeline. */
import { describe, expect, test } from "vitest";
import { streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { readAnthropicStream } from "#test/support/anthropic-stream.ts";
import { streamed, useCrossed } from "#test/support/crossed.ts";
import { readOpenaiChatStream } from "#test/support/openai-chat-stream.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2 };
const gemini = (parts: Json[], finishReason?: string): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata,
});
const cityCall = (city: string) => ({ functionCall: { name: "weather", args: { city } } });
const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason }],
});
const fragment = (index: number, args: string, head: Json = {}) =>
  chunk({
    tool_calls: [{ index, ...head, function: { ...(head.id ? { name: "f" } : {}), arguments: args } }],
  });
const messageStart = {
  type: "message_start",
  message: { id: "msg_1", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
};
const block = (index: number, content_block: Json, ...deltas: Json[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const messageEnd = [
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const assistantCalls = (...ids: string[]) => ({
  role: "assistant",
  content: "I look.",
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "now", arguments: "" } })),
});
const user = { role: "user", content: "Go" };
const tools = [{ type: "function", function: { name: "now" } }];
/** The names of what stands in each turn a provider was sent. */
const kinds = (turns: unknown, list: string) =>
  (turns as Json[]).map((turn) => (turn[list] as Json[]).map((part) => part.type ?? Object.keys(part)[0]));

describe("a provider's calls", () => {
  test("pitfall 8: Gemini's parallel calls have an index each, and their arguments stay apart", async () => {
    const chunks = [gemini([cityCall("Rome")]), gemini([cityCall("Oslo")]), gemini([{ text: "" }], "STOP")];
    crossed.upstream.on(streamed("gemini", chunks));
    const { calls } = readOpenaiChatStream(
      Buffer.from((await crossed.ask("openai", "gemini", {}, true)).text),
    );
    expect(calls.map((call) => JSON.parse(call.arguments) as Json)).toEqual([
      { city: "Rome" },
      { city: "Oslo" },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test("pitfall 9: a Gemini call before a separate STOP still finishes with tool calls", async () => {
    crossed.upstream.on(streamed("gemini", [gemini([cityCall("Rome")]), gemini([{ text: "" }], "STOP")]));
    const chat = await crossed.ask("openai", "gemini", {}, true);
    expect(readOpenaiChatStream(Buffer.from(chat.text)).finish).toBe("tool_calls");
    const message = await crossed.ask("anthropic", "gemini", {}, true);
    expect(readAnthropicStream(Buffer.from(message.text)).stop_reason).toBe("tool_use");
  });

  test("pitfall 12: interleaved calls become closed blocks one after the other, text before them", async () => {
    const chunks = [
      chunk({ role: "assistant", content: "I look." }),
      fragment(0, "", { id: "a", type: "function" }),
      fragment(1, '{"b":', { id: "b", type: "function" }),
      fragment(0, '{"a":1}'),
      fragment(1, "2}"),
      chunk({}, "tool_calls"),
      { id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ];
    crossed.upstream.on(streamed("openai", chunks, streamEnd.openai));
    const reply = await crossed.ask("anthropic", "openai", {}, true);
    expect(readAnthropicStream(Buffer.from(reply.text)).content).toEqual([
      { type: "text", text: "I look." },
      { type: "tool_use", id: "a", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "b", name: "f", input: { b: 2 } },
    ]);
  });

  test("pitfall 13: OpenAI's tool index counts calls from 0 and not Anthropic's blocks", async () => {
    const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
    const input = { type: "input_json_delta", partial_json: '{"a":1}' };
    const frames = [
      messageStart,
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "I look." }),
      ...block(1, use("toolu_1"), input),
      ...block(2, use("toolu_2"), input),
      ...messageEnd,
    ];
    crossed.upstream.on(streamed("anthropic", frames));
    const reply = await crossed.ask("openai", "anthropic", {}, true);
    // The reader refuses an index that is missing or out of order.
    expect(readOpenaiChatStream(Buffer.from(reply.text)).calls.map(({ id }) => id)).toEqual([
      "toolu_1",
      "toolu_2",
    ]);
  });

  test("pitfall 14: a call without arguments is an empty object, in answers and in history", async () => {
    const frames = [
      messageStart,
      ...block(0, { type: "tool_use", id: "toolu_1", name: "now", input: {} }),
      ...messageEnd,
    ];
    crossed.upstream.on(streamed("anthropic", frames));
    const reply = await crossed.ask("openai", "anthropic", {}, true);
    expect(readOpenaiChatStream(Buffer.from(reply.text)).calls).toEqual([
      { id: "toolu_1", name: "now", arguments: "{}" },
    ]);
    const messages = [user, assistantCalls("a"), { role: "tool", tool_call_id: "a", content: "noon" }];
    await crossed.ask("openai", "anthropic", { messages, tools });
    expect(JSON.stringify(crossed.sent())).toContain('"name":"now","input":{}');
  });

  test("pitfall 18: text beside calls stays, both ways", async () => {
    crossed.upstream.json(wholeAnswers.anthropic);
    const reply = await crossed.ask("openai", "anthropic");
    expect(reply.json().choices).toMatchObject([
      { message: { content: "Hello", tool_calls: [{ function: { name: "now" } }] } },
    ]);
    const messages = [user, assistantCalls("a"), { role: "tool", tool_call_id: "a", content: "noon" }];
    for (const provider of ["anthropic", "gemini", "responses"] as const) {
      crossed.upstream.json(wholeAnswers[provider]);
      await crossed.ask("openai", provider, { messages, tools });
      const sent = JSON.stringify(crossed.sent());
      expect(sent).toContain('"I look."');
      expect(sent).toContain('"name":"now"');
    }
  });
});

describe("a turn that comes back", () => {
  /** The message a client of OpenAI's is given, told back with the call's result. */
  async function toldBack(provider: "anthropic" | "gemini"): Promise<Json> {
    crossed.upstream.json(wholeAnswers[provider]);
    type Told = [{ message: { tool_calls: [{ id: string }] } }];
    const [{ message }] = (await crossed.ask("openai", provider)).json().choices as Told;
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "noon" };
    await crossed.ask("openai", provider, { messages: [user, message, result], tools });
    return crossed.sent();
  }

  test("pitfall 10: a call's thoughtSignature survives a client of OpenAI's", async () => {
    const [, turn] = (await toldBack("gemini")).contents as { parts: Json[] }[];
    expect(turn?.parts).toContainEqual({
      functionCall: { id: "f1", name: "now", args: { zone: "utc" } },
      thoughtSignature: "c2ln",
    });
  });

  test("pitfall 17: signed thinking comes back before its call", async () => {
    const [, turn] = (await toldBack("anthropic")).messages as { content: Json[] }[];
    expect(turn?.content).toMatchObject([
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text" },
      { type: "tool_use", id: "toolu_1" },
    ]);
  });

  test("pitfall 15: all results of a turn's calls are one user turn and come first", async () => {
    const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "noon" });
    const messages = [user, assistantCalls("a", "b"), result("a"), result("b"), user];
    crossed.upstream.json(wholeAnswers.anthropic);
    await crossed.ask("openai", "anthropic", { messages, tools });
    expect(kinds(crossed.sent().messages, "content")).toEqual([
      ["text"],
      ["text", "tool_use", "tool_use"],
      ["tool_result", "tool_result", "text"],
    ]);
    crossed.upstream.json(wholeAnswers.gemini);
    await crossed.ask("openai", "gemini", { messages, tools });
    expect(
      (crossed.sent().contents as Json[]).map(({ role, parts }) => [role, (parts as Json[]).length]),
    ).toEqual([
      ["user", 1],
      ["model", 3],
      ["user", 2],
      ["user", 1],
    ]);
  });

  test("pitfall 16: no empty text block is ever sent", async () => {
    const empty = { type: "text", text: "" };
    const messages = [
      { role: "system", content: "" },
      { role: "user", content: [empty, { type: "text", text: "Go" }] },
      { role: "assistant", content: "" },
      { role: "user", content: [{ type: "text", text: "on" }, empty] },
    ];
    for (const provider of ["anthropic", "gemini"] as const) {
      crossed.upstream.json(wholeAnswers[provider]);
      expect((await crossed.ask("openai", provider, { messages })).status).toBe(200);
      expect(JSON.stringify(crossed.sent())).not.toContain('"text":""');
      expect(JSON.stringify(crossed.sent())).toContain('"text":"Go"');
    }
  });

  test("pitfall 11: schemas go to Gemini where it takes every keyword of JSON Schema", async () => {
    const parameters = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { const: 1 }, b: { exclusiveMinimum: 0 } },
      additionalProperties: false,
    };
    crossed.upstream.json(wholeAnswers.gemini);
    await crossed.ask("openai", "gemini", {
      tools: [{ type: "function", function: { name: "f", parameters } }],
    });
    expect(crossed.sent().tools).toEqual([
      { functionDeclarations: [{ name: "f", parametersJsonSchema: parameters }] },
    ]);
  });
});
