/** Image edits as Ark takes them: a generation with pictures to begin from (protocols.md §4.3). */

import type { FormBody } from "../../../base/http/form.ts";
import type { JsonBody, Slices } from "../../../base/json/body.ts";
import { type Fields, invalidField, isAbsent } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { dataUrl, readBareBase64 } from "../../chat/media.ts";
import type { Outgoing } from "../protocol.ts";
import { fields, fieldsOf, isPicture, picturesOf } from "./edit-fields.ts";

/** A request in JSON as a generation. Throws `invalid_request` where Ark could not do what is asked. */
export function passThrough({ value }: JsonBody, _call: ChatCall, model: string): Slices {
  fields.refuse(value);
  return generation(value, picturesOf(value).map(addressOf), model);
}

/** Names of the fields Ark does not know. */
export function dropped({ value }: Pick<JsonBody, "value">): string[] {
  return fields.dropped(value);
}

/** A form as a generation whose pictures are data URLs. Throws `invalid_request`, as `passThrough` does. */
export function passForm(form: FormBody, _call: ChatCall, model: string): Outgoing {
  fields.refuse({ mask: form.parts.find(({ key }) => key === "mask") });
  const pictures = form.parts.filter(isPicture).map(({ content, file }) => {
    const data = content.toString("base64");
    const media_type = file?.type ?? "application/octet-stream";
    return dataUrl(readBareBase64(data) ?? { type: "base64", media_type, data });
  });
  return {
    body: generation(fieldsOf(form), pictures, model),
    content_type: "application/json",
    dropped: dropped(form),
  };
}

function generation(given: Fields, pictures: string[], model: string): Slices {
  const kept = Object.entries(given).filter(
    // Ark chooses a size by itself where none is named.
    ([key, value]) => fields.kept.has(key) && !isAbsent(value) && !(key === "size" && value === "auto"),
  );
  const image = pictures.length === 1 ? pictures[0] : pictures;
  return [Buffer.from(JSON.stringify({ model, ...Object.fromEntries(kept), ...sequence(given), image }))];
}

/** Ark has no `n`: several pictures are a sequence. */
function sequence({ n, sequential_image_generation: said }: Fields): Fields {
  if (isAbsent(n) || n === 1 || !isAbsent(said)) return {};
  return {
    sequential_image_generation: "auto",
    sequential_image_generation_options: { max_images: n },
  };
}

/** A picture's address or data URL; base64 alone becomes one. */
function addressOf(picture: string | Fields): string {
  const address = typeof picture === "string" ? picture : picture.image_url;
  if (typeof address !== "string")
    throw invalidField("images", "objects with `image_url`: this model reads no files by id");
  const bare = readBareBase64(address);
  return bare ? dataUrl(bare) : address;
}
