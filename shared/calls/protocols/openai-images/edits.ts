/** Image edits as OpenAI takes them: a form, or JSON whose pictures stand in `images` (protocols.md §1.7). */

import { type FormBody, writeForm } from "../../../base/http/form.ts";
import { type JsonBody, type Slices, type Splice, sliced } from "../../../base/json/body.ts";
import { isAbsent } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import type { Outgoing } from "../protocol.ts";
import { modelSplice } from "../splicing.ts";
import { isPicture, picturesOf } from "./edit-fields.ts";

/** The client's bytes with the model changed, and `image` and `mask` under OpenAI's names. */
export function passThrough(body: JsonBody, _call: ChatCall, model: string): Slices {
  return sliced(body.bytes, [modelSplice(body, model), ...pictureSplices(body)]);
}

function pictureSplices({ members, value }: JsonBody): Splice[] {
  const splices: Splice[] = [];
  for (const { key, key_start, value_start, value_end } of members) {
    if (key === "image" && !isAbsent(value.image)) {
      const images = picturesOf(value).map((image_url) => ({ image_url }));
      splices.push({ start: key_start, end: value_end, text: `"images":${JSON.stringify(images)}` });
    }
    if (key === "mask" && typeof value.mask === "string") {
      const text = JSON.stringify({ image_url: value.mask });
      splices.push({ start: value_start, end: value_end, text });
    }
  }
  return splices;
}

/** The client's form with the model changed: one picture is `image`, several are `image[]`. */
export function passForm({ parts }: FormBody, _call: ChatCall, model: string): Outgoing {
  const picture = parts.filter(isPicture).length === 1 ? "image" : "image[]";
  const form = writeForm(
    parts.map((part) => {
      if (part.key === "model") return { ...part, content: Buffer.from(model) };
      return isPicture(part) ? { ...part, key: picture } : part;
    }),
  );
  return { ...form, dropped: [] };
}
