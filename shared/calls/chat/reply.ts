/** The neutral reply: a whole answer of one choice. */
import type { Usage } from "../../books/billing/usage.ts";
import type { AssistantPart } from "./request.ts";
import type { ServedWays } from "./ways.ts";

/**
 * Why an answer ended, by the words of protocols.md §6.3: `stop` (done, or a stop sequence), `length`,
 * `tool_calls`, `refusal` (content filter), `pause`.
 */
export type StopReason = "stop" | "length" | "tool_calls" | "refusal" | "pause";

/** The four disjoint counters, with details that some protocols report. */
export interface ReplyUsage extends Usage {
  /** Part of `output_tokens`. */
  reasoning_tokens?: number;
  /** How the call was served, where the provider says it. */
  ways?: ServedWays;
}

export interface ChatReply {
  /** The provider's id without a prefix of its protocol, or ours. */
  id: string;
  /** Unix seconds. */
  created: number;
  parts: AssistantPart[];
  /** What the model said instead of an answer. */
  refusal?: string;
  stop_reason: StopReason;
  /** The stop sequence that was met, where it is told. */
  stop_sequence?: string;
  usage?: ReplyUsage;
}
