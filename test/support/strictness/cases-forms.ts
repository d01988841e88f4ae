/** Bodies that break the rules of forms, and bodies next to them that do not. The rules hold for every model. */

import type { Json } from "#infra/local/demo/strictness/rule.ts";
import { type Case, hello } from "./cases.ts";

const object = { type: "object", properties: { city: { type: "string" } } };
const closed = { ...object, required: ["city"], additionalProperties: false };
const long = (length: number) => "x".repeat(length);

/** The cases that OpenAI's two protocols share, as each writes tools and formats. */
function openaiCases(model: string, tool: (fields: Json) => Json, format: (fields: Json) => Json): Case[] {
  const named = (name: string) => tool({ name, parameters: object });
  const shaped = (parameters: Json, strict = false) => tool({ name: "weather", parameters, strict });
  const answer = (schema: Json, strict = true, name = "answer") => format({ name, schema, strict });
  return [
    ["a long user", model, { user: long(65) }, { user: long(64) }],
    ["names of functions", model, named(long(65)), named(long(64))],
    ["names of functions", model, named("calendar.read"), named("calendar-read_1")],
    ["schemas of functions", model, shaped({ type: "object", additionalProperties: false }), shaped(object)],
    ["schemas of functions", model, shaped({ properties: {} }), shaped({ type: "object", properties: {} })],
    ["schemas of functions", model, shaped({ ...object, anyOf: [{ required: ["city"] }] }), shaped(object)],
    [
      "schemas of functions",
      model,
      shaped({ type: "object", properties: { days: { type: "array" } } }),
      shaped({
        type: "object",
        properties: { days: { type: "array", items: {} }, enum: { type: "string" } },
      }),
    ],
    ["strict functions", model, shaped(object, true), shaped(closed, true)],
    [
      "strict functions",
      model,
      shaped({ ...closed, required: [] }, true),
      shaped({ ...closed, required: [] }),
    ],
    ["schemas of answers", model, answer(object), answer(closed)],
    ["schemas of answers", model, answer({ type: "array", items: {} }, false), answer(object, false)],
    ["schemas of answers", model, answer(closed, true, "an answer"), answer(closed)],
  ];
}

const callOf = (id: string) => ({
  messages: [
    ...hello,
    {
      role: "assistant",
      tool_calls: [{ id, type: "function", function: { name: "weather", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content: "sunny" },
  ],
});
const itemOf = (call_id: string) => ({
  input: [
    { type: "function_call", call_id, name: "weather", arguments: "{}" },
    { type: "function_call_output", call_id, output: "sunny" },
  ],
});

/** Those of chat completions, for a model of any vendor. */
export const chatFormCases = (model: string): Case[] => [
  ...openaiCases(
    model,
    (fields) => ({ tools: [{ type: "function", function: fields }] }),
    (fields) => ({ response_format: { type: "json_schema", json_schema: fields } }),
  ),
  ["long ids of calls", model, callOf(long(41)), callOf(long(40))],
  ["no messages", model, { messages: [] }, {}],
  [
    "a choice without functions",
    model,
    { function_call: "auto" },
    { functions: [{ name: "weather", parameters: object }], function_call: "auto" },
  ],
  ["results of functions without a name", model, resultOf({}), resultOf({ name: "weather" })],
  ["a file that is no PDF", model, fileOf("text/plain"), fileOf("application/pdf")],
];

const resultOf = (named: Json) => ({
  messages: [
    ...hello,
    { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
    { role: "function", content: "sunny", ...named },
  ],
});

const fileOf = (type: string) => ({
  messages: [
    {
      role: "user",
      content: [{ type: "file", file: { file_data: `data:${type};base64,SGVsbG8=`, filename: "a" } }],
    },
  ],
});

export const responsesFormCases: Case[] = [
  ...openaiCases(
    "gpt-4.1",
    (fields) => ({ tools: [{ type: "function", ...fields }] }),
    (fields) => ({ text: { format: { type: "json_schema", ...fields } } }),
  ),
  ["long ids of calls", "gpt-4.1", itemOf(long(65)), itemOf(long(64))],
];

const claude = "claude-opus-4-8";
const tools = (...given: Json[]) => ({
  tools: given.map((tool) => ({ name: "weather", input_schema: object, ...tool })),
});
const turns = (...given: Json[]) => ({ messages: [...hello, ...given] });
const picture = (media_type: string) => ({
  messages: [
    { role: "user", content: [{ type: "image", source: { type: "base64", media_type, data: "aGk=" } }] },
  ],
});
const instructed = { role: "system", content: "Be brief." };

export const claudeFormCases: Case[] = [
  ["names of tools", claude, tools({ name: "calendar.read" }), tools({ name: long(128) })],
  ["a tool twice", claude, tools({}, {}), tools({}, { name: "news" })],
  [
    "combinations at the root of a schema",
    claude,
    tools({ input_schema: { ...object, oneOf: [] } }),
    tools({}),
  ],
  ["a schema that is no object", claude, tools({ input_schema: { properties: {} } }), tools({})],
  [
    "open objects of strict tools",
    claude,
    tools({ strict: true }),
    tools({ strict: true, input_schema: closed }),
  ],
  ["texts without a word", claude, { system: " \n" }, { system: "Be brief." }],
  [
    "space at the end of a last turn",
    "claude-haiku-4-5",
    turns({ role: "assistant", content: "Once " }),
    turns({ role: "assistant", content: "Once" }),
  ],
  ["stop sequences without a word", claude, { stop_sequences: ["\n"] }, { stop_sequences: ["\nEND"] }],
  ["types of pictures", claude, picture("image/jpg"), picture("image/jpeg")],
  ["a system turn out of place", claude, turns(instructed, instructed), turns(instructed)],
  ["a system turn", "claude-haiku-4-5", turns(instructed), {}],
];

const functions = (...given: Json[]) => ({
  tools: [{ functionDeclarations: given.map((each) => ({ name: "weather", ...each })) }],
});
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "aGk=" } });
const told = (model: string, parts: Json[]): Json => ({
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    {
      role: "model",
      parts: [
        {
          functionCall: { name: "weather", args: {} },
          ...(model.startsWith("gemini-3") && { thoughtSignature: "skip_thought_signature_validator" }),
        },
      ],
    },
    { role: "user", parts: [{ functionResponse: { name: "weather", response: {}, parts } }] },
  ],
});

export const geminiFormCases: Case[] = [
  [
    "names of functions",
    "gemini-2.5-flash",
    functions({ name: "1st" }),
    functions({ name: "calendar.read:all" }),
  ],
  ["a function twice", "gemini-2.5-flash", functions({}, {}), functions({}, { name: "news" })],
  [
    "schemas of functions",
    "gemini-2.5-flash",
    functions({ parametersJsonSchema: { properties: {} } }),
    functions({ parametersJsonSchema: object }),
  ],
  [
    "schemas of functions",
    "gemini-2.5-flash",
    functions({
      parametersJsonSchema: { type: "object", properties: { a: { $ref: "#/$defs/a", title: "A" } } },
    }),
    functions({ parametersJsonSchema: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } }),
  ],
  [
    "types of pictures",
    "gemini-2.5-flash",
    { contents: [{ role: "user", parts: [inline("image/jpg")] }] },
    { contents: [{ role: "user", parts: [inline("image/jpeg")] }] },
  ],
  [
    "media in a result",
    "gemini-2.5-pro",
    told("gemini-2.5-pro", [inline("image/png")]),
    told("gemini-2.5-pro", []),
  ],
];
