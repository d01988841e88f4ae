/**
 * How many input tokens a request can be. A byte-level tokenizer never makes more tokens than bytes, so
 * the bytes are a true bound for holds; a third of them is the guess for windows and for calls whose
 * provider reported nothing (billing.md §2.3).
 */
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

/** Measures a parsed body of `bytes` bytes: inline media are taken off its size and counted instead. */
export function measureInput(value: unknown, bytes: number): InputSize {
  const size: InputSize = { text_bytes: bytes, media: 0 };
  const visit = (node: unknown, key: string): void => {
    if (typeof node === "string") {
      if (mediaTexts.has(key)) countMedium(size, node);
    } else if (Array.isArray(node)) {
      for (const item of node) visit(item, "");
    } else if (typeof node === "object" && node !== null) {
      if (mediaKeys.has(key)) countMedium(size, longestString(node as Record<string, unknown>));
      else for (const [name, child] of Object.entries(node)) visit(child, name);
    }
  };
  visit(value, "");
  return size;
}

function countMedium(size: InputSize, payload: string): void {
  size.media += 1;
  size.text_bytes -= payload.length;
}

function longestString(node: Record<string, unknown>): string {
  let longest = "";
  for (const child of Object.values(node)) {
    if (typeof child === "string" && child.length > longest.length) longest = child;
  }
  return longest;
}

/** The upper bound of input tokens, at most the model's context. */
export function inputTokensMax(size: InputSize, contextTokens: number): number {
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

/** The most a call can answer: the client's maximum or the model's, for each choice. */
export function outputTokensMax(call: ChatCall, modelMax: number): number {
  return Math.min(call.max_output_tokens ?? modelMax, modelMax) * call.choices;
}

/** What a window reserves for the answer: the client's maximum, or a usual length when it names none. */
export function outputTokensGuess(call: ChatCall, modelMax: number): number {
  return Math.min(call.max_output_tokens ?? limits.defaultOutputTokens, modelMax) * call.choices;
}
