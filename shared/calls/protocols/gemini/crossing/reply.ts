/** Gemini's whole replies, to and from the neutral form (protocols.md §3.2). */

import type { Fields } from "../../../../base/json/fields.ts";
import { foldEvents } from "../../../chat/event.ts";
import type { ChatReply } from "../../../chat/reply.ts";
import type { AssistantPart } from "../../../chat/request.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { endOf, initialState, readChunk } from "./decoder.ts";
import { encodeUsage, finishReasons } from "./finish.ts";
import { encodeForClient } from "./parts.ts";

/** A provider's reply: a stream of one chunk. Throws `TypeError` on an error or without a finish reason. */
export function decodeReply(reply: Fields): ChatReply {
  const state = initialState();
  return foldEvents([...readChunk(state, reply), ...endOf(state)]);
}

/**
 * A reply for a client. What a model said in place of an answer goes beside the finish reason. Where it has no other
 * words and no call (`isSilent`) it is the text too, because Google's SDK does not show what stands beside the reason.
 */
export function encodeReply(
  reply: ChatReply,
  target: ReplyTarget,
  isSilent = reply.parts.every(({ type }) => type === "reasoning"),
): Fields {
  const { refusal } = reply;
  const words: AssistantPart[] = refusal !== undefined && isSilent ? [{ type: "text", text: refusal }] : [];
  const parts = [...reply.parts, ...words].flatMap((part) => encodeForClient(part, target.unsigned));
  const candidate = {
    content: { role: "model", parts },
    finishReason: finishReasons[refusal === undefined ? reply.stop_reason : "refusal"],
    ...(refusal === undefined ? {} : { finishMessage: refusal }),
    index: 0,
  };
  return {
    candidates: [candidate],
    ...(reply.usage ? { usageMetadata: encodeUsage(reply.usage) } : {}),
    ...origin(reply, target),
  };
}

/** The members of a whole reply, and of every chunk, that say where it comes from. */
export function origin({ id, created }: Pick<ChatReply, "id" | "created">, { model }: ReplyTarget): Fields {
  const time = new Date(created * 1000);
  const known = created > 0 && !Number.isNaN(time.getTime());
  return { modelVersion: model, responseId: id, ...(known ? { createTime: time.toISOString() } : {}) };
}
