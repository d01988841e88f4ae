/** Reads the body of a provider's whole reply, and the frames of its stream. */
import { parseExactIn } from "../../base/json/exact.ts";
import { type Fields, isObject } from "../../base/json/fields.ts";
import { frameObject } from "../../base/sse/frames.ts";

/** Reads a body. Numbers in `exact` members stay as written. Throws `SyntaxError` or `TypeError` for no JSON object. */
export function readBody(bytes: Buffer, exact?: ReadonlySet<string>): Fields {
  const text = bytes.toString("utf8");
  const body: unknown = exact ? parseExactIn(text, exact) : JSON.parse(text);
  if (!isObject(body)) throw new TypeError("a reply that is no JSON object");
  return body;
}

/** Reads a frame in the same way; undefined for one that holds no JSON object. */
export function exactFrame(frame: Buffer, exact: ReadonlySet<string>): Fields | undefined {
  return frameObject(frame, (text) => parseExactIn(text, exact));
}
