/** What every decoder of this room asks of an object: which fields were left, and a string. */
import { type Fields, invalidField, isAbsent } from "../../../json/fields.ts";

/**
 * Names in `dropped` every field given beyond the ones that are carried, as `messages.content.citations`.
 * `at` is where the object stands; its indexes are left out of the name.
 */
export function nameUncarried(
  fields: Fields,
  carried: readonly string[],
  at: string,
  dropped: Set<string>,
): void {
  const prefix = at === "" ? "" : `${at.replace(/\[\d+\]/g, "")}.`;
  for (const [name, value] of Object.entries(fields)) {
    if (!carried.includes(name) && !isAbsent(value)) dropped.add(prefix + name);
  }
}

/** The string under `name` of the object at `at`. Throws `invalid_request`. */
export function stringAt(fields: Fields, name: string, at: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw invalidField(`${at}.${name}`, "a string");
  return value;
}
