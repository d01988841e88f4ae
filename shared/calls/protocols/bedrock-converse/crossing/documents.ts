/** Media in the kinds and formats of Converse, and the names that its documents must have (protocols.md §8.1). */
import { GatewayError } from "../../../../base/errors.ts";
import { entryOf, type Fields } from "../../../../base/json/fields.ts";
import type { MediaPart } from "../../../chat/request.ts";

export type MediaKind = "image" | "document" | "audio" | "video";

const office = "application/vnd.openxmlformats-officedocument";

/** The kind of block and the format of each media type, as Converse's API lists them. */
const formats: Readonly<Record<string, readonly [kind: MediaKind, format: string]>> = {
  "image/png": ["image", "png"],
  "image/jpeg": ["image", "jpeg"],
  "image/gif": ["image", "gif"],
  "image/webp": ["image", "webp"],
  "application/pdf": ["document", "pdf"],
  "application/msword": ["document", "doc"],
  [`${office}.wordprocessingml.document`]: ["document", "docx"],
  "application/vnd.ms-excel": ["document", "xls"],
  [`${office}.spreadsheetml.sheet`]: ["document", "xlsx"],
  "text/csv": ["document", "csv"],
  "text/html": ["document", "html"],
  "text/markdown": ["document", "md"],
  "audio/mpeg": ["audio", "mp3"],
  "audio/wav": ["audio", "wav"],
  "audio/x-wav": ["audio", "wav"],
  "audio/aac": ["audio", "aac"],
  "audio/flac": ["audio", "flac"],
  "audio/ogg": ["audio", "ogg"],
  "audio/opus": ["audio", "opus"],
  "audio/mp4": ["audio", "mp4"],
  "video/mp4": ["video", "mp4"],
  "video/quicktime": ["video", "mov"],
  "video/webm": ["video", "webm"],
  "video/x-matroska": ["video", "mkv"],
  "video/mpeg": ["video", "mpeg"],
  "video/x-flv": ["video", "flv"],
  "video/x-ms-wmv": ["video", "wmv"],
  "video/3gpp": ["video", "three_gp"],
};

const types = new Map(
  [...Object.entries(formats), ["text/plain", ["document", "txt"]] as const]
    .toReversed()
    .map(([type, [kind, format]]) => [`${kind}/${format}`, type]),
);

/** The media type of a format, the first that the table has for it. Undefined where the kind has no such format. */
export function mediaType(kind: MediaKind, format: string): string | undefined {
  return types.get(`${kind}/${format}`);
}

/** Types of text that do not begin with `text/`. */
const texts = new Set(["application/json", "application/xml", "application/x-yaml"]);

/**
 * A medium as a block. Throws `invalid_request` for a type that Converse does not know, and for an address: Converse
 * reads none but S3's, and that one with the gateway's own role.
 */
export function encodeMedia({ source, name }: MediaPart, names: DocumentNames): Fields {
  if (source.type === "url") throw unreadable("A file by its address", ": send its bytes as base64");
  const [type = ""] = source.media_type.toLowerCase().split(";");
  const isText = type.startsWith("text/") || texts.has(type);
  const [kind, format] = entryOf(formats, type) ?? (isText ? (["document", "txt"] as const) : []);
  if (!kind) throw unreadable(`A file of type ${source.media_type}`);
  const block = { format, source: { bytes: source.data } };
  return { [kind]: kind === "document" ? { ...block, name: names.next(name) } : block };
}

function unreadable(what: string, instead = ""): GatewayError {
  const message = `${what} cannot be sent to this model${instead}.`;
  return new GatewayError("invalid_request", { message, param: "messages" });
}

/** The most characters of a document's name. */
const nameMost = 200;

/** Names of the documents of one request, each once. */
export class DocumentNames {
  readonly #taken = new Set<string>();

  /** A name as Converse takes it: without its ending, and with a number where an earlier document has it. */
  next(given = ""): string {
    const plain = given
      .replace(/\.[^.]*$/, "")
      .replace(/[^a-zA-Z0-9 \-()[\]]/gu, "-")
      .replace(/ {2,}/g, " ")
      .trim()
      .slice(0, nameMost);
    const name = /[a-zA-Z0-9]/.test(plain) ? plain : "document";
    let own = name;
    for (let count = 2; this.#taken.has(own.toLowerCase()); count++) {
      const end = `-${count}`;
      own = name.slice(0, nameMost - end.length) + end;
    }
    this.#taken.add(own.toLowerCase());
    return own;
  }
}
