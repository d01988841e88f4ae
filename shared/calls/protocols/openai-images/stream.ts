/** Streams of pictures. OpenAI has a `completed` for each picture, and Ark one last `completed` with their count. */

import { asText, type Fields, isObject } from "../../../base/json/fields.ts";
import { frameData, frameObject } from "../../../base/sse/frames.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { noUsage, type Usage, type UsageDetails } from "../../../books/billing/usage.ts";
import { counter, isCount } from "../counters.ts";
import { isFailure } from "../openai-chat/pass-through/reply.ts";
import type { FrameHandling, StreamReader } from "../streaming.ts";
import { detailsOf, objectAt } from "../switches.ts";

/** A reader of one stream. It is billed the pictures that came, but no previews; without any it has failed. */
export function createReader(call: ChatCall): StreamReader {
  const wanted = call.images ?? 1;
  let begun = false;
  let pictures = 0;
  /** Pictures that OpenAI's form has completed. */
  let completed = 0;
  let reported: Usage | undefined;
  let over = false;
  let details: UsageDetails = {};

  const readCompletion = (event: Fields): FrameHandling => {
    if (isObject(event.error) && !begun) return "failed";
    const usage = objectAt(event, "usage");
    details = detailsOf({ calls: objectAt(usage, "tool_usage") });
    const made = usage.generated_images;
    if (isCount(made)) reported = { ...noUsage, generated_images: counter(made) };
    if (isPicture(event)) {
      pictures += 1;
      completed += 1;
      over ||= completed >= wanted;
    } else over = true;
    return over ? "hold" : "pass";
  };

  const readEvent = (event: Fields): FrameHandling => {
    const type = asText(event.type);
    if (type.endsWith(".completed")) return readCompletion(event);
    // One picture may fail, and the others go on.
    if (!type.endsWith(".partial_failed") && isFailure(event)) return "failed";
    if (type.endsWith(".partial_succeeded") && isPicture(event)) pictures += 1;
    return "pass";
  };

  return {
    read(frame) {
      const event = frameObject(frame);
      if (event) {
        const handling = readEvent(event);
        begun = true;
        return handling;
      }
      if (frameData(frame) !== "[DONE]") return "pass";
      over = true;
      return "hold";
    },
    usage: () => reported ?? (completed > 0 ? { ...noUsage, generated_images: pictures } : undefined),
    early: () => (pictures > 0 ? { ...noUsage, generated_images: pictures } : undefined),
    produced: () => pictures > 0,
    pictures: () => pictures,
    details: () => details,
    finish: () => (pictures > 0 || (reported?.generated_images ?? 0) > 0 ? "none" : "error"),
    over: () => over,
    // A `[DONE]` may follow, and does not have to.
    open_ended: true,
  };
}

function isPicture({ b64_json, url }: Fields): boolean {
  return [b64_json, url].some((place) => typeof place === "string" && place !== "");
}
