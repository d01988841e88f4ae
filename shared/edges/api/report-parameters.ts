/** Query parameters that several routes share. */

import { GatewayError } from "../../base/errors.ts";
import { invalidField } from "../../base/json/fields.ts";
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { instant } from "../../books/billing/instant.ts";

/** A required RFC 3339 query parameter. A `+` that was not percent-encoded arrives as a space and is read as `+`. */
export function readInstant(given: string | undefined, name: string): number {
  const at = instant(given?.replace(/ (?=\d\d:\d\d$)/, "+") ?? "");
  if (at === undefined) throw invalidField(name, "an instant in RFC 3339, such as 2026-11-21T00:00:00Z");
  return at;
}

/** Reads a parameter for an instant that may be left out, as Unix milliseconds. */
export function optionalInstant(given: string | undefined, name: string): number | undefined {
  return given === undefined ? undefined : readInstant(given, name);
}

/** The rule for names of keys and projects. These names become parts of the ledger's item keys. */
export const nameRule = "at most 128 characters without control characters and `#`";

export function isName(text: string): boolean {
  return /^[^\p{Cc}#]{0,128}$/u.test(text);
}

/** The name of a project; "" stands for the whole organization. */
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

/** Reads a parameter that is one of some words; `otherwise` where it is left out. Throws `invalid_request`. */
export function readWord<Word extends string>(
  words: readonly Word[],
  otherwise: Word,
): (given: string | undefined, name: string) => Word {
  return (given, name) => {
    const found = given === undefined ? otherwise : words.find((word) => word === given);
    if (found === undefined) throw invalidField(name, `one of ${words.join(", ")}`);
    return found;
  };
}

/** Who asks for a report: an API key, or a member, whom no project confines. */
export interface ReportCaller {
  organization: Organization;
  key: Pick<KeyRecord, "project">;
}

/** The project that a key sees: its own, or the one it asks for, or all (""). Throws `permission_denied`. */
export function projectOf(key: Pick<KeyRecord, "project">, asked: string | undefined): string {
  if (key.project === "") return asked ?? "";
  if (asked === undefined || asked === key.project) return key.project;
  throw new GatewayError("permission_denied", { message: "The API key belongs to another project." });
}
