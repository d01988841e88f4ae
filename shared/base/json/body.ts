/**
 * JSON bodies that are read but never rebuilt. A scanner finds where members stand in the bytes. A changed value is
 * spliced in, and every other byte goes upstream as it came: digits of numbers, order of keys and white space
 * (billing.md S27).
 */
import { isUtf8 } from "node:buffer";
import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";
import { isSpace, type LongTextPlaces, Outliner } from "./outline.ts";

/** One member of an object: its decoded key, and the byte range of its value. */
export interface JsonMember {
  key: string;
  /** Offset of the key's opening quote. */
  key_start: number;
  value_start: number;
  /** Exclusive. */
  value_end: number;
}

/** A body as it is checked, measured and passed through. None of this decodes a long text. */
export interface OutlinedBody {
  bytes: Buffer;
  members: JsonMember[];
  /** The body's value. In the places that its reader named, a `LongText` may stand for a string (`isText`). */
  outline: Record<string, unknown>;
}

export interface JsonBody extends OutlinedBody {
  /** The body's value with every text decoded. The first use decodes all long texts. */
  readonly value: Record<string, unknown>;
  /** The body's JSON as text, perhaps without its long texts. Its numbers stand in it as they were written. */
  skeleton(): string;
}

const quote = 0x22;
const backslash = 0x5c;
const nearBytes = 32;

/**
 * Reads a request body. Texts of a large body stay in its bytes where `places` says so. Throws `invalid_request` when
 * it is not UTF-8, not JSON, not an object, or nested deeper than `limits.jsonDepthMax`. The depth is checked before
 * anything recursive runs.
 */
export function readJsonObject(bytes: Buffer, places?: LongTextPlaces): JsonBody {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_request", { message: "The body is not valid UTF-8." });
  const outliner = places && bytes.length > limits.outlinedBytesMin ? new Outliner(bytes, places) : undefined;
  const members = membersOf(bytes, outliner);
  let value: unknown;
  try {
    value = outliner ? outliner.parse() : JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new GatewayError("invalid_request", { message: "The body is not valid JSON." });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GatewayError("invalid_request", { message: "The body must be a JSON object." });
  }
  const outline = value as JsonBody["outline"];
  const skeleton = () => outliner?.skeleton() ?? bytes.toString("latin1");
  const read = { bytes, members, outline, skeleton };
  // V8 keeps an object with a getter of its own as a dictionary. Most bodies are small, and need none.
  if (!outliner) return { ...read, value: outline };
  return {
    ...read,
    get value() {
      outliner.fill(outline);
      return outline;
    },
  };
}

/** Passes the strings of a text, in order. `member` is the outermost object's member that a string stands in. */
interface Strings {
  /** Gives the offset just past the closing quote of the string that opens at `start`. */
  skip(start: number, member: string | undefined): number;
}

/** The members of a JSON object, in order, repeats too; the bytes must be valid. Throws `invalid_request` if too deep. */
export function membersOf(bytes: Buffer, strings?: Strings): JsonMember[] {
  const members: JsonMember[] = [];
  let depth = 0;
  let member: JsonMember | undefined;
  let keyNext = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = strings ? strings.skip(at, member?.key) : skipString(bytes, at);
      if (depth === 1 && keyNext) {
        member = { key: decodeKey(bytes, at, end), key_start: at, value_start: 0, value_end: 0 };
        keyNext = false;
      }
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limits.jsonDepthMax) {
        const message = `The body is nested deeper than ${limits.jsonDepthMax} levels.`;
        throw new GatewayError("invalid_request", { message });
      }
      if (depth === 1) keyNext = byte === 0x7b;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 1) closeMember(bytes, members, member, at);
      depth--;
    } else if (depth === 1 && byte === 0x3a && member?.value_start === 0) {
      member.value_start = skipSpace(bytes, at + 1);
    } else if (depth === 1 && byte === 0x2c) {
      closeMember(bytes, members, member, at);
      member = undefined;
      keyNext = true;
    }
  }
  return members;
}

