/**
 * Long texts of a body that stay in its bytes. Checks and measures rarely read them, and to decode a megabyte costs
 * more than everything else that the gateway does with it.
 */
import { isAscii } from "node:buffer";

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

  /** The first `units` UTF-16 units. */
  head(units: number): string {
    // A unit takes three bytes at most. A character of two units takes four, so these bytes have it whole.
    return this.#isEscaped
      ? this.toString().slice(0, units)
      : this.#bytes()
          .toString("utf8", 0, 3 * units + 3)
          .slice(0, units);
  }

  toString(): string {
    this.#text ??= this.#isEscaped
      ? (JSON.parse(this.#json.toString("utf8", this.#start - 1, this.#end + 1)) as string)
      : this.#json.toString("utf8", this.#start, this.#end);
    return this.#text;
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
