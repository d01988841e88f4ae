/** OpenAI chat replies and streams across protocols: the pitfalls of protocols.md §6.6 about them. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import { openaiChatCrossing as crossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";
import { readOpenaiChatStream } from "#test/support/openai-chat-stream.ts";

const client = { model: "test/model", request: {}, hide_usage: false };
const messageOf = (reply: Fields) => (reply.choices as Fields[])[0]?.message as Fields;

const encode = (events: readonly ChatEvent[], hide_usage = false): Buffer => {
  const encoder = crossing.createEncoder({ ...client, hide_usage });
  return Buffer.concat(events.flatMap((event) => encoder.push(event)));
};

/** Events of a stream of chunks, each given by its delta and finish reason, up to `[DONE]`. */
function decode(...chunks: [delta: object, finish?: string | undefined, more?: object][]): ChatEvent[] {
  const decoder = crossing.createDecoder();
  const data = chunks.map(([delta, finish = null, more]) =>
    JSON.stringify({ id: "x", created: 1, choices: [{ index: 0, delta, finish_reason: finish }], ...more }),
  );
  return [...data, "[DONE]"]
    .flatMap((line) => decoder.push(Buffer.from(`data: ${line}\n\n`)))
    .concat(decoder.end());
}

const fragment = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text: string,
) => ({
  tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }],
});
const callsOf = (events: ChatEvent[]) =>
  foldEvents(events)
    .parts.filter((part) => part.type === "tool_call")
    .map(({ id, name, arguments: text }) => [id, name, text]);

describe("replies to a client", () => {
  const usage = {
    ...noUsage,
    input_tokens: 10,
    cache_read_tokens: 60,
    cache_write_tokens: 30,
    output_tokens: 5,
  };
  const reply: ChatReply = { id: "r", created: 7, parts: [], stop_reason: "stop", usage };

  test("pitfall 6: prompt_tokens is all input, with the cached part beside it", () => {
    expect(crossing.encodeReply(reply, client).usage).toEqual({
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    });
  });

  test("content is null beside calls and refusals only", () => {
    const call = { type: "tool_call" as const, id: "a", name: "f", arguments: "{}" };
    const messages = [reply, { ...reply, parts: [call] }, { ...reply, refusal: "No." }];
    expect(messages.map((each) => messageOf(crossing.encodeReply(each, client)).content)).toEqual([
      "",
      null,
      null,
    ]);
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["refusal", "content_filter"],
    ["pause", "stop"],
  ] as const)("stop reason %s is told as %s", (stop_reason, finish) => {
    const whole = crossing.encodeReply({ ...reply, stop_reason }, client);
    expect(whole).toMatchObject({
      id: "chatcmpl-r",
      model: "test/model",
      choices: [{ finish_reason: finish }],
    });
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 7 },
      { type: "reply-end", stop_reason },
    ];
    expect(readOpenaiChatStream(encode(events))).toMatchObject({ finish, usage: undefined });
  });

  test("pitfall 25: a client that wants no usage gets no chunk without choices", () => {
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 7 },
      { type: "usage", usage },
      { type: "reply-end", stop_reason: "stop" },
    ];
    expect(readOpenaiChatStream(encode(events)).usage).toMatchObject({ prompt_tokens: 100 });
    expect(encode(events, true).toString()).not.toMatch(/"choices":\[\]|usage/);
  });

  test("pitfall 13: tools are counted from 0 over the stream, whatever stands between them", () => {
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 7 },
      { type: "text-delta", text: "a" },
      { type: "tool-call-start", index: 0, id: "p", name: "f" },
      { type: "tool-call-end", index: 0 },
      { type: "text-delta", text: "b" },
      { type: "tool-call-start", index: 1, id: "q", name: "g" },
      { type: "tool-call-delta", index: 1, arguments: '{"x":1}' },
      { type: "tool-call-end", index: 1 },
      { type: "reply-end", stop_reason: "tool_calls" },
    ];
    expect(readOpenaiChatStream(encode(events))).toMatchObject({
      content: "ab",
      calls: [
        { id: "p", name: "f", arguments: "{}" },
        { id: "q", name: "g", arguments: '{"x":1}' },
      ],
    });
  });

  test("pitfall 21: a failure is an error frame, and nothing follows it", () => {
    const bytes = encode([
      { type: "reply-start", id: "r", created: 7 },
      { type: "error", message: "secret words of the provider" },
    ]).toString();
    const last = bytes.split("\n\n").at(-2) ?? "";
    expect(JSON.parse(last.slice("data: ".length))).toMatchObject({
      error: { code: "50001", type: "server_error" },
    });
    expect(bytes).not.toMatch(/DONE|secret/);
  });

  test("pitfall 17: signed reasoning comes back with the message it was told in", () => {
    const parts: ChatReply["parts"] = [
      { type: "reasoning", text: "Hm.", signature: "c2ln" },
      { type: "reasoning", text: "", signature: "ZW5j", redacted: true },
      { type: "tool_call", id: "a", name: "f", arguments: "{}" },
    ];
    const message = messageOf(crossing.encodeReply({ ...reply, parts, stop_reason: "tool_calls" }, client));
    const { request, dropped } = crossing.decodeRequest({ messages: [message] });
    expect(request.messages).toEqual([{ role: "assistant", parts }]);
    expect(dropped).toEqual([]);
  });
});

