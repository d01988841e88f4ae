/**
 * JSON whose numbers keep their digits. `JSON.parse` makes a double of every number: 9007199254740993 loses its last
 * digit, and `1.0` its form. Inside the members that a caller names, such a number stays text, and `JSON.stringify`
 * writes that text again.
 */
import type { JsonBody } from "./body.ts";

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** A number as text, as it was written. */
export interface RawNumber {
  readonly rawJSON: string;
}

/**
 * Finds a number that a double may change. It has sixteen digits or more, or an exponent, or is a negative zero. Or it
 * is a fraction with a zero at its end or many at its start. A number inside a string is found too, which only costs
 * time.
 */
const changeable = /[:,[][ \t\r\n]*(?:-0(?!\.)|-?(?:[\d.]{16}|\d+(?:\.\d+)?[eE]|\d+\.\d*0(?!\d)|0\.0{6}))/;

/** Whether a JSON text may have a number that a double would change. */
export function mayChange(text: string): boolean {
  return changeable.test(text);
}

/** A JSON text as a value, with every number as it was written. Throws `SyntaxError`. */
export function parseExact(text: string): unknown {
  return mayChange(text) ? JSON.parse(text, keepNumber) : JSON.parse(text);
}

/** A JSON text as a value whose numbers are as they were written inside these members only. Throws `SyntaxError`. */
export function parseExactIn(text: string, members: ReadonlySet<string>): unknown {
  return mayChange(text) ? parseKept(text, members) : JSON.parse(text);
}

/** The same for a body that was parsed before. It is parsed again only if it has a number that would lose digits. */
export function exactValue(
  body: Pick<JsonBody, "bytes" | "value" | "skeleton">,
  members: ReadonlySet<string>,
): JsonBody["value"] {
  if (!mayChange(body.skeleton())) return body.value;
  return parseKept(body.bytes.toString("utf8"), members) as JsonBody["value"];
}

function parseKept(text: string, members: ReadonlySet<string>): unknown {
  return plainOutside(JSON.parse(text, keepNumber), members);
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const isKept = typeof value === "number" && source !== undefined && String(value) !== source;
  return isKept ? JSON.rawJSON(source) : value;
}

/** Changes the value in place: numbers outside the members become plain ones again. */
function plainOutside(value: unknown, members: ReadonlySet<string>): unknown {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = plainOutside(item, members);
  } else if (typeof value === "object" && value !== null) {
    const fields = value as Record<string, unknown>;
    for (const [name, member] of Object.entries(fields)) {
      if (!members.has(name)) fields[name] = plainOutside(member, members);
    }
  }
  return value;
}

/** The integer of a text of digits, exactly. A plain number where that is the same, or where the text is no integer. */
export function exactInteger(text: string): number | RawNumber {
  const number = Number(text);
  return /^-?(?:0|[1-9]\d*)$/.test(text) && String(number) !== text ? JSON.rawJSON(text) : number;
}
