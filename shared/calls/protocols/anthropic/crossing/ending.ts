/** How an Anthropic answer ended, both ways by table (protocols.md §6.3). */

import { entryOf, type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatReply, StopReason } from "../../../chat/reply.ts";

/** How a reply ended: the reason, the stop sequence, and what the model said instead of an answer. */
export type ReplyEnding = Pick<ChatReply, "stop_reason" | "stop_sequence" | "refusal">;

const stopReasons: Record<string, StopReason> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal",
  pause_turn: "pause",
};

/** The ending of an answer. One with tool calls ends for them, whatever reason a compatible host names. */
export function endingOf(ending: ReplyEnding, called: boolean): ReplyEnding {
  return called && ending.stop_reason === "stop" ? { stop_reason: "tool_calls" } : ending;
}

/** Reads the ending of a message or a `message_delta`; undefined where it has none yet. */
export function decodeEnding(fields: Fields): ReplyEnding | undefined {
  const reason = fields.stop_reason;
  if (typeof reason !== "string") return undefined;
  const known = entryOf(stopReasons, reason);
  const ending: ReplyEnding = { stop_reason: known ?? "stop" };
  const { stop_sequence: sequence, stop_details: details } = fields;
  if (typeof sequence === "string") ending.stop_sequence = sequence;
  const explanation = isObject(details) ? details.explanation : undefined;
  if (typeof explanation === "string" && explanation !== "") ending.refusal = explanation;
  return ending;
}

const stopNames: Record<StopReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  pause: "pause_turn",
};

/** Writes an ending. A reply with a refusal ends as one, whatever reason the other protocol gave. */
export function encodeEnding({ stop_reason: reason, stop_sequence, refusal }: ReplyEnding): Fields {
  if (refusal) {
    const stop_details = { type: "refusal", category: null, explanation: refusal };
    return { stop_reason: "refusal", stop_sequence: null, stop_details };
  }
  const met = reason === "stop" && stop_sequence !== undefined;
  return {
    stop_reason: met ? "stop_sequence" : stopNames[reason],
    stop_sequence: met ? stop_sequence : null,
  };
}
