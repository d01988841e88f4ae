/** Reads a large body without its long texts: the rest is parsed, and in it each of them is a `LongText`. */
import { limits } from "../limits.ts";
import { LongText } from "./long-text.ts";
import { StringScanner } from "./strings.ts";

/** Where texts may stay in the bytes. Those who read a request there must take a `LongText` for a text. */
export interface LongTextPlaces {
  /** Members of the body. */
  members: ReadonlySet<string>;
  /** Keys at any depth in them. The items of an array stand under the array's key. */
  keys: ReadonlySet<string>;
}

/** Takes the place of a value under a key, or of an item. Gives the value that is put there. */
type Replace = (text: unknown, key: string) => unknown;

/** A long text and its place in the bytes, without the quotes. `end` is exclusive. */
interface Cut {
  start: number;
  end: number;
  text: LongText;
}

/** Makes the outline of one body. Every string of it must be passed by `skip`, in order, before `parse`. */
export class Outliner {
  readonly #bytes: Buffer;
  readonly #places: LongTextPlaces;
  readonly #strings: StringScanner;
  readonly #cuts: Cut[] = [];
  /** A string of the body begins as the mark of a cut does. */
  #isAmbiguous = false;

  constructor(bytes: Buffer, places: LongTextPlaces) {
    this.#bytes = bytes;
    this.#places = places;
    this.#strings = new StringScanner(bytes);
  }

  /** Offset just past the closing quote of the string that opens at `start`, in this member of the body. */
  skip(start: number, member: string | undefined): number {
    const strings = this.#strings;
    const end = strings.skip(start);
    const { isEscaped, isValid } = strings;
    if (isEscaped && this.#beginsAsMark(start + 1)) this.#isAmbiguous = true;
    // A string that is not valid is left in, so that `JSON.parse` refuses it.
    const isLong = end - start > limits.longTextBytesMin && isValid;
    if (isLong && member !== undefined && this.#places.members.has(member) && !this.#isKey(end)) {
      const text = new LongText(this.#bytes, start + 1, end - 1, isEscaped);
      this.#cuts.push({ start: start + 1, end: end - 1, text });
    }
    return end;
  }

  #beginsAsMark(at: number): boolean {
    return this.#bytes[at] === 0x5c && this.#bytes.toString("latin1", at, at + mark.length) === mark;
  }

  #isKey(end: number): boolean {
    let at = end;
    while (isSpace(this.#bytes[at])) at++;
    return this.#bytes[at] === 0x3a;
  }

  /** The body as a value. Throws `SyntaxError` where the body is not valid JSON. */
  parse(): unknown {
    if (this.#isAmbiguous) this.#cuts.length = 0;
    const value: unknown = JSON.parse(this.skeleton());
    if (this.#cuts.length === 0) return value;
    replaceIn(value, this.#places.members, (text, key) => {
      if (typeof text !== "string" || text.charCodeAt(0) !== 0) return text;
      const long = this.#cuts[Number(text.slice(1))]?.text;
      return this.#places.keys.has(key) ? long : String(long);
    });
    return value;
  }

  /** The body's JSON, with a mark in the place of each text that is cut out. */
  skeleton(): string {
    if (this.#cuts.length === 0) return this.#bytes.toString("utf8");
    const kept = this.#cuts.reduce((bytes, { start, end }) => bytes - (end - start), this.#bytes.length);
    const marked = Buffer.allocUnsafe(kept + this.#cuts.length * markBytesMax);
    let [from, length] = [0, 0];
    for (const [index, { start, end }] of this.#cuts.entries()) {
      length += copy(this.#bytes, from, start, marked, length);
      length += marked.write(mark + index, length, "latin1");
      from = end;
    }
    length += copy(this.#bytes, from, this.#bytes.length, marked, length);
    return marked.toString("utf8", 0, length);
  }

  /** Decodes all texts that stayed in the bytes, in the value that `parse` gave. */
  fill(value: unknown): void {
    if (this.#cuts.length === 0) return;
    replaceIn(value, this.#places.members, (text) => (text instanceof LongText ? text.toString() : text));
  }
}

/** How a mark begins in JSON. No other string of a body that is cut begins with this character. */
const mark = "\\u0000";
const markBytesMax = mark.length + String(limits.bodyBytesMax).length;

/** Copies bytes, and gives their number. The platform's own copy costs as much as some fifty bytes. */
function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end - start > 64) return from.copy(to, at, start, end);
  for (let offset = 0; offset < end - start; offset++) to[at + offset] = from[start + offset] as number;
  return end - start;
}

/** Whether a byte is white space between the tokens of JSON. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Replaces values in these members of a body, at any depth. */
function replaceIn(body: unknown, members: ReadonlySet<string>, replace: Replace): void {
  if (typeof body !== "object" || body === null) return;
  const fields = body as Record<string, unknown>;
  for (const name of members) {
    if (Object.hasOwn(fields, name)) fields[name] = replaced(fields[name], name, replace);
  }
}

/** Replaces what stands in a value, in place, or the value itself. `key` is the nearest key around it. */
function replaced(value: unknown, key: string, replace: Replace): unknown {
  if (typeof value !== "object" || value === null || value instanceof LongText) return replace(value, key);
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      const after = replaced(item, key, replace);
      if (after !== item) value[at] = after;
    }
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const child = fields[name];
    const after = replaced(child, name, replace);
    if (after !== child) fields[name] = after;
  }
  return value;
}
