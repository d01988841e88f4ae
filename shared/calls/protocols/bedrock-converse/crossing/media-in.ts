/** Media of a client's blocks: Converse names a format where the neutral form has a media type (protocols.md §8.1). */
import { type Fields, invalidField, isObject, objectsOf, stringAt } from "../../../../base/json/fields.ts";
import type { MediaPart } from "../../../chat/request.ts";
import { type MediaKind, mediaType } from "./documents.ts";

const partTypes = { image: "image", document: "file", audio: "audio", video: "file" } as const;

/** A block's medium. Throws `invalid_request` for a format that its kind does not have. */
export function decodeMedia(kind: MediaKind, value: unknown, at: string): MediaPart[] {
  if (!isObject(value)) throw invalidField(at, "an object");
  const format = stringAt(value, "format", at);
  const media_type = mediaType(kind, format);
  if (media_type === undefined) throw invalidField(`${at}.format`, `a format of Converse's for ${kind}`);
  const { source, name } = value;
  if (!isObject(source)) throw invalidField(`${at}.source`, "an object");
  const data = dataOf(source, kind, `${at}.source`);
  const named = typeof name === "string" && name !== "" ? { name: `${name}.${format}` } : {};
  return [{ type: partTypes[kind], source: { type: "base64", media_type, data }, ...named }];
}

/** The bytes as base64. A document may also be a text, or texts. */
function dataOf(source: Fields, kind: MediaKind, at: string): string {
  const { text, content } = source;
  const texts = Array.isArray(content) ? objectsOf(content).map((each) => stringAt(each, "text", at)) : [];
  const words = typeof text === "string" ? text : texts.length > 0 ? texts.join("\n") : undefined;
  if (kind === "document" && words !== undefined) return Buffer.from(words).toString("base64");
  return stringAt(source, "bytes", at);
}
