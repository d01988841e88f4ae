/** Why an answer of Converse ended, by table (protocols.md §8.2). */
import { entryOf, type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatReply, StopReason } from "../../../chat/reply.ts";

/** How an answer ended. */
export type Ending = Pick<ChatReply, "stop_reason" | "stop_sequence">;

const stopReasons: Record<string, StopReason> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
};

/** Reasons by which the model broke off inside of an answer. What came of it is none. */
const failures = new Set(["malformed_model_output", "malformed_tool_use"]);

/** The ending that an answer, or the end of a stream, tells. Undefined where it tells none, or a failure. */
export function endingOf(told: Fields, called: boolean): Ending | undefined {
  const { stopReason: reason, additionalModelResponseFields: more } = told;
  if (typeof reason !== "string" || failures.has(reason)) return undefined;
  const known = entryOf(stopReasons, reason) ?? "stop";
  const met = isObject(more) ? more.stop_sequence : undefined;
  return {
    stop_reason: known === "stop" && called ? "tool_calls" : known,
    ...(reason === "stop_sequence" && typeof met === "string" && { stop_sequence: met }),
  };
}
