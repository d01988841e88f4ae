/** Reads the JSON body of a request to the console. */
import { readJsonObject, refuseDuplicates } from "../json/body.ts";
import { type Fields, invalidField } from "../json/fields.ts";
import type { ConsoleRequest } from "./call.ts";

/**
 * The fields of a body, of which all names are in `known`; an empty body has none. Throws `invalid_request` for a body
 * that is no JSON object, and for a field that is unknown or given twice.
 */
export function readFields({ body }: Pick<ConsoleRequest, "body">, known: readonly string[]): Fields {
  if (body.length === 0) return {};
  const { members, value } = readJsonObject(body);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidField(unknown, `absent: the fields are ${known.join(", ")}`);
  refuseDuplicates(members, new Set(known));
  return value;
}
