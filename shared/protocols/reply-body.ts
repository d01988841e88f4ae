/** The body of a provider's whole reply. */
import { type Fields, isObject } from "../http/fields.ts";

/** Reads a body. Throws `SyntaxError` or `TypeError` for one that is no JSON object, whatever its status says. */
export function readBody(bytes: Buffer): Fields {
  const body: unknown = JSON.parse(bytes.toString("utf8"));
  if (!isObject(body)) throw new TypeError("a reply that is no JSON object");
  return body;
}
