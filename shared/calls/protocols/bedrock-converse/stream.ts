/** Streams of Converse, read on the side (protocols.md §8.3). */
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { eventName } from "../../../base/sse/event-name.ts";
import { frameObject } from "../../../base/sse/frames.ts";
import type { Usage, UsageDetails } from "../../../books/billing/usage.ts";
import { laterUsage } from "../counters.ts";
import { finishOf, isEmpty } from "../output.ts";
import type { FrameHandling, StreamReader } from "../streaming.ts";
import { blockBytes, readDetails, readUsage } from "./reply.ts";

/** How the events end that report an error in a stream. */
export const exception = /Exception$/;

/** A reader of one stream. It tells its usage once, in the event `metadata`, which is the last. */
export function createReader(): StreamReader {
  let usage: Usage | undefined;
  let details: UsageDetails = {};
  let reason: unknown;
  let produced = false;
  let over = false;

  const readEvent = (name: string, frame: Buffer): FrameHandling => {
    const event = frameObject(frame);
    if (!event) return "pass";
    switch (name) {
      case "messageStart":
        // It names the role alone. Bedrock sends it before the model has said anything, and an exception may follow.
        return "opening";
      case "contentBlockStart":
      case "contentBlockDelta":
        produced ||= isOutput(event);
        return "pass";
      case "messageStop":
        reason = event.stopReason ?? reason;
        return "hold";
      case "metadata":
        usage = laterUsage(usage, readUsage(event.usage));
        details = readDetails(event);
        over = true;
        return "hold";
      default:
        return "pass";
    }
  };

  return {
    read(frame) {
      const name = eventName(frame);
      if (exception.test(name)) return "failed";
      // Once output has begun, a fragment tells nothing more.
      return produced && name.startsWith("contentBlock") ? "pass" : readEvent(name, frame);
    },
    usage: () => usage,
    early: () => undefined,
    produced: () => produced,
    details: () => details,
    finish: () => finishOf([reason]),
    over: () => over,
  };
}

function isOutput({ start, delta }: Fields): boolean {
  return !isEmpty(start) || !isEmpty(delta);
}

/** Bytes that an event adds to the answer. */
export function outputBytes({ start, delta }: Fields): number {
  const block = isObject(delta) ? delta : isObject(start) ? start : undefined;
  return block ? blockBytes(block) : 0;
}
