/** What becomes of each field, as `fields.md` says it: told by the tables, and by what the encoders do. */

import { GatewayError } from "#shared/base/errors.ts";
import type { Way } from "#shared/books/billing/pricing/rates.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { fields as anthropic } from "#shared/calls/protocols/anthropic/fields.ts";
import {
  fields as converse,
  settings as converseSettings,
} from "#shared/calls/protocols/bedrock-converse/fields.ts";
import type { Crossing } from "#shared/calls/protocols/crossing.ts";
import type { CarriedMembers } from "#shared/calls/protocols/dropped.ts";
import type { Field, Read } from "#shared/calls/protocols/field-table.ts";
import { fields as gemini, settings } from "#shared/calls/protocols/gemini/fields.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { fields as openaiChat } from "#shared/calls/protocols/openai-chat/fields.ts";
import { fields as openaiResponses } from "#shared/calls/protocols/openai-responses/fields.ts";
import type { Protocol } from "#shared/calls/protocols/protocol.ts";
import { tableOf } from "#test/house/pages/page.ts";
import { type AgentField, agentFields } from "#test/support/agent-fields.ts";
import { crossings } from "#test/support/crossings.ts";

type Rows = Readonly<Record<string, Field>>;

const tables: [title: string, rows: Rows, note?: string][] = [
  ["OpenAI chat", openaiChat.rows],
  ["Anthropic", anthropic.rows],
  ["Gemini", gemini.rows, "Every name may also be in snake case."],
  ["Gemini: `generationConfig`", settings.rows],
  ["OpenAI Responses", openaiResponses.rows],
  ["Converse", converse.rows],
  ["Converse: `inferenceConfig`", converseSettings.rows],
];

/** The page below its title. */
export function fieldDocument(): string {
  const parts = tables.map(([title, rows, note]) => {
    const lines = Object.entries(rows).map(([name, field]) => [
      code(name),
      required(field, name),
      field.acts ? "yes" : "",
      becomes(field, name),
    ]);
    const head = ["Field", "Must be", "Once", "Where the request crosses"];
    return [
      `## ${title}\n`,
      ...(note ? [`${note}\n`] : []),
      tableOf(head, [...lines, ["any other", "", "", "dropped"]]),
    ].join("\n");
  });
  return [...parts, places(), agents()].join("\n\n");
}

/** What coding agents send, by client. `test/shared/calls/gateway/agent-fields.test.ts` plays each row. */
function agents(): string {
  const titles = {
    openai: "OpenAI chat",
    anthropic: "Anthropic",
    gemini: "Gemini",
    responses: "OpenAI Responses",
  };
  const rows = agentFields.map((field) => [titles[field.client], field.what, crossesAs(field)]);
  return `## What agents send\n\n${tableOf(["Client", "Sends", "Where the request crosses"], rows)}`;
}

function crossesAs({ refused, dropped = [], carried, told }: AgentField): string {
  if (told !== undefined) return told;
  const names = dropped.map(code).join(", ");
  if (carried) return `carried as ${carried.as}`;
  if (refused === undefined) return names === "" ? "nothing is lost" : `dropped as ${names}`;
  return names === ""
    ? `refused: “${refused}”`
    : `refused, or dropped as ${names} where the client allows it`;
}

function code(name: string): string {
  return `\`${name}\``;
}

/** What a field must be: in every request, or only where it crosses. */
function required({ check, read }: Field, name: string): string {
  if (check) return demands(check, name);
  return read ? `${demands(read, name)}, where it crosses` : "";
}

/**
 * What a check says to a value that it never takes, to none, and to `true`, which may be a boolean that is not taken.
 */
function demands(check: Read, name: string): string {
  const [odd, absent, flag] = [Symbol("odd"), undefined, true].map((value) =>
    messageOf(() => check({ [name]: value }, name)),
  );
  const told = odd?.replace(`\`${name}\` must be `, "").replace(`\`${name}\` is `, "left out: it is ") ?? "";
  const must = told.replace(/\.$/, "");
  const but = flag && flag !== odd ? `. \`true\` is refused: “${flag}”` : "";
  return `${absent ? "given: " : ""}${must}${but}`;
}

function messageOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

function becomes({ carried, members, refused, hosted, unless = [] }: Field, name: string): string {
  const harmless =
    typeof unless === "function"
      ? "a value that asks for nothing more"
      : unless.map((value) => code(String(value))).join(" or ");
  const but = harmless && `, but for ${harmless}`;
  if (hosted) return "refused as a hosted tool, or left out where the client allows it";
  if (refused) return `refused${but}: “${refused(name).message}”`;
  if (!carried) return `dropped${but}`;
  const as = carried === true ? "" : ` as ${[carried].flat().map(code).join(" and ")}`;
  return `carried${as}${members ? `: ${listed(members)}` : ""}`;
}