/** A byte range; `end` is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Offset just past the closing quote of the string that opens at `start`. */
function skipString(bytes: Buffer, start: number): number {
  // Most strings are short, and a call of the platform's search costs as much as a look at some bytes.
  const near = Math.min(start + nearBytes, bytes.length);
  let from = start + 1;
  while (from < near) {
    const byte = bytes[from];
    if (byte === quote) return from + 1;
    from += byte === backslash ? 2 : 1;
  }
  for (let at = bytes.indexOf(quote, from); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

function decodeKey(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString("utf8", start, end);
  if (!raw.includes("\\")) return raw.slice(1, -1);
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw;
  }
}

function skipSpace(bytes: Buffer, at: number): number {
  while (isSpace(bytes[at])) at++;
  return at;
}

function closeMember(bytes: Buffer, members: JsonMember[], member: JsonMember | undefined, at: number): void {
  if (!member?.value_start) return;
  let end = at;
  while (isSpace(bytes[end - 1])) end--;
  members.push({ ...member, value_end: end });
}

/** Where the items of an array stand. */
export function itemsOf(bytes: Buffer): ByteRange[] {
  const items: ByteRange[] = [];
  let depth = 0;
  let from = 1;
  const close = (at: number): void => {
    let [start, end] = [from, at];
    while (start < end && isSpace(bytes[start])) start++;
    while (start < end && isSpace(bytes[end - 1])) end--;
    if (start < end) items.push({ start, end });
    from = at + 1;
  };
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = skipString(bytes, at) - 1;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 1) close(at);
      depth--;
    } else if (byte === 0x2c && depth === 1) close(at);
  }
  return items;
}

/** Throws `invalid_request` for a repeated key: we would price one and run another (design §4 "Duplicate keys"). */
export function refuseDuplicates(
  members: readonly Pick<JsonMember, "key">[],
  keys: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const { key } of members) {
    if (!keys.has(key)) continue;
    if (seen.has(key)) {
      throw new GatewayError("invalid_request", { message: `\`${key}\` is given twice.`, param: key });
    }
    seen.add(key);
  }
}

/** A replacement of a byte range. */
export interface Splice extends ByteRange {
  text: string;
}

/** Bytes in pieces, which follow one another. */
export type Slices = readonly Buffer[];

/**
 * The bytes with the replacements made. What stands between them is never decoded, and copied only where it is short.
 */
export function sliced(bytes: Buffer, splices: readonly Splice[]): Slices {
  return joinShort(pieces(bytes, splices));
}

function pieces(bytes: Buffer, splices: readonly Splice[]): Buffer[] {
  const slices: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start)) {
    slices.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  slices.push(bytes.subarray(from));
  return slices;
}

/**
 * The same bytes, with short slices joined to their short neighbours: to copy a short slice costs less than to send it.
 */
export function joinShort(slices: Slices): Slices {
  const isShort = ({ length }: Buffer): boolean => length <= limits.copiedSliceBytesMax;
  if (slices.every(isShort)) return [Buffer.concat(slices)];
  const joined: Buffer[] = [];
  let from = 0;
  for (const [index, slice] of slices.entries()) {
    if (isShort(slice)) continue;
    joined.push(Buffer.concat(slices.slice(from, index)), slice);
    from = index + 1;
  }
  return [...joined, Buffer.concat(slices.slice(from))].filter(({ length }) => length > 0);
}

/** The same in one piece, for bytes that are read again. */
export function splice(bytes: Buffer, splices: readonly Splice[]): Buffer {
  return Buffer.concat(pieces(bytes, splices));
}

/** Where a value stands: the keys of objects and the places in lists that lead to it. */
export type JsonPath = readonly (string | number)[];

/**
 * Sets members, given as JSON texts, in the object at the end of `path`. A member that is there gets the new value.
 * Others are added behind the last. Undefined where there is no object. Throws `invalid_request` beyond the depth
 * limit.
 */
export function setMembers(
  bytes: Buffer,
  path: JsonPath,
  texts: Readonly<Record<string, string>>,
): Buffer | undefined {
  let [start, end] = [0, bytes.length];
  for (const name of path) {
    const value = valueAt(bytes.subarray(start, end), name);
    if (!value) return undefined;
    [start, end] = [start + value.start, start + value.end];
  }
  if (bytes[start] !== 0x7b) return undefined;
  const members = membersOf(bytes.subarray(start, end));
  const splices: Splice[] = [];
  const added: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const present = members.filter(({ key }) => key === name);
    if (present.length === 0) added.push(`${JSON.stringify(name)}:${text}`);
    for (const { value_start, value_end } of present)
      splices.push({ start: start + value_start, end: start + value_end, text });
  }
  const text = (members.length > 0 && added.length > 0 ? "," : "") + added.join(",");
  return splice(bytes, [...splices, { start: end - 1, end: end - 1, text }]);
}

/** A member of an object, or an item of a list. Where a key is given twice, readers take the last. */
function valueAt(bytes: Buffer, name: string | number): ByteRange | undefined {
  if (typeof name === "number") return bytes[0] === 0x5b ? itemsOf(bytes)[name] : undefined;
  const member = membersOf(bytes).findLast(({ key }) => key === name);
  return member && { start: member.value_start, end: member.value_end };
}
