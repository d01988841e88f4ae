/** Signatures as a crossing gives them to its clients. */
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import { originOf, tagEvent, tagPart } from "#shared/calls/chat/signature.ts";

export const origin = originOf({ provider: "test", model: "upstream-model" });
export const otherOrigin = originOf({ provider: "test", model: "other-model" });

export function taggedReply(reply: ChatReply, from = origin): ChatReply {
  return { ...reply, parts: reply.parts.map((part) => tagPart(part, from)) };
}

export function taggedEvents(events: readonly ChatEvent[], from = origin): ChatEvent[] {
  return events.map((event) => tagEvent(event, from));
}
