/**
 * Random neutral requests, replies and streams, as a well-behaved client and provider make them. Turns alternate,
 * and each call is answered in the next turn. Parts stand in the order reasoning, text, calls. The test of a
 * protocol takes out what that protocol cannot carry.
 */
import fc from "fast-check";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import { omitUndefined } from "#shared/calls/chat/omit-undefined.ts";
import type { ChatReply, ReplyUsage } from "#shared/calls/chat/reply.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  MediaPart,
  ReasoningPart,
  TextPart,
  Tool,
  ToolCallPart,
  UserPart,
} from "#shared/calls/chat/request.ts";

/** Plain objects, as JSON gives them: strict equality tells them from objects without a prototype. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const someText = fc.string({ minLength: 1, maxLength: 24, unit: "grapheme" });
const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,11}$/);
const identifier = fc.stringMatching(/^[a-zA-Z0-9_-]{4,16}$/);
const base64 = fc.base64String({ minLength: 4, maxLength: 24 });
const url = word.map((path) => `https://media.example/${path}`);

const textPart: fc.Arbitrary<TextPart> = someText.map((text) => ({ type: "text", text }));

const inline = (...types: string[]) =>
  record({ type: fc.constant("base64" as const), media_type: fc.constantFrom(...types), data: base64 });

const mediaPart: fc.Arbitrary<MediaPart> = fc.oneof(
  record({
    type: fc.constant("image" as const),
    source: fc.oneof(inline("image/png", "image/jpeg"), record({ type: fc.constant("url" as const), url })),
  }),
  record({
    type: fc.constant("file" as const),
    source: inline("application/pdf"),
    name: word.map((name) => `${name}.pdf`),
  }),
  record({ type: fc.constant("audio" as const), source: inline("audio/wav", "audio/mp3") }),
);

/** A JSON object as text. Keys are words, so that parsing and printing keeps their order. */
const argumentsText: fc.Arbitrary<string> = fc
  .dictionary(
    word,
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.nat())),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  )
  .map((value) => JSON.stringify(value));

const reasoningPart: fc.Arbitrary<ReasoningPart> = fc.oneof(
  { weight: 3, arbitrary: someText.map((text) => ({ type: "reasoning" as const, text })) },
  {
    weight: 2,
    arbitrary: record({ type: fc.constant("reasoning" as const), text: someText, signature: base64 }),
  },
  {
    weight: 1,
    arbitrary: base64.map((signature) => ({
      type: "reasoning" as const,
      text: "",
      signature,
      redacted: true as const,
    })),
  },
);

type CallBody = Pick<ToolCallPart, "name" | "arguments"> & { signature: string | undefined };

const callBody: fc.Arbitrary<CallBody> = record({
  name: word,
  arguments: argumentsText,
  signature: maybe(base64),
});

interface Answer {
  reasoning: ReasoningPart[];
  text: TextPart | undefined;
  calls: CallBody[];
}

const answer: fc.Arbitrary<Answer> = record({
  reasoning: fc.array(reasoningPart, { maxLength: 2 }),
  text: maybe(textPart),
  calls: fc.array(callBody, { maxLength: 3 }),
}).filter(({ text, calls }) => text !== undefined || calls.length > 0);

function partsOf(answered: Answer, firstCall: number): AssistantPart[] {
  const calls = answered.calls.map((call, index) =>
    omitUndefined({ type: "tool_call" as const, id: `call_${firstCall + index}`, ...call }),
  );
  return [...answered.reasoning, ...(answered.text ? [answered.text] : []), ...calls] as AssistantPart[];
}

const turn = record({
  said: fc.array(fc.oneof({ weight: 3, arbitrary: textPart }, mediaPart), { minLength: 1, maxLength: 3 }),
  answered: answer,
  results: fc.array(record({ content: fc.array(textPart, { maxLength: 2 }), failed: fc.boolean() }), {
    minLength: 3,
    maxLength: 3,
  }),
});

/** Turns that begin and end with the user. */
const conversation: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(fc.array(turn, { maxLength: 3 }), fc.array(textPart, { minLength: 1, maxLength: 2 }))
  .map(([turns, last]) => {
    const messages: ChatMessage[] = [];
    let results: UserPart[] = [];
    let calls = 0;
    for (const { said, answered, results: given } of turns) {
      messages.push({ role: "user", parts: [...results, ...said] });
      const parts = partsOf(answered, calls);
      messages.push({ role: "assistant", parts });
      calls += answered.calls.length;
      results = parts
        .filter((part) => part.type === "tool_call")
        .map(({ id, name }, index) => {
          const { content = [], failed = false } = given[index] ?? {};
          return {
            type: "tool_result",
            call_id: id,
            name,
            content,
            ...(failed ? { is_error: true as const } : {}),
          };
        });
    }
    return [...messages, { role: "user", parts: [...results, ...last] }];
  });

const schema = fc.dictionary(word, fc.constantFrom("string", "integer", "boolean"), { maxKeys: 3 }).map(
  (types): Record<string, unknown> => ({
    type: "object",
    properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
  }),
);

const tool: fc.Arbitrary<Tool> = record({
  name: word,
  description: maybe(someText),
  parameters: maybe(schema),
  strict: maybe(fc.boolean()),
}).map(omitUndefined) as fc.Arbitrary<Tool>;

