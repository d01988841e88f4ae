/** Bodies of Converse that break its rules, and bodies next to them that do not. The rules hold for every model. */
import type { Json } from "#infra/local/demo/strictness/rule.ts";
import type { Case } from "./cases.ts";

const model = "amazon.nova-lite-v1:0";

const said = (...content: Json[]) => ({ role: "user", content });
const answered = (...content: Json[]) => ({ role: "assistant", content });
const text = (words: string) => ({ text: words });
const hello = said(text("Hello"));
const turns = (...messages: Json[]) => ({ messages });

const object = { type: "object", properties: { city: { type: "string" } } };
const closed = { ...object, additionalProperties: false };
const spec = (more: Json = {}) => ({
  toolSpec: { name: "weather", inputSchema: { json: object }, ...more },
});
const tools = (...list: Json[]) => ({ toolConfig: { tools: list } });
const use = (toolUseId: string, more: Json = {}) => ({
  toolUse: { toolUseId, name: "weather", input: {}, ...more },
});
const result = (toolUseId: string, content: Json[] = [text("sunny")]) => ({
  toolResult: { toolUseId, content },
});
const called = (calls: Json[], results: Json[]) => ({
  ...turns(hello, answered(...calls), said(...results)),
  ...tools(spec()),
});
const document = (name: string, more: Json = {}) => ({
  document: { format: "pdf", name, source: { bytes: "JVBERi0=" }, ...more },
});
const picture = (more: Json = {}) => ({
  image: { format: "png", source: { bytes: "iVBORw0KGgo=" }, ...more },
});
const answer = (schema: unknown) => ({
  outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema: { name: "a", schema } } } },
});
const reasoned = (reasoningText: Json) => answered({ reasoningContent: { reasoningText } }, text("Hi"));
const point = { cachePoint: { type: "default" } };
const points = (count: number) => said(...Array.from({ length: count }, () => [text("x"), point]).flat());

const turnCases: Case[] = [
  ["roles in turns", model, turns(hello, hello), turns(hello, answered(text("Hi")), hello)],
  ["a first turn that is not the user's", model, turns(answered(text("Hi"))), turns(hello)],
  ["an empty turn", model, turns(said()), turns(hello)],
  ["a block that is not one member", model, turns(said({ text: "a", type: "text" })), turns(hello)],
  ["a block that is not one member", model, turns(said(text("a"), { thinking: "b" })), turns(hello)],
  ["texts without a word", model, turns(said(text(" "))), turns(hello)],
  ["texts without a word", model, { system: [text("")] }, { system: [text("Be brief.")] }],
  [
    "space at the end of a last turn",
    model,
    turns(hello, answered(text("Once "))),
    turns(hello, answered(text("Once"))),
  ],
  [
    "blocks of the other role",
    model,
    turns(hello, answered(text("A"), picture())),
    turns(said(text("A"), picture())),
  ],
  [
    "reasoning without a signature",
    model,
    turns(hello, reasoned({ text: "Hm" }), hello),
    turns(hello, reasoned({ text: "Hm", signature: "sig" }), hello),
  ],
];

const callCases: Case[] = [
  [
    "ids of calls",
    model,
    called([use("call.1")], [result("call.1")]),
    called([use("call-1")], [result("call-1")]),
  ],
  [
    "ids of calls",
    model,
    called([use("x".repeat(65))], [result("x".repeat(65))]),
    called([use("x".repeat(64))], [result("x".repeat(64))]),
  ],
  [
    "names of called tools",
    model,
    called([use("a", { name: "get.weather" })], [result("a")]),
    called([use("a", { name: "get_weather" })], [result("a")]),
  ],
  [
    "an id of two calls",
    model,
    called([use("a"), use("a")], [result("a")]),
    called([use("a"), use("b")], [result("a"), result("b")]),
  ],
  [
    "calls without tools",
    model,
    turns(hello, answered(use("a")), said(result("a"))),
    called([use("a")], [result("a")]),
  ],
  ["calls without results", model, called([use("a")], [text("Go on")]), called([use("a")], [result("a")])],
  [
    "results without calls",
    model,
    called([use("a")], [result("a"), result("b")]),
    called([use("a")], [result("a")]),
  ],
  [
    "arguments that are no object",
    model,
    called([use("a", { input: "{}" })], [result("a")]),
    called([use("a", { input: { city: "Paris" } })], [result("a")]),
  ],
  [
    "a result without content",
    model,
    called([use("a")], [result("a", [])]),
    called([use("a")], [result("a")]),
  ],
];

const toolCases: Case[] = [
  ["an empty list of tools", model, tools(), tools(spec())],
  ["names of tools", model, tools(spec({ name: "x".repeat(65) })), tools(spec({ name: "x".repeat(64) }))],
  ["a tool twice", model, tools(spec(), spec()), tools(spec(), spec({ name: "other" }))],
  ["an empty description", model, tools(spec({ description: "" })), tools(spec({ description: "Says it" }))],
  ["schemas of tools", model, tools(spec({ inputSchema: { json: { properties: {} } } })), tools(spec())],
  [
    "schemas of tools",
    model,
    tools(spec({ inputSchema: { json: { ...object, anyOf: [{ required: ["city"] }] } } })),
    tools(spec()),
  ],
  [
    "open objects of strict tools",
    model,
    tools(spec({ strict: true })),
    tools(spec({ strict: true, inputSchema: { json: closed } })),
  ],
  [
    "an unknown choice",
    model,
    { toolConfig: { tools: [spec()], toolChoice: { none: {} } } },
    { toolConfig: { tools: [spec()], toolChoice: { any: {} } } },
  ],
];

const formCases: Case[] = [
  ["unknown members", model, { max_tokens: 9 }, { inferenceConfig: { maxTokens: 9 } }],
  ["unknown members", model, { inferenceConfig: { topK: 9 } }, { inferenceConfig: { topP: 0.9 } }],
  [
    "temperature above 1",
    model,
    { inferenceConfig: { temperature: 1.1 } },
    { inferenceConfig: { temperature: 1 } },
  ],
  [
    "names of documents",
    model,
    turns(said(text("A"), document("report.pdf"))),
    turns(said(text("A"), document("report (1) [a-b]"))),
  ],
  [
    "names of documents",
    model,
    turns(said(text("A"), document("a  b"))),
    turns(said(text("A"), document("a b"))),
  ],
  [
    "one name of two documents",
    model,
    turns(said(text("A"), document("a"), document("A"))),
    turns(said(text("A"), document("a"), document("b"))),
  ],
  ["a document without a text", model, turns(said(document("a"))), turns(said(document("a"), text("A")))],
  ["formats of media", model, turns(said(picture({ format: "image/png" }))), turns(said(picture()))],
  [
    "media without bytes",
    model,
    turns(said(picture({ source: { url: "https://a.example" } }))),
    turns(said(picture())),
  ],
  [
    "empty stop sequences",
    model,
    { inferenceConfig: { stopSequences: [""] } },
    { inferenceConfig: { stopSequences: ["END"] } },
  ],
  ["a schema that is no text", model, answer(closed), answer(JSON.stringify(closed))],
  ["open objects of answers", model, answer(JSON.stringify(object)), answer(JSON.stringify(closed))],
  ["more than four cache points", model, turns(points(5)), turns(points(4))],
];

export const converseCases: Case[] = [...turnCases, ...callCases, ...toolCases, ...formCases];
