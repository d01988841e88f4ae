/** An agent's conversation that grows turn by turn, as each client sends it, and what a provider may keep of it. */
import fc from "fast-check";
import { omitUndefined } from "#shared/calls/chat/omit-undefined.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  TextPart,
  Tool,
  UserPart,
} from "#shared/calls/chat/request.ts";
import { tagPart } from "#shared/calls/chat/signature.ts";
import { bounded } from "#shared/calls/protocols/bounds/bounded.ts";
import { bounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { crossings } from "#test/support/crossings.ts";

type Json = Record<string, unknown>;

/** So many turns of the user. */
export const turnCount = 10;

const text = (said: string): TextPart => ({ type: "text", text: said });

const toolNames = ["shell", "calendar.read", `mcp__${"n".repeat(70)}`, "docs:search", "読む"];

const tools: Tool[] = toolNames.map((name, at) => ({
  name,
  description: `Tool ${at}`,
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "array" } },
    ...(at % 2 === 0 && { required: ["city"], additionalProperties: false }),
  },
  ...(at === 0 && { strict: true }),
}));

const step = fc.record({
  said: fc.constantFrom(["Go on."], [" ", "Sì 😀\n"], ["Look at this. ", "\n"], ["One", "Two"]),
  calls: fc.array(fc.nat(toolNames.length - 1), { maxLength: 3 }),
  id: fc.constantFrom("call_", "toolu_01:", `functions.${"f".repeat(60)}:`),
  reasoned: fc.constantFrom("none", "own", "foreign", "unsigned", "redacted"),
  words: fc.constantFrom("", "I look. ", "\n"),
  /** Where instructions stand: nowhere, before the user's words, or behind the results of tools. */
  told: fc.constantFrom("nowhere", "nowhere", "before", "behind"),
  pictured: fc.boolean(),
  failed: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The steps of a conversation; what is left out of ids and what is marked holds for all of it. */
export const conversation = fc.record({
  steps: fc.array(step, { minLength: turnCount, maxLength: turnCount }),
  system: fc.array(fc.constantFrom("Be brief.", "Work.\n"), { maxLength: 2 }),
  bare_ids: fc.boolean(),
});

type Conversation = typeof conversation extends fc.Arbitrary<infer Value> ? Value : never;

function reasoningOf({ reasoned }: Step, turn: number, origin: string): AssistantPart[] {
  const signature = Buffer.from(`signature ${turn}`).toString("base64");
  const thought = { type: "reasoning" as const, text: `Thought ${turn}.` };
  switch (reasoned) {
    case "own":
      return [tagPart({ ...thought, signature }, origin)];
    case "foreign":
      return [{ ...thought, signature }];
    case "unsigned":
      return [thought];
    case "redacted":
      return [tagPart({ type: "reasoning", text: "", signature, redacted: true }, origin)];
    default:
      return [];
  }
}

const idOf = ({ id }: Step, turn: number, at: number): string => `${id}${turn}_${at}`;

/** What the user's side says in this turn: results of the calls before, and new words. */
function asked(now: Step, before: Step | undefined, turn: number): ChatMessage[] {
  const results = (before?.calls ?? []).map(
    (tool, at): UserPart => ({
      type: "tool_result",
      call_id: idOf(before as Step, turn - 1, at),
      name: toolNames[tool] ?? "",
      content: [text(`Result ${turn}`)],
      ...(now.failed && { is_error: true as const }),
    }),
  );
  const source = { type: "base64" as const, media_type: "image/png", data: "iVBORw0KGgo=" };
  const picture: UserPart[] = now.pictured ? [{ type: "image", source }] : [];
  const words: UserPart[] = [...now.said.map(text), ...picture];
  const told: ChatMessage = { role: "system", parts: [text(`Plan of turn ${turn}.`)] };
  const user = (parts: UserPart[]): ChatMessage[] => (parts.length > 0 ? [{ role: "user", parts }] : []);
  if (now.told === "nowhere" || turn === 0) return user([...results, ...words]);
  if (now.told === "behind") return [...user([...results, ...words]), told];
  return [...user(results), told, ...user(words)];
}

function answered(now: Step, turn: number, origin: string): ChatMessage {
  const calls = now.calls.map(
    (tool, at): AssistantPart => ({
      type: "tool_call",
      id: idOf(now, turn, at),
      name: toolNames[tool] ?? "",
      arguments: `{"city":"Rome","n":${turn}.0}`,
    }),
  );
  // An answer without a word or a call is no turn for Anthropic, so that two turns of the user become one.
  const said = now.words.trim() === "" && calls.length === 0 ? "Done." : now.words;
  const words = said === "" ? [] : [text(said)];
  return { role: "assistant", parts: [...reasoningOf(now, turn, origin), ...words, ...calls] };
}

/** The client's body with the turns up to this one. `origin` signs what is the called model's own. */
export function bodyAt(
  client: CrossingName,
  { steps, system, bare_ids }: Conversation,
  turn: number,
  origin: string,
): Json {
  const messages = steps
    .slice(0, turn + 1)
    .flatMap((now, at): ChatMessage[] => [
      ...(at > 0 ? [answered(steps[at - 1] as Step, at - 1, origin)] : []),
      ...asked(now, steps[at - 1], at),
    ]);
  const request: ChatRequest = omitUndefined({
    system: system.map(text),
    messages,
    tools,
    stop: [],
    stream: false,
    user: "u".repeat(150),
  });
  const own = bounded(request, bounds[client], {}).request;
  const { body } = crossings[client].encodeRequest(own, { model: "m", output_tokens: 4_000 });
  const json = JSON.parse(JSON.stringify(body)) as Json;
  if (client === "anthropic") attribute(json, turn);
  return client === "gemini" && bare_ids ? withoutIds(json) : json;
}

/** Claude Code's first line changes with each request. */
function attribute(body: Json, turn: number): void {
  const line = { type: "text", text: `x-anthropic-billing-header: cch=${turn};` };
  body.system = [line, ...((body.system ?? []) as Json[])];
}

/** Most of Gemini's clients give calls and results no ids. */
function withoutIds(body: Json): Json {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => {
      if (key !== "functionCall" && key !== "functionResponse") return value;
      const { id: _, ...rest } = value as Json;
      return rest;
    }),
  ) as Json;
}

/** What a provider was sent, as a list in the order in which it keeps the beginning; with the places of cache points. */
export interface Kept {
  atoms: string[];
  points: number[];
}

/** A body of a provider as what it keeps: tools, then instructions, then turns part by part. */
export function keptOf(sent: Json): Kept {
  const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
  const settings = Object.entries(sent).filter(([, value]) => !Array.isArray(value));
  const turns = [...list(sent.messages), ...list(sent.contents), ...list(sent.input)];
  const parts = turns.flatMap(({ content, parts: given, ...turn }): Json[] => {
    const inner = list(content ?? given);
    return inner.length > 0 ? inner.map((part) => ({ ...turn, part })) : [{ ...turn, content }];
  });
  const kept = [...list(sent.tools), ...list(sent.system), ...settings, ...parts];
  const points = kept.flatMap((atom, at) => (JSON.stringify(atom).includes('"cache_control"') ? [at] : []));
  const marks = /,"cache_control":\{"type":"ephemeral"\}/g;
  return { atoms: kept.map((atom) => JSON.stringify(atom).replace(marks, "")), points };
}
