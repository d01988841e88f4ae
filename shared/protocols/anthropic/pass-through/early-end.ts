/** An Anthropic stream that is stopped (billing.md §2.5, protocols.md §2.3). */
import type { Fields } from "../../../json/fields.ts";
import { frameObject, renderFrame } from "../../../sse/frames.ts";
import type { StreamStopper } from "../../protocol.ts";
import { encodeEnding } from "../crossing/reply.ts";
import { errorFrame } from "./stream.ts";

/** Words of the events that open and close a block; no other is parsed. */
const telling = ["content_block_start", "content_block_stop"];

/**
 * Closes the open block, and says `max_tokens` in a `message_delta`. That event must count the output, or
 * SDKs break on it: the count is the estimate that is billed, and the input's stays as it was told.
 */
export function createStopper(): StreamStopper {
  const open = new Set<unknown>();
  return {
    follow(frame) {
      if (!telling.some((word) => frame.includes(word))) return;
      const event = frameObject(frame) ?? {};
      if (event["type"] === "content_block_start") open.add(event["index"]);
      if (event["type"] === "content_block_stop") open.delete(event["index"]);
    },
    end({ style, key, detail, output_tokens }) {
      const events = [
        ...[...open].map((index) => ({ type: "content_block_stop", index })),
        { type: "message_delta", delta: encodeEnding({ stop_reason: "length" }), usage: { output_tokens } },
      ];
      return [...events.map(render), errorFrame(style, key, detail)];
    },
  };
}

function render(event: Fields & { type: string }): Buffer {
  return renderFrame(JSON.stringify(event), event.type);
}
