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

const written = new RegExp(`"${begin}(?:[^"\\\\]|\\\\.)*"`, "g");

/** A JSON text with empty strings in place of such lines. Without them it is the same bytes. */
export function withoutAttribution(json: Buffer): Buffer {
  if (!json.includes(`"${begin}`)) return json;
  return Buffer.from(json.toString("latin1").replace(written, '""'), "latin1");
}
