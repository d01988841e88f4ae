/** Neutral events as a client's Responses stream, with every event of the protocol (protocols.md §1.6, pitfall 19). */

import { errorCodes } from "../../../../base/errors.ts";
import type { Fields } from "../../../../base/json/fields.ts";
import { renderFrame } from "../../../../base/sse/frames.ts";
import type { ChatEvent, StreamEncoder } from "../../../chat/event.ts";
import type { ChatReply, ReplyUsage } from "../../../chat/reply.ts";
import type { ToolCallPart } from "../../../chat/request.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { tierOf } from "../../openai-tier.ts";
import type { OwnTools } from "../../own-tools.ts";
import { renderError } from "../pass-through/stream.ts";
import { endings } from "./ending.ts";
import {
  type ContentType,
  callItem,
  contentPart,
  encodeUsage,
  type ItemPlace,
  type ItemStatus,
  itemId,
  messageItem,
  reasoningItem,
  responseObject,
  summaryPart,
  summaryPlace,
  toolsOf,
} from "./output.ts";

interface OpenMessage extends ItemPlace {
  /** Content that is done. */
  content: Fields[];
  /** Open content. */
  part: { type: ContentType; text: string } | undefined;
}

interface OpenReasoning extends ItemPlace {
  text: string;
}

interface OpenCall extends ItemPlace {
  call: Omit<ToolCallPart, "type">;
}

interface State {
  frames: Buffer[];
  sequence: number;
  identity: Pick<ChatReply, "id" | "created"> | undefined;
  over: boolean;
  /** Items that are done, at their output index. A hole is an open item. */
  output: Fields[];
  opened: number;
  message: OpenMessage | undefined;
  reasoning: OpenReasoning | undefined;
  calls: Map<number, OpenCall>;
  usage: ReplyUsage | undefined;
  own: OwnTools;
}

/** An encoder of one stream. Nothing follows its ending or its failure. */
export function createEncoder(target: ReplyTarget): StreamEncoder {
  const state: State = {
    frames: [],
    sequence: 0,
    identity: undefined,
    over: false,
    output: [],
    opened: 0,
    message: undefined,
    reasoning: undefined,
    calls: new Map(),
    usage: undefined,
    own: toolsOf(target),
  };
  return {
    push(event) {
      if (state.over) return [];
      state.frames = [];
      writeEvent(event, state, target);
      return state.frames;
    },
  };
}

function writeEvent(event: ChatEvent, state: State, target: ReplyTarget): void {
  switch (event.type) {
    case "reply-start":
      state.identity = { id: event.id, created: event.created };
      emitResponse(state, target, "response.created", { status: "in_progress", output: [] });
      emitResponse(state, target, "response.in_progress", { status: "in_progress", output: [] });
      break;
    case "text-delta":
      writeContent(state, "output_text", event.text);
      break;
    case "refusal-delta":
      writeContent(state, "refusal", event.text);
      break;
    case "reasoning-delta":
      writeReasoning(state, event.text);
      break;
    case "reasoning-end":
      endReasoning(state, target, event);
      break;
    case "tool-call-start":
      openCall(state, event);
      break;
    case "tool-call-delta":
      writeArguments(state, event.index, event.arguments);
      break;
    case "tool-call-end":
      endCall(state, event.index);
      break;
    case "usage":
      state.usage = event.usage;
      break;
    case "reply-end":
      finish(state, target, event);
      break;
    case "error":
      fail(state, target);
      break;
    default:
      event satisfies never;
  }
}

function emit(state: State, type: string, fields: Fields): void {
  const event = { type, sequence_number: state.sequence++, ...fields };
  state.frames.push(renderFrame(JSON.stringify(event), type));
}

function emitResponse(
  state: State,
  target: ReplyTarget,
  type: string,
  changing: { status: string; output: Fields[] } & Fields,
): void {
  if (state.identity) emit(state, type, { response: responseObject(state.identity, target, changing) });
}

/** Opens the next item, and ends an open message: text after another item is another message. */
function openItem(state: State, prefix: "msg" | "fc" | "rs", itemOf: (id: string) => Fields): ItemPlace {
  closeMessage(state, "completed");
  const output_index = state.opened++;
  const item_id = itemId(prefix, state.identity?.id ?? "", output_index);
  emit(state, "response.output_item.added", { output_index, item: itemOf(item_id) });
  return { item_id, output_index };
}

function closeItem(state: State, { output_index }: ItemPlace, item: Fields): void {
  emit(state, "response.output_item.done", { output_index, item });
  state.output[output_index] = item;
}

function writeContent(state: State, type: ContentType, delta: string): void {
  if (delta === "") return;
  state.message ??= {
    ...openItem(state, "msg", (id) => messageItem(id, [], "in_progress")),
    content: [],
    part: undefined,
  };
  const { message } = state;
  if (message.part?.type !== type) {
    closePart(state, message);
    message.part = { type, text: "" };
    emit(state, "response.content_part.added", { ...contentPlace(message), part: contentPart(type, "") });
  }
  message.part.text += delta;
  const probabilities = type === "output_text" ? { logprobs: [] } : {};
  emit(state, `response.${type}.delta`, { ...contentPlace(message), delta, ...probabilities });
}

