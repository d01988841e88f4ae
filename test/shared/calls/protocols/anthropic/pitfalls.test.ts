/** What gateways got wrong on the way to and from Anthropic (protocols.md §6.6), each by its number. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { AssistantPart, ChatMessage, UserPart } from "#shared/calls/chat/request.ts";
import { anthropicCrossing as crossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import {
  asking,
  bytesOf,
  client,
  decode,
  encode,
  golden,
  now,
  target,
} from "#test/support/anthropic-crossing.ts";
import { readAnthropicStream } from "#test/support/anthropic-stream.ts";

describe("pitfall", () => {
  const zero = { generated_images: 0, video_seconds: 0 };
  const usage = {
    input_tokens: 7,
    output_tokens: 5,
    cache_read_tokens: 100,
    cache_write_tokens: 20,
    ...zero,
  };
  const counted = {
    input_tokens: 7,
    output_tokens: 5,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
  };
  const start: ChatEvent = { type: "reply-start", id: "1", created: 1 };
  const call = (index: number): ChatEvent => ({
    type: "tool-call-start",
    index,
    id: `call_${index}`,
    name: `tool${index}`,
  });
  const args = (index: number, text: string): ChatEvent => ({
    type: "tool-call-delta",
    index,
    arguments: text,
  });
  const ended = (index: number): ChatEvent => ({ type: "tool-call-end", index });
  const done: ChatEvent = { type: "reply-end", stop_reason: "tool_calls" };

  test("1–4: message_delta has every counter, input without the cache, wherever usage came from", () => {
    const events: ChatEvent[] = [start, { type: "usage", usage }, { type: "reply-end", stop_reason: "stop" }];
    expect(readAnthropicStream(encode(events)).usage).toEqual(counted);
  });

  test("5: usage is put together from message_start and message_delta", () => {
    const events = decode(bytesOf("streams", "x-thinking.sse"));
    expect(foldEvents(events).usage).toMatchObject(golden("streams", "x-thinking.usage.json"));
  });

  test("10: a Gemini signature of a call rides in its id, and comes back", () => {
    const parts: AssistantPart[] = [
      { type: "tool_call", id: "call_1", name: "now", arguments: "{}", signature: "A+/=é" },
    ];
    const reply = crossing.encodeReply({ id: "1", created: 1, parts, stop_reason: "tool_calls" }, client);
    const [block] = reply.content as Fields[];
    const { request } = crossing.decodeRequest({
      max_tokens: 1,
      messages: [
        { role: "user", content: "Now" },
        { role: "assistant", content: [block] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: block?.id, content: "noon" }] },
      ],
    });
    expect(request.messages[1]?.parts).toEqual(parts);
    expect(request.messages[2]?.parts[0]).toMatchObject({ call_id: "call_1" });
  });

  test("12: interleaved calls and the text among them become blocks one after the other", () => {
    const events = [
      start,
      { type: "text-delta", text: "I look." } as const,
      call(0),
      call(1),
      args(1, '{"b":'),
      args(0, '{"a":1}'),
      { type: "text-delta", text: "Wait." } as const,
      args(1, "2}"),
      ended(1),
      ended(0),
      done,
    ];
    expect(readAnthropicStream(encode(events)).content).toEqual([
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_0", name: "tool0", input: { a: 1 } },
      { type: "tool_use", id: "call_1", name: "tool1", input: { b: 2 } },
      { type: "text", text: "Wait." },
    ]);
  });

  test("14: a call without arguments is an empty object on every path", () => {
    const read = readAnthropicStream(encode([start, call(0), ended(0), done]));
    expect(read.content).toEqual([{ type: "tool_use", id: "call_0", name: "tool0", input: {} }]);
    const parts: AssistantPart[] = [{ type: "tool_call", id: "c", name: "now", arguments: "" }];
    expect(history(parts)).toMatchObject([{ input: {} }]);
    expect(foldEvents(decode(bytesOf("streams", "x-parallel-tools.sse"))).parts[2]).toMatchObject({
      arguments: "{}",
    });
  });

  test("arguments that are no JSON object are kept as text, and ids keep to the pattern", () => {
    const [broken, list] = history([
      { type: "tool_call", id: "functions.now:0", name: "now", arguments: '{"a":' },
      { type: "tool_call", id: "", name: "now", arguments: "[1]" },
    ]);
    expect(broken).toMatchObject({ id: "functions_2enow_3a0", input: { arguments: '{"a":' } });
    expect(list).toMatchObject({ id: "_", input: { arguments: "[1]" } });
  });

  test("an answer with calls ends for them, whatever the host says, whole and streamed", () => {
    const block = { type: "tool_use", id: "c", name: "now", input: {} };
    const head = { id: "msg_1", type: "message", role: "assistant" };
    const ending = { stop_reason: "end_turn", stop_sequence: null };
    const events = [
      { type: "message_start", message: { ...head, content: [] } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: ending },
      { type: "message_stop" },
    ];
    const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    expect(foldEvents(decode(Buffer.from(frames.join("")))).stop_reason).toBe("tool_calls");
    const whole = crossing.decodeReply({ ...head, content: [block], ...ending });
    expect(whole.stop_reason).toBe("tool_calls");
  });

  test("15: all results of a turn come first in one user message", () => {
    const result = (call_id: string): UserPart => ({ type: "tool_result", call_id, content: [] });
    const { body } = crossing.encodeRequest(
      asking({
        messages: [
          { role: "user", parts: [{ type: "text", text: "Go" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "a.1", name: "now", arguments: "{}" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "b", name: "now", arguments: "{}" }] },
          { role: "user", parts: [{ type: "text", text: "And" }, result("a.1")] },
          { role: "user", parts: [result("b")] },
        ],
      }),
      target,
    );
    const [, assistant, user, ...rest] = body.messages as Fields[];
    expect(assistant?.content).toMatchObject([{ id: "a_2e1" }, { id: "b" }]);
    expect(user).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a_2e1" },
        { type: "tool_result", tool_use_id: "b" },
        { type: "text", text: "And" },
      ],
    });
    expect(rest).toEqual([]);
  });

  test("16: no empty text block leaves", () => {
    expect(
      history([
        { type: "text", text: "" },
        { type: "text", text: "x" },
      ]),
    ).toEqual([{ type: "text", text: "x" }]);
    const { body } = crossing.encodeRequest(asking({ system: [{ type: "text", text: "" }] }), target);
    expect(body).not.toHaveProperty("system");
    const events: ChatEvent[] = [start, { type: "text-delta", text: "" }, done];
    expect(readAnthropicStream(encode(events)).content).toEqual([]);
  });

  test("17: signed thinking comes back before its call; without it a budget gives way", () => {
    const loop = (reasoning: AssistantPart[]) =>
      crossing.encodeRequest(
        asking({
          reasoning: { budget_tokens: 2000 },
          tools: [now],
          messages: [
            { role: "user", parts: [{ type: "text", text: "Go" }] },
            {
              role: "assistant",
              parts: [...reasoning, { type: "tool_call", id: "c", name: "now", arguments: "{}" }],
            },
            { role: "user", parts: [{ type: "tool_result", call_id: "c", content: [] }] },
          ],
        }),
        target,
      );
    const signed = loop([{ type: "reasoning", text: "Hm.", signature: "c2ln" }]);
    expect(signed.dropped).toEqual([]);
    expect(signed.body).toMatchObject({
      thinking: { type: "enabled" },
      messages: [
        {},
        { content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, { type: "tool_use" }] },
        {},
      ],
    });
    const unsigned = loop([{ type: "reasoning", text: "Hm." }]);
    expect(unsigned.dropped).toEqual(["reasoning", "messages.parts.reasoning"]);
    expect(unsigned.body).not.toHaveProperty("thinking");
  });

  test("18: text beside calls stays", () => {
    const parts: AssistantPart[] = [
      { type: "text", text: "I look." },
      { type: "tool_call", id: "c", name: "now", arguments: "{}" },
    ];
    expect(history(parts)).toMatchObject([{ type: "text", text: "I look." }, { type: "tool_use" }]);
  });

  test("21, 22: an error is the error event and never an ending, however it is told", () => {
    const text = encode([start, { type: "error", message: "secret words" }]).toString();
    expect(text).toContain("event: error\n");
    expect(text).not.toContain("secret");
    expect(text).not.toContain("message_stop");
    expect(decode(Buffer.from('data: {"error":{"message":"busy"}}\n\n'))).toEqual([
      { type: "error", message: "busy" },
    ]);
  });

  function history(parts: AssistantPart[]): Fields[] {
    const messages: ChatMessage[] = [...asking().messages, { role: "assistant", parts }];
    const { body } = crossing.encodeRequest(asking({ messages }), target);
    return (body.messages as { content: Fields[] }[])[1]?.content ?? [];
  }
});
