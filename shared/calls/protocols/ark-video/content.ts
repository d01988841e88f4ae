/** What a video is made of (protocols.md §4.4): texts, pictures and clips, each in a role. */

import {
  entryOf,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  requiredArray,
} from "../../../base/json/fields.ts";
import { refuseKept } from "../provider-ids.ts";

/** The kinds of items, by the member that holds their address, and the roles each can have. */
const roles: Record<string, readonly string[]> = {
  image_url: ["first_frame", "last_frame", "reference_image"],
  video_url: ["reference_video"],
  audio_url: ["reference_audio"],
};

/** Checks `content`. Throws `invalid_request` naming the item. */
export function checkContent(fields: Fields): void {
  const items = requiredArray(fields, "content");
  const given = items.map((item, index) => checkItem(item, `content[${index}]`));
  checkFrames(given);
  if (given.every((role) => role === "reference_audio")) throw invalidField("content", "more than sound");
}

/** Checks one item and returns its role: `text` for a text, the vendor's default for a picture that names none. */
function checkItem(item: unknown, path: string): string {
  if (!isObject(item)) throw invalidField(path, "an object");
  const type = item.type;
  if (type === "text") {
    if (typeof item.text !== "string" || item.text === "") {
      throw invalidField(`${path}.text`, "a non-empty string");
    }
    return type;
  }
  const choices = entryOf(roles, type);
  if (typeof type !== "string" || !choices) {
    throw invalidField(`${path}.type`, `one of text, ${Object.keys(roles).join(", ")}`);
  }
  const address = item[type];
  if (!isObject(address) || typeof address.url !== "string" || address.url === "") {
    throw invalidField(`${path}.${type}`, "an object with a `url`");
  }
  refuseKept(address.url, `${path}.${type}.url`);
  const role = item.role;
  if (isAbsent(role)) return choices[0] ?? type;
  if (typeof role !== "string" || !choices.includes(role)) {
    throw invalidField(`${path}.role`, `one of ${choices.join(", ")}`);
  }
  return role;
}

/** A video starts at a frame, runs between two, or follows references: the three exclude each other. */
function checkFrames(given: string[]): void {
  const count = (role: string) => given.filter((each) => each === role).length;
  const first = count("first_frame");
  const last = count("last_frame");
  if (first > 1 || last > 1) throw invalidField("content", "with at most one picture of each frame's role");
  if (last > first) throw invalidField("content", "with a first frame where there is a last one");
  if (first > 0 && given.some((role) => role.startsWith("reference_"))) {
    throw invalidField("content", "either frames or references, not both");
  }
}
