/** Why an answer ended and what it used, both ways by table (protocols.md §6.3, §6.4). */

import { entryOf, type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ReplyUsage, StopReason } from "../../../chat/reply.ts";
import { counter, isReported } from "../../counters.ts";
import { readUsage } from "../pass-through/reply.ts";

const stopReasons: Record<string, StopReason> = {
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
};

/** Reasons by which the model broke off inside a call. What came of the call is no answer. */
const failures = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

/** The neutral reason; undefined for a failure. Gemini also says STOP where it `called` (protocols.md pitfall 9). */
export function stopReasonOf(finishReason: string, called: boolean): StopReason | undefined {
  if (failures.has(finishReason)) return undefined;
  const known = entryOf(stopReasons, finishReason);
  return known ?? (called ? "tool_calls" : "stop");
}

/** Gemini's reason for each of ours; a pause has none of its own. */
export const finishReasons: Record<StopReason, string> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  pause: "OTHER",
};

/** The content of an answer's last chunk. Without a part, the SDK's chats forget that turn and its question. */
export const lastContent: Fields = { role: "model", parts: [{ text: "" }] };

/** A reply's usage with the thoughts that are part of its output. */
export function decodeUsage(value: unknown): ReplyUsage | undefined {
  const usage = readUsage(value);
  const thoughts = isObject(value) ? value.thoughtsTokenCount : undefined;
  return usage && isReported(thoughts) ? { ...usage, reasoning_tokens: counter(thoughts) } : usage;
}

/** What was written to a cache is part of the prompt; Gemini has no counter of it. */
export function encodeUsage(usage: ReplyUsage): Fields {
  const { cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, ways } = usage;
  const prompt = usage.input_tokens + cache_read_tokens + cache_write_tokens;
  return {
    promptTokenCount: prompt,
    ...(cache_read_tokens > 0 ? { cachedContentTokenCount: cache_read_tokens } : {}),
    candidatesTokenCount: output_tokens - (reasoning_tokens ?? 0),
    ...(reasoning_tokens === undefined ? {} : { thoughtsTokenCount: reasoning_tokens }),
    totalTokenCount: prompt + output_tokens,
    ...(ways?.service_tier !== undefined && { serviceTier: ways.service_tier }),
  };
}
