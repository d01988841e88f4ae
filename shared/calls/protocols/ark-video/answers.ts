/** Reads a provider's task (protocols.md §4.4): its state in our words, its figures. What cannot be read is absent. */

import { type Fields, isObject, objectIn } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { UsageDetails } from "../../../books/billing/usage.ts";
import { detailsOf, objectAt } from "../switches.ts";

/** A task as its provider describes it. */
export type ProviderTask =
  /** `unknown` is any other state. The next look may show a known one. */
  | { state: "queued" | "running" | "unknown" }
  | { state: "succeed"; video: Video }
  | { state: "failed"; code: string; message: string }
  | { state: "cancelled" };

/** A finished video. What the provider does not say is undefined. */
export interface Video {
  /** Undefined only where an operator says what was made. */
  url: string | undefined;
  seconds: number | undefined;
  frames: number | undefined;
  resolution: string | undefined;
  ratio: string | undefined;
  /** How it was made, and what else its price depends on. */
  details?: UsageDetails;
}

/** The provider's id of a task that it has taken. Undefined where the answer has no usable one. */
export function readCreated(bytes: Buffer): string | undefined {
  return word(objectIn(bytes.toString("utf8"))?.id, limits.taskUpstreamIdCharsMax);
}

/** Reads the provider's task. */
export function readTask(bytes: Buffer): ProviderTask {
  const task = objectIn(bytes.toString("utf8"));
  switch (task?.status) {
    case "queued":
      return { state: "queued" };
    case "running":
      return { state: "running" };
    case "succeeded": {
      // Nobody pays for a video without an address. The next look may show one.
      const url = readAddress(task);
      return url === undefined ? { state: "unknown" } : { state: "succeed", video: readVideo(task, url) };
    }
    case "failed":
      return {
        state: "failed",
        ...readError(task, "GenerationFailed", "The provider could not make the video."),
      };
    // The provider gave up: its time to wait and run is over.
    case "expired":
      return { state: "failed", ...readError(task, "ProviderTimeout", "The provider gave the task up.") };
    case "cancelled":
      return { state: "cancelled" };
    default:
      return { state: "unknown" };
  }
}

function readVideo(task: Fields, url: string): Video {
  const { videoSecondsMax, videoFramesMax, videoFramesPerSecond, videoWordCharsMax } = limits;
  const frames = count(task.frames, videoFramesMax);
  const rate = count(task.framespersecond, videoFramesMax) ?? videoFramesPerSecond;
  const filmed = frames === undefined ? undefined : count(frames / rate, videoSecondsMax);
  const details = detailsOf({
    ways: { service_tier: word(task.service_tier, videoWordCharsMax) },
    calls: objectAt(objectAt(task, "usage"), "tool_usage"),
  });
  return {
    url,
    seconds: count(task.duration, videoSecondsMax) ?? filmed,
    frames,
    resolution: word(task.resolution, videoWordCharsMax),
    ratio: word(task.ratio, videoWordCharsMax),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

function readAddress(task: Fields): string | undefined {
  const content = isObject(task.content) ? task.content : {};
  const url = text(content.video_url) ?? "";
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isWeb && url.isWellFormed() && url.length <= limits.videoUrlCharsMax ? url : undefined;
}

function readError(task: Fields, code: string, message: string): { code: string; message: string } {
  const error = isObject(task.error) ? task.error : {};
  const given = text(error.code) ?? "";
  return {
    code: /^[\w.-]{1,64}$/.test(given) ? given : code,
    message: text(error.message) ?? message,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A name that fits its place on an item, or in a path. */
function word(value: unknown, charsMax: number): string | undefined {
  const name = text(value) ?? "";
  return name.length <= charsMax && /^\w[\w:.-]*$/.test(name) ? name : undefined;
}

/** A figure that a video can have, rounded up. Nonsense is undefined. */
function count(value: unknown, most: number): number | undefined {
  if (typeof value !== "number" || !(value > 0)) return undefined;
  const whole = Math.ceil(value);
  return whole <= most ? whole : undefined;
}
