/** What the gateway asks of the creation of a video task (contract §4.8). */
import { limits } from "../../base/limits.ts";
import { address, model, required, typed, user } from "./requests.ts";
import * as s from "./schema.ts";

const role = (...values: string[]) => ({ enum: [...values, null] });

/** A video task (contract §4.8). What a model cannot make is refused, whatever the schema allows. */
export const videoTask: s.Schema = s.object(
  {
    model: model("volcengine/doubao-seedance-1-5-pro-251215"),
    content: s.list(
      {
        anyOf: [
          typed("text", required),
          s.object(
            { type: s.just("image_url"), image_url: address },
            { role: role("first_frame", "last_frame", "reference_image") },
          ),
          s.object({ type: s.just("video_url"), video_url: address }, { role: role("reference_video") }),
          s.object({ type: s.just("audio_url"), audio_url: address }, { role: role("reference_audio") }),
        ],
      },
      { minItems: 1 },
    ),
  },
  {
    resolution: s.orNull(s.oneOf(["480p", "720p", "1080p"])),
    ratio: s.orNull(s.oneOf(["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"])),
    duration: s.orNull(
      s.such(s.integer, {
        anyOf: [{ const: -1 }, { minimum: 1, maximum: limits.videoSecondsMax }],
        description: "Seconds; -1 is the longest that the model makes.",
      }),
    ),
    frames: s.orNull(
      s.such(s.integer, {
        minimum: limits.videoFramesMin,
        maximum: limits.videoFramesMax,
        description: "In place of `duration`.",
      }),
    ),
    generate_audio: s.orNull(s.boolean),
    draft: s.orNull(s.boolean),
    safety_identifier: user,
  },
);

export const videoExample: s.Schema = {
  model: "volcengine/doubao-seedance-1-5-pro-251215",
  content: [{ type: "text", text: "A cat in the rain." }],
  duration: 5,
};
