/** Neutral events as an Anthropic stream (protocols.md §2.3 and §6.5). */

import type { Fields } from "../../../../base/json/fields.ts";
import { renderFrame } from "../../../../base/sse/frames.ts";
import { noUsage } from "../../../../books/billing/usage.ts";
import type { ChatEvent, StreamEncoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { errorFrame } from "../pass-through/stream.ts";
import { encodeEnding } from "./ending.ts";
import { encodeId, encodeUsage } from "./reply.ts";
import { encodeToolId } from "./tool-calls.ts";

/** A block that is open on the wire, or waits until it may be. */
interface Block {
  kind: "text" | "thinking" | "redacted_thinking" | "tool_use";
  start: Fields;
  /** Fragments that came while another block was open. */
  deltas: Fields[];
  ended: boolean;
  /** A thinking block has its signature. */
  signed?: true;
}

interface State {
  /** Blocks not closed yet, in order. Only the first is open on the wire: they never interleave (pitfall 12). */
  blocks: Block[];
  /** The first block's index on the wire. */
  index: number;
  calls: Map<number, Block>;
  refusal: string;
  usage: ReplyUsage | undefined;
  /** What stands for the signature of thinking that the provider did not sign. */
  unsigned: string;
}

/** An encoder. An `error` gives no ending (pitfall 21). */
export function createEncoder(target: ReplyTarget): StreamEncoder {
  const write = createWriter(target);
  return {
    push(event) {
      if (event.type === "error") return [errorFrame("anthropic", "upstream_error")];
      return write(event).map((fields) => renderFrame(JSON.stringify(fields), fields.type as string));
    },
  };
}

export type AnswerEvent = Exclude<ChatEvent, { type: "error" }>;

/** Writes the events of one stream as Anthropic's. A call that begins inside another waits, and all behind it. */
export function createWriter(target: ReplyTarget): (event: AnswerEvent) => Fields[] {
  const { unsigned = "" } = target;
  const state: State = { blocks: [], index: 0, calls: new Map(), refusal: "", usage: undefined, unsigned };
  return (event) => encodeEvent(state, target, event);
}

function encodeEvent(state: State, target: ReplyTarget, event: AnswerEvent): Fields[] {
  switch (event.type) {
    case "reply-start":
      return [messageStart(event.id, target)];
    case "text-delta":
      return speak(state, "text", { type: "text_delta", text: event.text }, event.text);
    case "reasoning-delta":
      return speak(state, "thinking", { type: "thinking_delta", thinking: event.text }, event.text);
    case "reasoning-end":
      return endReasoning(state, event.signature ?? "", event.redacted === true);
    case "tool-call-start":
      return startCall(state, event);
    case "tool-call-delta": {
      const block = state.calls.get(event.index);
      if (!block || event.arguments === "") return [];
      return write(state, block, { type: "input_json_delta", partial_json: event.arguments });
    }
    case "tool-call-end": {
      const block = state.calls.get(event.index);
      return block ? end(state, block) : [];
    }
    case "refusal-delta":
      state.refusal += event.text;
      return [];
    case "usage":
      state.usage = event.usage;
      return [];
    case "reply-end":
      return finish(state, event);
    default:
      return event satisfies never;
  }
}

/** The input is an estimate, for nothing is counted yet; `message_delta` gives every counter as it is (pitfall 3). */
function messageStart(id: string, { model, input_tokens = 0 }: ReplyTarget): Fields {
  return {
    type: "message_start",
    message: {
      id: encodeId(id),
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage({ ...noUsage, input_tokens }),
    },
  };
}

const starts = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
} as const;

/** Goes on with the last block if it is of this kind, else begins one. Empty text opens nothing (pitfall 16). */
function speak(state: State, kind: "text" | "thinking", delta: Fields, text: string): Fields[] {
  if (text === "") return [];
  const last = state.blocks.at(-1);
  if (last?.kind === kind && !last.ended) return write(state, last, delta);
  const block: Block = { kind, start: starts[kind], deltas: [], ended: false };
  return [...begin(state, block), ...write(state, block, delta)];
}

/** Signs the running thinking block, or one of its own where nothing of the reasoning was shown. */
function endReasoning(state: State, signature: string, redacted: boolean): Fields[] {
  const last = state.blocks.at(-1);
  if (redacted) {
    const start = { type: "redacted_thinking", data: signature };
    const block: Block = { kind: "redacted_thinking", start, deltas: [], ended: false };
    return [...begin(state, block), ...end(state, block)];
  }
  const running = last?.kind === "thinking" && !last.ended ? last : undefined;
  if (!running && signature === "") return [];
  const block: Block = running ?? { kind: "thinking", start: starts.thinking, deltas: [], ended: false };
  return [...(running ? [] : begin(state, block)), ...sign(state, block, signature), ...end(state, block)];
}

/** Signs a block, once. Where the provider gave no signature, `unsigned` stands in its place. */
function sign(state: State, block: Block, signature: string): Fields[] {
  const given = signature || state.unsigned;
  if (block.kind !== "thinking" || block.signed || given === "") return [];
  block.signed = true;
  return write(state, block, { type: "signature_delta", signature: given });
}

function startCall(state: State, call: Extract<ChatEvent, { type: "tool-call-start" }>): Fields[] {
  const id = encodeToolId(call.id, call.signature);
  const start = { type: "tool_use", id, name: call.name, input: {} };
  const block: Block = { kind: "tool_use", start, deltas: [], ended: false };
  state.calls.set(call.index, block);
  return begin(state, block);
}

/** Puts a block last. Text and reasoning end where something else begins; a call ends by its own event. */
function begin(state: State, block: Block): Fields[] {
  const last = state.blocks.at(-1);
  const closing = last && last.kind !== "tool_use" ? [...sign(state, last, ""), ...end(state, last)] : [];
  state.blocks.push(block);
  return state.blocks[0] === block ? [...closing, ...open(state, block)] : closing;
}

function write(state: State, block: Block, delta: Fields): Fields[] {
  if (block.ended) return [];
  if (state.blocks[0] === block) return [{ type: "content_block_delta", index: state.index, delta }];
  block.deltas.push(delta);
  return [];
}

/** Ends a block, and writes the blocks that waited for it. */
function end(state: State, block: Block): Fields[] {
  block.ended = true;
  const events: Fields[] = [];
  while (state.blocks[0]?.ended) {
    events.push({ type: "content_block_stop", index: state.index });
    state.blocks.shift();
    state.index += 1;
    if (state.blocks[0]) events.push(...open(state, state.blocks[0]));
  }
  return events;
}

function open(state: State, block: Block): Fields[] {
  const { index } = state;
  return [
    { type: "content_block_start", index, content_block: block.start },
    ...block.deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  ];
}

function finish(state: State, ending: Extract<ChatEvent, { type: "reply-end" }>): Fields[] {
  const { type: _, ...why } = ending;
  const closing = [...state.blocks].flatMap((block) => [...sign(state, block, ""), ...end(state, block)]);
  const refusal = state.refusal === "" ? {} : { refusal: state.refusal };
  return [
    ...closing,
    { type: "message_delta", delta: encodeEnding({ ...why, ...refusal }), usage: encodeUsage(state.usage) },
    { type: "message_stop" },
  ];
}
