/** Query parameters that several routes have in common. */
import type { KeyRecord } from "../../accounts/account.ts";
import { GatewayError } from "../../errors.ts";
import { invalidField } from "../../json/fields.ts";
import { instant } from "./instant.ts";

/** A required RFC 3339 query parameter. A `+` that was not percent-encoded arrives as a space; it is read as meant. */
export function readInstant(given: string | undefined, name: string): number {
  const at = instant(given?.replace(/ (?=\d\d:\d\d$)/, "+") ?? "");
  if (at === undefined) throw invalidField(name, "an instant in RFC 3339, such as 2026-11-21T00:00:00Z");
  return at;
}

/** What a key or a project may be called: their names are parts of keys of the ledger. */
export const nameRule = "at most 128 characters without control characters and `#`";

export function isName(text: string): boolean {
  return /^[^\p{Cc}#]{0,128}$/u.test(text);
}

/** The name of a project; "" is the organization as a whole. */
export function readProject(given: string | undefined, name: string): string | undefined {
  if (given !== undefined && !isName(given)) throw invalidField(name, nameRule);
  return given;
}

/** A whole number in [1, max], or `max`. */
export function readLimit(max: number): (given: string | undefined, name: string) => number {
  return (given, name) => {
    if (given === undefined) return max;
    const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
    if (limit < 1 || limit > max) throw invalidField(name, `between 1 and ${max}`);
    return limit;
  };
}

/**
 * The project a key is shown: its own or, for a key of the organization, the one that is asked for, "" for all. Throws
 * `permission_denied` where a project's key asks for anything but its project.
 */
export function projectOf(key: Pick<KeyRecord, "project">, asked: string | undefined): string {
  if (key.project === "") return asked ?? "";
  if (asked === undefined || asked === key.project) return key.project;
  throw new GatewayError("permission_denied", { message: "The API key belongs to another project." });
}
