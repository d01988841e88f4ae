/** The arguments of a tool call. Some protocols carry them as text, others as an object. */

import { membersOf } from "../../base/json/body.ts";
import { parseExact } from "../../base/json/exact.ts";
import { type Fields, isObject } from "../../base/json/fields.ts";

/** Arguments as an object whose numbers keep their digits. Text that is no object is kept whole under `arguments`. */
export function argumentsObject(text: string): Fields {
  if (text.trim() === "") return {};
  try {
    membersOf(Buffer.from(text));
    const value = parseExact(text);
    if (isObject(value)) return value;
  } catch {
    // Not JSON, or too deep: kept as text below.
  }
  return { arguments: text };
}
