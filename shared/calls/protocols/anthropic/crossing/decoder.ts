/** Anthropic streams as neutral events (protocols.md §2.3). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatEvent, StreamDecoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import { exactFrame } from "../../reply-body.ts";
import { nextUsage } from "../pass-through/reply.ts";
import { decodeEnding, endingOf, type ReplyEnding } from "./ending.ts";
import { decodeId, decodeUsage } from "./reply.ts";
import { decodeArguments, decodeToolId, exactMembers } from "./tool-calls.ts";

/** A block that is open. `said`: a fragment of it has come. */
type OpenBlock =
  | { type: "text" }
  | { type: "thinking"; said: boolean; signature: string }
  /** `input` is what a provider gave whole at the start; it counts if no fragment follows. */
  | { type: "tool_use"; call: number; said: boolean; input: unknown };

interface State {
  phase: "before" | "running" | "over";
  /** By the protocol's own block index. */
  blocks: Map<unknown, OpenBlock>;
  /** Tool calls so far: neutral calls are counted, Anthropic's index counts every block. */
  calls: number;
  /** The usage of the start, and the running usage of the events after it. */
  start: ReplyUsage | undefined;
  usage: ReplyUsage | undefined;
  ending: ReplyEnding | undefined;
}

/** A decoder of one stream. Usage and ending are given with `message_stop`, when both are final. */
export function createDecoder(): StreamDecoder {
  const state: State = {
    phase: "before",
    blocks: new Map(),
    calls: 0,
    start: undefined,
    usage: undefined,
    ending: undefined,
  };
  return {
    push(frame) {
      const event = state.phase === "over" ? undefined : exactFrame(frame, exactMembers);
      return event ? decodeEvent(state, event) : [];
    },
    end: () => (state.phase === "over" ? [] : fail(state, "the stream ended before message_stop")),
  };
}

function decodeEvent(state: State, event: Fields): ChatEvent[] {
  if (event.type === "error" || isObject(event.error)) return fail(state, errorText(event.error));
  if (event.type === "ping") return [];
  if (state.phase === "before") {
    if (event.type !== "message_start") return fail(state, "the stream does not begin with message_start");
    return start(state, event.message);
  }
  switch (event.type) {
    case "content_block_start":
      return openBlock(state, event.index, isObject(event.content_block) ? event.content_block : {});
    case "content_block_delta":
      return isObject(event.delta) ? decodeFragment(state.blocks.get(event.index), event.delta) : [];
    case "content_block_stop":
      return closeBlock(state, event.index);
    case "message_delta":
      state.usage = decodeNext(state, event.usage) ?? state.usage;
      if (isObject(event.delta)) state.ending = decodeEnding(event.delta) ?? state.ending;
      return [];
    case "message_stop":
      return stop(state);
    default:
      return [];
  }
}

function decodeNext({ start, usage }: State, value: unknown): ReplyUsage | undefined {
  return nextUsage(start, usage, decodeUsage(value, usage ?? start));
}

function start(state: State, given: unknown): ChatEvent[] {
  const message = isObject(given) ? given : {};
  state.phase = "running";
  state.start = decodeUsage(message.usage);
  return [{ type: "reply-start", id: decodeId(message.id), created: 0 }];
}

/** Opens a block. What it already holds is read as its first fragment: both use the same names. */
function openBlock(state: State, index: unknown, block: Fields): ChatEvent[] {
  switch (block.type) {
    case "text":
      state.blocks.set(index, { type: "text" });
      return decodeFragment(state.blocks.get(index), block);
    case "thinking":
      state.blocks.set(index, { type: "thinking", said: false, signature: "" });
      return decodeFragment(state.blocks.get(index), block);
    case "redacted_thinking":
      return [{ type: "reasoning-end", signature: textOf(block, "data"), redacted: true }];
    case "tool_use": {
      const call = state.calls++;
      state.blocks.set(index, { type: "tool_use", call, said: false, input: block.input });
      const id = decodeToolId(textOf(block, "id"));
      return [{ type: "tool-call-start", index: call, ...id, name: textOf(block, "name") }];
    }
    default:
      return [];
  }
}

/** A fragment of a block. Fragments without a neutral form, such as citations, give no event. */
function decodeFragment(block: OpenBlock | undefined, delta: Fields): ChatEvent[] {
  switch (block?.type) {
    case "text": {
      const text = textOf(delta, "text");
      return text === "" ? [] : [{ type: "text-delta", text }];
    }
    case "thinking": {
      const text = textOf(delta, "thinking");
      block.signature = textOf(delta, "signature") || block.signature;
      block.said ||= text !== "";
      return text === "" ? [] : [{ type: "reasoning-delta", text }];
    }
    case "tool_use": {
      const text = textOf(delta, "partial_json");
      block.said ||= text !== "";
      return text === "" ? [] : [{ type: "tool-call-delta", index: block.call, arguments: text }];
    }
    default:
      return [];
  }
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

function closeBlock(state: State, index: unknown): ChatEvent[] {
  const block = state.blocks.get(index);
  state.blocks.delete(index);
  switch (block?.type) {
    case "thinking": {
      const { said, signature } = block;
      if (signature !== "") return [{ type: "reasoning-end", signature }];
      return said ? [{ type: "reasoning-end" }] : [];
    }
    case "tool_use": {
      const { call, said, input } = block;
      const end: ChatEvent = { type: "tool-call-end", index: call };
      // A call without arguments sends no fragment, or an empty one (pitfall 14).
      return said
        ? [end]
        : [{ type: "tool-call-delta", index: call, arguments: decodeArguments(input) }, end];
    }
    default:
      return [];
  }
}

function stop(state: State): ChatEvent[] {
  if (!state.ending) return fail(state, "the stream stopped without a stop_reason");
  state.phase = "over";
  const { refusal, ...ending } = endingOf(state.ending, state.calls > 0);
  const usage = state.usage ?? state.start;
  return [
    ...[...state.blocks.keys()].flatMap((index) => closeBlock(state, index)),
    ...(refusal === undefined ? [] : [{ type: "refusal-delta", text: refusal } as const]),
    ...(usage ? [{ type: "usage", usage } as const] : []),
    { type: "reply-end", ...ending },
  ];
}

function fail(state: State, message: string): ChatEvent[] {
  state.phase = "over";
  return [{ type: "error", message }];
}

function errorText(error: unknown): string {
  const message = isObject(error) ? error.message : undefined;
  return typeof message === "string" ? message : "the provider reported an error";
}
