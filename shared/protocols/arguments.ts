/** A tool call's arguments, which some protocols carry as text and others as an object. */

import { membersOf } from "../json/body.ts";
import { parseExact } from "../json/exact.ts";
import { type Fields, isObject } from "../json/fields.ts";

/**
 * Arguments as an object whose numbers keep their digits; none are an empty one. Text that is no JSON object, as a model
 * may have written it, or one that is nested too deep, is kept whole under `arguments`.
 */
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
