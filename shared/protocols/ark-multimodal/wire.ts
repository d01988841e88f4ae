/** The fields of Ark's multimodal embeddings that we act on. All parts of the input together give one vector. */
import { type ChatCall, plainCall } from "../../chat/call.ts";
import type { JsonBody } from "../../json/body.ts";
import { type Fields, invalidField, isObject, optionalString, requiredArray } from "../../json/fields.ts";
import { tokenKindSwitch } from "../switches.ts";
import { readUser } from "../user.ts";

export const keys: ReadonlySet<string> = new Set(["model", "input", "encoding_format", "user"]);

const media = ["image_url", "video_url"] as const;

/** Checks the request. Throws `invalid_request`. */
export function readRequest({ value: fields }: JsonBody): ChatCall {
  const parts = requiredArray(fields, "input");
  for (const [index, part] of parts.entries()) checkPart(part, `input[${index}]`);
  const format = optionalString(fields, "encoding_format") ?? "float";
  if (format !== "float" && format !== "base64") throw invalidField("encoding_format", "`float` or `base64`");
  return {
    ...plainCall,
    user: readUser(fields),
    base64: format === "base64",
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
    checkText(medium["url"], `${at}.${name}.url`);
  } else if (type === "text") checkText(part["text"], `${at}.text`);
  else throw invalidField(`${at}.type`, "`text`, `image_url` or `video_url`");
}

function checkText(text: unknown, at: string): void {
  if (typeof text !== "string" || text === "") throw invalidField(at, "a non-empty string");
}

function isMedium(part: unknown): boolean {
  return media.some((name) => (part as Fields)["type"] === name);
}
