/** Stops a stream that brings several answers side by side: OpenAI's choices, Gemini's candidates. */
import type { Fields } from "../../base/json/fields.ts";
import { frameObject, renderFrame } from "../../base/sse/frames.ts";
import { errorFrame } from "./error-frame.ts";
import type { StreamStopper } from "./streaming.ts";

/** How a protocol's chunks carry such answers. */
interface SideBySideForm {
  /** The answers in a chunk. Each has an `index`, or is the first. */
  answersOf(chunk: Fields): Fields[];
  /** The member of an answer that says why it has ended. */
  reason: string;
  /** What a chunk says of its stream. */
  headOf(chunk: Fields): Fields;
  /** The chunks that end the answers with these indices, which may be none. `head` is that of the last chunk. */
  close(open: unknown[], head: Fields): Fields[];
}

/** A stopper that ends all answers that have begun and not ended, and gives the error after that. */
export function createStopperOf({ answersOf, reason, headOf, close }: SideBySideForm): StreamStopper {
  let head: Fields = {};
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();

  return {
    follow(frame) {
      const chunk = frameObject(frame);
      if (!chunk) return;
      head = headOf(chunk);
      for (const { index = 0, [reason]: ending } of answersOf(chunk)) (ending ? ended : begun).add(index);
    },
    end({ style, key, detail }) {
      const open = [...begun].filter((index) => !ended.has(index));
      const chunks = close(open, head).map((chunk) => renderFrame(JSON.stringify(chunk)));
      return [...chunks, errorFrame(style, key, detail)];
    },
  };
}
