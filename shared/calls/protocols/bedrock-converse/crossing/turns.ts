/** Turns of a conversation as Converse takes them: by turns, the user's first, and none empty (protocols.md §8.1). */
import type { Fields } from "../../../../base/json/fields.ts";
import { asUserText } from "../../../chat/instructions.ts";
import type {
  AssistantPart,
  ChatMessage,
  ContentPart,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../../chat/request.ts";
import { wordless } from "../../../chat/wordless.ts";
import { argumentsObject } from "../../arguments.ts";
import type { ConverseTurn } from "./body.ts";
import { marked } from "./cache-points.ts";
import { type DocumentNames, encodeMedia } from "./documents.ts";

/** What the encoding of one request needs and collects. */
export interface Writing {
  names: DocumentNames;
  /** Whether the model takes media and a status in the results of tools. */
  nests: boolean;
  /** Whether results of tools may stand beside anything else in a turn. */
  mixes: boolean;
  dropped: Set<string>;
}

/** A part's block, with a cache point behind it if it has one. */
type Blocks = Fields[];

/** The model's turn between results and what the user says then. It says as little as can be. */
const between: ConverseTurn = { role: "assistant", content: [{ text: "OK" }] };

export function encodeTurns(messages: readonly ChatMessage[], writing: Writing): ConverseTurn[] {
  const turns: { role: ConverseTurn["role"]; parts: Blocks[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const parts = encodeParts(message, writing);
    const last = turns.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", parts: wordless.parts.map(encodeText) });
  return turns.flatMap(({ role, parts }) =>
    role === "user" ? userTurns(parts, writing) : [{ role, content: parts.flat() }],
  );
}

/** A turn of the user's: results before all else, or in a turn of their own. A document needs a text beside it. */
function userTurns(parts: Blocks[], { mixes }: Writing): ConverseTurn[] {
  const results = parts.filter(isResult).flat();
  const said = parts.filter((each) => !isResult(each)).flat();
  const has = (kind: string) => said.some((block) => Object.hasOwn(block, kind));
  if (has("document") && !has("text")) said.push(...wordless.parts.flatMap(encodeText));
  if (mixes || results.length === 0 || said.length === 0)
    return [{ role: "user", content: [...results, ...said] }];
  return [{ role: "user", content: results }, between, { role: "user", content: said }];
}

const isResult = ([block]: Blocks): boolean => block !== undefined && Object.hasOwn(block, "toolResult");

function encodeParts(message: ChatMessage, writing: Writing): Blocks[] {
  if (message.role === "system") return [encodeText(asUserText(message.parts))];
  if (message.role === "assistant") return message.parts.flatMap((part) => encodeAnswer(part, writing));
  return message.parts.flatMap((part: UserPart) =>
    part.type === "tool_result" ? encodeResult(part, writing) : [encodeContent(part, writing)],
  );
}

/** A text as a block. The bounds have taken out texts without a word. */
export function encodeText({ text, cache }: TextPart): Blocks {
  return marked({ text }, cache);
}

function encodeContent(part: ContentPart, writing: Writing): Blocks {
  return marked(encodeBlock(part, writing), part.cache);
}

function encodeBlock(part: ContentPart, { names, dropped }: Writing): Fields {
  if (part.type === "text") return { text: part.text };
  if (part.detail !== undefined) dropped.add("messages.parts.detail");
  if (part.type === "image" && part.name !== undefined) dropped.add("messages.parts.name");
  return encodeMedia(part, names);
}

/** A part of the model's own turn. Reasoning goes back only with the signature of whoever made it. */
function encodeAnswer(part: AssistantPart, { dropped }: Writing): Blocks[] {
  switch (part.type) {
    case "text":
      return [encodeText(part)];
    case "reasoning": {
      const { text, signature, redacted } = part;
      if (!signature) {
        dropped.add("messages.parts.reasoning");
        return [];
      }
      const told = redacted ? { redactedContent: signature } : { reasoningText: { text, signature } };
      return [[{ reasoningContent: told }]];
    }
    case "tool_call": {
      if (part.signature !== undefined) dropped.add("messages.parts.signature");
      const { id: toolUseId, name } = part;
      return [[{ toolUse: { toolUseId, name, input: argumentsObject(part.arguments) } }]];
    }
    default:
      return part satisfies never;
  }
}

/** A tool's result. Some models want its content not to be empty. What cannot stand in it follows it. */
function encodeResult(part: ToolResultPart, writing: Writing): Blocks[] {
  const { nests, dropped } = writing;
  const content = part.content.filter((each) => each.type !== "text" || each.text.trim() !== "");
  const goesInside = ({ type }: ContentPart) => (nests ? type !== "audio" : type === "text");
  const inside = content.filter(goesInside).map((each) => encodeBlock(each, writing));
  const outside = content.filter((each) => !goesInside(each));
  if (part.is_error && !nests) dropped.add("messages.tool_result.is_error");
  const toolResult = {
    toolUseId: part.call_id,
    content: inside.length > 0 ? inside : wordless.parts.flatMap(encodeText),
    ...(part.is_error && nests && { status: "error" }),
  };
  return [marked({ toolResult }, part.cache), ...outside.map((each) => encodeContent(each, writing))];
}
