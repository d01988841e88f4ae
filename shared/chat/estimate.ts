/**
 * How many input tokens a request can be. A byte-level tokenizer never makes more tokens than bytes, so
 * the bytes are a true bound for holds; a third of them is the guess for windows and for calls whose
 * provider reported nothing (billing.md §2.3).
 */
import { type Fields, isObject } from "../http/fields.ts";
import { limits } from "../limits.ts";
import type { ChatCall } from "./call.ts";

export interface InputSize {
  /** Bytes of everything but inline media. */
  text_bytes: number;
  /** Images, files and audio, inline or by URL. */
  media: number;
}

const bytesPerToken = 3;

/** Keys under which the chat protocols carry a medium, as base64, data URL or address (protocols.md §6.1). */
const mediaKeys = new Set([
  "image_url",
  "input_audio",
  "file",
  "source",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "video_url",
]);

/** Keys under which a medium stands as plain text: its data, data URL or address. */
const mediaTexts = new Set(["image_url", "file_data", "file_url"]);

/** Members of a body that media can stand in. What a client writes anywhere else is text to the model, or nothing. */
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

/** What is given to a function or comes from it (Gemini): words of the client's own, under any key. */
const functionWords = new Set(["args", "response"]);

/** Declared types whose bytes are no text. Of any other, tokens are made of what is in it. */
const mediumType = /^(?:image|audio|video)\/|^application\/pdf$/i;

/**
 * Measures a parsed body of `bytes` bytes: inline media are taken off its size and counted instead. Text that
 * stands where a medium could is text: what is not counted is not held, and would be free to ask for.
 */
export function measureInput(value: unknown, bytes: number): InputSize {
  const size: InputSize = { text_bytes: bytes, media: 0 };
  const visit = (node: unknown, key: string): void => {
    if (typeof node === "string") {
      if (mediaTexts.has(key) && isMedium(typeOfData(node))) countMedium(size, node);
    } else if (Array.isArray(node)) {
      for (const item of node) visit(item, "");
    } else if (isObject(node)) {
      if (mediaKeys.has(key) && carriesMedium(node)) countMedium(size, longestString(node));
      else for (const [name, child] of Object.entries(node)) if (!isWords(name, node)) visit(child, name);
    }
  };
  for (const [name, child] of Object.entries(value ?? {})) if (carriers.has(name)) visit(child, name);
  return size;
}

/** Whether a member is what a tool was called with or has answered (Anthropic's `input`, Gemini's `args`). */
function isWords(name: string, { type }: Fields): boolean {
  return (
    functionWords.has(name) || (name === "input" && typeof type === "string" && type.endsWith("tool_use"))
  );
}

/** Whether what stands under a medium's key is one: Anthropic's documents may be plain text, or blocks of it. */
function carriesMedium(node: Fields): boolean {
  if (node["type"] === "text" || node["type"] === "content") return false;
  const declared = node["media_type"] ?? node["mimeType"] ?? node["mime_type"];
  return isMedium(typeof declared === "string" ? declared : typeOfData(longestString(node)));
}

function isMedium(type: string | undefined): boolean {
  return type === undefined || mediumType.test(type);
}

/** The media type a data URL declares. Bare base64 and addresses declare none. */
function typeOfData(text: string): string | undefined {
  return /^data:([^;,]{0,255})/i.exec(text)?.[1];
}

function countMedium(size: InputSize, payload: string): void {
  size.media += 1;
  size.text_bytes -= payload.length;
}

function longestString(node: Fields): string {
  let longest = "";
  for (const child of Object.values(node)) {
    if (typeof child === "string" && child.length > longest.length) longest = child;
  }
  return longest;
}

/** The upper bound of input tokens, at most the model's context, which input that we do not see may fill. */
export function inputTokensMax(size: InputSize, contextTokens: number, call?: ChatCall): number {
  if (call?.unseen_input) return contextTokens;
  return Math.min(contextTokens, size.text_bytes + size.media * limits.mediaTokens + limits.overheadTokens);
}

/** The likely input tokens. */
export function inputTokensGuess(size: InputSize, contextTokens: number): number {
  const guess = tokensGuess(size.text_bytes) + size.media * limits.mediaTokens;
  return Math.min(contextTokens, guess);
}

/** The likely tokens of so many bytes of text. */
export function tokensGuess(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * The most a call can answer: the client's maximum or the model's, for each choice. `reasonsBeyond`: with a provider
 * whose reasoning is not bounded by a maximum of the answer alone.
 */
export function outputTokensMax(call: ChatCall, modelMax: number, reasonsBeyond = false): number {
  const maximum = call.answer_only && reasonsBeyond ? null : call.max_output_tokens;
  return Math.min(maximum ?? modelMax, modelMax) * call.choices;
}

/** What a window reserves for the answer: the client's maximum, or a usual length when it names none. */
export function outputTokensGuess(call: ChatCall, modelMax: number): number {
  return Math.min(call.max_output_tokens ?? limits.defaultOutputTokens, modelMax) * call.choices;
}
