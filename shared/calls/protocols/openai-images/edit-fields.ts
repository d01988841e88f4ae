/** The fields of an image edit, given as JSON or as a form (contract §4.6, protocols.md §1.7). */

import type { FormBody, FormPart } from "../../../base/http/form.ts";
import type { OutlinedBody } from "../../../base/json/body.ts";
import { type Fields, invalidField, isAbsent, isObject, optionalArray } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { fieldTable } from "../field-table.ts";
import { readPictures, rows } from "./fields.ts";

/** The pictures are checked beside the table: JSON has them in two fields, and a form in parts of several names. */
export const fields = fieldTable({
  ...rows,
  // Without its mask an edit would change all of a picture.
  mask: { acts: true, refused: () => invalidField("mask", "left out: this model edits whole pictures only") },
  image: { carried: "image" },
  images: { carried: "image" },
  seed: { carried: true },
  guidance_scale: { carried: true },
  output_format: { carried: true },
  watermark: { carried: true },
  optimize_prompt: { carried: true },
  optimize_prompt_options: { carried: true },
});

/** Checks a request in JSON. Throws `invalid_request`. */
export function readRequest({ outline }: OutlinedBody): ChatCall {
  const call = readPictures(outline);
  picturesOf(outline);
  return call;
}

/** The pictures: addresses, data URLs or base64 in `image`, or objects in `images`. Throws `invalid_request`. */
export function picturesOf(fields: Fields): (string | Fields)[] {
  const given = isAbsent(fields.image) ? "images" : "image";
  const value = fields[given];
  if (given === "images") {
    const pictures = optionalArray(fields, "images") ?? [];
    if (pictures.length > 0 && pictures.every(isObject)) return pictures;
    throw isAbsent(value)
      ? invalidField("image", "given: one picture or several")
      : invalidField("images", "a non-empty array of objects");
  }
  if (!isAbsent(fields.images)) throw invalidField("images", "left out where `image` is given");
  const pictures = Array.isArray(value) ? value : [value];
  if (pictures.length > 0 && pictures.every((picture) => typeof picture === "string" && picture !== "")) {
    return pictures;
  }
  throw invalidField("image", "a non-empty string or an array of them");
}

/** Checks a request in a form. Throws `invalid_request`. */
export function readForm(form: FormBody): ChatCall {
  const call = readPictures(fieldsOf(form));
  const pictures = form.parts.filter(isPicture);
  if (pictures.length === 0 || !pictures.every(isFile)) throw invalidField("image", "a file, or several");
  const mask = form.parts.find(({ key }) => key === "mask");
  if (mask && !isFile(mask)) throw invalidField("mask", "a file");
  return call;
}

/** Whether a part is a picture to edit: `image`, `image[]` or `image[0]`, as SDKs name several. */
export function isPicture({ key }: FormPart): boolean {
  return /^image(?:\[\d*\])?$/.test(key);
}

function isFile({ file, content }: FormPart): boolean {
  return file !== undefined && content.length > 0;
}

/** Fields that JSON gives as numbers or booleans, and a form as their text. */
const literals = new Set(["n", "stream", "seed", "guidance_scale", "watermark", "optimize_prompt"]);
const literal = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

/** The text fields of a form as JSON would give them. */
export function fieldsOf({ value }: FormBody): Fields {
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => [
      key,
      literals.has(key) && literal.test(String(text)) ? (JSON.parse(String(text)) as unknown) : text,
    ]),
  );
}
