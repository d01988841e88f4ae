/** Content blocks as parts and back (protocols.md §2.2 and §6.1). */

import { GatewayError } from "../../../../base/errors.ts";
import {
  entryOf,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  stringAt,
} from "../../../../base/json/fields.ts";
import { isAttribution } from "../../../chat/attribution.ts";
import type {
  AssistantPart,
  ContentPart,
  MediaPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  UserPart,
} from "../../../chat/request.ts";
import { argumentsObject } from "../../arguments.ts";
import { type CarriedMembers, members, nameUncarried } from "../../dropped.ts";
import { marked } from "./cache-points.ts";
import { decodeArguments, decodeToolId, encodeToolId } from "./tool-calls.ts";

type BlockDecoder<Part> = (block: Fields, at: string, dropped: Set<string>) => Part[];

interface BlockKind<Part> {
  /** The members that are carried; every other one is dropped by name. */
  members: CarriedMembers;
  decode: BlockDecoder<Part>;
}

/** Empty texts are left out: Anthropic refuses them (pitfall 16). */
const textKind: BlockKind<TextPart> = {
  members: members("type", "text"),
  decode(block, at) {
    const text = stringAt(block, "text", at);
    return text === "" ? [] : [{ type: "text", text }];
  },
};

const contentKinds: Record<string, BlockKind<ContentPart>> = {
  text: textKind,
  image: { members: members("type", "source"), decode: decodeImage },
  document: { members: members("type", "source", "title"), decode: decodeDocument },
  search_result: { members: members("type", "source", "title", "content"), decode: decodeSearchResult },
};

/** A result may name tools that a search has found. All tools are there on a crossing, so their names are enough. */
const resultKinds: Record<string, BlockKind<ContentPart>> = {
  ...contentKinds,
  tool_reference: {
    members: members("type", "tool_name"),
    decode: (block, at) => [{ type: "text", text: `Found the tool ${stringAt(block, "tool_name", at)}.` }],
  },
};

const userKinds: Record<string, BlockKind<UserPart>> = {
  ...contentKinds,
  tool_result: { members: members("type", "tool_use_id", "content", "is_error"), decode: decodeToolResult },
};

const assistantKinds: Record<string, BlockKind<AssistantPart>> = {
  text: textKind,
  thinking: { members: members("type", "thinking", "signature"), decode: decodeThinking },
  redacted_thinking: {
    members: members("type", "data"),
    decode: (block, at) => [redactedReasoning(stringAt(block, "data", at))],
  },
  tool_use: { members: members("type", "id", "name", "input"), decode: decodeToolUse },
  // One with a summary has become the user's (compaction.ts).
  compaction: { members: members("type", "content"), decode: () => [] },
};

/** A user turn's content. Blocks that have no neutral form are refused: the model would not see them. */
export function decodeUserContent(content: unknown, at: string, dropped: Set<string>): UserPart[] {
  return decodeBlocks(content, userKinds, at, dropped);
}

/** An assistant turn's content, in a request's history. */
export function decodeAssistantContent(content: unknown, at: string, dropped: Set<string>): AssistantPart[] {
  return decodeBlocks(content, assistantKinds, at, dropped);
}

/** Instructions: a string or text blocks. A line of attribution is for Anthropic alone. */
export function decodeSystemContent(content: unknown, at: string, dropped: Set<string>): TextPart[] {
  return decodeBlocks(content, { text: textKind }, at, dropped).filter(({ text }) => !isAttribution(text));
}

/** One block of a provider's reply. A kind we do not know adds nothing: it answers nothing a client asked for. */
export function decodeReplyBlock(block: Fields): AssistantPart[] {
  const kind = entryOf(assistantKinds, block.type);
  return kind ? kind.decode(block, "content", new Set()) : [];
}

function decodeBlocks<Part>(
  content: unknown,
  kinds: Record<string, BlockKind<Part>>,
  at: string,
  dropped: Set<string>,
): Part[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks)) throw invalidField(at, "a string or an array of blocks");
  return blocks.flatMap((block: unknown, index) => {
    const name = `${at}[${index}]`;
    if (!isObject(block)) throw invalidField(name, "an object");
    const kind = entryOf(kinds, block.type);
    if (!kind) {
      throw invalidField(`${name}.type`, `one of ${Object.keys(kinds).join(", ")} for this model`);
    }
    nameUncarried(block, kind.members, name, dropped);
    return kind.decode(block, name, dropped);
  });
}

function decodeImage(block: Fields, at: string): MediaPart[] {
  return [{ type: "image", source: decodeSource(block.source, `${at}.source`) }];
}

/** PDFs are files, plain text is a text file, and a document of blocks is those blocks. */
function decodeDocument(block: Fields, at: string, dropped: Set<string>): ContentPart[] {
  const source = block.source;
  const title = typeof block.title === "string" ? { name: block.title } : {};
  if (!isObject(source) || (source.type !== "text" && source.type !== "content")) {
    return [{ type: "file", source: decodeSource(source, `${at}.source`), ...title }];
  }
  if (source.type === "content") {
    if (title.name) dropped.add("messages.content.title");
    return decodeBlocks(source.content, contentKinds, `${at}.source.content`, dropped);
  }
  const data = Buffer.from(stringAt(source, "data", `${at}.source`)).toString("base64");
  return [{ type: "file", source: { type: "base64", media_type: "text/plain", data }, ...title }];
}

