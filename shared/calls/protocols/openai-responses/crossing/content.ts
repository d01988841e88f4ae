/** The content of messages and tool outputs, both ways (protocols.md §1.6 and §6.1). */

import { entryOf, type Fields, invalidField, isAbsent, isObject } from "../../../../base/json/fields.ts";
import { dataUrl, parseDataUrl, readBareBase64 } from "../../../chat/media.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ContentPart, MediaPart, TextPart } from "../../../chat/request.ts";
import { unsupported } from "../../unsupported.ts";

/** A string or parts as neutral parts, none for text without a letter. Throws `invalid_request`, under `name`. */
export function decodeContent(content: unknown, name: string): ContentPart[] {
  if (typeof content === "string") return decodeText(content);
  if (isAbsent(content)) return [];
  if (!Array.isArray(content)) throw invalidField(name, "a string or an array of parts");
  return content.flatMap((part, index) => decodePart(part, `${name}[${index}]`));
}

function decodePart(part: unknown, name: string): ContentPart[] {
  if (!isObject(part)) throw invalidField(name, "an object");
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return decodeText(part.text);
    case "refusal":
      return decodeText(part.refusal);
    case "input_image":
      return [decodeImage(part, name)];
    case "input_file":
      return [decodeFile(part, name)];
    case "input_audio":
      return [decodeAudio(part.input_audio, `${name}.input_audio`)];
    default:
      throw invalidField(`${name}.type`, "a type of content this model takes");
  }
}

export function decodeText(text: unknown): TextPart[] {
  return typeof text === "string" && text !== "" ? [{ type: "text", text }] : [];
}

/** A file kept at the provider (`file_id`) cannot be shown to another. */
function refuseStored(part: Fields, name: string): void {
  if (!isAbsent(part.file_id)) throw unsupported(`${name}.file_id`);
}

function decodeImage(part: Fields, name: string): MediaPart {
  refuseStored(part, name);
  const url = part.image_url;
  if (typeof url !== "string") throw invalidField(`${name}.image_url`, "a string");
  const source = parseDataUrl(url) ?? { type: "url" as const, url };
  if (source.type === "url" && !url.includes("://")) {
    throw invalidField(`${name}.image_url`, "an address or a base64 data URL");
  }
  const detail = typeof part.detail === "string" ? part.detail : undefined;
  return omitUndefined({ type: "image" as const, source, detail });
}

function decodeFile(part: Fields, name: string): MediaPart {
  refuseStored(part, name);
  const title = typeof part.filename === "string" ? part.filename : undefined;
  const url = part.file_url;
  if (typeof url === "string")
    return omitUndefined({ type: "file" as const, source: { type: "url" as const, url }, name: title });
  const text = part.file_data;
  const source = typeof text === "string" ? (parseDataUrl(text) ?? readBareBase64(text)) : undefined;
  if (!source) throw invalidField(`${name}.file_data`, "a data URL");
  return omitUndefined({ type: "file" as const, source, name: title });
}

function decodeAudio(audio: unknown, name: string): MediaPart {
  if (!isObject(audio) || typeof audio.data !== "string" || typeof audio.format !== "string") {
    throw invalidField(name, "an object with `data` and `format`");
  }
  const media_type = `audio/${audio.format}`;
  return { type: "audio", source: { type: "base64", media_type, data: audio.data } };
}

/** A neutral part as input content. Throws `invalid_request` for sound by address, which has no place. */
export function encodePart(part: ContentPart): Fields {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return omitUndefined({ type: "input_image", image_url: addressOf(part), detail: part.detail });
    case "file":
      return part.source.type === "url"
        ? omitUndefined({ type: "input_file", file_url: part.source.url, filename: part.name })
        : omitUndefined({ type: "input_file", file_data: dataUrl(part.source), filename: part.name });
    case "audio":
      return { type: "input_audio", input_audio: encodeAudio(part) };
    default:
      return part satisfies never;
  }
}

function addressOf({ source }: MediaPart): string {
  return source.type === "url" ? source.url : dataUrl(source);
}

/** OpenAI's names of formats whose media types are named differently. */
const audioFormats: Record<string, string> = { mpeg: "mp3", "x-wav": "wav", wave: "wav" };

function encodeAudio({ source }: MediaPart): Fields {
  if (source.type === "url") throw unsupported("audio by URL");
  const subtype = source.media_type.slice(source.media_type.indexOf("/") + 1);
  return {
    data: source.data,
    format: entryOf(audioFormats, subtype) ?? subtype,
  };
}