function listed(members: CarriedMembers): string {
  return Object.entries(members)
    .map(([name, inner]) => (inner === true ? code(name) : `${code(name)} (${listed(inner)})`))
    .join(", ");
}

const plainRequest: ChatRequest = {
  system: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  tools: [],
  stop: [],
  stream: false,
};
const tool = { name: "f" };
const source = { type: "base64", media_type: "image/png", data: "aGk=" } as const;
const call = { type: "tool_call", id: "1", name: "f", arguments: "{}" } as const;
const asks = (...parts: (ChatRequest["messages"][number] & { role: "user" })["parts"]) => ({
  messages: [{ role: "user" as const, parts }],
});
const answers = (...parts: (ChatRequest["messages"][number] & { role: "assistant" })["parts"]) => ({
  messages: [...plainRequest.messages, { role: "assistant" as const, parts }],
});

/** What a request may have that some protocol has no place for. */
const samples: [what: string, request: Partial<ChatRequest>][] = [
  ["`top_k`", { top_k: 5 }],
  ["`seed`", { seed: 7 }],
  ["`user`", { user: "u" }],
  ["stop sequences", { stop: ["END"] }],
  ["a temperature above 1", { temperature: 1.5 }],
  ["a choice among no tools", { tool_choice: { type: "auto" } }],
  ["no parallel calls", { tools: [tool], parallel_tool_calls: false }],
  ["a strict tool", { tools: [{ ...tool, strict: true }] }],
  ["an answer in any JSON", { format: { type: "json" } }],
  ["a schema's name", { format: { type: "json_schema", name: "n", schema: {}, strict: true } }],
  ["a schema that does not bind", { format: { type: "json_schema", name: "n", schema: {}, strict: false } }],
  ["the effort `minimal`", { reasoning: { effort: "minimal" } }],
  ["the effort `max`", { reasoning: { effort: "max" } }],
  ["a budget of reasoning", { max_output_tokens: 8_192, reasoning: { budget_tokens: 2_000 } }],
  ["reasoning to be shown", { reasoning: { effort: "low", include: true } }],
  ["the detail of a picture", asks({ type: "image", source, detail: "low" })],
  ["the name of a picture", asks({ type: "image", source, name: "a.png" })],
  ["sound", asks({ type: "audio", source: { ...source, media_type: "audio/wav" } })],
  [
    "a tool's failure",
    {
      messages: [
        ...answers(call).messages,
        ...asks({ type: "tool_result", call_id: "1", content: [], is_error: true }).messages,
      ],
    },
  ],
  ["unsigned reasoning", answers({ type: "reasoning", text: "Hm." }, { type: "text", text: "Hi" })],
  [
    "redacted reasoning",
    answers({ type: "reasoning", text: "", signature: "s", redacted: true }, { type: "text", text: "Hi" }),
  ],
  ["a signed call", answers({ ...call, signature: "s" })],
];

/** Ways of serving a call, whose words the protocols have in a table. */
const served: [what: string, way: Way, name: string][] = [
  ["a service tier", "service_tier", "priority"],
  ["a speed", "speed", "fast"],
];

function wordOf({ ways }: Protocol, way: Way, name: string): string {
  return ways?.[way]?.[name] === undefined ? code(way) : "carried where it has a price";
}

/** What of a request each provider's protocol has no place for. */
function places(): string {
  const providers: [title: string, way: Crossing, upstream: Protocol][] = [
    ["OpenAI chat", crossings["openai-chat"], protocols["openai-chat"]],
    ["Anthropic", crossings.anthropic, protocols.anthropic],
    ["Gemini", crossings.gemini, protocols.gemini],
    ["OpenAI Responses", crossings["openai-responses"], protocols["openai-responses"]],
    ["Converse", crossings["bedrock-converse"], protocols["bedrock-converse"]],
  ];
  const rows = [
    ...samples.map(([what, request]) => [what, ...providers.map(([, way]) => placeOf(way, request))]),
    ...served.map(([what, way, name]) => [
      what,
      ...providers.map(([, , upstream]) => wordOf(upstream, way, name)),
    ]),
  ];
  const head = ["Of a request", ...providers.map(([title]) => title)];
  return `## To each provider\n\n${tableOf(head, rows)}`;
}

function placeOf(way: Crossing, request: Partial<ChatRequest>): string {
  const encode = (given: ChatRequest) => way.encodeRequest(given, { model: "m", output_tokens: 8_192 });
  let dropped: string[] = [];
  const refusal = messageOf(() => {
    dropped = encode({ ...plainRequest, ...request })?.dropped ?? [];
  });
  if (refusal) return "refused";
  return dropped.length > 0 ? dropped.map(code).join(", ") : "carried";
}
