/** How a response ends for each of the neutral stop reasons (protocols.md §6.3). */
import type { StopReason } from "../../../chat/reply.ts";

/** How a reply ends: the status, and the reason where it is incomplete (protocols.md §6.3). */
interface ResponseEnding {
  status: "completed" | "incomplete";
  incomplete_details: { reason: string } | null;
}

const completed: ResponseEnding = { status: "completed", incomplete_details: null };

/** The endings of the neutral stop reasons. A refusal said in words ends like any answer. */
export const endings: Record<StopReason, ResponseEnding> = {
  stop: completed,
  tool_calls: completed,
  // The protocol has no word for a turn that asks to be continued.
  pause: completed,
  length: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
  refusal: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
};
