/** Gemini's contents as neutral messages (protocols.md §6.1). */

import { type Fields, invalidField, isAbsent, isObject } from "../../../../base/json/fields.ts";
import type {
  AssistantPart,
  ChatMessage,
  MediaPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from "../../../chat/request.ts";
import { nameGiven } from "../../dropped.ts";
import { camelKeys } from "../names.ts";
import { readSignature } from "./signature.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** What is known of the conversation so far: calls that wait for their result, and how many ids we made. */
interface Calls {
  waiting: WaitingCalls;
  made: number;
}

/** Members of a part that only describe it; they are dropped by name. */
const descriptions = ["videoMetadata", "mediaResolution", "partMetadata"];

/** The messages of `contents`. A call without an id gets one by its place, so it stays. Throws `invalid_request`. */
export function decodeContents(contents: unknown, dropped: Set<string>): ChatMessage[] {
  const calls: Calls = { waiting: new WaitingCalls(), made: 0 };
  const list = Array.isArray(contents) ? contents : [];
  const messages = list.map((content, index): ChatMessage => {
    const name = `contents[${index}]`;
    const role = isObject(content) ? content.role : undefined;
    const parts = readParts(content, name, dropped);
    if (role === "model")
      return { role: "assistant", parts: parts.flatMap((part) => answerPart(part, calls)) };
    if (!isAbsent(role) && role !== "user" && role !== "function") {
      throw invalidField(`${name}.role`, "user or model");
    }
    return { role: "user", parts: parts.flatMap((part) => userPart(part, calls, dropped)) };
  });
  return joinAnswers(messages);
}

/** Joins answers in a row: Google's SDKs keep each chunk as a turn, and others want calls and reasoning in one turn. */
function joinAnswers(messages: ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== "assistant") joined.push(message);
    else if (last?.role === "assistant") for (const part of message.parts) last.parts.push(part);
    else joined.push({ role: "assistant", parts: [...message.parts] });
  }
  return joined.map((message) =>
    message.role === "assistant" ? { ...message, parts: joinPieces(message.parts) } : message,
  );
}

/** Joins the pieces of a text into one part, and the pieces of a thought up to its signature. */
function joinPieces(parts: AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const goesOn = last?.type === "reasoning" && last.signature === undefined;
    if (part.type === "text" && last?.type === "text") {
      joined.splice(-1, 1, { ...last, text: last.text + part.text });
    } else if (part.type === "reasoning" && goesOn && !part.redacted) {
      joined.splice(-1, 1, { ...part, text: last.text + part.text });
    } else joined.push(part);
  }
  return joined;
}

/** The instructions of a `systemInstruction`, whatever role it claims. */
export function decodeInstruction(content: unknown, dropped: Set<string>): TextPart[] {
  if (isAbsent(content)) return [];
  return readParts(content, "systemInstruction", dropped).flatMap(({ fields, name }) => {
    if (typeof fields.text !== "string") throw invalidField(name, "text");
    return fields.text === "" ? [] : [{ type: "text" as const, text: fields.text }];
  });
}

interface Part {
  fields: Fields;
  /** Its place in the request, for errors. */
  name: string;
}

function readParts(content: unknown, name: string, dropped: Set<string>): Part[] {
  const list = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
  return list.map((part, index): Part => {
    const place = `${name}.parts[${index}]`;
    if (!isObject(part)) throw invalidField(place, "an object");
    const fields = camelKeys(part);
    nameGiven(fields, descriptions, "contents.parts", dropped);
    return { fields, name: place };
  });
}

function userPart(part: Part, calls: Calls, dropped: Set<string>): UserPart[] {
  const { fields, name } = part;
  if (isObject(fields.functionResponse)) {
    return [decodeResult(camelKeys(fields.functionResponse), name, calls, dropped)];
  }
  const text = fields.text;
  if (typeof text === "string") return text === "" ? [] : [{ type: "text", text }];
  return [decodeMedia(part)];
}

