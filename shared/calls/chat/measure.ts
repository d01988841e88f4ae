/**
 * Measures the input of a request. The bytes of text bound its tokens, and the vendors bound the tokens of pictures.
 * Nobody can measure a document, a sound or a clip before the provider has read it. Few of its bytes can make any
 * number of tokens: pages share content, and silence compresses to nothing.
 */
import type { FormBody } from "../../base/http/form.ts";
import { asText, entryOf, type Fields, isObject } from "../../base/json/fields.ts";
import { headOf, isText, type Text } from "../../base/json/long-text.ts";
import type { LongTextPlaces } from "../../base/json/outline.ts";

export interface InputSize {
  /** Bytes of everything but inline media. */
  text_bytes: number;
  /** Pictures, inline, by address or by file id. */
  pictures: number;
  /** Documents, sounds and clips, inline, by address or by file id. */
  files: number;
  /** The provider reads what is not in the body: an item that it has stored. */
  stored?: true;
  /** A tool that the provider itself runs brings input of its own: searches, fetched pages, files. */
  provider_tools?: true;
}

/** Members of a body that can hold media. The model reads other members as text, or not at all. */
const carriers = new Set([
  "messages",
  "system",
  "contents",
  "content",
  "requests",
  "systemInstruction",
  "system_instruction",
  "input",
]);

/**
 * Where the long texts of a request may stay bytes: what the client and the model say, and inline media. Checks and
 * switches read everything else, so a text under any other key is decoded.
 */
export const longTextPlaces: LongTextPlaces = {
  members: carriers,
  keys: new Set([
    ...["content", "text", "input", "system", "refusal", "thinking", "reasoning"],
    ...["reasoning_content", "signature", "thoughtSignature", "thought_signature", "encrypted_content"],
    ...["arguments", "output", "result", "data", "url", "file_data"],
    ...["image_url", "audio_url", "video_url", "file_url"],
    ...["bytes", "redactedContent"],
  ]),
};

/** What a place is for: a picture, a file, or a medium whose declared type says which (Gemini). */
type MediaPlace = "picture" | "file" | "typed";

/** Keys under which a medium stands as an object (protocols.md §6.1). */
const objects: Readonly<Record<string, MediaPlace>> = {
  image_url: "picture",
  input_audio: "file",
  audio_url: "file",
  audio: "file",
  video_url: "file",
  file_url: "file",
  file: "file",
  source: "file",
  inlineData: "typed",
  inline_data: "typed",
  fileData: "typed",
  file_data: "typed",
};

/** Keys under which one stands as plain text: its data, data URL or address. */
const texts: Readonly<Record<string, MediaPlace>> = {
  image_url: "picture",
  audio_url: "file",
  video_url: "file",
  file_url: "file",
  file_data: "file",
};

/** Keys under which Converse has one, as an object with a format and a source. */
const formatted: Readonly<Record<string, MediaPlace>> = {
  image: "picture",
  document: "file",
  audio: "file",
  video: "file",
};

/** Formats of Converse's documents that are text. */
const textFormats = new Set(["txt", "csv", "html", "md"]);

/** Members of such an object that hold a medium's data, or its address. */
const contents = ["data", "file_data", "url"];

/** Objects that name a picture, by their type, wherever its data is kept. */
const pictureTypes = new Set(["image", "input_image", "computer_screenshot"]);

/** What an answer said of files. A client sends it back, and nobody reads those files again. */
const mention = /(?:_citation|_path|_output)$/;

/** Arguments and results of a function (Gemini, Converse). They are the client's own words, under any key. */
const functionWords = new Set(["args", "response", "json"]);

/** Declared types whose bytes are what the model reads. */
const textType =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|sql)$|[^;]*\+(?:json|xml)$)/i;

/**
 * Measures a parsed body of `bytes` bytes, or its outline. Media are counted, and their inline data is subtracted from
 * its size. Text in the place of a medium counts as text. A call is held only for what is counted, so nothing may be
 * left out.
 */
export function measureInput(value: unknown, bytes: number): InputSize {
  const size: InputSize = { text_bytes: bytes, pictures: 0, files: 0 };
  const visit = (node: unknown, key: string, within: unknown): void => {
    if (isText(node)) countText(size, node, key, within);
    else if (Array.isArray(node)) for (const item of node) visit(item, "", within);
    else if (isObject(node) && !countObject(size, node, key, within)) {
      for (const name of Object.keys(node)) {
        if (!isWords(name, node)) visit(node[name], name, node.type);
      }
    }
  };
  const body = isObject(value) ? value : {};
  for (const [name, child] of Object.entries(body)) if (carriers.has(name)) visit(child, name, undefined);
  if (Array.isArray(body.input) && body.input.some(isStored)) size.stored = true;
  if (runsTools(body)) size.provider_tools = true;
  return size;
}

/** Measures a form: its files are pictures, and everything else is text. */
export function measureForm({ parts }: FormBody): InputSize {
  const texts = parts.filter(({ file }) => !file);
  return {
    text_bytes: texts.reduce((bytes, { content }) => bytes + content.length, 0),
    pictures: parts.length - texts.length,
    files: 0,
  };
}

/** Counts a text that is a medium, or names one. */
function countText(size: InputSize, text: Text, key: string, within: unknown): void {
  const place = entryOf(texts, key);
  if (place) countMedium(size, kindOf(place, text, dataType(text)), text);
  else if (key === "file_id" && !mention.test(asText(within))) {
    countMedium(size, pictureTypes.has(asText(within)) ? "picture" : "file", "");
  }
}