/** Any neutral request. A tool choice and `parallel_tool_calls` only come with tools. */
export const neutralRequest: fc.Arbitrary<ChatRequest> = record({
  system: fc.array(textPart, { maxLength: 2 }),
  messages: conversation,
  tools: fc.uniqueArray(tool, { maxLength: 3, selector: ({ name }) => name }),
  choice: maybe(fc.constantFrom("auto" as const, "none" as const, "required" as const, "tool" as const)),
  parallel_tool_calls: maybe(fc.boolean()),
  max_output_tokens: maybe(fc.integer({ min: 1, max: 100_000 })),
  temperature: maybe(fc.constantFrom(0, 0.5, 1)),
  top_p: maybe(fc.constantFrom(0.1, 0.9, 1)),
  top_k: maybe(fc.integer({ min: 1, max: 100 })),
  stop: fc.array(someText, { maxLength: 4 }),
  format: maybe(
    fc.oneof(
      fc.constantFrom({ type: "text" as const }, { type: "json" as const }),
      record({
        type: fc.constant("json_schema" as const),
        name: word,
        schema,
        strict: maybe(fc.boolean()),
      }).map(omitUndefined),
    ),
  ),
  effort: maybe(fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh")),
  seed: maybe(fc.nat()),
  user: maybe(identifier),
  stream: fc.boolean(),
}).map(({ choice, effort, parallel_tool_calls, ...rest }) => {
  const [first] = rest.tools;
  const named = choice === "tool" ? { type: choice, name: first?.name } : choice && { type: choice };
  return omitUndefined({
    ...rest,
    ...(first ? { tool_choice: named, parallel_tool_calls } : {}),
    reasoning: effort && { effort },
  }) as ChatRequest;
});

const count = fc.integer({ min: 0, max: 100_000 });

const replyUsage: fc.Arbitrary<ReplyUsage> = record({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning: maybe(count),
}).map(({ reasoning, ...tokens }) => ({
  ...tokens,
  generated_images: 0,
  video_seconds: 0,
  ...(reasoning === undefined ? {} : { reasoning_tokens: Math.min(reasoning, tokens.output_tokens) }),
}));

/** Any neutral reply; it stops for its tool calls where it has some. */
export const neutralReply: fc.Arbitrary<ChatReply> = record({
  id: identifier,
  created: fc.integer({ min: 1, max: 2_000_000_000 }),
  answered: answer,
  stop_reason: fc.constantFrom("stop" as const, "length" as const, "refusal" as const),
  usage: replyUsage,
}).map(({ answered, stop_reason, ...rest }) => ({
  ...rest,
  parts: partsOf(answered, 0),
  stop_reason: answered.calls.length > 0 ? "tool_calls" : stop_reason,
}));

function pieces(text: string, length: number): string[] {
  const letters = [...text];
  return Array.from({ length: Math.ceil(letters.length / length) }, (_, index) =>
    letters.slice(index * length, (index + 1) * length).join(""),
  );
}

/** The events of one tool call; an empty object may come without any delta. */
function callEvents(call: ToolCallPart, index: number, length: number): ChatEvent[] {
  const { type: _, arguments: text, ...start } = call;
  const deltas = text === "{}" ? [] : pieces(text, length);
  return [
    { type: "tool-call-start", index, ...start },
    ...deltas.map((piece): ChatEvent => ({ type: "tool-call-delta", index, arguments: piece })),
    { type: "tool-call-end", index },
  ];
}

/** The stream of a reply: text cut to `length` letters, calls one after the other or interleaved. */
export function eventsOf(reply: ChatReply, length: number, interleaved: boolean): ChatEvent[] {
  const events: ChatEvent[] = [{ type: "reply-start", id: reply.id, created: reply.created }];
  const calls: ChatEvent[][] = [];
  for (const part of reply.parts) {
    if (part.type === "tool_call") {
      calls.push(callEvents(part, calls.length, length));
    } else if (part.type === "text") {
      for (const text of pieces(part.text, length)) events.push({ type: "text-delta", text });
    } else {
      for (const text of pieces(part.text, length)) events.push({ type: "reasoning-delta", text });
      const { type: _, text: __, ...ending } = part;
      events.push({ type: "reasoning-end", ...ending });
    }
  }
  const rounds = Math.max(0, ...calls.map((call) => call.length));
  const woven = Array.from({ length: rounds }, (_, round) => calls.flatMap((call) => call[round] ?? []));
  events.push(...(interleaved ? woven.flat() : calls.flat()));
  if (reply.refusal !== undefined) events.push({ type: "refusal-delta", text: reply.refusal });
  if (reply.usage) events.push({ type: "usage", usage: reply.usage });
  return [...events, omitUndefined({ type: "reply-end" as const, stop_reason: reply.stop_reason })];
}

/** A reply with a stream that makes it. */
export const neutralStream: fc.Arbitrary<{ reply: ChatReply; events: ChatEvent[] }> = fc
  .tuple(neutralReply, fc.integer({ min: 1, max: 9 }), fc.boolean())
  .map(([reply, length, interleaved]) => ({ reply, events: eventsOf(reply, length, interleaved) }));
