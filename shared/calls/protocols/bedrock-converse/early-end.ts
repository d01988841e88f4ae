/** A stream of Converse that is stopped (billing.md §2.5, protocols.md §8.3). */

import { eventName } from "../../../base/sse/event-name.ts";
import { frameObject, renderFrame } from "../../../base/sse/frames.ts";
import { errorFrame } from "../bedrock-invoke/event-form.ts";
import type { StreamStopper } from "../streaming.ts";

/** Closes the open block, and ends with `max_tokens`. The event with the usage, the last one, stays out. */
export function createStopper(): StreamStopper {
  const open = new Set<unknown>();
  return {
    follow(frame) {
      const name = eventName(frame);
      if (!name.startsWith("contentBlock")) return;
      const index = frameObject(frame)?.contentBlockIndex;
      if (name === "contentBlockStop") open.delete(index);
      else open.add(index);
    },
    end({ style, key, detail }) {
      const stops = [...open].map((contentBlockIndex) => event("contentBlockStop", { contentBlockIndex }));
      return [...stops, event("messageStop", { stopReason: "max_tokens" }), errorFrame(style, key, detail)];
    },
  };
}

function event(name: string, payload: object): Buffer {
  return renderFrame(JSON.stringify(payload), name);
}
