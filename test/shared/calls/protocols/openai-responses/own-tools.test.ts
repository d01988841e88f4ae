/** Tools as Codex sends them, and what becomes of them at a provider that has functions alone. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { frameData } from "#shared/base/sse/frames.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import { createEncoder } from "#shared/calls/protocols/openai-responses/crossing/encoder.ts";
import { encodeReply } from "#shared/calls/protocols/openai-responses/crossing/reply.ts";
import { decodeRequest } from "#shared/calls/protocols/openai-responses/crossing/request.ts";

const schema = { type: "object", properties: { q: { type: "string" } } };
const patch = {
  type: "custom",
  name: "apply_patch",
  description: "Edits files.",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/s" },
};
const tools = [
  { type: "function", name: "shell", parameters: schema },
  {
    type: "namespace",
    name: "mcp__docs__",
    description: "Documents",
    tools: [
      { type: "function", name: "search", parameters: schema, strict: true },
      { type: "custom", name: "note" },
    ],
  },
  patch,
];
const body = (more: Fields = {}): Fields => ({ model: "m", input: "Go", tools, ...more });
const target = (request: Fields) => ({ model: "m", request, hide_usage: false });

test("become functions with a name each", () => {
  const { request, native } = decodeRequest(body());
  expect(native).toBeUndefined();
  expect(request.tools).toEqual([
    { name: "shell", parameters: schema },
    {
      name: "mcp__docs__search",
      description: "All tools of `mcp__docs__`: Documents",
      parameters: schema,
      strict: true,
    },
    { name: "mcp__docs__note", parameters: expect.anything() },
    {
      name: "apply_patch",
      description: "Edits files.\n\nThe text follows this lark grammar:\nstart: /.+/s",
      parameters: {
        type: "object",
        properties: { input: { type: "string", description: "The whole text, as it is." } },
        required: ["input"],
        additionalProperties: false,
      },
    },
  ]);
});

test("the first of them that may be called has the description of its namespace", () => {
  const note = { type: "custom", name: "note", namespace: "mcp__docs__" };
  const tool_choice = { type: "allowed_tools", mode: "auto", tools: [note] };
  const described = [
    tools[0],
    { ...tools[1], tools: [{ type: "custom", name: "note", description: "Notes" }] },
  ];
  const { request } = decodeRequest(body({ tools: described, tool_choice }));
  expect(request.tools.map(({ description }) => description)).toEqual([
    "All tools of `mcp__docs__`: Documents\n\nNotes",
  ]);
});

test("tools that an item of the input adds are tools like others, and calls of them find back", () => {
  const added = { type: "additional_tools", id: "at_1", role: "developer", tools };
  const adding = body({ tools: undefined, input: [added, { role: "user", content: "Go" }] });
  const { request } = decodeRequest(adding);
  expect(request.tools).toEqual(decodeRequest(body()).request.tools);
  expect(request.messages).toEqual([{ role: "user", parts: [{ type: "text", text: "Go" }] }]);
  const parts = [{ type: "tool_call" as const, id: "c", name: "mcp__docs__search", arguments: "{}" }];
  const reply = { id: "r", created: 1, parts, stop_reason: "tool_calls" as const };
  expect(encodeReply(reply, target(adding)).output).toMatchObject([
    { type: "function_call", name: "search", namespace: "mcp__docs__" },
  ]);
});

test("an added tool that only the provider runs is named by its place", () => {
  const added = { type: "additional_tools", tools: [{ type: "web_search" }] };
  const { native } = decodeRequest(body({ input: [{ role: "user", content: "Go" }, added] }));
  expect(native).toEqual([{ name: "web_search", at: "input[1].tools[0]", hosted: true }]);
});

test("a tool whose name looks like one in a namespace stays another tool", () => {
  const own = { type: "function", name: "mcp__docs__search" };
  const { request } = decodeRequest(body({ tools: [own, ...tools] }));
  expect(request.tools.map(({ name }) => name).slice(0, 3)).toEqual([
    "mcp__docs__search",
    "shell",
    "mcp__docs__search_",
  ]);
  const parts = [{ type: "tool_call" as const, id: "c", name: "mcp__docs__search_", arguments: "{}" }];
  const reply = { id: "r", created: 1, parts, stop_reason: "tool_calls" as const };
  expect(encodeReply(reply, target(body({ tools: [own, ...tools] }))).output).toMatchObject([
    { type: "function_call", name: "search", namespace: "mcp__docs__" },
  ]);
});

test.each<[choice: Fields, name: string]>([
  [{ type: "function", name: "search", namespace: "mcp__docs__" }, "mcp__docs__search"],
  [{ type: "custom", name: "apply_patch" }, "apply_patch"],
])("a choice of one finds it: %j", (tool_choice, name) => {
  expect(decodeRequest(body({ tool_choice })).request.tool_choice).toEqual({ type: "tool", name });
  const allowed = { type: "allowed_tools", mode: "required", tools: [tool_choice] };
  const { request } = decodeRequest(body({ tool_choice: allowed }));
  expect(request.tools.map((tool) => tool.name)).toEqual([name]);
});

test("calls and results of earlier turns have the functions' names", () => {
  const input = [
    { role: "user", content: "Go" },
    { type: "function_call", call_id: "c1", name: "search", namespace: "mcp__docs__", arguments: '{"q":1}' },
    { type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: '*** Begin "x"\n' },
    { type: "function_call_output", call_id: "c1", output: "found" },
    { type: "custom_tool_call_output", call_id: "c2", output: "done" },
  ];
  const { request, native } = decodeRequest(body({ input }));
  expect(native).toBeUndefined();
  expect(request.messages.slice(1)).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "tool_call", id: "c1", name: "mcp__docs__search", arguments: '{"q":1}' },
        { type: "tool_call", id: "c2", name: "apply_patch", arguments: '{"input":"*** Begin \\"x\\"\\n"}' },
      ],
    },
    {
      role: "user",
      parts: [
        {
          type: "tool_result",
          call_id: "c1",
          name: "mcp__docs__search",
          content: [{ type: "text", text: "found" }],
        },
        {
          type: "tool_result",
          call_id: "c2",
          name: "apply_patch",
          content: [{ type: "text", text: "done" }],
        },
      ],
    },
  ]);
});

describe("calls of the answer", () => {
  const calls = [
    { id: "c1", name: "mcp__docs__search", arguments: '{"q":"x"}' },
    { id: "c2", name: "apply_patch", arguments: '{"input":"*** Begin \\"x\\"\\n"}' },
    { id: "c3", name: "apply_patch", arguments: "*** Begin" },
    { id: "c4", name: "nobodys", arguments: "{}" },
  ];
  const items = [
    {
      type: "function_call",
      call_id: "c1",
      name: "search",
      namespace: "mcp__docs__",
      arguments: '{"q":"x"}',
    },
    { type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: '*** Begin "x"\n' },
    { type: "custom_tool_call", call_id: "c3", name: "apply_patch", input: "*** Begin" },
    { type: "function_call", call_id: "c4", name: "nobodys", arguments: "{}" },
  ];

  test("are in the client's form, whole", () => {
    const parts = calls.map((call) => ({ type: "tool_call" as const, ...call }));
    const reply = encodeReply({ id: "r", created: 1, parts, stop_reason: "tool_calls" }, target(body()));
    expect(reply.output).toMatchObject(items);
  });

  test("are in the client's form, streamed, with the events of each form", () => {
    const encoder = createEncoder(target(body()));
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 1 },
      ...calls.flatMap(({ arguments: text, ...call }, index): ChatEvent[] => [
        { type: "tool-call-start", index, ...call },
        { type: "tool-call-delta", index, arguments: text.slice(0, 5) },
        { type: "tool-call-delta", index, arguments: text.slice(5) },
        { type: "tool-call-end", index },
      ]),
      { type: "reply-end", stop_reason: "tool_calls" },
    ];
    const told = events
      .flatMap((event) => encoder.push(event))
      .map((frame) => JSON.parse(frameData(frame) ?? "") as Fields);
    const of = (type: string) => told.filter((event) => event.type === type);
    expect(of("response.output_item.done").map(({ item }) => item)).toMatchObject(items);
    expect(of("response.custom_tool_call_input.done").map(({ input }) => input)).toEqual([
      '*** Begin "x"\n',
      "*** Begin",
    ]);
    expect(of("response.custom_tool_call_input.delta").map(({ delta }) => delta)).toEqual([
      '*** Begin "x"\n',
      "*** Begin",
    ]);
    expect(of("response.function_call_arguments.done").map(({ name }) => name)).toEqual([
      "search",
      "nobodys",
    ]);
    expect(of("response.completed")).toMatchObject([{ response: { output: items } }]);
  });
});
