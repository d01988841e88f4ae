/** Long texts that stay in a body's bytes: to decode a megabyte costs more than all that the gateway does with it. */
import { isAscii } from "node:buffer";

const backslash = 0x5c;
/** The longest escape is a `u` and four digits behind a backslash. */
const escapeBytesMax = 6;

/** Bytes that have so many UTF-16 units whole, wherever they are cut: a unit is one escape at most. */
function bytesOf(units: number): number {
  return escapeBytesMax * (units + 2);
}

/** A string of a JSON text that knows where it stands, and is decoded when somebody reads it. It is never empty. */
export class LongText {
  readonly #json: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #isEscaped: boolean;
  #text: string | undefined;

  /** `start` to `end` is what stands between the quotes of a valid string in `json`. `end` is exclusive. */
  constructor(json: Buffer, start: number, end: number, isEscaped: boolean) {
    this.#json = json;
    this.#start = start;
    this.#end = end;
    this.#isEscaped = isEscaped;
  }

  /** As long as the string is: in UTF-16 units. */
  get length(): number {
    const bytes = this.#bytes();
    return this.#isEscaped || !isAscii(bytes) ? this.toString().length : bytes.length;
  }

  /** Whether an ASCII text without quotes, backslashes and control characters stands in it. */
  includes(plain: string): boolean {
    return this.#isEscaped ? this.toString().includes(plain) : this.#bytes().includes(plain);
  }

  /** The first `units` UTF-16 units. The rest is not decoded. */
  head(units: number): string {
    const end = this.#start + bytesOf(units);
    return end < this.#end
      ? this.#decoded(this.#start, this.#boundary(end)).slice(0, units)
      : this.toString().slice(0, units);
  }

  /** The last `units` UTF-16 units, more than 0. The rest is not decoded. */
  tail(units: number): string {
    const start = this.#end - bytesOf(units);
    return start > this.#start
      ? this.#decoded(this.#boundary(start), this.#end).slice(-units)
      : this.toString().slice(-units);
  }

  toString(): string {
    this.#text ??= this.#decoded(this.#start, this.#end);
    return this.#text;
  }

  #decoded(start: number, end: number): string {
    const text = this.#json.toString("utf8", start, end);
    return this.#isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** Where the character or escape begins that the byte at `at` belongs to. */
  #boundary(at: number): number {
    let start = at;
    while (((this.#json[start] as number) & 0xc0) === 0x80) start--;
    let slash = start - 1;
    while (slash > start - escapeBytesMax && this.#json[slash] !== backslash) slash--;
    let slashes = 0;
    while (slash - slashes >= this.#start && this.#json[slash - slashes] === backslash) slashes++;
    // After an even number of backslashes none of them escapes what follows.
    if (slashes % 2 === 0) return start;
    return slash + (this.#json[slash + 1] === 0x75 ? escapeBytesMax : 2) > start ? slash : start;
  }

  #bytes(): Buffer {
    return this.#json.subarray(this.#start, this.#end);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** A text of a request, long or short. `String` decodes it. */
export type Text = string | LongText;

export function isText(value: unknown): value is Text {
  return typeof value === "string" || value instanceof LongText;
}

/** The first `units` UTF-16 units of a text. */
export function headOf(text: Text, units: number): string {
  return typeof text === "string" ? text.slice(0, units) : text.head(units);
}

/** The last `units` UTF-16 units of a text, more than 0. */
export function tailOf(text: Text, units: number): string {
  return typeof text === "string" ? text.slice(-units) : text.tail(units);
}
