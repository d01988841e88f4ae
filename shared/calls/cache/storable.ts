/** Which answers are kept (README.md "Which calls"), read from the bytes that the client was given. */

import { type Fields, isObject } from "../../base/json/fields.ts";
import { frameObject, isComment, splitFrames } from "../../base/sse/frames.ts";
import { foldEvents } from "../chat/event.ts";
import type { ChatReply } from "../chat/reply.ts";
import type { Crossing, CrossingName } from "../protocols/crossing.ts";
import { readBody } from "../protocols/reply-body.ts";
import { bounds } from "./bounds.ts";
import type { StoredReply } from "./entry.ts";

/** The answer as it is kept; undefined where it is not whole, or has what the neutral form would lose. Never throws. */
export function storableReply(
  { name, crossing }: AnswerForm,
  bytes: Buffer,
  streamed: boolean,
): StoredReply | undefined {
  try {
    const { reply, objects } = streamed ? readStream(crossing, bytes) : readWhole(crossing, bytes);
    return objects.every((object) => isKnown(object, known[name])) ? storable(reply) : undefined;
  } catch {
    // It has no end, or is an error.
    return undefined;
  }
}

/** The protocol of an answer. */
interface AnswerForm {
  name: CrossingName;
  crossing: Crossing;
}

interface ReadReply {
  reply: ChatReply;
  objects: Fields[];
}

function readWhole(crossing: Crossing, bytes: Buffer): ReadReply {
  const body = readBody(bytes, crossing.exact);
  return { reply: crossing.decodeReply(body), objects: [body] };
}

function readStream(crossing: Crossing, bytes: Buffer): ReadReply {
  const decoder = crossing.createDecoder();
  const frames = splitFrames(bytes).filter((frame) => !isComment(frame));
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  return { reply: foldEvents(events), objects: frames.map((frame) => frameObject(frame) ?? {}) };
}

function storable({ parts, refusal, stop_reason, stop_sequence }: ChatReply): StoredReply | undefined {
  if (stop_reason !== "stop" || refusal !== undefined) return undefined;
  if (parts.some((part) => part.type === "tool_call")) return undefined;
  if (parts.some((part) => part.type === "reasoning" && (part.signature || part.redacted))) return undefined;
  const told = parts.filter((part) => part.type === "tool_call" || part.text !== "");
  const text = told.map((part) => (part.type === "text" ? part.text : "")).join("");
  const size = Buffer.byteLength(JSON.stringify(told));
  if (text.trim() === "" || size > bounds.answerBytesMax) return undefined;
  return { parts: told, stop_reason, ...(stop_sequence !== undefined && { stop_sequence }) };
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Members of answers that the neutral form carries, or that each call has for itself. */
const known: Record<CrossingName, ReadonlySet<string>> = {
  "openai-chat": words(
    "id object created model choices index message delta role content finish_reason type text system_fingerprint " +
      "service_tier reasoning_content reasoning request_id obfuscation",
  ),
  anthropic: words(
    "id type role model content text stop_reason stop_sequence message index content_block delta thinking",
  ),
  "bedrock-converse": words(
    "output message role content text reasoningContent reasoningText contentBlockIndex delta p stopReason metrics " +
      "latencyMs serviceTier type performanceConfig latency additionalModelResponseFields stop_sequence",
  ),
  gemini: words(
    "candidates content parts text thought role finishReason index modelVersion responseId createTime",
  ),
  "openai-responses": words(
    "id object created_at completed_at status model output type role content text response item part delta summary " +
      "sequence_number output_index content_index summary_index item_id obfuscation parallel_tool_calls " +
      "max_output_tokens max_tool_calls temperature top_p top_logprobs truncation tool_choice service_tier user " +
      "safety_identifier prompt_cache_key prompt_cache_retention frequency_penalty presence_penalty",
  ),
};

/** Members that repeat the request, or count: nobody looks into them. */
const unread = words("usage usageMetadata metadata instructions reasoning text");

/** Whether every member that says something is a known one, and there is no second answer. */
function isKnown(value: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.every((item) => isKnown(item, names));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, member]) => {
    if (saysNothing(member)) return true;
    if (name === "choices" || name === "candidates") return isOne(member) && isKnown(member, names);
    if (unread.has(name) && isObject(member)) return true;
    return (names.has(name) || unread.has(name)) && isKnown(member, names);
  });
}

/** One answer at most, and that the first. */
function isOne(answers: unknown): boolean {
  if (!Array.isArray(answers)) return false;
  return answers.length <= 1 && answers.every((answer) => isObject(answer) && (answer.index ?? 0) === 0);
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
