/** Gemini's chunks as neutral events. A whole reply has the form of a stream's only chunk. */
import { createHash } from "node:crypto";
import { asText, type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatEvent, StreamDecoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import { laterUsage } from "../../counters.ts";
import { exactFrame } from "../../reply-body.ts";
import { exactMembers } from "../names.ts";
import { blockReason, candidatesOf, partsOf } from "../pass-through/reply.ts";
import { decodeUsage, stopReasonOf } from "./finish.ts";
import { readSignature } from "./signature.ts";

interface DecoderState {
  /** The reply's id once it has begun. */
  id: string | undefined;
  /** Calls of the whole stream: each one is a new index (protocols.md pitfall 8). */
  calls: number;
  /** Whether a thought is open. */
  reasoning: boolean;
  usage: ReplyUsage | undefined;
  /** The last finish reason, and what was said in place of an answer. */
  finish: { reason: string; words: unknown } | undefined;
  ended: boolean;
}

export function initialState(): DecoderState {
  return { id: undefined, calls: 0, reasoning: false, usage: undefined, finish: undefined, ended: false };
}

/** A decoder of one stream. */
export function createDecoder(): StreamDecoder {
  const state = initialState();
  return {
    push(frame) {
      if (frame[0] === 0x7b) return fail(state, "a bare error between the frames");
      const chunk = exactFrame(frame, exactMembers);
      return chunk ? readChunk(state, chunk) : [];
    },
    end: () => endOf(state),
  };
}

/** The events of one chunk. A finish reason does not end the stream: of some providers the answer goes on. */
export function readChunk(state: DecoderState, chunk: Fields): ChatEvent[] {
  if (state.ended) return [];
  const { error } = chunk;
  if (isObject(error)) return fail(state, asText(error.message ?? error.status));
  const events: ChatEvent[] = [];
  if (state.id === undefined) events.push(begin(state, chunk));
  // A running total stands on every chunk (protocols.md pitfall 35).
  state.usage = laterUsage(state.usage, decodeUsage(chunk.usageMetadata));
  const candidate = candidatesOf(chunk).find(({ index }) => (index ?? 0) === 0);
  for (const part of candidate ? partsOf(candidate) : []) events.push(...readPart(state, part));
  const finish = readFinish(chunk, candidate);
  if (finish && !stopReasonOf(finish.reason, false))
    return [...events, ...fail(state, `the model ended with ${finish.reason}`)];
  state.finish = finish ?? state.finish;
  return events;
}

/** Why a candidate ended; a blocked prompt has none at all (protocols.md §3.2). */
function readFinish(chunk: Fields, candidate: Fields | undefined): DecoderState["finish"] {
  if (!candidate) {
    const feedback = chunk.promptFeedback;
    if (blockReason(chunk) === undefined || !isObject(feedback)) return undefined;
    return { reason: "PROHIBITED_CONTENT", words: feedback.blockReasonMessage };
  }
  const { finishReason: reason, finishMessage: words } = candidate;
  return typeof reason === "string" && reason !== "" ? { reason, words } : undefined;
}

/** An id for a chunk that has none, made of its content: the same bytes give the same id. */
function begin(state: DecoderState, chunk: Fields): ChatEvent {
  const { responseId, createTime } = chunk;
  state.id =
    typeof responseId === "string" && responseId !== ""
      ? responseId
      : createHash("sha256").update(JSON.stringify(chunk)).digest("hex").slice(0, 24);
  const created = Math.floor(Date.parse(asText(createTime)) / 1000);
  return { type: "reply-start", id: state.id, created: Number.isNaN(created) ? 0 : created };
}

function readPart(state: DecoderState, part: Fields): ChatEvent[] {
  const signed = readSignature(part.thoughtSignature);
  if (isObject(part.functionCall)) {
    return [...closeReasoning(state), ...callEvents(state, part.functionCall, signed?.signature)];
  }
  const text = typeof part.text === "string" ? part.text : "";
  const events: ChatEvent[] = [];
  if (text !== "" && part.thought === true) {
    state.reasoning = true;
    events.push({ type: "reasoning-delta", text });
  } else if (text !== "") {
    events.push(...closeReasoning(state), { type: "text-delta", text });
  }
  if (signed) {
    // Signs the thought that runs; on text, or alone, it is a reasoning part without words.
    state.reasoning = false;
    events.push({ type: "reasoning-end", ...signed });
  }
  return events;
}

function closeReasoning(state: DecoderState): ChatEvent[] {
  if (!state.reasoning) return [];
  state.reasoning = false;
  return [{ type: "reasoning-end" }];
}

/** A call arrives whole. One without an id gets one made of the reply's, so that it is unique among turns. */
function callEvents(state: DecoderState, call: Fields, signature: string | undefined): ChatEvent[] {
  const index = state.calls++;
  const made = `call_${state.id?.replace(/[^a-zA-Z0-9_-]/g, "_")}_${index}`;
  const id = typeof call.id === "string" && call.id !== "" ? call.id : made;
  const name = asText(call.name);
  return [
    { type: "tool-call-start", index, id, name, ...(signature === undefined ? {} : { signature }) },
    { type: "tool-call-delta", index, arguments: JSON.stringify(call.args ?? {}) },
    { type: "tool-call-end", index },
  ];
}

/** What is owed at the end of the chunks. */
export function endOf(state: DecoderState): ChatEvent[] {
  if (state.ended) return [];
  const stop_reason = state.finish && stopReasonOf(state.finish.reason, state.calls > 0);
  if (!stop_reason) return fail(state, "the stream ended without a finish reason");
  state.ended = true;
  const words = stop_reason === "refusal" ? state.finish?.words : undefined;
  return [
    ...closeReasoning(state),
    ...(typeof words === "string" && words !== "" ? [{ type: "refusal-delta" as const, text: words }] : []),
    ...(state.usage ? [{ type: "usage" as const, usage: state.usage }] : []),
    { type: "reply-end", stop_reason },
  ];
}

/** An error, unless the stream is over already. */
function fail(state: DecoderState, message: string): ChatEvent[] {
  if (state.ended) return [];
  state.ended = true;
  return [{ type: "error", message }];
}
