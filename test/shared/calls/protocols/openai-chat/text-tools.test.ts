/** Tools of OpenAI chat that take any text, and what becomes of them at a provider that has functions alone. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { frameData } from "#shared/base/sse/frames.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import { createEncoder } from "#shared/calls/protocols/openai-chat/crossing/encoder.ts";
import { encodeReply } from "#shared/calls/protocols/openai-chat/crossing/reply.ts";
import { decodeRequest } from "#shared/calls/protocols/openai-chat/crossing/request.ts";

const schema = { type: "object", properties: { q: { type: "string" } } };
const search = { type: "function", function: { name: "search", parameters: schema } };
const patch = {
  type: "custom",
  custom: {
    name: "apply_patch",
    description: "Edits files.",
    format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /.+/s" } },
  },
};
const tools: Fields[] = [search, patch];
const body = (more: Fields = {}): Fields => ({
  model: "m",
  messages: [{ role: "user", content: "Go" }],
  tools,
  ...more,
});
const target = (request: Fields) => ({ model: "m", request, hide_usage: false });
const text = (name: string, description?: string) => ({
  name,
  ...(description !== undefined && { description }),
  parameters: {
    type: "object",
    properties: { input: { type: "string", description: "The whole text, as it is." } },
    required: ["input"],
    additionalProperties: false,
  },
});

test("become functions with one text, whose grammar is told", () => {
  const { request, native, dropped } = decodeRequest(body());
  expect([native, dropped]).toEqual([undefined, []]);
  expect(request.tools).toEqual([
    { name: "search", parameters: schema },
    text("apply_patch", "Edits files.\n\nThe text follows this lark grammar:\nstart: /.+/s"),
  ]);
});

test.each<[tool_choice: Fields, name: string]>([
  [{ type: "custom", custom: { name: "apply_patch" } }, "apply_patch"],
  [{ type: "function", function: { name: "search" } }, "search"],
])("a choice of one finds it: %j", (tool_choice, name) => {
  expect(decodeRequest(body({ tool_choice })).request.tool_choice).toEqual({ type: "tool", name });
  const allowed_tools = { mode: "required", tools: [tool_choice] };
  const { request } = decodeRequest(body({ tool_choice: { type: "allowed_tools", allowed_tools } }));
  expect(request.tools.map((tool) => tool.name)).toEqual([name]);
});

test("a text and a function of one name stay two tools", () => {
  const both = [search, { type: "custom", custom: { name: "search" } }];
  const calls = [
    { id: "c1", type: "function", function: { name: "search", arguments: "{}" } },
    { id: "c2", type: "custom", custom: { name: "search", input: "x" } },
  ];
  const messages = [
    { role: "user", content: "Go" },
    { role: "assistant", tool_calls: calls },
    { role: "tool", tool_call_id: "c1", content: "1" },
    { role: "tool", tool_call_id: "c2", content: "2" },
  ];
  const given = body({ tools: both, messages });
  const { request } = decodeRequest(given);
  expect(request.tools.map(({ name }) => name)).toEqual(["search", "search_"]);
  const parts = request.messages[1]?.parts as {
    type: "tool_call";
    id: string;
    name: string;
    arguments: string;
  }[];
  expect(parts.map(({ name, arguments: args }) => [name, args])).toEqual([
    ["search", "{}"],
    ["search_", '{"input":"x"}'],
  ]);
  const reply = { id: "r", created: 1, parts, stop_reason: "tool_calls" as const };
  expect(encodeReply(reply, target(given)).choices).toMatchObject([{ message: { tool_calls: calls } }]);
});

test.each<[what: string, tool: Fields, param: string]>([
  ["without a name", { type: "custom", custom: {} }, "tools[0].custom.name"],
  ["without its form", { type: "custom" }, "tools[0].custom"],
])("one %s is refused by name", (_, tool, param) => {
  expect(() => decodeRequest(body({ tools: [tool] }))).toThrow(
    expect.objectContaining({ detail: expect.objectContaining({ param }) }),
  );
});

describe("calls of the answer", () => {
  const calls = [
    { id: "c1", name: "search", arguments: '{"q":"x"}' },
    { id: "c2", name: "apply_patch", arguments: '{"input":"*** Begin \\"x\\"\\n"}' },
    { id: "c3", name: "apply_patch", arguments: "*** Begin" },
  ];
  const told = [
    { id: "c1", type: "function", function: { name: "search", arguments: '{"q":"x"}' } },
    { id: "c2", type: "custom", custom: { name: "apply_patch", input: '*** Begin "x"\n' } },
    { id: "c3", type: "custom", custom: { name: "apply_patch", input: "*** Begin" } },
  ];

  test("are in the client's form, whole", () => {
    const parts = calls.map((call) => ({ type: "tool_call" as const, ...call }));
    const reply = encodeReply({ id: "r", created: 1, parts, stop_reason: "tool_calls" }, target(body()));
    expect(reply.choices).toMatchObject([{ message: { tool_calls: told }, finish_reason: "tool_calls" }]);
  });

  test("are in the client's form, streamed, the text in one piece", () => {
    const encoder = createEncoder(target(body()));
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 1 },
      ...calls.flatMap(({ arguments: args, ...call }, index): ChatEvent[] => [
        { type: "tool-call-start", index, ...call },
        { type: "tool-call-delta", index, arguments: args.slice(0, 5) },
        { type: "tool-call-delta", index, arguments: args.slice(5) },
        { type: "tool-call-end", index },
      ]),
      { type: "reply-end", stop_reason: "tool_calls" },
    ];
    const deltas = events
      .flatMap((event) => encoder.push(event))
      .map((frame) => frameData(frame))
      .filter((data) => data !== "[DONE]")
      .flatMap((data) => (JSON.parse(data) as { choices: { delta: { tool_calls?: Fields[] } }[] }).choices)
      .flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(deltas).toEqual([
      { index: 0, id: "c1", type: "function", function: { name: "search", arguments: "" } },
      { index: 0, function: { arguments: '{"q":' } },
      { index: 0, function: { arguments: '"x"}' } },
      { index: 1, id: "c2", type: "custom", custom: { name: "apply_patch", input: "" } },
      { index: 1, custom: { input: '*** Begin "x"\n' } },
      { index: 2, id: "c3", type: "custom", custom: { name: "apply_patch", input: "" } },
      { index: 2, custom: { input: "*** Begin" } },
    ]);
  });
});
