/** The fields of an image generation. */

import type { OutlinedBody } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalString,
  requiredString,
} from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import { type Field, fieldTable, integer } from "../field-table.ts";
import { toolSwitches, waySwitch } from "../switches.ts";
import { readUser } from "../user.ts";

/** Generations and edits share these. `carried` says what Ark knows of an edit (edits-as-generations.ts). */
export const rows = {
  model: { acts: true, carried: "model" },
  prompt: { check: requiredString, acts: true, carried: true },
  size: { check: optionalString, carried: true },
  response_format: { check: optionalString, carried: true },
  n: { check: integer(1, limits.imagesMax), acts: true, carried: "sequential_image_generation" },
  stream: { check: optionalBoolean, acts: true, carried: true },
  user: { check: readUser, acts: true },
  sequential_image_generation: { check: optionalString, acts: true, carried: true },
  sequential_image_generation_options: { acts: true, carried: true },
  service_tier: { acts: true },
  tools: { acts: true, carried: true },
} as const satisfies Record<string, Field>;

export const fields = fieldTable(rows);

/** Checks the request. Throws `invalid_request`. */
export function readRequest({ outline }: OutlinedBody): ChatCall {
  return readPictures(outline);
}

/** What generations and edits share: the most pictures a call can make is what it is held for. */
export function readPictures(value: Fields): ChatCall {
  const { n = 1, stream = false, user, sequential_image_generation } = fields.check(value);
  return {
    ...plainCall,
    stream,
    user,
    images: n * (sequential_image_generation === "auto" ? sequenceMax(value) : 1),
    // Ark's models may search before they draw (protocols.md §4.3).
    switches: [...waySwitch(value, "service_tier"), ...toolSwitches(value)],
  };
}

/** Ark makes up to `max_images` related pictures when told to go on (protocols.md §4.3). */
function sequenceMax({ sequential_image_generation_options: options }: Fields): number {
  if (isAbsent(options)) return limits.imagesMax;
  if (!isObject(options)) throw invalidField("sequential_image_generation_options", "an object");
  return optionalInteger(options, "max_images", 1, limits.imagesMax) ?? limits.imagesMax;
}