/** Counts an object that is a medium. False where it is none: then its members have to be measured. */
function countObject(size: InputSize, node: Fields, key: string, within: unknown): boolean {
  if (isObject(node.source) && typeof node.format === "string" && entryOf(formatted, key))
    return countFormatted(size, node.source, node.format, formatted[key] as MediaPlace);
  let place = entryOf(objects, key);
  if (!place) return false;
  const { type } = node;
  // Anthropic's documents may be plain text, or blocks of it; its pictures are named by the block around.
  if (key === "source" && (type === "text" || type === "content")) return false;
  if (key === "source" && pictureTypes.has(asText(within))) place = "picture";
  const payload = contents.map((name) => node[name]).find(isText) ?? "";
  const declared = key === "source" ? node.media_type : (node.mimeType ?? node.mime_type);
  const isTyped = key === "source" || place === "typed";
  const told = isTyped && typeof declared === "string" ? declared : dataType(payload);
  const kind = kindOf(place, payload, told);
  if (kind === "text" && !isAway(node, payload)) return false;
  countMedium(size, kind === "text" ? "file" : kind, payload);
  return true;
}

/** Counts a medium of Converse's. A document may also be a text, or texts, which are measured as such. */
function countFormatted(size: InputSize, source: Fields, format: string, place: MediaPlace): boolean {
  const { bytes, text, content } = source;
  if (!isText(bytes)) return isText(text) || Array.isArray(content);
  const isWords = textFormats.has(format) && isPlain(`data:;base64,${bytes}`);
  countMedium(size, isWords ? "text" : place === "picture" ? "picture" : "file", bytes);
  return true;
}

/** What stands in a place: what the place is for, unless the declared type says that the model reads something else. */
function kindOf(place: MediaPlace, payload: Text, type: string | undefined): "picture" | "file" | "text" {
  if (type === undefined) return place === "picture" ? "picture" : "file";
  if (textType.test(type) && isPlain(String(payload))) return "text";
  // The provider may read a file that calls itself a picture as the file that it is.
  return /^image\//i.test(type) && place !== "file" ? "picture" : "file";
}

function countMedium(size: InputSize, kind: "picture" | "file" | "text", payload: Text): void {
  if (kind === "text") return;
  size[kind === "picture" ? "pictures" : "files"] += 1;
  // Only data is subtracted. An address is short, and stays.
  if (!payload.includes("://")) size.text_bytes -= payload.length;
}

/** The media type a data URL declares. Bare base64 and addresses declare none. */
function dataType(text: Text): string | undefined {
  return /^data:([^;,]{0,255})/i.exec(headOf(text, 260))?.[1];
}

/**
 * Whether data that is declared as text is text. A provider may look closer and read a packed file or a PDF, which can
 * have far more tokens than bytes. A packed file holds zeros, and a PDF says so in its first kilobyte.
 */
function isPlain(payload: string): boolean {
  const comma = /^data:/i.test(payload) ? payload.indexOf(",") : -1;
  const isBase64 = comma === -1 || /;base64$/i.test(payload.slice(0, comma));
  const bytes = Buffer.from(payload.slice(comma + 1), isBase64 ? "base64" : "utf8");
  return !bytes.includes(0) && !bytes.subarray(0, 1_024).includes("%PDF");
}

/** Whether a medium is somewhere else: its bytes are not in the body. */
function isAway(node: Fields, payload: Text): boolean {
  const isAddress = payload === node.url && dataType(payload) === undefined;
  return isAddress || ["fileUri", "file_uri", "file_id"].some((name) => name in node);
}

/** Whether a member holds the arguments or the result of a tool (Anthropic's and Converse's `input`, Gemini's `args`). */
function isWords(name: string, { type, toolUseId }: Fields): boolean {
  if (functionWords.has(name)) return true;
  if (name !== "input") return false;
  return typeof toolUseId === "string" || (typeof type === "string" && type.endsWith("tool_use"));
}

/** Whether an input item of Responses refers to what the provider stored: an item, or reasoning without its content. */
function isStored(item: unknown): boolean {
  if (!isObject(item) || typeof item.id !== "string") return false;
  const { type } = item;
  if (type === "item_reference") return true;
  if (type === "reasoning") return !isText(item.encrypted_content);
  return (type === undefined || type === null) && item.role === undefined;
}

/** Types of tools that the client runs. Anthropic's end with their version. */
const clientTool =
  /^(?:function|custom|local_shell|apply_patch|computer\w*|bash_\d+|text_editor_\d+|memory_\d+)$/;

/** Members of Gemini's tools that the client runs. */
const clientMembers = new Set([
  "functionDeclarations",
  "function_declarations",
  "computerUse",
  "computer_use",
]);

function runsTools({ tools, web_search_options, mcp_servers, toolConfig }: Fields): boolean {
  const listed = isObject(toolConfig) ? toolConfig.tools : undefined;
  if (Array.isArray(listed) && listed.some((tool) => isObject(tool) && isObject(tool.systemTool)))
    return true;
  if (isObject(web_search_options)) return true;
  if (Array.isArray(mcp_servers) && mcp_servers.length > 0) return true;
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && isProviders(tool));
}

/**
 * Whether the provider runs a tool, by its type. A tool of Anthropic's without a type is the client's. Gemini has no
 * types.
 */
function isProviders(tool: Fields): boolean {
  const { type, input_schema } = tool;
  if (typeof type === "string") return !clientTool.test(type);
  return input_schema === undefined && Object.keys(tool).some((name) => !clientMembers.has(name));
}
