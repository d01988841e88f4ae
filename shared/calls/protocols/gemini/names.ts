/** Names of members. Google reads two spellings, and the gateway reads one. */
import type { Fields } from "../../../base/json/fields.ts";

/** Members whose JSON belongs to the client or the model, in both spellings. */
export const exactMembers: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "responseSchema",
  "response_schema",
  "responseJsonSchema",
  "response_json_schema",
  "seed",
]);

/** The members of an object of the protocol under their camel-case names: Google reads both spellings. */
export function camelKeys(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [camel(key), value]));
}

/** `snake_case` as `snakeCase`. */
export function camel(key: string): string {
  return key.replace(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
