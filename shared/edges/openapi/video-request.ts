/** What the gateway asks of the creation of a video task (contract §4.8). */
import { limits } from "../../base/limits.ts";
import { address, model, required, typed, user } from "./requests.ts";
import { boolean, integer, just, list, object, oneOf, orNull, type Schema, such } from "./schema.ts";

const role = (...values: string[]) => ({ enum: [...values, null] });

/** A video task (contract §4.8). What a model cannot make is refused, whatever the schema allows. */
export const videoTask: Schema = object(
  {
    model: model("volcengine/doubao-seedance-1-5-pro-251215"),
    content: list(
      {
        anyOf: [
          typed("text", required),
          object(
            { type: just("image_url"), image_url: address },
            { role: role("first_frame", "last_frame", "reference_image") },
          ),
          object({ type: just("video_url"), video_url: address }, { role: role("reference_video") }),
          object({ type: just("audio_url"), audio_url: address }, { role: role("reference_audio") }),
        ],
      },
      { minItems: 1 },
    ),
  },
  {
    resolution: orNull(oneOf(["480p", "720p", "1080p"])),
    ratio: orNull(oneOf(["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"])),
    duration: orNull(
      such(integer, {
        anyOf: [{ const: -1 }, { minimum: 1, maximum: limits.videoSecondsMax }],
        description: "Seconds; -1 is the longest that the model makes.",
      }),
    ),
    frames: orNull(
      such(integer, {
        minimum: limits.videoFramesMin,
        maximum: limits.videoFramesMax,
        description: "In place of `duration`.",
      }),
    ),
    generate_audio: orNull(boolean),
    draft: orNull(boolean),
    safety_identifier: user,
  },
);

/** The example of a video task. */
export const videoExample: Schema = {
  model: "volcengine/doubao-seedance-1-5-pro-251215",
  content: [{ type: "text", text: "A cat in the rain." }],
  duration: 5,
};
