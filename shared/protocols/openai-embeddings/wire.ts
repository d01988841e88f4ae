/** The fields of an embeddings request we act on (contract §4.3). */
import { type ChatCall, plainCall } from "../../chat/call.ts";
import type { JsonBody } from "../../json/body.ts";
import { type Fields, invalidField, optionalString } from "../../json/fields.ts";
import { readUser } from "../user.ts";

export const keys: ReadonlySet<string> = new Set(["model", "input", "encoding_format", "dimensions", "user"]);

/**
 * Checks the request. `base64`, which SDKs send when the user says nothing, is served although the
 * contract only lists `float` (design §4 "Embeddings"). Throws `invalid_request`.
 */
export function readRequest({ value: fields }: JsonBody): ChatCall {
  if (!isInput(fields["input"]))
    throw invalidField("input", "a non-empty string, or an array of strings or of tokens");
  const format = optionalString(fields, "encoding_format") ?? "float";
  if (format !== "float" && format !== "base64") throw invalidField("encoding_format", "`float` or `base64`");
  return {
    ...plainCall,
    user: readUser(fields as Fields),
    base64: format === "base64",
    inputs: countInputs(fields["input"]),
  };
}

/** Tokens alone are one input, as one text is. */
function countInputs(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1;
}

/** Text, texts, tokens, or lists of tokens (protocols.md §1.5). */
function isInput(input: unknown): boolean {
  if (typeof input === "string") return input !== "";
  if (!Array.isArray(input) || input.length === 0) return false;
  const isToken = (item: unknown) => Number.isSafeInteger(item) && (item as number) >= 0;
  return (
    input.every((item) => typeof item === "string" && item !== "") ||
    input.every(isToken) ||
    input.every((item) => Array.isArray(item) && item.length > 0 && item.every(isToken))
  );
}