/** Parts of the model's turn. A signature on text, or on an empty part, is a reasoning part of its own. */
function answerPart({ fields, name }: Part, calls: Calls): AssistantPart[] {
  const signed = readSignature(fields.thoughtSignature);
  if (isObject(fields.functionCall)) {
    const call = decodeCall(camelKeys(fields.functionCall), name, calls);
    return [signed ? { ...call, signature: signed.signature } : call];
  }
  const text = fields.text ?? (signed ? "" : undefined);
  if (typeof text !== "string") throw invalidField(name, "text, a thought or a functionCall");
  if (fields.thought === true) return text || signed ? [{ type: "reasoning", text, ...signed }] : [];
  const said: AssistantPart[] = text === "" ? [] : [{ type: "text", text }];
  return signed ? [...said, { type: "reasoning", text: "", ...signed }] : said;
}

function decodeCall(call: Fields, place: string, calls: Calls): ToolCallPart {
  const { name, args } = call;
  if (typeof name !== "string" || name === "") throw invalidField(`${place}.functionCall.name`, "a string");
  if (!isAbsent(args) && !isObject(args)) throw invalidField(`${place}.functionCall.args`, "an object");
  const id = readId(call) ?? `call_${calls.made++}`;
  const part: ToolCallPart = { type: "tool_call", id, name, arguments: JSON.stringify(args ?? {}) };
  calls.waiting.add(part);
  return part;
}

function readId({ id }: Fields): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

function decodeResult(result: Fields, place: string, calls: Calls, dropped: Set<string>): ToolResultPart {
  const { name, response } = result;
  if (typeof name !== "string") throw invalidField(`${place}.functionResponse.name`, "a string");
  if (!isAbsent(response) && !isObject(response)) {
    throw invalidField(`${place}.functionResponse.response`, "an object");
  }
  nameGiven(result, ["willContinue", "scheduling"], "contents.parts.functionResponse", dropped);
  const id = readId(result);
  const answered = calls.waiting.take(id, name);
  const media = readParts(result, `${place}.functionResponse`, dropped).map(decodeMedia);
  const { text, failed } = readResponse(response ?? {});
  return {
    type: "tool_result",
    call_id: id ?? answered?.id ?? `call_${calls.made++}`,
    name,
    content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...media],
    ...(failed ? { is_error: true as const } : {}),
  };
}

/** A result's text. By Google's convention a lone `error` is a failure, a lone `output` or `result` the answer. */
function readResponse(response: Fields): { text: string; failed: boolean } {
  const [only, ...others] = Object.keys(response);
  const value = only === undefined || others.length > 0 ? undefined : response[only];
  if (only === "error" && value !== undefined) {
    return { text: typeof value === "string" ? value : JSON.stringify(value), failed: true };
  }
  const named = (only === "result" || only === "output") && typeof value === "string";
  return { text: named ? value : JSON.stringify(response), failed: false };
}

function decodeMedia({ fields, name }: Part): MediaPart {
  const inline = isObject(fields.inlineData) ? camelKeys(fields.inlineData) : undefined;
  const file = isObject(fields.fileData) ? camelKeys(fields.fileData) : undefined;
  const { mimeType, data, fileUri, displayName } = inline ?? file ?? {};
  const titled = typeof displayName === "string" && displayName !== "" ? { name: displayName } : {};
  const media_type = typeof mimeType === "string" ? mimeType : "";
  if (inline && media_type && typeof data === "string") {
    // Google's Python client writes base64 in the URL-safe alphabet, which no other vendor reads.
    const standard = data.replaceAll("-", "+").replaceAll("_", "/");
    return { type: kindOf(media_type), source: { type: "base64", media_type, data: standard }, ...titled };
  }
  if (file && typeof fileUri === "string") {
    const source = { type: "url" as const, url: fileUri, ...(media_type ? { media_type } : {}) };
    return { type: kindOf(media_type), source, ...titled };
  }
  throw invalidField(name, "text, inlineData with its mimeType, fileData or a functionResponse");
}

function kindOf(mediaType: string): MediaPart["type"] {
  if (mediaType.startsWith("image/")) return "image";
  return mediaType.startsWith("audio/") ? "audio" : "file";
}
