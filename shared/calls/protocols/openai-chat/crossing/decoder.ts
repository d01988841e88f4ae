/** OpenAI chat streams to neutral events (protocols.md §1.3, §5, §6.5). */

import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { frameData } from "../../../../base/sse/frames.ts";
import type { ChatEvent, StreamDecoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import { laterUsage } from "../../counters.ts";
import { exactFrame } from "../../reply-body.ts";
import { type CallFragments, createCallFragments } from "../pass-through/fragments.ts";
import { choicesOf, isFailure } from "../pass-through/reply.ts";
import { textOf } from "./content.ts";
import { decodeStopReason } from "./ending.ts";
import { reasoningDetails, reasoningText } from "./reasoning.ts";
import { decodeHead, decodeUsage } from "./reply.ts";
import { exactMembers } from "./tools.ts";

interface State {
  calls: CallFragments | undefined;
  /** A reasoning part is open. */
  reasoning: boolean;
  /** The provider's finish reason, once it gave one. The usage comes after it. */
  finish: string | undefined;
  /** The latest report: some vendors repeat a running total (protocols.md pitfall 35). */
  usage: ReplyUsage | undefined;
  over: boolean;
}

/** A decoder of one stream. `[DONE]`, or the end of the bytes, is a failure before the finish reason (pitfall 21). */
export function createDecoder(): StreamDecoder {
  const state: State = {
    calls: undefined,
    reasoning: false,
    finish: undefined,
    usage: undefined,
    over: false,
  };
  const guarded = (read: () => ChatEvent[]): ChatEvent[] => {
    if (state.over) return [];
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      state.over = true;
      return [{ type: "error", message: error.message }];
    }
  };
  return {
    push: (frame) => guarded(() => readFrame(state, frame)),
    end: () => guarded(() => readEnd(state)),
  };
}

/** Throws `TypeError` where the stream fails or stops being one. */
function readFrame(state: State, frame: Buffer): ChatEvent[] {
  const chunk = exactFrame(frame, exactMembers);
  if (chunk) return readChunk(state, chunk);
  const data = frameData(frame).trim();
  if (data.startsWith("[DONE]")) return readEnd(state);
  if (data !== "") throw new TypeError("a frame is not JSON");
  return [];
}

function readChunk(state: State, chunk: Fields): ChatEvent[] {
  if (isFailure(chunk)) throw new TypeError(failureMessage(chunk));
  state.usage = laterUsage(state.usage, decodeUsage(chunk));
  const choice = choicesOf(chunk).find(({ index }) => (index ?? 0) === 0);
  if (!choice) return [];
  const events: ChatEvent[] = [];
  if (!state.calls) {
    const head = decodeHead(chunk);
    state.calls = createCallFragments(head.id);
    events.push({ type: "reply-start", ...head });
  }
  const { delta, finish_reason: finish } = choice;
  if (isObject(delta)) events.push(...readDelta(state, state.calls, delta));
  // Some vendors write an empty reason where others write null (pitfall 35).
  if (typeof finish === "string" && finish !== "") {
    // Throws at once on a reason that tells of a failure; which reason it is depends on what else comes.
    decodeStopReason(finish, false);
    state.finish = finish;
    events.push(...endReasoning(state), ...state.calls.end());
  }
  return events;
}

function failureMessage(chunk: Fields): string {
  const { error } = chunk;
  const message = isObject(error) ? error.message : chunk.message;
  return typeof message === "string" ? message : "the provider failed";
}

/** Words end the calls before them. White space does not: some vendors write it between the fragments of one. */
function readDelta(state: State, calls: CallFragments, delta: Fields): ChatEvent[] {
  const events = readReasoning(state, calls, delta);
  const text = textOf(delta.content);
  const refusal = textOf(delta.refusal);
  const fragments = objectsOf(delta.tool_calls);
  if (text || refusal || fragments.length > 0) events.push(...endReasoning(state));
  if (text.trim() || refusal) events.push(...calls.end());
  if (text) events.push({ type: "text-delta", text });
  if (refusal) events.push({ type: "refusal-delta", text: refusal });
  for (const fragment of fragments) events.push(...calls.push(fragment));
  return events;
}

/** Details bring signatures only: their text already came as `reasoning_content`. */
function readReasoning(state: State, calls: CallFragments, delta: Fields): ChatEvent[] {
  const events: ChatEvent[] = [];
  const text = reasoningText(delta);
  if (text) {
    state.reasoning = true;
    if (text.trim()) events.push(...calls.end());
    events.push({ type: "reasoning-delta", text });
  }
  for (const { signature, redacted } of reasoningDetails(delta)) {
    if (signature === undefined) continue;
    if (redacted) events.push(...endReasoning(state));
    state.reasoning = false;
    events.push({ type: "reasoning-end", signature, ...(redacted ? { redacted } : {}) });
  }
  return events;
}

function endReasoning(state: State): ChatEvent[] {
  if (!state.reasoning) return [];
  state.reasoning = false;
  return [{ type: "reasoning-end" }];
}

function readEnd(state: State): ChatEvent[] {
  const stop_reason = decodeStopReason(state.finish, state.calls?.any() ?? false);
  state.over = true;
  return [
    ...(state.usage ? [{ type: "usage" as const, usage: state.usage }] : []),
    { type: "reply-end", stop_reason },
  ];
}
