/** Finds the ends of strings in the bytes of a JSON text, and says whether the strings are valid. */

const quote = 0x22;
const backslash = 0x5c;

/**
 * How many words of a string are looked at before the platform's search is called. The call costs as much as they do.
 */
const nearWords = 128;

/** Scans the strings of one text, from the first to the last. */
export class StringScanner {
  /** Of the string that was scanned last: whether it has escapes, and whether it is a whole JSON string. */
  isEscaped = false;
  isValid = true;
  readonly #bytes: Buffer;
  /** The bytes from `#base` on, four at a time. */
  readonly #words: Int32Array;
  readonly #base: number;
  /** The next quote and the next backslash that the platform's search has found. */
  #quoteAt = -1;
  #backslashAt = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#base = -bytes.byteOffset & 3;
    const words = (bytes.length - this.#base) >> 2;
    this.#words =
      words > 0 ? new Int32Array(bytes.buffer, bytes.byteOffset + this.#base, words) : new Int32Array(0);
  }

  /** Offset just past the closing quote of the string that opens at `start`. The end of the bytes where it has none. */
  skip(start: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let isEscaped = false;
    let isValid = true;
    let at = this.#nextSpecial(start + 1);
    while (at < length && bytes[at] !== quote) {
      const isEscape = bytes[at] === backslash;
      isValid &&= isEscape && endsEscape(bytes, at + 1);
      isEscaped ||= isEscape;
      at = this.#nextSpecial(isEscape ? at + 2 : at + 1);
    }
    this.isEscaped = isEscaped;
    this.isValid = isValid && at < length;
    return Math.min(at + 1, length);
  }

  /** Offset of the next quote, backslash or control character from `from` on, or of the end of the bytes. */
  #nextSpecial(from: number): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const base = this.#base;
    let at = from;
    let word = (at - base) >> 2;
    if (word >= 0 && word < words.length) {
      // Only the first word's bytes from here on count.
      let marks = specialsOf(words[word] as number) & (-1 << (((at - base) & 3) << 3));
      const near = Math.min(word + nearWords, words.length);
      while (marks === 0 && ++word < near) marks = specialsOf(words[word] as number);
      at = base + 4 * word;
      if (marks !== 0) {
        at += (31 - Math.clz32(marks & -marks)) >> 3;
        // This mark may be false: the subtraction may have borrowed from a byte before `from`.
        return isSpecial(bytes[at] as number) ? at : this.#nextSpecial(at + 1);
      }
      if (word < words.length) at = this.#farSpecial(at);
    }
    while (at < bytes.length && !isSpecial(bytes[at] as number)) at++;
    return at;
  }

  /** The same from where a word begins, after many bytes without any of these. The platform's search is faster then. */
  #farSpecial(from: number): number {
    if (this.#quoteAt < from) this.#quoteAt = this.#find(quote, from);
    if (this.#backslashAt < from) this.#backslashAt = this.#find(backslash, from);
    const end = Math.min(this.#quoteAt, this.#backslashAt);
    const words = this.#words;
    const endWord = Math.min((end - this.#base) >> 2, words.length);
    let word = (from - this.#base) >> 2;
    for (; word + 4 <= endWord; word += 4) {
      const first = controlsOf(words[word] as number) | controlsOf(words[word + 1] as number);
      const last = controlsOf(words[word + 2] as number) | controlsOf(words[word + 3] as number);
      if ((first | last) !== 0) break;
    }
    return this.#base + 4 * word;
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at === -1 ? this.#bytes.length : at;
  }
}

function isSpecial(byte: number): boolean {
  return byte < 0x20 || byte === quote || byte === backslash;
}

const highBits = 0x80808080 | 0;

/** Marks bytes below 0x20 by their high bits. The lowest mark is true; others may not be, as subtraction borrows. */
function controlsOf(word: number): number {
  return (word - 0x20202020) & ~word & highBits;
}

/** Marks quotes and backslashes too: an exclusive or with 2 makes the quote 0x20. */
function specialsOf(word: number): number {
  const low = word ^ 0x02020202;
  const slashes = word ^ 0x5c5c5c5c;
  return (((low - 0x21212121) & ~low) | ((slashes - 0x01010101) & ~slashes)) & highBits;
}

/** Whether what follows a backslash makes an escape with it. */
function endsEscape(bytes: Buffer, at: number): boolean {
  switch (bytes[at]) {
    case 0x22:
    case 0x2f:
    case 0x5c:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    case 0x75:
      return isHex(bytes[at + 1]) && isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]);
    default:
      return false;
  }
}

function isHex(byte = 0): boolean {
  // A letter in its lower case is 0x61 to 0x66.
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
