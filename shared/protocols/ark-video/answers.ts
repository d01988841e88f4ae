/**
 * What a provider says of a task, read once (protocols.md §4.4): its states in our words, its figures where
 * they make sense. Nothing here trusts a type: what cannot be read is absent.
 */
import { type Fields, isObject } from "../../http/fields.ts";
import { limits } from "../../limits.ts";

/** A task as its provider tells it. */
export type Rendering =
  /** Also any state we do not know: the next look may show one we do. */
  | { state: "queued" | "running" | "unknown" }
  | { state: "succeed"; video: Video }
  | { state: "failed"; code: string; message: string }
  | { state: "cancelled" };

/** A finished video; what the provider does not tell is undefined. */
export interface Video {
  url: string | undefined;
  seconds: number | undefined;
  frames: number | undefined;
  resolution: string | undefined;
  ratio: string | undefined;
}

/** The provider's id of a task it has taken; undefined when the answer names none. */
export function readCreated(bytes: Buffer): string | undefined {
  return text(parse(bytes)?.["id"]);
}

/** Reads the provider's task. */
export function readTask(bytes: Buffer): Rendering {
  const task = parse(bytes);
  switch (task?.["status"]) {
    case "queued":
      return { state: "queued" };
    case "running":
      return { state: "running" };
    case "succeeded":
      return { state: "succeed", video: readVideo(task) };
    case "failed":
      return {
        state: "failed",
        ...readError(task, "GenerationFailed", "The provider could not make the video."),
      };
    // Its time to wait and run is over: it will never be made, which is the provider's verdict.
    case "expired":
      return { state: "failed", ...readError(task, "ProviderTimeout", "The provider gave the task up.") };
    case "cancelled":
      return { state: "cancelled" };
    default:
      return { state: "unknown" };
  }
}

function readVideo(task: Fields): Video {
  const content = isObject(task["content"]) ? task["content"] : {};
  const frames = count(task["frames"]);
  const rate = count(task["framespersecond"]) ?? limits.videoFramesPerSecond;
  const duration = count(task["duration"]);
  return {
    url: text(content["video_url"]),
    seconds: duration ?? (frames === undefined ? undefined : Math.ceil(frames / rate)),
    frames,
    resolution: text(task["resolution"]),
    ratio: text(task["ratio"]),
  };
}

function readError(task: Fields, code: string, message: string): { code: string; message: string } {
  const error = isObject(task["error"]) ? task["error"] : {};
  const given = text(error["code"]) ?? "";
  return {
    code: /^[\w.-]{1,64}$/.test(given) ? given : code,
    message: text(error["message"]) ?? message,
  };
}

function parse(bytes: Buffer): Fields | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A length that a video can have, parts of a second counted whole; nonsense of a provider is no figure. */
function count(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value > 0) || value >= limits.tokensMax) return undefined;
  return Math.ceil(value);
}
