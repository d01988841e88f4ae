/** The request that creates a video task (contract §4.8). Checks ask what the model can make, so it has no table. */

import { GatewayError } from "../../../base/errors.ts";
import { type JsonBody, splice } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  optionalBoolean,
  optionalInteger,
  optionalString,
} from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import type { Model, VideoOptions } from "../../../books/catalog/catalog.ts";
import { memberSplice } from "../splicing.ts";
import { toolSwitches, waySwitch } from "../switches.ts";
import { readUser } from "../user.ts";
import { checkContent } from "./content.ts";

/** Fields that the gateway acts on. One that is given twice is refused: we could price another video than is made. */
export const keys: ReadonlySet<string> = new Set([
  "model",
  "content",
  "resolution",
  "ratio",
  "duration",
  "frames",
  "generate_audio",
  "draft",
  "callback_url",
  "safety_identifier",
  "service_tier",
  "tools",
]);

const ratios = ["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"];
const defaultRatio = "16:9";
const defaultSeconds = 5;
/** What drafts are made in; the vendor takes no other (protocols.md §4.4). */
const draftResolution = "480p";

/** A video as it will be made, every default filled in. */
export interface VideoRequest {
  resolution: string;
  ratio: string;
  /** Exactly one of the two is null. */
  duration: number | null;
  frames: number | null;
  /** Null where the client said nothing. Providers take that for false. */
  draft: boolean | null;
  /** Null where the model has no sound and nothing was said. */
  audio: boolean | null;
  /** The most seconds that the video can have. The call is held for them. */
  seconds: number;
  user: string | null;
  /** What changes its price beside its length. */
  switches: Switch[];
}

/** Checks a request against what the model can make. Throws `invalid_request` naming the field. */
export function readRequest(fields: Fields, { id, video }: Model): VideoRequest {
  if (!video) throw new TypeError(`${id} makes no videos`);
  checkContent(fields);
  const draft = flag(fields, "draft", video.draft, id);
  const audio = flag(fields, "generate_audio", video.audio, id);
  const length = readLength(fields, video, id);
  // The vendor would post its own task, with its own id, to the client's address (contract §6.1).
  if (!isAbsent(fields.callback_url)) {
    throw invalidField("callback_url", "absent: results are polled for");
  }
  return {
    resolution: readResolution(fields, video, draft === true),
    ratio: oneOf(fields, "ratio", ratios) ?? defaultRatio,
    ...length,
    draft: draft ?? null,
    audio: audio ?? (video.audio ? true : null),
    user: readUser(fields, "safety_identifier"),
    switches: [...waySwitch(fields, "service_tier"), ...toolSwitches(fields)],
  };
}

/** The client's bytes with the defaults written in. All else goes as it came. */
export function withDefaults(body: JsonBody, request: VideoRequest): Buffer {
  const { resolution, ratio, duration, audio } = request;
  const members: [key: string, value: unknown][] = [
    ["resolution", resolution],
    ["ratio", ratio],
    ...(duration === null ? [] : [["duration", duration] as [string, unknown]]),
    ...(audio === null ? [] : [["generate_audio", audio] as [string, unknown]]),
  ];
  const splices = members.map(([key, value]) => memberSplice(body, key, JSON.stringify(value)));
  return splice(body.bytes, splices);
}

function readResolution(fields: Fields, video: VideoOptions, draft: boolean): string {
  const given = oneOf(fields, "resolution", video.resolutions);
  if (given !== undefined) return given;
  const drafted = video.resolutions.find((resolution) => draft && resolution === draftResolution);
  return drafted ?? video.default_resolution;
}

/** The length in seconds or in frames, never both, and at most what the model makes. */
function readLength(
  fields: Fields,
  video: VideoOptions,
  model: string,
): Pick<VideoRequest, "duration" | "frames" | "seconds"> {
  const longest = Math.min(limits.videoSecondsMax, video.max_seconds);
  const asked = optionalInteger(fields, "duration", -1, longest);
  if (asked === 0)
    throw invalidField("duration", `an integer between 1 and ${longest}, or -1 for the longest`);
  const frames = optionalInteger(fields, "frames", limits.videoFramesMin, limits.videoFramesMax);
  if (frames === undefined) {
    const duration = asked === -1 ? longest : (asked ?? Math.min(defaultSeconds, longest));
    return { duration, frames: null, seconds: duration };
  }
  if (!video.frames) throw unsupported("frames", model);
  if (asked !== undefined) throw invalidField("frames", "absent where `duration` is given");
  return { duration: null, frames, seconds: Math.ceil(frames / limits.videoFramesPerSecond) };
}

/** A switch that only some models have. On the others it may only be off. */
function flag(fields: Fields, name: string, supported: boolean, model: string): boolean | undefined {
  const value = optionalBoolean(fields, name);
  if (value && !supported) throw unsupported(name, model);
  return value;
}

function oneOf(fields: Fields, name: string, choices: readonly string[]): string | undefined {
  const value = optionalString(fields, name);
  if (value !== undefined && !choices.includes(value)) {
    throw invalidField(name, `one of ${choices.join(", ")}`);
  }
  return value;
}

function unsupported(name: string, model: string): GatewayError {
  const message = `The model \`${model}\` does not support \`${name}\`.`;
  return new GatewayError("invalid_request", { message, param: name });
}
