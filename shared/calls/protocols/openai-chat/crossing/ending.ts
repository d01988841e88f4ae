/** How an OpenAI chat answer ended, both ways by table (protocols.md §5, §6.3). */
import type { StopReason } from "../../../chat/reply.ts";

/** Finish reasons of OpenAI, then Zhipu (protocols.md §5) and Mistral (dialects.md). Any other is a plain stop. */
const stopReasons = new Map<string, StopReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "refusal"],
  ["sensitive", "refusal"],
  ["model_context_window_exceeded", "length"],
  ["model_length", "length"],
]);

/** Finish reasons that mean a failure; the last is DeepSeek's. No answer ends with one. */
const failures = new Set(["network_error", "error", "insufficient_system_resource"]);

const finishReasons: Record<StopReason, string> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  refusal: "content_filter",
  // A pause asks for the turn to be continued; OpenAI chat has no word for it.
  pause: "stop",
};

/** The neutral reason. Calls end an answer, even where OpenAI says `stop`. Throws `TypeError` for none or a failure. */
export function decodeStopReason(finish: unknown, withCalls: boolean): StopReason {
  if (typeof finish !== "string" || finish === "" || failures.has(finish)) {
    throw new TypeError(`the answer has no end (finish_reason ${JSON.stringify(finish)})`);
  }
  const reason = stopReasons.get(finish) ?? "stop";
  return reason === "stop" && withCalls ? "tool_calls" : reason;
}

/** The client's finish reason. `isOld`: its calls have the form from before there were tools. */
export function encodeStopReason(reason: StopReason, isOld = false): string {
  return isOld && reason === "tool_calls" ? "function_call" : finishReasons[reason];
}