function contentPlace({ item_id, output_index, content }: OpenMessage): Fields {
  return { item_id, output_index, content_index: content.length };
}

function closePart(state: State, message: OpenMessage): void {
  const { part } = message;
  if (!part) return;
  const content = contentPart(part.type, part.text);
  const said = part.type === "refusal" ? { refusal: part.text } : { text: part.text, logprobs: [] };
  emit(state, `response.${part.type}.done`, { ...contentPlace(message), ...said });
  emit(state, "response.content_part.done", { ...contentPlace(message), part: content });
  message.content.push(content);
  message.part = undefined;
}

function closeMessage(state: State, status: ItemStatus): void {
  const { message } = state;
  if (!message) return;
  closePart(state, message);
  closeItem(state, message, messageItem(message.item_id, message.content, status));
  state.message = undefined;
}

function openReasoning(state: State): OpenReasoning {
  const place = openItem(state, "rs", (id) => ({ id, type: "reasoning", summary: [] }));
  emit(state, "response.reasoning_summary_part.added", { ...summaryPlace(place), part: summaryPart("") });
  return { ...place, text: "" };
}

function writeReasoning(state: State, delta: string): void {
  if (delta === "") return;
  state.reasoning ??= openReasoning(state);
  state.reasoning.text += delta;
  emit(state, "response.reasoning_summary_text.delta", { ...summaryPlace(state.reasoning), delta });
}

/** Ends the reasoning. Redacted reasoning is an item without any summary. */
function endReasoning(
  state: State,
  { unsigned }: ReplyTarget,
  ending: { signature?: string; redacted?: true },
): void {
  const { signature, redacted } = ending;
  const signed = signature === undefined ? {} : { signature };
  if (redacted && !state.reasoning) {
    const place = openItem(state, "rs", (id) => ({ id, type: "reasoning", summary: [] }));
    const part = { type: "reasoning" as const, text: "", ...signed, redacted };
    closeItem(state, place, reasoningItem(place.item_id, part, unsigned));
    return;
  }
  const reasoning = state.reasoning ?? openReasoning(state);
  const { text } = reasoning;
  emit(state, "response.reasoning_summary_text.done", { ...summaryPlace(reasoning), text });
  const part = summaryPart(text);
  emit(state, "response.reasoning_summary_part.done", { ...summaryPlace(reasoning), part });
  const whole = { type: "reasoning" as const, text, ...signed };
  closeItem(state, reasoning, reasoningItem(reasoning.item_id, whole, unsigned));
  state.reasoning = undefined;
}

function openCall(state: State, start: Extract<ChatEvent, { type: "tool-call-start" }>): void {
  const { type: _, index, ...named } = start;
  const call = { ...named, arguments: "" };
  const place = openItem(state, "fc", (id) => callItem(id, call, "in_progress", state.own));
  state.calls.set(index, { ...place, call });
}

function writeArguments(state: State, index: number, delta: string): void {
  const open = state.calls.get(index);
  if (!open || delta === "") return;
  open.call.arguments += delta;
  // A text stands inside of the arguments, and comes when they are whole.
  if (takesText(state, open)) return;
  const { item_id, output_index } = open;
  emit(state, "response.function_call_arguments.delta", { item_id, output_index, delta });
}

function takesText({ own }: State, { call }: OpenCall): boolean {
  return own.owns.get(call.name)?.takes_text === true;
}

/** Ends a call. Without arguments it has `{}` (pitfall 14), also as a delta. */
function endCall(state: State, index: number): void {
  const open = state.calls.get(index);
  if (!open) return;
  if (open.call.arguments === "") writeArguments(state, index, "{}");
  const { item_id, output_index, call } = open;
  const item = callItem(item_id, call, "completed", state.own);
  if (takesText(state, open)) {
    const { input } = item;
    emit(state, "response.custom_tool_call_input.delta", { item_id, output_index, delta: input });
    emit(state, "response.custom_tool_call_input.done", { item_id, output_index, input });
  } else {
    const { name, arguments: text } = item;
    emit(state, "response.function_call_arguments.done", { item_id, output_index, name, arguments: text });
  }
  closeItem(state, open, item);
  state.calls.delete(index);
}

function finish(state: State, target: ReplyTarget, end: Extract<ChatEvent, { type: "reply-end" }>): void {
  const ending = endings[end.stop_reason];
  if (state.reasoning) endReasoning(state, target, {});
  closeMessage(state, ending.status);
  for (const index of [...state.calls.keys()]) endCall(state, index);
  const { output, usage } = state;
  emitResponse(state, target, `response.${ending.status}`, {
    ...ending,
    output,
    ...tierOf(usage),
    usage: encodeUsage(usage),
  });
  state.over = true;
}

/** Writes a failure twice, as OpenAI does: SDKs throw on the error event, other clients read the failed response. */
function fail(state: State, target: ReplyTarget): void {
  state.frames.push(renderError("openai", "upstream_error", state.sequence++));
  const error = { code: "server_error", message: errorCodes.upstream_error.message };
  // Skips the holes, which are items that were still open.
  const output = state.output.filter(() => true);
  emitResponse(state, target, "response.failed", { status: "failed", error, output });
  state.over = true;
}
