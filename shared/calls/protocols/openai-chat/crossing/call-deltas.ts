/** The calls of a stream as deltas, in the form in which the client asked for them. */

import type { Fields } from "../../../../base/json/fields.ts";
import type { ChatEvent } from "../../../chat/event.ts";
import { textOfArguments } from "../../own-tools.ts";
import { asksForOldCalls, oldCall } from "./old-functions.ts";
import { encodeToolCall, textToolsOf } from "./tools.ts";

type CallEvent = Extract<ChatEvent, { type: `tool-call-${string}` }>;

/** Gives the delta of an event, or nothing for one that only changes what is written later. */
export type CallWriter = (event: CallEvent) => Fields | undefined;

/** The writer for the client of a request. */
export function callWriter(request: Fields): CallWriter {
  return asksForOldCalls(request) ? oldCalls() : toolCalls(request);
}

/** Calls of functions leave piece by piece. A text stands inside of its arguments, and leaves when they are whole. */
function toolCalls(request: Fields): CallWriter {
  const own = textToolsOf(request);
  const argued = new Set<number>();
  const texts = new Map<number, string>();
  const delta = (index: number, fields: Fields) => ({ tool_calls: [{ index, ...fields }] });
  return (event) => {
    const { index } = event;
    const text = texts.get(index);
    switch (event.type) {
      case "tool-call-start":
        if (own?.owns.get(event.name)?.takes_text) texts.set(index, "");
        return delta(index, encodeToolCall({ ...event, arguments: "" }, own));
      case "tool-call-delta":
        argued.add(index);
        if (text === undefined) return delta(index, { function: { arguments: event.arguments } });
        texts.set(index, text + event.arguments);
        return undefined;
      case "tool-call-end":
        if (text !== undefined)
          return delta(index, { custom: { input: textOfArguments(text || noArguments) } });
        return argued.has(index) ? undefined : delta(index, { function: { arguments: noArguments } });
    }
  };
}

/** A call without arguments is an empty object, never an empty text (protocols.md pitfall 14). */
const noArguments = "{}";

/** The first call alone: the old form has place for one. */
function oldCalls(): CallWriter {
  let argued = false;
  return (event) => {
    if (event.index > 0) return undefined;
    switch (event.type) {
      case "tool-call-start":
        return oldCall({ ...event, arguments: "" });
      case "tool-call-delta":
        argued = true;
        return { function_call: { arguments: event.arguments } };
      case "tool-call-end":
        return argued ? undefined : { function_call: { arguments: noArguments } };
    }
  };
}
