/** Why an answer of Converse ended, both ways by table (protocols.md §8.2). */
import { entryOf, type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatReply, StopReason } from "../../../chat/reply.ts";

/** How an answer ended. */
export type Ending = Pick<ChatReply, "stop_reason" | "stop_sequence" | "refusal">;

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

const stopNames: Record<StopReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "content_filtered",
  pause: "end_turn",
};

/** The place of an answer's own fields that says which stop sequence was met. */
export const stopPath = "/stop_sequence";

/** Writes an ending. Which sequence was met is told where the client's request asks for it. */
export function encodeEnding({ stop_reason, stop_sequence, refusal }: Ending, request: Fields): Fields {
  if (refusal) return { stopReason: stopNames.refusal };
  if (stop_reason !== "stop" || stop_sequence === undefined) return { stopReason: stopNames[stop_reason] };
  const { additionalModelResponseFieldPaths: paths } = request;
  const isAsked = Array.isArray(paths) && paths.includes(stopPath);
  return {
    stopReason: "stop_sequence",
    ...(isAsked && { additionalModelResponseFields: { stop_sequence } }),
  };
}
