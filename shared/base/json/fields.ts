/** Checks of fields. `null` counts as absent (protocols.md §0.8). Each throws `invalid_request` with the field's name. */
import { GatewayError } from "../errors.ts";
import { exactInteger, type RawNumber } from "./exact.ts";
import { LongText } from "./long-text.ts";

export type Fields = Record<string, unknown>;

/** An `invalid_request` about one field. */
export function invalidField(name: string, must: string): GatewayError {
  return new GatewayError("invalid_request", { message: `\`${name}\` must be ${must}.`, param: name });
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * Whether a value is a JSON object. A `LongText`, or a number that is kept as text, is an object in JavaScript only.
 */
export function isObject(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof LongText) && !JSON.isRawJSON(value);
}

/** The JSON object of a text; undefined where it is none. The parser's message, which quotes the text, is left out. */
export function objectIn(text: string): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The objects of an array; none for anything else. */
export function objectsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The entry of a table of ours under a key that a client or a provider chose. Undefined where there is none. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, key: unknown): Value | undefined {
  return typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A string, number or boolean as text; "" otherwise: `String` throws on an object whose `toString` is no function. */
export function asText(value: unknown): string {
  return typeof value === "object" || isAbsent(value) ? "" : String(value);
}

/** Throws `invalid_request` for half a surrogate pair, which no database takes. `name` is its place in the request. */
export function checkUnicode(text: string, name: string): void {
  if (!text.isWellFormed()) throw invalidField(name, "valid Unicode");
}

export function requiredString(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw invalidField(name, "a non-empty string");
  return value;
}

/** A string, also an empty one, of the object that stands at `at`. */
export function stringAt(fields: Fields, name: string, at: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw invalidField(`${at}.${name}`, "a string");
  return value;
}

export function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== "string") throw invalidField(name, "a string");
  return value;
}

export function optionalBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== "boolean") throw invalidField(name, "a boolean");
  return value;
}

/** A number in [min, max]. */
export function optionalNumber(fields: Fields, name: string, min: number, max: number): number | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== "number" || !(value >= min && value <= max)) {
    throw invalidField(name, `a number between ${min} and ${max}`);
  }
  return value;
}

/** An integer in [min, max]. */
export function optionalInteger(
  fields: Fields,
  name: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `between ${min} and ${max}`;
    throw invalidField(name, `an integer ${range}`);
  }
  return value as number;
}

/** An integer of any size, with its sign and all its digits (exact.ts). */
export function optionalExactInteger(fields: Fields, name: string): number | RawNumber | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  const exact = JSON.isRawJSON(value) ? exactInteger(value.rawJSON) : value;
  if (JSON.isRawJSON(exact) || Number.isInteger(exact)) return exact as number | RawNumber;
  throw invalidField(name, "an integer");
}

export function requiredArray(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (!Array.isArray(value) || value.length === 0) throw invalidField(name, "a non-empty array");
  return value;
}

/** A non-empty array. `check` gets each item and its place. */
export function requiredItems(
  fields: Fields,
  name: string,
  check: (item: unknown, at: string) => void,
): unknown[] {
  const items = requiredArray(fields, name);
  for (const [index, item] of items.entries()) check(item, `${name}[${index}]`);
  return items;
}

export function optionalArray(fields: Fields, name: string): unknown[] | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (!Array.isArray(value)) throw invalidField(name, "an array");
  return value;
}

/** Stop sequences: one string or several (protocols.md §1.1; the contract's table only shows the array). */
export function optionalStop(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (isAbsent(value)) return [];
  const sequences: unknown[] | undefined = Array.isArray(value) ? value : [value];
  if (sequences.every((sequence) => typeof sequence === "string")) return sequences;
  throw invalidField(name, "a string or an array of strings");
}
