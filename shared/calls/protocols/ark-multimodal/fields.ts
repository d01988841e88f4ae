/** The fields of Ark's multimodal embeddings. All parts of the input together give one vector. */

import type { OutlinedBody } from "../../../base/json/body.ts";
import { type Fields, invalidField, isObject } from "../../../base/json/fields.ts";
import { isText } from "../../../base/json/long-text.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import { fieldTable, items } from "../field-table.ts";
import { wantsBase64 } from "../openai-embeddings/fields.ts";
import { tokenKindSwitch } from "../switches.ts";
import { readUser } from "../user.ts";

/** No other protocol has such calls, so nothing crosses. */
export const fields = fieldTable({
  model: { acts: true },
  input: { check: items(checkPart), acts: true },
  encoding_format: { check: wantsBase64, acts: true },
  user: { check: readUser, acts: true },
});

const media = ["image_url", "video_url"] as const;

/** Checks the request. Throws `invalid_request`. */
export function readRequest({ outline }: OutlinedBody): ChatCall {
  const { input: parts, encoding_format, user } = fields.check(outline);
  return {
    ...plainCall,
    user,
    base64: encoding_format,
    // Tokens of pictures and clips have a price of their own, and the request brings them by its parts.
    switches: parts.some(isMedium) ? [tokenKindSwitch("input", "image_input", { implied: true })] : [],
  };
}

function checkPart(part: unknown, at: string): void {
  if (!isObject(part)) throw invalidField(at, "an object with a `type`");
  const { type } = part;
  const name = media.find((each) => each === type);
  if (name) {
    const medium = part[name];
    if (!isObject(medium)) throw invalidField(`${at}.${name}`, "an object with a `url`");
    checkText(medium.url, `${at}.${name}.url`);
  } else if (type === "text") checkText(part.text, `${at}.text`);
  else throw invalidField(`${at}.type`, "`text`, `image_url` or `video_url`");
}

function checkText(text: unknown, at: string): void {
  if (!isText(text) || text === "") throw invalidField(at, "a non-empty string");
}

function isMedium(part: unknown): boolean {
  return media.some((name) => (part as Fields).type === name);
}
