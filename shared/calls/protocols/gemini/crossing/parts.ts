/** The parts of Gemini's contents from the neutral form (protocols.md §6.1). */

import type { Fields } from "../../../../base/json/fields.ts";
import type { AssistantPart, MediaPart, TextPart, ToolResultPart } from "../../../chat/request.ts";
import { argumentsObject } from "../../arguments.ts";
import { refuseKept } from "../../provider-ids.ts";

/** A text, or nothing: Gemini refuses empty ones (protocols.md pitfall 16). */
export function encodeText({ text }: TextPart): Fields[] {
  return text === "" ? [] : [{ text }];
}

/** Inline bytes, or an address that the provider fetches. Throws `invalid_request` for one that only our account reads. */
export function encodeMedia({ source }: MediaPart): Fields {
  if (source.type === "base64") return { inlineData: { mimeType: source.media_type, data: source.data } };
  refuseKept(source.url, "url");
  return { fileData: { fileUri: source.url, ...(source.media_type ? { mimeType: source.media_type } : {}) } };
}

/** A tool's result. Its text is not parsed: numbers could change. Inline media go inside where the model `nests`. */
export function encodeResult(part: ToolResultPart, name: string, nests: boolean): Fields[] {
  const texts = part.content.filter((item) => item.type === "text").map(({ text }) => text);
  const media = part.content.filter((item) => item.type !== "text");
  const goesInside = ({ source }: MediaPart) => nests && source.type === "base64";
  const inside = media.filter(goesInside).map(encodeMedia);
  const after = media.filter((each) => !goesInside(each)).map(encodeMedia);
  const response = { [part.is_error ? "error" : "result"]: texts.join("\n") };
  const parts = inside.length > 0 ? { parts: inside } : {};
  return [{ functionResponse: { id: part.call_id, name, response, ...parts } }, ...after];
}

/** A part of an answer for Google, with Google's own signature. Reasoning that another provider redacted goes. */
export function encodeForProvider(part: AssistantPart): Fields[] {
  if (part.type === "text") return encodeText(part);
  const signature = signed(part.signature);
  if (part.type === "tool_call") return [{ ...encodeCall(part), ...signature }];
  if (part.redacted) return [];
  // Google signs the text of an answer with an empty part that is no thought, and reads it back so.
  if (part.text === "") return part.signature === undefined ? [] : [{ text: "", ...signature }];
  return [{ text: part.text, thought: true, ...signature }];
}

/** A part for a client, its signature tagged; without one `unsigned`, because a later Gemini wants calls signed. */
export function encodeForClient(part: AssistantPart, unsigned: string | undefined): Fields[] {
  if (part.type === "text") return encodeText(part);
  if (part.type === "tool_call") return [{ ...encodeCall(part), ...signed(part.signature ?? unsigned) }];
  const { text, signature = unsigned } = part;
  // Nothing to say needs no part; the last chunk of a stream carries the one empty text that clients expect.
  return text === "" && signature === undefined ? [] : [{ text, thought: true, ...signed(signature) }];
}

function signed(signature: string | undefined): Fields {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function encodeCall({ id, name, arguments: text }: AssistantPart & { type: "tool_call" }): Fields {
  return { functionCall: { id, name, args: argumentsObject(text) } };
}