/** What the client has found by itself. Its title and address stand above its text, since only Anthropic cites blocks. */
function decodeSearchResult(block: Fields, at: string, dropped: Set<string>): TextPart[] {
  const found = decodeBlocks(block.content, { text: textKind }, `${at}.content`, dropped);
  const lines = [
    stringAt(block, "title", at),
    stringAt(block, "source", at),
    ...found.map(({ text }) => text),
  ];
  return [{ type: "text", text: lines.filter((line) => line !== "").join("\n") }];
}

function decodeSource(source: unknown, at: string): MediaPart["source"] {
  if (!isObject(source)) throw invalidField(at, "an object");
  if (source.type === "url") return { type: "url", url: stringAt(source, "url", at) };
  if (source.type !== "base64") throw invalidField(`${at}.type`, "base64 or url for this model");
  return {
    type: "base64",
    media_type: stringAt(source, "media_type", at),
    data: stringAt(source, "data", at),
  };
}

function decodeToolResult(block: Fields, at: string, dropped: Set<string>): UserPart[] {
  const { id } = decodeToolId(stringAt(block, "tool_use_id", at));
  const content = isAbsent(block.content)
    ? []
    : decodeBlocks(block.content, resultKinds, `${at}.content`, dropped);
  const failed = block.is_error === true ? ({ is_error: true } as const) : {};
  return [{ type: "tool_result", call_id: id, content, ...failed }];
}

/** Reasoning that was signed without being shown has an empty text; without either it is nothing. */
function decodeThinking(block: Fields, at: string): ReasoningPart[] {
  const text = stringAt(block, "thinking", at);
  const { signature } = block;
  if (typeof signature === "string" && signature !== "") return [{ type: "reasoning", text, signature }];
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function redactedReasoning(data: string): ReasoningPart {
  return { type: "reasoning", text: "", signature: data, redacted: true };
}

function decodeToolUse(block: Fields, at: string): ToolCallPart[] {
  return [
    {
      type: "tool_call",
      ...decodeToolId(stringAt(block, "id", at)),
      name: stringAt(block, "name", at),
      arguments: decodeArguments(block.input),
    },
  ];
}

/** A user part as blocks. Throws `invalid_request` for media Anthropic cannot read. */
export function encodeUserPart(part: UserPart, dropped: Set<string>): Fields[] {
  if (part.type !== "tool_result") return encodeContentPart(part, dropped);
  const content = part.content.flatMap((inner) => encodeContentPart(inner, dropped));
  const result = {
    type: "tool_result",
    tool_use_id: encodeToolId(part.call_id),
    ...(content.length > 0 ? { content } : {}),
    ...(part.is_error ? { is_error: true } : {}),
  };
  return [marked(result, part.cache)];
}

/** A text as a block, or none for an empty one (pitfall 16). */
export function encodeText({ text, cache }: TextPart): Fields[] {
  return text === "" ? [] : [marked({ type: "text", text }, cache)];
}

/** Reasoning as a block. The SDKs want a `signature`: where there is none, `unsigned` stands in its place. */
export function encodeThinking({ text, signature, redacted }: ReasoningPart, unsigned = ""): Fields {
  return redacted
    ? { type: "redacted_thinking", data: signature ?? unsigned }
    : { type: "thinking", thinking: text, signature: signature ?? unsigned };
}

/** A call as a block, with the id the client or provider is to send back. */
export function encodeToolUse(call: ToolCallPart, id: string): Fields {
  return { type: "tool_use", id, name: call.name, input: argumentsObject(call.arguments) };
}

function encodeContentPart(part: ContentPart, dropped: Set<string>): Fields[] {
  switch (part.type) {
    case "text":
      return encodeText(part);
    case "image":
      if (part.detail !== undefined) dropped.add("messages.parts.detail");
      if (part.name !== undefined) dropped.add("messages.parts.name");
      return [marked({ type: "image", source: encodeSource(part.source) }, part.cache)];
    case "file":
      return [marked(encodeFile(part), part.cache)];
    case "audio":
      throw unreadable("Sound");
    default:
      return part satisfies never;
  }
}

/** Anthropic reads PDFs and plain text; an image sent as a file is still an image. */
function encodeFile({ source, name }: MediaPart): Fields {
  const title = name ? { title: name } : {};
  if (source.type === "url" || source.media_type === "application/pdf") {
    return { type: "document", source: encodeSource(source), ...title };
  }
  if (source.media_type.startsWith("image/")) return { type: "image", source: encodeSource(source) };
  if (!source.media_type.startsWith("text/")) throw unreadable(`A file of type ${source.media_type}`);
  const data = Buffer.from(source.data, "base64").toString("utf8");
  return { type: "document", source: { type: "text", media_type: "text/plain", data }, ...title };
}

function encodeSource(source: MediaPart["source"]): Fields {
  return source.type === "url" ? { type: "url", url: source.url } : { ...source };
}

function unreadable(what: string): GatewayError {
  const message = `${what} cannot be sent to this model.`;
  return new GatewayError("invalid_request", { message, param: "messages" });
}
