/** Streams of Converse as neutral events (protocols.md §8.3). */
import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { eventName } from "../../../../base/sse/event-name.ts";
import type { ChatEvent, StreamDecoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import { exactFrame } from "../../reply-body.ts";
import { replyUsage } from "../reply.ts";
import { exception } from "../stream.ts";
import { endingOf } from "./ending.ts";
import { exactMembers, textOf } from "./reply.ts";

/** A block that is open. Only calls have an event that opens them. `said`: a fragment has come. */
type OpenBlock =
  | { type: "reasoning"; said: boolean; signature: string; redacted: boolean }
  | { type: "call"; call: number; said: boolean };

interface State {
  phase: "before" | "running" | "over";
  /** By Converse's own index, which counts every block. */
  blocks: Map<unknown, OpenBlock>;
  /** Calls so far. */
  calls: number;
  /** What `messageStop` has told. */
  stop: Fields | undefined;
  usage: ReplyUsage | undefined;
}

/** A decoder of one stream. Its ending and its usage are given with the last event, which has the usage. */
export function createDecoder(): StreamDecoder {
  const state: State = { phase: "before", blocks: new Map(), calls: 0, stop: undefined, usage: undefined };
  return {
    push(frame) {
      if (state.phase === "over") return [];
      const name = eventName(frame);
      const event = exactFrame(frame, exactMembers) ?? {};
      if (exception.test(name)) return fail(state, textOf(event.message) || name);
      return decodeEvent(state, name, event);
    },
    end() {
      if (state.phase === "over") return [];
      // The answer is whole with `messageStop`. Only its usage is missing.
      return state.stop ? finish(state, state.stop) : fail(state, "the stream ended before messageStop");
    },
  };
}

function decodeEvent(state: State, name: string, event: Fields): ChatEvent[] {
  if (name === "messageStart") {
    if (state.phase !== "before") return [];
    state.phase = "running";
    return [{ type: "reply-start", id: "", created: 0 }];
  }
  const { contentBlockIndex: index, start, delta } = event;
  switch (name) {
    case "contentBlockStart":
    case "contentBlockDelta":
    case "contentBlockStop":
    case "messageStop":
      if (state.phase === "before") return fail(state, "the stream does not begin with messageStart");
      break;
    case "metadata":
      state.usage = replyUsage(event) ?? state.usage;
      return state.stop ? finish(state, state.stop) : [];
    default:
      return [];
  }
  if (name === "contentBlockStart") return isObject(start) ? openBlock(state, index, start) : [];
  if (name === "contentBlockDelta") return isObject(delta) ? decodeFragment(state, index, delta) : [];
  if (name === "contentBlockStop") return closeBlock(state, index);
  state.stop = event;
  return [];
}

function openBlock(state: State, index: unknown, { toolUse }: Fields): ChatEvent[] {
  if (!isObject(toolUse)) return [];
  const call = state.calls++;
  state.blocks.set(index, { type: "call", call, said: false });
  return [
    { type: "tool-call-start", index: call, id: textOf(toolUse.toolUseId), name: textOf(toolUse.name) },
  ];
}

function decodeFragment(state: State, index: unknown, fragment: Fields): ChatEvent[] {
  const { text, toolUse, reasoningContent } = fragment;
  if (typeof text === "string") return text === "" ? [] : [{ type: "text-delta", text }];
  const open = state.blocks.get(index);
  if (isObject(toolUse) && open?.type === "call") {
    const input = textOf(toolUse.input);
    open.said ||= input !== "";
    return input === "" ? [] : [{ type: "tool-call-delta", index: open.call, arguments: input }];
  }
  return isObject(reasoningContent) ? decodeThought(state, index, reasoningContent) : [];
}

/** A fragment of reasoning: some of its text, its signature, or what stands in the place of its text. */
function decodeThought(state: State, index: unknown, fragment: Fields): ChatEvent[] {
  const open = state.blocks.get(index);
  const block =
    open?.type === "reasoning"
      ? open
      : ({ type: "reasoning", said: false, signature: "", redacted: false } satisfies OpenBlock);
  state.blocks.set(index, block);
  const [text, redacted] = [textOf(fragment.text), textOf(fragment.redactedContent)];
  block.signature += textOf(fragment.signature) + redacted;
  block.redacted ||= redacted !== "";
  block.said ||= text !== "";
  return text === "" ? [] : [{ type: "reasoning-delta", text }];
}

function closeBlock(state: State, index: unknown): ChatEvent[] {
  const block = state.blocks.get(index);
  state.blocks.delete(index);
  if (block?.type === "reasoning") {
    const { said, signature, redacted } = block;
    if (signature !== "") return [{ type: "reasoning-end", signature, ...(redacted && { redacted }) }];
    return said ? [{ type: "reasoning-end" }] : [];
  }
  if (block?.type !== "call") return [];
  const end: ChatEvent = { type: "tool-call-end", index: block.call };
  // A call without arguments has no fragment, or an empty one.
  return block.said ? [end] : [{ type: "tool-call-delta", index: block.call, arguments: "{}" }, end];
}

function finish(state: State, stop: Fields): ChatEvent[] {
  const ending = endingOf(stop, state.calls > 0);
  if (!ending) return fail(state, `the model broke off: ${textOf(stop.stopReason)}`);
  state.phase = "over";
  const { usage } = state;
  return [
    ...[...state.blocks.keys()].flatMap((index) => closeBlock(state, index)),
    ...(usage ? [{ type: "usage", usage } as const] : []),
    { type: "reply-end", ...ending },
  ];
}

function fail(state: State, message: string): ChatEvent[] {
  state.phase = "over";
  return [{ type: "error", message }];
}
