/** Writes a kept answer for another call, by the encoder of its client's protocol, as if a provider had answered. */

import type { HttpRequest } from "../../base/http/message.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { bareId } from "../../base/platform/id.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import { noUsage } from "../../books/billing/usage.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { ChatEvent } from "../chat/event.ts";
import type { ChatReply } from "../chat/reply.ts";
import { costInFrames, costInReply } from "../protocols/cost.ts";
import type { Crossing, ReplyTarget } from "../protocols/crossing.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { StoredReply } from "./entry.ts";

export interface AnsweredCall {
  request: Pick<HttpRequest, "id" | "received_at">;
  protocol: Protocol;
  model: Model;
  body: JsonBody;
  call: ChatCall;
  tells_cost: boolean;
}

/** The bytes of an answer, whole or all frames of a stream. */
export interface ReplayedAnswer {
  bytes: Buffer;
  content_type: string;
}

/** The answer of a call: with an id and a time of its own, a usage of zeros, and the cost where the client wants it. */
export function replay(crossing: Crossing, stored: StoredReply, answered: AnsweredCall): ReplayedAnswer {
  const { request, protocol, model, body, call, tells_cost } = answered;
  const reply: ChatReply = {
    id: bareId(request.id),
    created: Math.floor(request.received_at / 1000),
    ...stored,
    usage: { ...noUsage },
  };
  const target: ReplyTarget = {
    model: model.id,
    request: body.value,
    hide_usage: call.hide_usage,
    input_tokens: 0,
  };
  if (!call.stream) {
    const bytes = Buffer.from(JSON.stringify(crossing.encodeReply(reply, target)));
    return {
      bytes: tells_cost ? costInReply(protocol, bytes, "0") : bytes,
      content_type: "application/json",
    };
  }
  const encoder = crossing.createEncoder(target);
  const frames = eventsOf(reply).flatMap((event) => encoder.push(event));
  const told = tells_cost ? costInFrames(protocol, frames, "0") : frames;
  const form = protocol.stream?.createForm?.(call);
  const shaped = form ? [...told.map((frame) => form.push(frame)), form.end()] : told;
  return { bytes: Buffer.concat(shaped), content_type: form?.content_type ?? "text/event-stream" };
}

function eventsOf({ id, created, parts, stop_reason, stop_sequence, usage }: ChatReply): ChatEvent[] {
  return [
    { type: "reply-start", id, created },
    ...parts.flatMap((part): ChatEvent[] => {
      if (part.type === "text") return [{ type: "text-delta", text: part.text }];
      if (part.type === "tool_call") return [];
      return [{ type: "reasoning-delta", text: part.text }, { type: "reasoning-end" }];
    }),
    ...(usage ? [{ type: "usage" as const, usage }] : []),
    { type: "reply-end", stop_reason, ...(stop_sequence !== undefined && { stop_sequence }) },
  ];
}
