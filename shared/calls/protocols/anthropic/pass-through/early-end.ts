/** An Anthropic stream that is stopped (billing.md §2.5, protocols.md §2.3). */
import type { Fields } from "../../../../base/json/fields.ts";
import { frameObject, renderFrame } from "../../../../base/sse/frames.ts";
import type { StreamStopper } from "../../streaming.ts";
import { encodeEnding } from "../crossing/ending.ts";
import { errorFrame } from "./stream.ts";

/** Names of the events that open and close a block. No other event is parsed. */
const telling = ["content_block_start", "content_block_stop"];

/**
 * Closes the open block, and ends with `max_tokens`. SDKs want a count of the output: it is the estimate billed. `failing`
 * renders the error.
 */
export function createStopper(failing = errorFrame): StreamStopper {
  const open = new Set<unknown>();
  return {
    follow(frame) {
      if (!telling.some((word) => frame.includes(word))) return;
      const event = frameObject(frame) ?? {};
      if (event.type === "content_block_start") open.add(event.index);
      if (event.type === "content_block_stop") open.delete(event.index);
    },
    end({ style, key, detail, output_tokens }) {
      const events = [
        ...[...open].map((index) => ({ type: "content_block_stop", index })),
        { type: "message_delta", delta: encodeEnding({ stop_reason: "length" }), usage: { output_tokens } },
      ];
      return [...events.map(render), failing(style, key, detail)];
    },
  };
}

function render(event: Fields & { type: string }): Buffer {
  return renderFrame(JSON.stringify(event), event.type);
}
