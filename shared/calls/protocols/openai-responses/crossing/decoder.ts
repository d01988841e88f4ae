/** A provider's Responses stream as neutral events (protocols.md §1.6). */

import { asText, type Fields, isObject } from "../../../../base/json/fields.ts";
import { frameObject } from "../../../../base/sse/frames.ts";
import type { ChatEvent, StreamDecoder } from "../../../chat/event.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import { isFailure } from "../pass-through/reply.ts";
import { callSignature, decodeSignature } from "./items.ts";
import { decodeIdentity, decodeStop, decodeUsage } from "./reply.ts";

interface OpenCall {
  index: number;
  /** Whether any of its arguments have come. */
  begun: boolean;
}

interface State {
  started: boolean;
  over: boolean;
  /** Open calls, by output index. */
  calls: Map<unknown, OpenCall>;
  called: number;
  /** Parts of the open reasoning item, and whether any text of it has come. */
  reasoning: { parts: number; begun: boolean };
}

/** A decoder of one stream. A stream that does not begin with its response, or breaks off, gives an `error`. */
export function createDecoder(): StreamDecoder {
  const state: State = {
    started: false,
    over: false,
    calls: new Map(),
    called: 0,
    reasoning: { parts: 0, begun: false },
  };
  const fail = (message: string): ChatEvent[] => {
    state.over = true;
    return [{ type: "error", message }];
  };
  return {
    push(frame) {
      const event = state.over ? undefined : frameObject(frame);
      if (!event) return [];
      if (event.type === "keepalive") return [];
      if (isFailure(event)) return fail(failureMessage(event));
      if (!state.started) {
        if (!isObject(event.response)) return fail("The stream does not begin with its response.");
        state.started = true;
        return [{ type: "reply-start", ...decodeIdentity(event.response) }, ...readEvent(event, state)];
      }
      return readEvent(event, state);
    },
    end: () => (state.over ? [] : fail("The stream ended before its last event.")),
  };
}

function failureMessage(event: Fields): string {
  const response = isObject(event.response) ? event.response : {};
  const error = event.error ?? response.error ?? event;
  const message = isObject(error) ? error.message : undefined;
  return typeof message === "string" ? message : "The provider reported a failure.";
}

/** Events by type. Events that only repeat their deltas are skipped. */
function readEvent(event: Fields, state: State): ChatEvent[] {
  const delta = typeof event.delta === "string" ? event.delta : "";
  switch (event.type) {
    case "response.output_text.delta":
      return delta ? [{ type: "text-delta", text: delta }] : [];
    case "response.refusal.delta":
      return delta ? [{ type: "refusal-delta", text: delta }] : [];
    case "response.reasoning_summary_part.added":
      return openReasoningPart(state);
    case "response.content_part.added":
      return isObject(event.part) && event.part.type === "reasoning_text" ? openReasoningPart(state) : [];
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return delta ? reason(state, delta) : [];
    case "response.output_item.added":
      return isObject(event.item) ? openItem(event.item, event.output_index, state) : [];
    case "response.function_call_arguments.delta":
      return readArguments(state.calls.get(event.output_index), delta);
    case "response.output_item.done":
      return isObject(event.item) ? closeItem(event.item, event.output_index, state) : [];
    case "response.completed":
    case "response.incomplete":
      return isObject(event.response) ? finish(event.response, state) : [];
    default:
      return [];
  }
}

function reason(state: State, text: string): ChatEvent[] {
  state.reasoning.begun = true;
  return [{ type: "reasoning-delta", text }];
}

/** A blank line stands between parts of one reasoning, as in a whole reply. */
function openReasoningPart(state: State): ChatEvent[] {
  state.reasoning.parts += 1;
  return state.reasoning.parts > 1 ? reason(state, "\n\n") : [];
}

function openItem(item: Fields, outputIndex: unknown, state: State): ChatEvent[] {
  if (item.type !== "function_call") return [];
  const index = state.called++;
  state.calls.set(outputIndex, { index, begun: false });
  const id = asText(item.call_id);
  const name = asText(item.name);
  return [
    omitUndefined({ type: "tool-call-start" as const, index, id, name, signature: callSignature(item) }),
  ];
}

function readArguments(call: OpenCall | undefined, text: string): ChatEvent[] {
  if (!call || text === "") return [];
  call.begun = true;
  return [{ type: "tool-call-delta", index: call.index, arguments: text }];
}

function closeItem(item: Fields, outputIndex: unknown, state: State): ChatEvent[] {
  if (item.type === "reasoning") return closeReasoning(item, state);
  const call = state.calls.get(outputIndex);
  if (!call) return [];
  state.calls.delete(outputIndex);
  // Some servers send the arguments only once, whole.
  const whole = call.begun ? "" : asText(item.arguments);
  return [...readArguments(call, whole), { type: "tool-call-end", index: call.index }];
}

/** An item without text and encrypted content only refers to the provider's storage. */
function closeReasoning(item: Fields, state: State): ChatEvent[] {
  const { begun } = state.reasoning;
  state.reasoning = { parts: 0, begun: false };
  const ending = decodeSignature(item);
  return begun || ending.signature !== undefined ? [{ type: "reasoning-end", ...ending }] : [];
}

function finish(response: Fields, state: State): ChatEvent[] {
  state.over = true;
  const usage = decodeUsage(response.usage);
  return [
    ...(state.reasoning.begun ? [{ type: "reasoning-end" as const }] : []),
    ...[...state.calls.values()].map(({ index }) => ({ type: "tool-call-end" as const, index })),
    ...(usage ? [{ type: "usage" as const, usage }] : []),
    { type: "reply-end", stop_reason: decodeStop(response, state.called > 0) },
  ];
}
