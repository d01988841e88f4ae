/** What counts as output, by one rule: everything that is not empty and not of a kind that is listed here as silent. */

import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import type { Finish } from "../../books/ledger/free.ts";

/** The kinds of frames, blocks or items of a protocol, by `type`, that may have no output. */
interface KnownKinds {
  /** Never output: pings, beginnings and ends. */
  silent: ReadonlySet<unknown>;
  /** Output if they carry something. */
  carriers: ReadonlySet<unknown>;
}

export const anthropicEvents: KnownKinds = {
  silent: new Set(["ping", "message_start", "content_block_stop", "message_delta", "message_stop"]),
  carriers: new Set(["content_block_start", "content_block_delta"]),
};
export const anthropicBlocks: KnownKinds = { silent: new Set(), carriers: new Set(["text", "thinking"]) };
export const anthropicDeltas: KnownKinds = {
  silent: new Set(),
  carriers: new Set([
    "text_delta",
    "thinking_delta",
    "signature_delta",
    "input_json_delta",
    "citations_delta",
    "compaction_delta",
  ]),
};

/** For each name the event that begins it, and its `done` event. */
function eventsOf(first: "added" | "delta", ...names: string[]): string[] {
  return names.flatMap((name) => [`response.${name}.${first}`, `response.${name}.done`]);
}

export const responsesEvents: KnownKinds = {
  silent: new Set([
    "keepalive",
    "response.created",
    "response.queued",
    "response.in_progress",
    "response.reasoning.started",
    "response.reasoning.stopped",
    "response.completed",
    "response.incomplete",
  ]),
  carriers: new Set([
    ...eventsOf("added", "content_part", "reasoning_summary_part"),
    ...eventsOf(
      "delta",
      "output_text",
      "refusal",
      "reasoning_summary_text",
      "reasoning_text",
      "function_call_arguments",
      "custom_tool_call_input",
    ),
  ]),
};
export const responsesItems: KnownKinds = {
  silent: new Set(),
  carriers: new Set(["message", "reasoning", "function_call", "custom_tool_call"]),
};

/** Members, in any protocol, that only name, place or rate what stands beside them. Alone they are no output. */
const labels: ReadonlySet<string> = new Set([
  "type",
  "id",
  "object",
  "created",
  "model",
  "role",
  "index",
  "status",
  "phase",
  "thought",
  "call_id",
  "item_id",
  "output_index",
  "content_index",
  "summary_index",
  "sequence_number",
  "obfuscation",
  "logprobs",
  "finish_reason",
  "native_finish_reason",
  "stop_reason",
  "matched_stop",
  "content_filter_results",
  "content_filter_offsets",
  "moderation_hit_type",
  "finishReason",
  "finishMessage",
  "safetyRatings",
  "avgLogprobs",
  "logprobsResult",
  "tokenCount",
]);

/** Whether a value has nothing in it but labels, at any depth. */
export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isEmpty);
  if (!isObject(value)) return !value;
  return Object.keys(value).every((name) => labels.has(name) || isEmpty(value[name]));
}

/** Whether a frame, block or item is output. One without a `type` is output unless it is empty. */
export function isOutput(value: Fields, { silent, carriers }: KnownKinds): boolean {
  const { type } = value;
  if (silent.has(type)) return false;
  return type !== undefined && !carriers.has(type) ? true : !isEmpty(value);
}

/** Members that carry a picture or a sound as base64, or as data URL. */
const mediaMembers: ReadonlySet<string> = new Set(["data", "result", "url", "b64_json"]);

/** How such a medium begins. Text of this length has a space. */
const medium = /^(?:data:[^,]{0,255},|[\w+/-]{256})/;

/** Bytes of a value's JSON, to estimate tokens from. The bytes of a medium say nothing about tokens, and count 0. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value, (name, part: unknown) =>
    typeof part === "string" && mediaMembers.has(name) && medium.test(part) ? "" : part,
  );
  return Buffer.byteLength(text);
}

/** Finish reasons of a provider that failed. What a caller can cause, such as a malformed call, is billed. */
const failures: ReadonlySet<unknown> = new Set(["error", "network_error"]);

/** How an answer ended, by its finish reasons, one for each choice. What is no text is no reason. */
export function finishOf(reasons: Iterable<unknown>): Finish {
  const given = [...reasons].filter((reason) => typeof reason === "string" && reason !== "");
  if (given.some((reason) => !failures.has(reason))) return "reason";
  return given.length > 0 ? "error" : "none";
}

/** Bytes of a member that should be text. Some providers send a call's arguments as an object, whose JSON counts. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return isAbsent(value) ? 0 : jsonBytes(value);
}
