/** Blocks of a client's conversation as parts. Each block has one member, which names its kind (protocols.md §8.1). */
import {
  entryOf,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  objectsOf,
  stringAt,
} from "../../../../base/json/fields.ts";
import type {
  AssistantPart,
  ContentPart,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../../chat/request.ts";
import { decodeToolId } from "../../anthropic/crossing/tool-calls.ts";
import { type CarriedMembers, members, nameUncarried } from "../../dropped.ts";
import { decodeMedia } from "./media-in.ts";
import { decodeArguments, textOf } from "./reply.ts";

type Decode<Part> = (value: unknown, at: string, dropped: Set<string>) => Part[];

/** What a kind becomes, and which members of it are carried. Absent: all of them. */
interface Kind<Part> {
  decode: Decode<Part>;
  members?: CarriedMembers;
}

type Kinds<Part> = Readonly<Record<string, Kind<Part>>>;

const textKind: Kind<TextPart> = {
  decode(value, at) {
    if (typeof value !== "string") throw invalidField(at, "a string");
    return value === "" ? [] : [{ type: "text", text: value }];
  },
};

const media = members("format", "source", "name");

const contentKinds: Kinds<ContentPart> = {
  text: textKind,
  image: { decode: (value, at) => decodeMedia("image", value, at), members: media },
  document: { decode: (value, at) => decodeMedia("document", value, at), members: media },
  audio: { decode: (value, at) => decodeMedia("audio", value, at), members: media },
  video: { decode: (value, at) => decodeMedia("video", value, at), members: media },
  searchResult: { decode: decodeSearchResult, members: members("source", "title", "content") },
};

/** What a tool gave may also be any JSON. */
const resultKinds: Kinds<ContentPart> = {
  ...contentKinds,
  json: { decode: (value) => [{ type: "text", text: JSON.stringify(value) }] },
};

const userKinds: Kinds<UserPart> = {
  ...contentKinds,
  toolResult: { decode: decodeResult, members: members("toolUseId", "content", "status", "type") },
};

const assistantKinds: Kinds<AssistantPart> = {
  text: textKind,
  toolUse: { decode: decodeToolUse, members: members("toolUseId", "name", "input") },
  reasoningContent: { decode: decodeReasoning },
  citationsContent: { decode: decodeCited, members: members("content") },
};

/** A user's turn. Blocks that have no neutral form are refused, because the model would not see them. */
export function decodeUserBlocks(blocks: unknown, at: string, dropped: Set<string>): UserPart[] {
  return decodeBlocks(blocks, userKinds, at, dropped);
}

/** A turn of the model's. */
export function decodeAssistantBlocks(blocks: unknown, at: string, dropped: Set<string>): AssistantPart[] {
  return decodeBlocks(blocks, assistantKinds, at, dropped);
}

/** Instructions. */
export function decodeSystemBlocks(blocks: unknown, dropped: Set<string>): TextPart[] {
  return decodeBlocks(blocks, { text: textKind }, "system", dropped);
}

function decodeBlocks<Part extends { type: string }>(
  blocks: unknown,
  kinds: Kinds<Part>,
  at: string,
  dropped: Set<string>,
): Part[] {
  if (!Array.isArray(blocks)) throw invalidField(at, "an array of blocks");
  const parts: Part[] = [];
  for (const [index, block] of blocks.entries()) {
    const name = `${at}[${index}]`;
    const [[kind, value] = [], ...more] = isObject(block) ? Object.entries(block) : [];
    if (kind === "cachePoint") markLast(parts, value, name, dropped);
    else {
      const known = more.length === 0 ? entryOf(kinds, kind) : undefined;
      if (!known) throw invalidField(name, `one of ${Object.keys(kinds).join(", ")} for this model`);
      if (known.members) nameUncarried(value, known.members, `${name}.${kind}`, dropped);
      parts.push(...known.decode(value, `${name}.${kind}`, dropped));
    }
  }
  return parts;
}

/** Parts that no cache point may follow in the neutral form. */
const unmarked = new Set(["reasoning", "tool_call"]);

/** A cache point belongs to the part before it. How long it lasts is the provider's usual. */
export function markLast(parts: object[], point: unknown, at: string, dropped: Set<string>): void {
  const last = parts.at(-1);
  const isMarked = last !== undefined && !("type" in last && unmarked.has(String(last.type)));
  if (isMarked) parts[parts.length - 1] = { ...last, cache: true };
  nameUncarried({ cachePoint: point }, isMarked ? { cachePoint: members("type") } : {}, at, dropped);
}

/** What the client has found by itself. Its title and address stand above its text. */
function decodeSearchResult(value: unknown, at: string): TextPart[] {
  const { title, source, content } = fieldsAt(value, at);
  const lines = [textOf(title), textOf(source), ...objectsOf(content).map(({ text }) => textOf(text))];
  return [{ type: "text", text: lines.filter((line) => line !== "").join("\n") }];
}

function decodeResult(value: unknown, at: string, dropped: Set<string>): ToolResultPart[] {
  const result = fieldsAt(value, at);
  const { id } = decodeToolId(stringAt(result, "toolUseId", at));
  const { content, status } = result;
  const given = isAbsent(content) ? [] : decodeBlocks(content, resultKinds, `${at}.content`, dropped);
  const failed = status === "error" ? ({ is_error: true } as const) : {};
  return [{ type: "tool_result", call_id: id, content: given, ...failed }];
}

function decodeToolUse(value: unknown, at: string): AssistantPart[] {
  const call = fieldsAt(value, at);
  const [id, name] = [stringAt(call, "toolUseId", at), stringAt(call, "name", at)];
  return [{ type: "tool_call", ...decodeToolId(id), name, arguments: decodeArguments(call.input) }];
}

/** Reasoning that was signed without being shown has an empty text; without either it is nothing. */
function decodeReasoning(value: unknown, at: string): ReasoningPart[] {
  const { reasoningText, redactedContent } = fieldsAt(value, at);
  if (!isAbsent(redactedContent)) {
    if (typeof redactedContent !== "string") throw invalidField(`${at}.redactedContent`, "a string");
    return [{ type: "reasoning", text: "", signature: redactedContent, redacted: true }];
  }
  const told = fieldsAt(reasoningText, `${at}.reasoningText`);
  const [text, signature] = [stringAt(told, "text", at), textOf(told.signature)];
  if (signature !== "") return [{ type: "reasoning", text, signature }];
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function decodeCited(value: unknown, at: string): TextPart[] {
  const text = objectsOf(fieldsAt(value, at).content)
    .map((each) => textOf(each.text))
    .join("");
  return text === "" ? [] : [{ type: "text", text }];
}

function fieldsAt(value: unknown, at: string): Fields {
  if (!isObject(value)) throw invalidField(at, "an object");
  return value;
}
