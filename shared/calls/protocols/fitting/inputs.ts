/** Media that a model does not take. The gateway fetches no address, so it refuses such a request with the reason. */

import { GatewayError } from "../../../base/errors.ts";
import type { InputForm } from "../../../books/catalog/traits.ts";
import { readBareBase64 } from "../../chat/media.ts";

/** A part of a request that is not text. */
export interface MediaInput {
  /** Its place, as `messages[0].content[1]`. */
  at: string;
  form: InputForm;
}

/** The media and stop sequences of a body, under the client's own names. */
export interface BodyInputs {
  inputs: MediaInput[];
  /** How many stop sequences it has, under the protocol's name for them; absent where it has none. */
  stop?: { field: string; count: number };
}

type Kind = "image" | "pdf" | "audio" | "video";

const names: Record<Kind, { one: string; many: string }> = {
  image: { one: "an image", many: "images" },
  pdf: { one: "a PDF", many: "PDFs" },
  audio: { one: "sound", many: "sound" },
  video: { one: "a video", many: "videos" },
};

/** The kind of a media type. Undefined for text, and for types that traits say nothing of. */
export function kindOf(mediaType: unknown): Kind | undefined {
  if (typeof mediaType !== "string") return undefined;
  const type = mediaType.toLowerCase();
  if (type.startsWith("application/pdf")) return "pdf";
  return (["image", "audio", "video"] as const).find((kind) => type.startsWith(`${kind}/`));
}

/** The kind of a `data:` URL or of bare base64. Undefined where its beginning does not show one. */
export function kindOfData(data: string): Kind | undefined {
  // Media types are short, and the data behind one may be megabytes.
  return data.startsWith("data:")
    ? kindOf(data.slice("data:".length, 100))
    : kindOf(readBareBase64(data)?.media_type);
}

/** The input at a place, or none where its kind is not known. */
export function inputAt(at: string, kind: Kind | undefined, by: "url" | "bytes"): MediaInput[] {
  return kind === undefined ? [] : [{ at, form: `${kind}_${by}` }];
}

/** What an address is: a `data:` URL brings the bytes and names their type, any other one is fetched. */
export function inputOfUrl(at: string, url: unknown, kind: Kind): MediaInput[] {
  if (typeof url !== "string") return [];
  if (url.startsWith("data:")) return inputAt(at, kindOfData(url) ?? kind, "bytes");
  return inputAt(at, kind, /^https?:\/\//i.test(url) ? "url" : "bytes");
}

/** Throws `invalid_request` for the first part that a model does not take. */
export function refuseInputs(inputs: readonly MediaInput[], takes: readonly InputForm[] | undefined): void {
  const refused = takes && inputs.find(({ form }) => !takes.includes(form));
  if (!refused) return;
  const { at, form } = refused;
  const [kind, by] = form.split("_") as [Kind, "url" | "bytes"];
  const { one, many } = names[kind];
  const other: InputForm = `${kind}_${by === "url" ? "bytes" : "url"}`;
  const what = by === "url" ? `${one} by its address` : `${one} as bytes`;
  const why = !takes.includes(other)
    ? `This model takes no ${many}.`
    : by === "url"
      ? `This model takes ${many} as bytes only: send it as base64.`
      : `This model takes ${many} by address only.`;
  throw new GatewayError("invalid_request", { message: `\`${at}\` is ${what}. ${why}`, param: at });
}

/** Throws `invalid_request` for more stop sequences than a model takes. One that takes none gets none (`fit.ts`). */
export function refuseStops(stop: BodyInputs["stop"], most: number | undefined): void {
  if (!stop || !most || stop.count <= most) return;
  const message = `\`${stop.field}\` has ${stop.count} stop sequences, and this model takes at most ${most}.`;
  throw new GatewayError("invalid_request", { message, param: stop.field });
}

/** Stop sequences of a body's member: one text, or several. */
export function stopAt(field: string, value: unknown): Pick<BodyInputs, "stop"> {
  const list = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  const count = list.filter((sequence) => sequence !== "").length;
  return count > 0 ? { stop: { field, count } } : {};
}
