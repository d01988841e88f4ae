/** The fields of an OpenAI embeddings request, and what becomes of them where the provider speaks Gemini's protocol. */

import type { OutlinedBody } from "../../../base/json/body.ts";
import { type Fields, invalidField, optionalString } from "../../../base/json/fields.ts";
import { isText } from "../../../base/json/long-text.ts";
import { limits } from "../../../base/limits.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import { fieldTable, integer } from "../field-table.ts";
import { readUser } from "../user.ts";

export const fields = fieldTable({
  model: { acts: true, carried: true },
  input: { check: readInput, acts: true, carried: true },
  encoding_format: { check: wantsBase64, acts: true, carried: true },
  user: { check: readUser, acts: true },
  dimensions: { read: integer(1, limits.tokensMax), acts: true, carried: true },
});

/** Checks the request. Throws `invalid_request`. */
export function readRequest({ outline }: OutlinedBody): ChatCall {
  const { input, encoding_format, user } = fields.check(outline);
  return { ...plainCall, user, base64: encoding_format, inputs: input };
}

/** Whether the client wants base64: SDKs ask for it unasked, so it is served too (design §4 "Embeddings"). */
export function wantsBase64(fields: Fields, name: string): boolean {
  const format = optionalString(fields, name) ?? "float";
  if (format !== "float" && format !== "base64") throw invalidField(name, "`float` or `base64`");
  return format === "base64";
}

/** How many inputs there are. Tokens alone are one input, as one text is. */
function readInput(fields: Fields, name: string): number {
  const input = fields[name];
  if (!isInput(input)) throw invalidField(name, "a non-empty string, or an array of strings or of tokens");
  return Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1;
}

/** Text, texts, tokens, or lists of tokens (protocols.md §1.5). */
function isInput(input: unknown): boolean {
  if (isText(input)) return input !== "";
  if (!Array.isArray(input) || input.length === 0) return false;
  const isToken = (item: unknown) => Number.isSafeInteger(item) && (item as number) >= 0;
  return (
    input.every((item) => isText(item) && item !== "") ||
    input.every(isToken) ||
    input.every((item) => Array.isArray(item) && item.length > 0 && item.every(isToken))
  );
}
