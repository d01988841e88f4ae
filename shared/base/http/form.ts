/**
 * Multipart forms (RFC 7578), read and written anew, so that a provider sees exactly what was checked. Node's own reader
 * looks for the boundary inside files, and refuses escaped quotes in their names.
 */
import { isUtf8 } from "node:buffer";
import { GatewayError } from "../errors.ts";
import { joinShort, type Slices } from "../json/body.ts";
import { limits } from "../limits.ts";

export interface FormPart {
  key: string;
  content: Buffer;
  /** Where the part is a file: its name, as the client spelled it, and its media type. */
  file?: { name: string; type: string };
}

export interface FormBody {
  parts: FormPart[];
  /** The text parts by key. */
  value: Record<string, unknown>;
}

/** Whether a content type is that of a multipart form. */
export function isFormType(contentType: string | undefined): contentType is string {
  return /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? "");
}

/** Reads a form. Throws `invalid_request` when it is none, or beyond `limits.formPartsMax` parts. */
export function readForm(bytes: Buffer, contentType: string): FormBody {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw malformed("has no boundary in its content type");
  const parts = partsOf(bytes, `--${boundary}`);
  const texts = parts.filter(({ file }) => !file).map(({ key, content }) => [key, content.toString("utf8")]);
  return { parts, value: Object.fromEntries(texts) as FormBody["value"] };
}

function partsOf(bytes: Buffer, opening: string): FormPart[] {
  const delimiter = Buffer.from(`\r\n${opening}`);
  const parts: FormPart[] = [];
  // The first delimiter may stand at the very start, without the line break that is part of all others.
  let at = bytes.indexOf(opening) === 0 ? opening.length : after(bytes, delimiter, 0);
  for (;;) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
    if (bytes.toString("latin1", at, at + 2) === "--") return parts;
    if (bytes.toString("latin1", at, at + 2) !== "\r\n") throw malformed("has a delimiter that does not end");
    if (parts.length === limits.formPartsMax) throw malformed(`has over ${limits.formPartsMax} parts`);
    const next = after(bytes, delimiter, at);
    parts.push(partOf(bytes.subarray(at, next - delimiter.length)));
    at = next;
  }
}

/** The offset just past the next delimiter. */
function after(bytes: Buffer, delimiter: Buffer, from: number): number {
  const found = bytes.indexOf(delimiter, from);
  if (found < 0) throw malformed("ends without its last delimiter");
  return found + delimiter.length;
}

/** A part from the line break after its delimiter to its last byte. */
function partOf(bytes: Buffer): FormPart {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0 || end > limits.formHeadBytesMax) throw malformed("has a part without a proper head");
  const head = bytes.subarray(0, end);
  const content = bytes.subarray(end + 4);
  const disposition = parametersOf(
    /^content-disposition:[ \t]*form-data([^\r\n]*)/im.exec(head.toString("utf8"))?.[1],
  );
  const key = disposition.get("name");
  if (!isUtf8(head) || !key) throw malformed("has a part without a name");
  const name = disposition.get("filename");
  if (name === undefined) {
    if (!isUtf8(content)) throw malformed("has a text that is not UTF-8");
    return { key, content };
  }
  const type = /^content-type:[ \t]*([\x21-\x7e][\x20-\x7e]*)$/im.exec(head.toString("utf8"))?.[1];
  return { key, content, file: { name, type: type?.trim() ?? "application/octet-stream" } };
}

/** The parameters of a header's value, by lower-case name; quoted ones without their quotes and escapes. */
function parametersOf(text = ""): Map<string, string> {
  const found = text.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g);
  return new Map(
    [...found].map(([, name = "", quoted, bare = ""]) => [
      name.toLowerCase(),
      // Only the quote itself is ever escaped: some clients send whole paths with their backslashes.
      quoted?.replaceAll('\\"', '"') ?? bare,
    ]),
  );
}

/** A form of these parts as slices, with their contents as they are, and the content type that names its boundary. */
export function writeForm(parts: readonly FormPart[]): { body: Slices; content_type: string } {
  // 122 random bits: no content holds the boundary, unless it guessed them.
  const boundary = `form-${crypto.randomUUID()}`;
  const slices = parts.flatMap(({ key, content, file }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(key)}"`),
    Buffer.from(file ? `; filename="${escaped(file.name)}"\r\nContent-Type: ${file.type}` : ""),
    Buffer.from("\r\n\r\n"),
    content,
    Buffer.from("\r\n"),
  ]);
  return {
    body: joinShort([...slices, Buffer.from(`--${boundary}--\r\n`)]),
    content_type: `multipart/form-data; boundary=${boundary}`,
  };
}

function escaped(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function malformed(why: string): GatewayError {
  return new GatewayError("invalid_request", { message: `The multipart form ${why}.` });
}
