/** Answers in the client's own words: its names of tools, and its schemas. */

import { createNullFilter, type NullFilter } from "../../../base/json/null-members.ts";
import type { ChatEvent } from "../../chat/event.ts";
import type { ChatReply } from "../../chat/reply.ts";
import type { AssistantPart } from "../../chat/request.ts";
import { createStopper, stoppedAt } from "../../chat/stop-sequences.ts";
import type { BoundedNames } from "./names.ts";

/** How an answer finds back to what the client asked. */
export interface Back {
  names: BoundedNames;
  /** By the client's name of a tool: members of its arguments that are not there where they are null. */
  optional: Map<string, ReadonlySet<string>>;
  /** The same members of the answer itself. */
  answer: ReadonlySet<string>;
  /** Sequences at which the answer is cut, because the model takes none. */
  stops: readonly string[];
}

/** A whole answer. */
export function replyBack(reply: ChatReply, back: Back): ChatReply {
  const { parts, ...rest } = stoppedAt(reply, back.stops);
  return { ...rest, parts: parts.map((part) => partBack(part, back)) };
}

function partBack<Part extends AssistantPart>(part: Part, back: Back): Part {
  if (part.type === "tool_call") {
    const name = back.names.back(part.name);
    return { ...part, name, arguments: withoutNulls(part.arguments, back.optional.get(name)) };
  }
  return part.type === "text" ? { ...part, text: withoutNulls(part.text, back.answer) } : part;
}

function withoutNulls(text: string, names: ReadonlySet<string> | undefined): string {
  if (!names || names.size === 0) return text;
  const filter = createNullFilter(names);
  return filter.push(text) + filter.rest();
}

/** The events of one stream, some at a time. Most answers need no way back, and their events stay as they are. */
export function createEventsBack(back: Back): (events: ChatEvent[]) => ChatEvent[] {
  const { names, optional, answer, stops } = back;
  const isChanged = names.changed || optional.size > 0 || answer.size > 0;
  const inWords = isChanged ? createWordsBack(back) : undefined;
  const stop = stops.length > 0 ? createStopper(stops) : undefined;
  return (events) => {
    const told = stop ? events.flatMap(stop) : events;
    return inWords ? told.flatMap(inWords) : told;
  };
}

function createWordsBack({ names, optional, answer }: Back): (event: ChatEvent) => ChatEvent[] {
  const calls = new Map<number, NullFilter>();
  const said = answer.size > 0 ? createNullFilter(answer) : undefined;
  return (event) => {
    switch (event.type) {
      case "tool-call-start": {
        const name = names.back(event.name);
        const members = optional.get(name);
        if (members) calls.set(event.index, createNullFilter(members));
        return [{ ...event, name }];
      }
      case "tool-call-delta": {
        const filter = calls.get(event.index);
        return filter ? [{ ...event, arguments: filter.push(event.arguments) }] : [event];
      }
      case "tool-call-end": {
        const rest = calls.get(event.index)?.rest() ?? "";
        return rest === "" ? [event] : [{ ...event, type: "tool-call-delta", arguments: rest }, event];
      }
      case "text-delta":
        return said ? [{ ...event, text: said.push(event.text) }] : [event];
      case "reply-end": {
        const rest = said?.rest() ?? "";
        return rest === "" ? [event] : [{ type: "text-delta", text: rest }, event];
      }
      default:
        return [event];
    }
  };
}
