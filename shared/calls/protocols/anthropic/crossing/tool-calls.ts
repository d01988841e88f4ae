/** Ids of tool calls, of the one pattern that Anthropic takes, and their arguments as objects (protocols.md §6.1). */

import { isAbsent, isObject } from "../../../../base/json/fields.ts";
import { tagStart } from "../../../chat/signature.ts";

/** Members whose JSON is the client's or the model's own: a call's arguments, and schemas. */
export const exactMembers: ReadonlySet<string> = new Set(["input", "input_schema", "schema"]);

/** Stands between an id and the signature it carries. */
const signatureMark = "__signed_";

/** An id as Anthropic takes it. A signature is appended, because clients send ids back untouched (pitfall 10). */
export function encodeToolId(id: string, signature?: string): string {
  const valid =
    id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}`) || "_";
  if (signature === undefined) return valid;
  // A tag is base64 already, and is read in either alphabet.
  const bytes = Buffer.from(signature, signature.startsWith(tagStart) ? "base64" : "utf8");
  return `${valid}${signatureMark}${bytes.toString("base64url")}`;
}

/** The id, and the signature that was appended to it. */
export function decodeToolId(given: string): { id: string; signature?: string } {
  const at = given.indexOf(signatureMark);
  if (at === -1) return { id: given };
  const rider = given.slice(at + signatureMark.length);
  const signature = rider.startsWith(tagStart) ? rider : Buffer.from(rider, "base64url").toString("utf8");
  return { id: given.slice(0, at), signature };
}

/** Arguments as text; none are `{}` (pitfall 14). What is no object is wrapped as in `argumentsObject`. */
export function decodeArguments(input: unknown): string {
  if (isAbsent(input)) return "{}";
  return JSON.stringify(isObject(input) ? input : { arguments: input });
}
