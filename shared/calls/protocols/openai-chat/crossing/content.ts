/** The parts of OpenAI chat messages, both ways (protocols.md §1.1, §4.2). */

import { GatewayError } from "../../../../base/errors.ts";
import { type Fields, invalidField, isAbsent, isObject, stringAt } from "../../../../base/json/fields.ts";
import { dataUrl, parseDataUrl, readBareBase64 } from "../../../chat/media.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ContentPart, MediaPart, TextPart } from "../../../chat/request.ts";

/** Media types whose OpenAI audio format is not their subtype. */
const audioFormats = new Map([
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
]);

/** A message's content, a string or parts, without empty texts (protocols.md pitfall 16). Throws `invalid_request`. */
export function decodeContent(content: unknown, path: string): ContentPart[] {
  if (isAbsent(content)) return [];
  if (typeof content === "string") return textParts(content);
  if (!Array.isArray(content)) throw invalidField(path, "a string or an array of parts");
  return content.flatMap((part, index) => withMark(part, decodePart(part, `${path}[${index}]`)));
}

/** Parts whose last one ends where the client lets a provider cache, in the form that OpenRouter and LiteLLM read. */
export function withMark<Part extends { cache?: true }>(holder: unknown, parts: Part[]): Part[] {
  const last = parts.at(-1);
  const isMarked = isObject(holder) && isObject(holder.cache_control);
  return isMarked && last ? [...parts.slice(0, -1), { ...last, cache: true }] : parts;
}

/** The same where only words may stand: system, developer and assistant messages. A refusal is words too. */
export function decodeTexts(content: unknown, path: string): TextPart[] {
  const parts = decodeContent(content, path);
  const texts = parts.filter((part) => part.type === "text");
  if (texts.length < parts.length) throw invalidField(path, "text");
  return texts;
}

export function textParts(text: string): TextPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** The message's words: a string, or with some vendors text parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function decodePart(part: unknown, path: string): ContentPart[] {
  if (!isObject(part)) throw invalidField(path, "an object");
  switch (part.type) {
    case "text":
    case "refusal":
      return textParts(stringAt(part, part.type, path));
    case "image_url":
      return [decodeImage(part.image_url, `${path}.image_url`)];
    case "input_audio":
      return [decodeAudio(objectAt(part, "input_audio", path), `${path}.input_audio`)];
    case "file":
      return [decodeFile(objectAt(part, "file", path), `${path}.file`)];
    case "thinking":
      // Reasoning, which `reasoning.ts` reads.
      return [];
    default:
      throw invalidField(`${path}.type`, "one of text, image_url, input_audio and file with this model");
  }
}

/** Some clients give the URL alone, without the object around it. */
function decodeImage(image: unknown, path: string): MediaPart {
  const fields = typeof image === "string" ? { url: image } : image;
  if (!isObject(fields)) throw invalidField(path, "an object");
  const url = stringAt(fields, "url", path);
  const detail = typeof fields.detail === "string" ? fields.detail : undefined;
  const source = parseDataUrl(url) ?? readBareBase64(url) ?? { type: "url" as const, url };
  if (source.type === "url" && (url.startsWith("data:") || !url.includes("://"))) {
    throw invalidField(`${path}.url`, "an address or a base64 data URL");
  }
  return omitUndefined({ type: "image" as const, source, detail });
}

function decodeAudio(audio: Fields, path: string): MediaPart {
  if (typeof audio.url === "string") {
    return { type: "audio", source: { type: "url", url: audio.url } };
  }
  const data = stringAt(audio, "data", path);
  const format = stringAt(audio, "format", path);
  return {
    type: "audio",
    source: parseDataUrl(data) ?? { type: "base64", media_type: `audio/${format}`, data },
  };
}

/** A `file_id` names what only the client's own provider stores. */
function decodeFile(file: Fields, path: string): MediaPart {
  const data = stringAt(file, "file_data", path);
  const source = parseDataUrl(data) ?? readBareBase64(data);
  if (!source) throw invalidField(`${path}.file_data`, "a base64 data URL");
  const name = typeof file.filename === "string" ? file.filename : undefined;
  return omitUndefined({ type: "file" as const, source, name });
}

function objectAt(fields: Fields, name: string, path: string): Fields {
  const value = fields[name];
  if (!isObject(value)) throw invalidField(`${path}.${name}`, "an object");
  return value;
}

/** One text stands as a string, which every vendor reads; anything else as parts. Throws `invalid_request`. */
export function encodeContent(parts: readonly ContentPart[]): string | Fields[] {
  const told = parts.filter((part) => part.type !== "text" || part.text !== "");
  const [only] = told;
  if (!only) return "";
  if (told.length === 1 && only.type === "text") return only.text;
  return told.map((part) => (part.type === "text" ? { type: "text", text: part.text } : encodeMedia(part)));
}

function encodeMedia({ type, source, name, detail }: MediaPart): Fields {
  const url = source.type === "url" ? source.url : dataUrl(source);
  switch (type) {
    case "image":
      return { type: "image_url", image_url: omitUndefined({ url, detail }) };
    case "audio": {
      // Ark takes an address; a provider that does not says so itself.
      if (source.type === "url") return { type: "input_audio", input_audio: { url } };
      const format = audioFormats.get(source.media_type) ?? source.media_type.replace("audio/", "");
      return { type: "input_audio", input_audio: { data: source.data, format } };
    }
    case "file": {
      if (source.type === "url") {
        const message = "This model takes files inline only, not by address.";
        throw new GatewayError("invalid_request", { message });
      }
      // OpenAI refuses file data without a name.
      return { type: "file", file: { file_data: url, filename: name ?? "file" } };
    }
  }
}
