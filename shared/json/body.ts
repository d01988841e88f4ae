/**
 * JSON bodies that are read but never rebuilt. A scanner finds where members stand in the bytes. A changed value is
 * spliced in, and every other byte goes upstream as it came: digits of numbers, order of keys and white space
 * (billing.md S27).
 */
import { isUtf8 } from "node:buffer";
import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";

/** One member of an object: its decoded key, and the byte range of its value. */
export interface Member {
  key: string;
  /** Offset of the key's opening quote. */
  key_start: number;
  value_start: number;
  /** Exclusive. */
  value_end: number;
}

export interface JsonBody {
  bytes: Buffer;
  value: Record<string, unknown>;
  members: Member[];
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads a request body. Throws `invalid_request` when it is not UTF-8, not JSON, not an object, or nested deeper than
 * `limits.jsonDepthMax`. The depth is checked before anything recursive runs.
 */
export function readJsonObject(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_request", { message: "The body is not valid UTF-8." });
  const members = membersOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new GatewayError("invalid_request", { message: "The body is not valid JSON." });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GatewayError("invalid_request", { message: "The body must be a JSON object." });
  }
  return { bytes, value: value as Record<string, unknown>, members };
}

/**
 * The members of the outermost object in `bytes`, in order, repeated keys included. The ranges are only
 * meaningful if the bytes are valid JSON. Throws `invalid_request` beyond the depth limit.
 */
export function membersOf(bytes: Buffer): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let member: Member | undefined;
  let keyNext = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = skipString(bytes, at);
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
export interface Range {
  start: number;
  end: number;
}

/** Offset just past the closing quote of the string that opens at `start`. */
function skipString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
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

function closeMember(bytes: Buffer, members: Member[], member: Member | undefined, at: number): void {
  if (!member?.value_start) return;
  let end = at;
  while (isSpace(bytes[end - 1])) end--;
  members.push({ ...member, value_end: end });
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Where the items of an array stand. */
export function itemsOf(bytes: Buffer): Range[] {
  const items: Range[] = [];
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

/**
 * Throws `invalid_request` where one of the keys is given twice. The gateway could price the first, and the provider
 * run the last (design §4 "Duplicate keys"). Keys are compared after their escapes are decoded.
 */
export function refuseDuplicates(members: readonly Pick<Member, "key">[], keys: ReadonlySet<string>): void {
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
export interface Splice extends Range {
  text: string;
}

/** The bytes with the replacements made. What stands between them is copied as bytes, never decoded. */
export function splice(bytes: Buffer, splices: Splice[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}

/**
 * Sets members, given as JSON texts, in the object at the end of `path`. A member that is there gets the new value.
 * Others are added behind the last. Undefined where there is no object. Throws `invalid_request` beyond the depth
 * limit.
 */
export function setMembers(
  bytes: Buffer,
  path: readonly string[],
  texts: Readonly<Record<string, string>>,
): Buffer | undefined {
  let [start, end] = [0, bytes.length];
  for (const name of path) {
    // Where a key is given twice, readers take the last.
    const member = membersOf(bytes.subarray(start, end)).findLast(({ key }) => key === name);
    if (!member) return undefined;
    [start, end] = [start + member.value_start, start + member.value_end];
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