describe("streams of a provider", () => {
  test("pitfall 8: calls that all have index 0, or none, are told apart by id and name", () => {
    const zero = decode(
      [fragment(0, "a", "f", "{}")],
      [fragment(0, "b", "f", '{"x"')],
      [fragment(0, "b", "f", ":1}"), "stop"],
    );
    expect(callsOf(zero)).toEqual([
      ["a", "f", "{}"],
      ["b", "f", '{"x":1}'],
    ]);
    const none = decode(
      [fragment(undefined, undefined, "f", "{}")],
      [fragment(undefined, undefined, "g", '{"x"')],
      [fragment(undefined, undefined, undefined, ":1}"), "stop"],
    );
    expect(callsOf(none)).toEqual([
      ["call_x_0", "f", "{}"],
      ["call_x_1", "g", '{"x":1}'],
    ]);
  });

  test("pitfall 12: interleaved fragments find their calls", () => {
    const events = decode(
      [fragment(0, "a", "f", '{"p"')],
      [fragment(1, "b", "g", '{"q"')],
      [fragment(0, undefined, undefined, ":1}")],
      [fragment(1, undefined, undefined, ":2}"), "tool_calls"],
    );
    expect(callsOf(events)).toEqual([
      ["a", "f", '{"p":1}'],
      ["b", "g", '{"q":2}'],
    ]);
  });

  test("arguments that come before the name wait for it", () => {
    expect(
      callsOf(decode([fragment(0, "a", undefined, '{"p"')], [fragment(0, undefined, "f", ":1}"), "stop"])),
    ).toEqual([["a", "f", '{"p":1}']]);
  });

  const broken: [name: string, events: () => ChatEvent[]][] = [
    ["a call that never gets a name", () => decode([fragment(0, "a", undefined, "{}"), "tool_calls"])],
    [
      "arguments of a call that words had ended",
      () =>
        decode(
          [fragment(0, "a", "f", "{")],
          [{ content: "So" }],
          [fragment(0, undefined, undefined, "}"), "stop"],
        ),
    ],
    [
      "pitfall 22: an error in the band of a 200",
      () => decode([{}, undefined, { error: { message: "busy" } }]),
    ],
    ["a finish reason that tells of a failure", () => decode([{ content: "a" }, "network_error"])],
    ["a frame that is not JSON", () => crossing.createDecoder().push(Buffer.from("data: {broken\n\n"))],
    ["the end of the bytes before anything", () => crossing.createDecoder().end()],
  ];
  test.each(broken)("%s is an error, and nothing follows it", (_, events) => {
    const read = events();
    expect(read.at(-1)?.type).toBe("error");
    expect(read.filter(({ type }) => type === "error" || type === "reply-end")).toHaveLength(1);
  });

  test("a finish reason with a clean close is an end without [DONE]", () => {
    const decoder = crossing.createDecoder();
    const last = { id: "x", choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] };
    const events = decoder.push(Buffer.from(`data: ${JSON.stringify(last)}\r\n\r\n`));
    expect([...events, ...decoder.end()]).toEqual([
      { type: "reply-start", id: "x", created: 0 },
      { type: "text-delta", text: "a" },
      { type: "reply-end", stop_reason: "stop" },
    ]);
    expect(decoder.end()).toEqual([]);
  });

  test("pitfall 35: usage on every chunk is the last one, never a sum; an empty finish reason is none", () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 5, completion_tokens } });
    const events = decode([{ content: "a" }, "", usage(1)], [{ content: "b" }, "stop", usage(2)]);
    expect(events.filter(({ type }) => type === "usage")).toEqual([
      { type: "usage", usage: { ...noUsage, input_tokens: 5, output_tokens: 2 } },
    ]);
  });
});

describe("replies of a provider", () => {
  const message = { role: "assistant", content: "a" };
  test.each([
    ["an error object", { error: { message: "busy" }, choices: [{ message, finish_reason: "stop" }] }],
    ["no choice", { id: "x", choices: [] }],
    ["no finish reason", { id: "x", choices: [{ message, finish_reason: null }] }],
    ["a failure for a finish reason", { id: "x", choices: [{ message, finish_reason: "network_error" }] }],
    [
      "a call without a name",
      { choices: [{ message: { tool_calls: [{ function: {} }] }, finish_reason: "stop" }] },
    ],
  ])("%s is no reply", (_, reply) => {
    expect(() => crossing.decodeReply(reply)).toThrow(TypeError);
  });

  test("words nobody documents are a plain stop", () => {
    const reply = crossing.decodeReply({ choices: [{ message, finish_reason: "constructor" }] });
    expect(reply).toEqual({ id: "", created: 0, parts: [{ type: "text", text: "a" }], stop_reason: "stop" });
  });
});
