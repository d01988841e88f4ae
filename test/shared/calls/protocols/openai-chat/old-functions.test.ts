/** Requests and answers in the form that OpenAI chat had before it had tools, at a provider of another protocol. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { frameData } from "#shared/base/sse/frames.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import { originOf, tag } from "#shared/calls/chat/signature.ts";
import { createEncoder } from "#shared/calls/protocols/openai-chat/crossing/encoder.ts";
import { encodeReply } from "#shared/calls/protocols/openai-chat/crossing/reply.ts";
import { decodeRequest } from "#shared/calls/protocols/openai-chat/crossing/request.ts";
import { untag } from "#shared/calls/protocols/openai-chat/pass-through/untag.ts";

const parameters = { type: "object", properties: { city: { type: "string" } } };
const functions = [
  { name: "weather", description: "The weather", parameters },
  { name: "clock", parameters: { type: "object", properties: {} } },
];
const hello = { role: "user", content: "Hello" };
const called = {
  role: "assistant",
  content: null,
  function_call: { name: "weather", arguments: '{"city":"Rome"}' },
};
const result = { role: "function", name: "weather", content: "sunny" };
const body = (more: Fields = {}): Fields => ({ model: "m", messages: [hello], functions, ...more });
const target = (request: Fields) => ({ model: "m", request, hide_usage: false });
const calls = [
  { id: "c1", name: "weather", arguments: '{"city":"Rome"}' },
  { id: "c2", name: "clock", arguments: "{}" },
];

test("functions are tools, and one is called at most", () => {
  const { request, dropped } = decodeRequest(body({ function_call: { name: "clock" } }));
  expect(dropped).toEqual([]);
  expect(request).toMatchObject({
    tools: functions,
    tool_choice: { type: "tool", name: "clock" },
    parallel_tool_calls: false,
  });
});

test.each(["auto", "none"])("the choice %s stays", (function_call) => {
  expect(decodeRequest(body({ function_call })).request.tool_choice).toEqual({ type: function_call });
});

test("calls and results of earlier turns belong together, by ids that are the same on every turn", () => {
  const turns = [hello, called, result];
  const idsOf = (messages: Fields[]) => {
    const { request } = decodeRequest(body({ messages }));
    expect(request.messages.slice(1, 3)).toEqual([
      {
        role: "assistant",
        parts: [
          expect.objectContaining({ type: "tool_call", name: "weather", arguments: '{"city":"Rome"}' }),
        ],
      },
      {
        role: "user",
        parts: [
          expect.objectContaining({
            type: "tool_result",
            name: "weather",
            content: [{ type: "text", text: "sunny" }],
          }),
        ],
      },
    ]);
    return request.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => ("call_id" in part ? part.call_id : "id" in part ? part.id : [])),
    );
  };
  const first = idsOf(turns);
  expect(first[0]).toBe(first[1]);
  const later = idsOf([...turns, { role: "assistant", content: "Sunny." }, hello, called, result]);
  expect(later.slice(0, 2)).toEqual(first);
  expect(new Set(later).size).toBe(2);
});

test.each<[what: string, more: Fields, param: string]>([
  ["a choice without functions", { functions: null, function_call: "auto" }, "function_call"],
  ["a choice of nothing", { function_call: {} }, "function_call"],
  ["tools beside functions", { tools: [] }, "tools"],
  ["a choice of tools beside functions", { tool_choice: "auto" }, "tool_choice"],
  ["functions that are no list", { functions: {} }, "functions"],
  ["a function without a name", { functions: [{}] }, "functions[0].name"],
  ["a schema that is none", { functions: [{ name: "f", parameters: 1 }] }, "functions[0].parameters"],
  ["a call without a result", { messages: [hello, called, hello] }, "messages[1].function_call"],
  ["a call at the end", { messages: [hello, called] }, "messages[1].function_call"],
  [
    "a call beside calls of tools",
    { messages: [{ ...called, tool_calls: [] }, result] },
    "messages[0].tool_calls",
  ],
  ["a result without a call", { messages: [hello, result] }, "messages[1].name"],
  ["a result of another", { messages: [called, { ...result, name: "clock" }] }, "messages[1].name"],
])("%s is refused by name", (_, more, param) => {
  expect(() => decodeRequest(body(more))).toThrow(
    expect.objectContaining({ detail: expect.objectContaining({ param }) }),
  );
});

describe("an answer", () => {
  const told = { role: "assistant", content: null, function_call: called.function_call };

  test("has its first call in the old form, whole", () => {
    const parts = calls.map((call) => ({ type: "tool_call" as const, ...call }));
    const reply = encodeReply({ id: "r", created: 1, parts, stop_reason: "tool_calls" }, target(body()));
    expect(reply.choices).toEqual([
      { index: 0, message: { ...told, refusal: null }, logprobs: null, finish_reason: "function_call" },
    ]);
  });

  test("has it streamed", () => {
    const encoder = createEncoder(target(body()));
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 1 },
      ...calls.flatMap(({ arguments: args, ...call }, index): ChatEvent[] => [
        { type: "tool-call-start", index, ...call },
        { type: "tool-call-delta", index, arguments: args },
        { type: "tool-call-end", index },
      ]),
      { type: "reply-end", stop_reason: "tool_calls" },
    ];
    const choices = events
      .flatMap((event) => encoder.push(event))
      .map((frame) => frameData(frame))
      .filter((data) => data !== "[DONE]")
      .flatMap(
        (data) => (JSON.parse(data) as { choices: { delta: Fields; finish_reason: unknown }[] }).choices,
      );
    expect(choices.slice(1).map(({ delta }) => delta)).toEqual([
      { function_call: { name: "weather", arguments: "" } },
      { function_call: { arguments: '{"city":"Rome"}' } },
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe("function_call");
  });

  test("without arguments has an empty object", () => {
    const encoder = createEncoder(target(body()));
    encoder.push({ type: "tool-call-start", index: 0, id: "c", name: "clock" });
    expect(encoder.push({ type: "tool-call-end", index: 0 }).join("")).toContain('{"arguments":"{}"}');
  });
});

describe("the signature of a call", () => {
  const origin = originOf({ provider: "google", model: "g" });
  const signature = tag(origin, { signature: "c2ln" });
  const signed = {
    ...called,
    function_call: { ...called.function_call, extra_content: { google: { thought_signature: signature } } },
  };

  test("goes to the client and comes back with it", () => {
    const parts = [{ type: "tool_call" as const, ...(calls[0] as (typeof calls)[0]), signature }];
    const { choices } = encodeReply(
      { id: "r", created: 1, parts, stop_reason: "tool_calls" },
      target(body()),
    );
    expect(choices).toMatchObject([{ message: { function_call: signed.function_call } }]);
    const { request } = decodeRequest(body({ messages: [hello, signed, result] }));
    expect(request.messages[1]?.parts).toMatchObject([{ type: "tool_call", signature }]);
  });

  test("is taken out of a body that is passed through to another model", () => {
    const bytes = Buffer.from(JSON.stringify(body({ messages: [hello, signed, result] })));
    const { bytes: sent, dropped } = untag(bytes, originOf({ provider: "openai", model: "m" }));
    expect(JSON.parse(sent.toString())).toEqual(body({ messages: [hello, called, result] }));
    expect(dropped).toEqual(["messages.parts.signature"]);
  });
});
