/**
 * Stop sequences for a model that takes none. The answer is cut before the first sequence, as a provider would have cut
 * it. What the model wrote beyond it was written all the same, and is billed as it was reported.
 */
import type { ChatEvent } from "./event.ts";
import type { ChatReply } from "./reply.ts";
import type { AssistantPart } from "./request.ts";

/** Looks for sequences in a text that comes in pieces. */
interface Finder {
  /** Gives what of the text may leave. Nothing does any more once a sequence was met. */
  push(text: string): string;
  /** What waited for the rest of a sequence that does not come. */
  rest(): string;
  met(): string | undefined;
}

function createFinder(stops: readonly string[]): Finder {
  let waiting = "";
  let met: string | undefined;
  return {
    push(text) {
      if (met !== undefined) return "";
      waiting += text;
      const found = firstIn(waiting, stops);
      if (found) {
        met = found.stop;
        const said = waiting.slice(0, found.at);
        waiting = "";
        return said;
      }
      const kept = beginningAtEnd(waiting, stops);
      const said = waiting.slice(0, waiting.length - kept);
      waiting = waiting.slice(said.length);
      return said;
    },
    rest() {
      const rest = waiting;
      waiting = "";
      return rest;
    },
    met: () => met,
  };
}

/** The sequence that ends first, as a model would have met it; of several that end there, the longest. */
function firstIn(text: string, stops: readonly string[]): { at: number; stop: string } | undefined {
  const found = stops.map((stop) => ({ stop, at: text.indexOf(stop) })).filter(({ at }) => at !== -1);
  return found.sort(
    (one, other) => one.at + one.stop.length - (other.at + other.stop.length) || one.at - other.at,
  )[0];
}

/** How many characters at the end of a text may begin a sequence. */
function beginningAtEnd(text: string, stops: readonly string[]): number {
  const longest = Math.max(0, ...stops.map(({ length }) => length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}

/** The events of one answer, cut at the first of these sequences. */
export function createStopper(stops: readonly string[]): (event: ChatEvent) => ChatEvent[] {
  const finder = createFinder(stops);
  return (event) => {
    if (event.type === "reply-start" || event.type === "usage" || event.type === "error") return [event];
    const stop_sequence = finder.met();
    if (stop_sequence !== undefined) {
      return event.type === "reply-end" ? [{ type: "reply-end", stop_reason: "stop", stop_sequence }] : [];
    }
    if (event.type === "text-delta") return textOf(finder.push(event.text));
    return [...textOf(finder.rest()), event];
  };
}

function textOf(text: string): ChatEvent[] {
  return text === "" ? [] : [{ type: "text-delta", text }];
}

/** A whole answer, cut at the first of these sequences. */
export function stoppedAt(reply: ChatReply, stops: readonly string[]): ChatReply {
  const parts: AssistantPart[] = [];
  for (const part of reply.parts) {
    const found = part.type === "text" ? firstIn(part.text, stops) : undefined;
    if (!found || part.type !== "text") {
      parts.push(part);
      continue;
    }
    if (found.at > 0) parts.push({ ...part, text: part.text.slice(0, found.at) });
    return { ...reply, parts, stop_reason: "stop", stop_sequence: found.stop };
  }
  return reply;
}
