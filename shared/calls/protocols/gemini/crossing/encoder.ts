/** Neutral events as Gemini's chunks: only `data:` frames, no comments, no `[DONE]` (protocols.md §3.4). */

import type { Fields } from "../../../../base/json/fields.ts";
import { renderFrame } from "../../../../base/sse/frames.ts";
import type { ChatEvent, StreamEncoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import type { AssistantPart, ReasoningPart, ToolCallPart } from "../../../chat/request.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { errorFrame } from "../../error-frame.ts";
import { candidatesOf } from "../pass-through/reply.ts";
import { lastContent } from "./finish.ts";
import { encodeForClient } from "./parts.ts";
import { encodeReply, origin } from "./reply.ts";

/** What has to wait. Gemini writes a call whole, and a refusal beside the finish reason. */
interface EncoderState {
  target: ReplyTarget;
  id: string;
  created: number;
  /** What every chunk says of where it comes from. */
  origin: Fields;
  /** Calls not yet written, in the order they began, and those of them that are whole. */
  calls: Map<number, ToolCallPart>;
  whole: Set<number>;
  refusal: string | undefined;
  usage: ReplyUsage | undefined;
  /** No text and no call has come yet. */
  silent: boolean;
}

/** An encoder of one stream. */
export function createEncoder(target: ReplyTarget): StreamEncoder {
  const state: EncoderState = {
    target,
    id: "",
    created: 0,
    origin: origin({ id: "", created: 0 }, target),
    calls: new Map(),
    whole: new Set(),
    refusal: undefined,
    usage: undefined,
    silent: true,
  };
  return { push: (event) => write(state, event) };
}

function write(state: EncoderState, event: ChatEvent): Buffer[] {
  switch (event.type) {
    case "reply-start":
      state.id = event.id;
      state.created = event.created;
      state.origin = origin(event, state.target);
      return [];
    case "text-delta":
      state.silent &&= event.text === "";
      return part(state, { type: "text", text: event.text });
    case "reasoning-delta":
      return event.text === "" ? [] : [frame(state, { text: event.text, thought: true })];
    case "reasoning-end": {
      const { type: _, ...signed } = event;
      return part(state, { type: "reasoning", text: "", ...signed } satisfies ReasoningPart);
    }
    case "tool-call-start": {
      const { type: _, index, ...call } = event;
      state.silent = false;
      state.calls.set(index, { type: "tool_call", ...call, arguments: "" });
      return [];
    }
    case "tool-call-delta": {
      const call = state.calls.get(event.index);
      if (call) call.arguments += event.arguments;
      return [];
    }
    case "tool-call-end":
      state.whole.add(event.index);
      return takeCalls(state).flatMap((call) => part(state, call));
    case "refusal-delta":
      state.refusal = (state.refusal ?? "") + event.text;
      return [];
    case "usage":
      state.usage = event.usage;
      return [];
    case "reply-end":
      return [...[...state.calls.values()].flatMap((call) => part(state, call)), ending(state, event)];
    case "error":
      return [errorFrame("gemini", "upstream_error")];
    default:
      return event satisfies never;
  }
}

/** The calls up to the first that is not whole, because parallel calls keep the order in which they began. */
function takeCalls({ calls, whole }: EncoderState): ToolCallPart[] {
  const taken: ToolCallPart[] = [];
  for (const [index, call] of calls) {
    if (!whole.has(index)) break;
    calls.delete(index);
    taken.push(call);
  }
  return taken;
}

function part(state: EncoderState, neutral: AssistantPart): Buffer[] {
  return encodeForClient(neutral, state.target.unsigned).map((encoded) => frame(state, encoded));
}

function frame(state: EncoderState, encoded: Fields): Buffer {
  const candidates = [{ content: { role: "model", parts: [encoded] }, index: 0 }];
  return renderFrame(JSON.stringify({ candidates, ...state.origin }));
}

/** The last chunk is a whole reply, whose only words are those of a refusal. */
function ending(state: EncoderState, { stop_reason }: Extract<ChatEvent, { type: "reply-end" }>): Buffer {
  const { id, created, refusal, usage, target, silent } = state;
  const reply = encodeReply(
    {
      id,
      created,
      parts: [],
      stop_reason,
      ...(refusal === undefined ? {} : { refusal }),
      ...(usage ? { usage } : {}),
    },
    target,
    silent,
  );
  const answered = refusal === undefined && stop_reason !== "refusal";
  const candidates = candidatesOf(reply).map((candidate) =>
    answered ? { ...candidate, content: lastContent } : candidate,
  );
  return renderFrame(JSON.stringify({ ...reply, candidates }));
}
