/** The fields of an image generation we act on (contract §4.6). */
import type { Switch } from "../../billing/pricing/rates.ts";
import { type ChatCall, plainCall } from "../../chat/call.ts";
import type { JsonBody } from "../../json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalString,
  requiredString,
} from "../../json/fields.ts";
import { limits } from "../../limits.ts";
import { objectsAt, toolSwitch, waySwitch } from "../switches.ts";
import { readUser } from "../user.ts";

export const keys: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "n",
  "stream",
  "user",
  "sequential_image_generation",
  "sequential_image_generation_options",
  "service_tier",
  "tools",
]);

/** Checks the request. Throws `invalid_request`. */
export function readRequest({ value }: JsonBody): ChatCall {
  return readPictures(value);
}

/** What generations and edits share: the most pictures a call can make is what it is held for. */
export function readPictures(fields: Fields): ChatCall {
  requiredString(fields, "prompt");
  optionalString(fields, "size");
  optionalString(fields, "response_format");
  const n = optionalInteger(fields, "n", 1, limits.imagesMax) ?? 1;
  return {
    ...plainCall,
    stream: optionalBoolean(fields, "stream") ?? false,
    user: readUser(fields),
    images: n * sequenceMax(fields),
    switches: readSwitches(fields),
  };
}

/** Ark's models may search before they draw (protocols.md §4.3). */
function readSwitches(fields: Fields): Switch[] {
  const tools = objectsAt(fields, "tools").flatMap(({ at, item: { type } }) =>
    typeof type === "string" ? [toolSwitch(`${at}.type`, type)] : [],
  );
  return [...waySwitch(fields, "service_tier"), ...tools];
}

/** Ark makes up to `max_images` related pictures when told to go on (protocols.md §4.3). */
function sequenceMax(fields: Fields): number {
  if (optionalString(fields, "sequential_image_generation") !== "auto") return 1;
  const options = fields["sequential_image_generation_options"];
  if (isAbsent(options)) return limits.imagesMax;
  if (!isObject(options)) throw invalidField("sequential_image_generation_options", "an object");
  return optionalInteger(options, "max_images", 1, limits.imagesMax) ?? limits.imagesMax;
}
