/**
 * Neutral stream events, noun then action, and the fold of a stream to a whole reply. The grammar:
 *
 *   reply-start (text-delta | reasoning-delta | reasoning-end | tool-call-start tool-call-delta*
 *   tool-call-end | refusal-delta)* usage? reply-end
 *
 * or an `error` anywhere, which ends it. Tool calls may interleave. Their `index` counts from 0 over the whole stream.
 * The last `usage` counts, and is never added to an earlier one.
 */
import type { ChatReply, ReplyUsage, StopReason } from "./reply.ts";
import type { AssistantPart, ReasoningPart, ToolCallPart } from "./request.ts";

export type ChatEvent =
  | { type: "reply-start"; id: string; created: number }
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** Ends the open reasoning part, and may sign it. A `redacted` one has no deltas before it. */
  | { type: "reasoning-end"; signature?: string; redacted?: true }
  | { type: "tool-call-start"; index: number; id: string; name: string; signature?: string }
  | { type: "tool-call-delta"; index: number; arguments: string }
  | { type: "tool-call-end"; index: number }
  | { type: "refusal-delta"; text: string }
  | { type: "usage"; usage: ReplyUsage }
  | { type: "reply-end"; stop_reason: StopReason; stop_sequence?: string }
  /** The provider failed inside its own stream. Clients do not get its message. */
  | { type: "error"; message: string };

/** Reads a provider's frames as events: `push` each whole frame, `end` once at the end of the bytes. */
export interface StreamDecoder {
  push(frame: Buffer): ChatEvent[];
  /** The last events. An end before the protocol's own last frame gives an `error` event. */
  end(): ChatEvent[];
}

/** Writes events as a client's frames. `reply-end` gives all frames that end the stream. */
export interface StreamEncoder {
  push(event: ChatEvent): Buffer[];
}

/** Folds events into a reply. Throws `TypeError` on a stream without start or end, or with an error. */
export function foldEvents(events: Iterable<ChatEvent>): ChatReply {
  const parts: AssistantPart[] = [];
  const reply: Partial<ChatReply> = { parts };
  const calls = new Map<number, ToolCallPart>();
  let reasoning: ReasoningPart | undefined;
  const openReasoning = (): ReasoningPart => {
    if (reasoning) return reasoning;
    reasoning = { type: "reasoning", text: "" };
    parts.push(reasoning);
    return reasoning;
  };
  for (const event of events) {
    switch (event.type) {
      case "reply-start":
        Object.assign(reply, { id: event.id, created: event.created });
        break;
      case "text-delta":
        appendText(parts, event.text);
        break;
      case "reasoning-delta":
        openReasoning().text += event.text;
        break;
      case "reasoning-end":
        Object.assign(openReasoning(), withoutType(event));
        reasoning = undefined;
        break;
      case "tool-call-start": {
        const { type: _, index, ...call } = event;
        calls.set(index, { type: "tool_call", ...call, arguments: "" });
        parts.push(calls.get(index) as ToolCallPart);
        break;
      }
      case "tool-call-delta": {
        const call = calls.get(event.index);
        if (call) call.arguments += event.arguments;
        break;
      }
      case "tool-call-end":
        break;
      case "refusal-delta":
        reply.refusal = (reply.refusal ?? "") + event.text;
        break;
      case "usage":
        reply.usage = event.usage;
        break;
      case "reply-end":
        Object.assign(reply, withoutType(event));
        break;
      case "error":
        throw new TypeError(event.message);
      default:
        event satisfies never;
    }
  }
  if (reply.id === undefined || reply.stop_reason === undefined)
    throw new TypeError("a stream without start or end");
  for (const call of calls.values()) call.arguments ||= "{}";
  return reply as ChatReply;
}

function withoutType<Event extends { type: string }>({ type: _, ...rest }: Event): Omit<Event, "type"> {
  return rest;
}

function appendText(parts: AssistantPart[], text: string): void {
  const last = parts.at(-1);
  if (last?.type === "text") last.text += text;
  else parts.push({ type: "text", text });
}
