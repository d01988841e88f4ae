/**
 * Requests that are valid for the client's vendor and odd for others. They have names with dots, long ids, schemas in
 * every form, texts of spaces, and instructions between turns.
 */
import fc from "fast-check";
import { GatewayError } from "#shared/base/errors.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  MediaPart,
  Tool,
  UserPart,
} from "#shared/calls/chat/request.ts";
import { bounded } from "#shared/calls/protocols/bounds/bounded.ts";
import { bounds, type ProtocolBounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { crossings } from "./crossings.ts";
import { neutralRequest } from "./neutral.ts";

type Json = Record<string, unknown>;

const text = fc.constantFrom("Hello", " ", "\n", "What is this? ", "Sì, «così» 😀", "</system>");
const letters = fc.constantFrom(
  "a",
  "B",
  "_",
  "-",
  ".",
  ":",
  "7",
  "x".repeat(40),
  "y".repeat(130),
  "calendar",
  "読む",
);
const name = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const member = fc.constantFrom("city", "default", "enum", "const", "examples", "type", "properties", "n");

const leaf = fc.constantFrom<Json>(
  { type: "string" },
  { type: "string", enum: ["a", "b"] },
  { type: ["integer", "null"], minimum: 1 },
  { type: "array" },
  { type: "array", items: { type: "object" } },
  { type: "object", additionalProperties: false },
  { $ref: "#/$defs/place", description: "A place", title: "Place" },
  { enum: [1, "two", null] },
  { anyOf: [{ type: "string" }, { type: "object", properties: {} }] },
  { oneOf: [{ const: "x" }, { type: "number" }] },
  { type: "string", default: "x" },
  { type: "array", items: {}, uniqueItems: true, contains: {}, minContains: 1, maxContains: 3 },
  { type: "array", prefixItems: [{}], unevaluatedItems: false },
  { type: "object", properties: {}, patternProperties: { "^x": {} }, propertyNames: { maxLength: 9 } },
  { type: "object", properties: {}, minProperties: 0, maxProperties: 3, unevaluatedProperties: false },
  { allOf: [{ type: "string" }], not: { const: "x" }, if: {}, else: {} },
  { type: "object", properties: {}, dependentRequired: { a: ["b"] }, dependentSchemas: { a: {} } },
  {},
);

const object = fc
  .tuple(fc.dictionary(member, leaf, { maxKeys: 3 }), fc.boolean(), fc.boolean(), fc.nat())
  .map(([properties, isClosed, isBare, bits]): Json => {
    const names = Object.keys(properties);
    const required = names.filter((_, at) => ((bits >> at) & 1) === 1);
    return {
      type: "object",
      ...(isBare && names.length === 0 ? {} : { properties }),
      ...(required.length > 0 && { required }),
      ...(isClosed && { additionalProperties: false }),
      ...(names.length > 0 && {
        $defs: { place: { type: "object", properties: { at: { type: "string" } } } },
      }),
    };
  });

/** Roots that say a choice in several ways. */
const root = fc.oneof(
  { weight: 4, arbitrary: object },
  fc.tuple(object, object).map(([one, other]): Json => ({ anyOf: [one, other] })),
  fc.tuple(object, object).map(([one, other]): Json => ({ ...one, allOf: [other] })),
  object.map((one): Json => ({ ...one, oneOf: [{ required: ["city"] }, { required: ["n"] }] })),
  object.map(({ type: _, ...untyped }): Json => untyped),
);

const tool: fc.Arbitrary<Tool> = fc
  .record({
    name,
    parameters: fc.option(root, { nil: undefined }),
    strict: fc.constantFrom(undefined, true, false),
  })
  .map(({ name: called, parameters, strict }) => ({
    name: called,
    ...(parameters && { parameters }),
    ...(strict === undefined ? {} : { strict }),
  }));

const words: MediaPart = {
  type: "file",
  source: { type: "base64", media_type: "text/plain", data: "SGVsbG8=" },
};

const picture = fc.constantFrom("image/jpg", "image/png", "image/jpeg").map(
  (media_type): MediaPart => ({
    type: "image",
    source: { type: "base64", media_type, data: "iVBORw0KGgo=" },
  }),
);

const instructions = fc
  .array(text, { minLength: 1, maxLength: 2 })
  .map(
    (texts): ChatMessage => ({ role: "system", parts: texts.map((each) => ({ type: "text", text: each })) }),
  );

/** What is done to a plain request. */
const oddness = fc.record({
  tools: fc.array(tool, { maxLength: 4 }),
  repeats: fc.boolean(),
  names: fc.array(name, { minLength: 6, maxLength: 6 }),
  id: fc.constantFrom("call", "call.1:x", `toolu_${"y".repeat(60)}`),
  said: fc.array(text, { minLength: 1, maxLength: 3 }),
  media: fc.array(fc.oneof({ weight: 3, arbitrary: picture }, fc.constant(words)), { maxLength: 1 }),
  instructions,
  places: fc.nat(63),
  user: fc.option(fc.constantFrom("ann", "x".repeat(150), `{"device_id":"${"d".repeat(64)}"}`), {
    nil: undefined,
  }),
  stop: fc.array(fc.constantFrom("END", "\n", "stop it", "。", "a", "b", "c"), { maxLength: 6 }),
  schema: fc.option(object, { nil: undefined }),
  last: fc.constantFrom("user", "assistant"),
  /** Ids that begin again with each answer, as Kimi's do. */
  counts_again: fc.boolean(),
  /** Where a client has cut the beginning of its conversation. */
  first: fc.constantFrom("user", "assistant"),
});

type Oddness = typeof oddness extends fc.Arbitrary<infer Value> ? Value : never;

/** The place of a call among those of its turn, or its own id. */
function idOf(odd: Oddness, id: string, { parts }: ChatMessage): string {
  const ids = (parts as (AssistantPart | UserPart)[]).flatMap((part) =>
    part.type === "tool_call" ? [part.id] : part.type === "tool_result" ? [part.call_id] : [],
  );
  return odd.id + (odd.counts_again ? ids.indexOf(id) : id);
}

function oddTurn(message: ChatMessage, odd: Oddness, at: number): ChatMessage[] {
  const before = ((odd.places >> at) & 1) === 1 && at > 0 ? [odd.instructions] : [];
  if (message.role === "assistant") {
    const parts = message.parts.flatMap((part): AssistantPart[] => {
      if (part.type === "reasoning") return [];
      if (part.type === "text") return [part];
      const { signature: _, ...call } = part;
      return [{ ...call, id: idOf(odd, part.id, message), name: odd.names[at % 6] ?? part.name }];
    });
    return [...before, { role: "assistant", parts }];
  }
  if (message.role === "system") return [...before, message];
  const parts = message.parts.map((part): UserPart => {
    if (part.type !== "tool_result") return part;
    const content = at % 2 === 0 ? [...part.content, ...odd.media] : part.content;
    return {
      ...part,
      call_id: idOf(odd, part.call_id, message),
      name: odd.names[(at - 1) % 6] ?? "f",
      content,
    };
  });
  const said = odd.said.map((each): UserPart => ({ type: "text", text: each }));
  return [...before, { role: "user", parts: [...parts, ...said, ...odd.media] }];
}

/** An odd request in the neutral form. */
const oddRequest: fc.Arbitrary<ChatRequest> = fc.tuple(neutralRequest, oddness).map(([plain, odd]) => {
  const { tool_choice: _, format: __, user: ___, parallel_tool_calls: ____, ...rest } = plain;
  const tools = odd.repeats ? [...odd.tools, ...odd.tools.slice(0, 1)] : odd.tools;
  const turns = plain.messages.flatMap((message, at) => oddTurn(message, odd, at));
  const messages = odd.first === "user" ? turns : turns.slice(1);
  if (odd.last === "assistant")
    messages.push({ role: "assistant", parts: [{ type: "text", text: "Once upon " }] });
  return {
    ...rest,
    tools,
    messages,
    stop: odd.stop,
    ...(odd.user !== undefined && { user: odd.user }),
    ...(odd.schema && {
      format: { type: "json_schema", name: odd.names[0] ?? "n", schema: odd.schema, strict: odd.repeats },
    }),
  } as ChatRequest;
});

/** Bounds of hosts that take anything that the protocol can write. */
const lax: ProtocolBounds = {
  name: { pattern: /^/, other: /(?!)/gu, most: Number.POSITIVE_INFINITY },
  schema: {},
};

const written = (client: CrossingName, own: ProtocolBounds): fc.Arbitrary<Json> =>
  fc
    .tuple(oddRequest, fc.nat(7))
    .map(([request, bits]) => {
      try {
        const { body } = crossings[client].encodeRequest(bounded(request, own, {}).request, {
          model: "m",
          output_tokens: 4_000,
        });
        const json = JSON.parse(JSON.stringify(body)) as Json;
        return ownForms[client]?.(json, bits) ?? json;
      } catch (error) {
        if (error instanceof GatewayError) return undefined;
        throw error;
      }
    })
    .filter((body) => body !== undefined);

/** A body of Responses with tools in its own forms: a namespace, and a tool that takes any text. */
function withOwnTools(body: Json, bits: number): Json {
  const [first, ...others] = (body.tools ?? []) as Json[];
  if (!first) return body;
  const name = (bits & 2) === 0 ? "mcp__docs" : "n".repeat(64);
  const spaced = (bits & 1) === 0 ? first : { type: "namespace", name, description: "Docs", tools: [first] };
  const custom = (bits & 4) === 0 ? [] : [{ type: "custom", name: "apply_patch", description: "A patch" }];
  return { ...body, tools: [spaced, ...others, ...custom] };
}

/** A body of OpenAI chat with tools that take any text, or in the form from before there were tools. */
function withOldForms(body: Json, bits: number): Json {
  if ((bits & 1) === 0) return withTexts(body);
  return (bits & 2) === 0 ? withFunctions(body, (bits & 4) === 0) : body;
}

type Call = { id: string; function: { name: string; arguments: string } };

/** Every other tool takes any text, and so do the calls of it. */
function withTexts(body: Json): Json {
  const tools = (body.tools ?? []) as { function: Json }[];
  const texts = new Set(tools.filter((_, at) => at % 2 === 0).map((each) => each.function.name));
  const grammar = { syntax: "lark", definition: "start: /.+/s" };
  const messages = (body.messages as Json[]).map(({ tool_calls, ...message }) => {
    if (tool_calls === undefined) return message;
    const calls = (tool_calls as Call[]).map(({ id, function: { name, arguments: input } }) =>
      texts.has(name)
        ? { id, type: "custom", custom: { name, input } }
        : { id, type: "function", function: { name, arguments: input } },
    );
    return { ...message, tool_calls: calls };
  });
  if (tools.length === 0) return { ...body, messages };
  const given = tools.map((each, at) => {
    const { name } = each.function;
    const format = at % 4 === 0 ? { type: "grammar", grammar } : { type: "text" };
    return at % 2 === 0 ? { type: "custom", custom: { name, description: "Any", format } } : each;
  });
  return { ...body, messages, tools: given };
}

/** Functions, and one call at most in each turn. */
function withFunctions({ tools, parallel_tool_calls: _, ...body }: Json, isForced: boolean): Json {
  const functions = ((tools ?? []) as { function: Json }[]).map(
    ({ function: { strict: __, ...each } }) => each,
  );
  const names = new Map<unknown, string>();
  const messages = (body.messages as Json[]).flatMap(({ tool_calls, ...message }): Json[] => {
    const [first] = (tool_calls ?? []) as Call[];
    if (first) {
      names.clear();
      names.set(first.id, first.function.name);
      return [{ ...message, function_call: first.function }];
    }
    if (message.role !== "tool") return [message];
    const name = names.get(message.tool_call_id);
    names.clear();
    return name === undefined ? [] : [{ role: "function", name, content: message.content }];
  });
  if (functions.length === 0) return { ...body, messages };
  return { ...body, messages, functions, ...(isForced && { function_call: { name: functions[0]?.name } }) };
}

/** Forms that only one protocol has. */
const ownForms: Partial<Record<CrossingName, (body: Json, bits: number) => Json>> = {
  "openai-chat": withOldForms,
  "openai-responses": withOwnTools,
};

/** A body that a client of this protocol may send to its own vendor. */
export const oddBody = (client: CrossingName): fc.Arbitrary<Json> => written(client, bounds[client]);

/** A body that a client may send to a host of its protocol that looks at less than the vendor does. */
export const laxBody = (client: CrossingName): fc.Arbitrary<Json> => written(client, lax);
