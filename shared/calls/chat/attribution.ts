/**
 * The line that Claude Code puts first into its instructions, for Anthropic's own books. It changes with each request. So
 * it goes to Anthropic alone: elsewhere it would empty the provider's cache, and here it would tell turns of one
 * conversation apart.
 */

const begin = "x-anthropic-billing-header:";

/** Whether a text, or its beginning, is such a line. */
export function isAttribution(text: string): boolean {
  return text.startsWith(begin);
}

/** A JSON text with empty strings in place of such lines. Without them it is the same bytes. */
export function withoutAttribution(json: Buffer): Buffer {
  const opening = `"${begin}`;
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = json.indexOf(opening); at !== -1; at = json.indexOf(opening, at + 1)) {
    // Such words may also stand inside of a text, whose quotes are escaped. Then the text is no such line.
    if (at < from || json[at - 1] === backslash) continue;
    pieces.push(json.subarray(from, at + 1));
    from = stringEnd(json, at + opening.length);
  }
  return from === 0 ? json : Buffer.concat([...pieces, json.subarray(from)]);
}

const [quote, backslash] = [0x22, 0x5c];

/** Where the quote stands that ends a string; the end of the text where none does. */
function stringEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return Math.min(at, json.length);
}
