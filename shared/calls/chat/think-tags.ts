/**
 * Reasoning that a model writes into its text, between `<think>` and `</think>`. Only a text that begins with the tag
 * holds reasoning. A tag inside an answer belongs to the answer.
 */
import type { ChatEvent } from "./event.ts";
import type { ChatReply } from "./reply.ts";
import type { AssistantPart } from "./request.ts";

const opening = "<think>";
const closing = "</think>";

/** A whole reply with its reasoning as parts of their own. */
export function splitThinking(reply: ChatReply): ChatReply {
  return {
    ...reply,
    parts: reply.parts.flatMap((part) => (part.type === "text" ? splitText(part.text) : [part])),
  };
}

function splitText(text: string): AssistantPart[] {
  const begun = text.trimStart();
  if (!begun.startsWith(opening)) return begun === "" ? [] : [{ type: "text", text }];
  const end = begun.indexOf(closing);
  const thought = begun.slice(opening.length, end === -1 ? undefined : end).trim();
  const reasoning: AssistantPart[] = thought === "" ? [] : [{ type: "reasoning", text: thought }];
  // An answer that was cut while the model still reasoned has no closing tag.
  return end === -1 ? reasoning : [...reasoning, ...splitText(begun.slice(end + closing.length).trimStart())];
}

/** What the text of a stream is: not yet known, reasoning, or the answer. */
type Reading = "open" | "thought" | "said";

/**
 * A function that takes the events of a stream one by one, and returns them with the reasoning taken out of the text.
 */
export function createThinkSplitter(): (event: ChatEvent) => ChatEvent[] {
  let reading: Reading = "open";
  /** Text that may be a tag, or white space beside one. */
  let kept = "";
  /** Some reasoning has been given out. */
  let begun = false;
  /** Reasoning has ended just before this text. */
  let after = false;

  const reason = (text: string): ChatEvent[] => {
    // White space at both ends of the reasoning belongs to the tags.
    const told = begun ? text : text.trimStart();
    if (told === "") return [];
    begun = true;
    return [{ type: "reasoning-delta", text: told }];
  };
  const close = (): ChatEvent[] => (begun ? [{ type: "reasoning-end" }] : []);

  const read = (): ChatEvent[] => {
    if (reading === "said") {
      const text = kept;
      kept = "";
      return text === "" ? [] : [{ type: "text-delta", text }];
    }
    if (reading === "open") {
      const text = kept.trimStart();
      if (text.length < opening.length && opening.startsWith(text)) return [];
      reading = text.startsWith(opening) ? "thought" : "said";
      if (reading === "thought") kept = text.slice(opening.length);
      else if (after) kept = text;
      return read();
    }
    const end = kept.indexOf(closing);
    if (end === -1) {
      const sure = kept.length - tailOf(kept);
      const text = kept.slice(0, sure);
      kept = kept.slice(sure);
      return reason(text);
    }
    const thought = reason(kept.slice(0, end).trimEnd());
    const events = [...thought, ...close()];
    kept = kept.slice(end + closing.length);
    reading = "open";
    begun = false;
    after = true;
    return [...events, ...read()];
  };

  /** What is left when the text ends: it can no longer become a tag. */
  const flush = (): ChatEvent[] => {
    const text = kept;
    kept = "";
    const events: ChatEvent[] =
      reading === "thought"
        ? [...reason(text.trimEnd()), ...close()]
        : text.trim() === ""
          ? []
          : [{ type: "text-delta", text: after ? text.trimStart() : text }];
    reading = "open";
    begun = false;
    after = false;
    return events;
  };

  return (event) => {
    if (event.type !== "text-delta") {
      return event.type === "usage" || event.type === "reply-start" ? [event] : [...flush(), event];
    }
    kept += event.text;
    return read();
  };
}

/** How many characters at the end of a text may belong to the closing tag, or are white space before it. */
function tailOf(text: string): number {
  const tag = [...closing].findLastIndex((_, index) => text.endsWith(closing.slice(0, index + 1))) + 1;
  const before = text.slice(0, text.length - tag);
  return tag + before.length - before.trimEnd().length;
}
