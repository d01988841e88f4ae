/** Paths of attributes (RFC 7644 §3.5.2), such as `name.givenName` or `emails[type eq "work"].value`. */
import { type FilterCondition, readFilter } from "./filter.ts";
import { ScimError } from "./scim-error.ts";

/** All names are in lower case. */
export interface AttributePath {
  attribute: string;
  /** Which of its values. */
  where: FilterCondition | undefined;
  /** A member of it. */
  sub: string | undefined;
}

const core = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const path = /^([a-z$][\w$-]*)(\[[^\][]*\])?(?:\.([\w$-]+))?$/i;
const pathCharsMax = 256;

/** Reads a path. Undefined for one into an extension, of which nothing is kept. Throws `invalidPath`. */
export function readPath(text: string): AttributePath | undefined {
  if (text.length > pathCharsMax) throw wrong(text);
  const prefix = core.exec(text)?.[0] ?? "";
  if (prefix === "" && /^urn:/i.test(text)) return undefined;
  const found = path.exec(text.slice(prefix.length));
  if (!found) throw wrong(text);
  const [, attribute = "", filter, sub] = found;
  const where = filter === undefined ? undefined : whereOf(filter.slice(1, -1), text);
  return { attribute: attribute.toLowerCase(), where, sub: sub?.toLowerCase() };
}

function whereOf(filter: string, text: string): FilterCondition {
  try {
    const [only, ...others] = readFilter(filter);
    if (only && others.length === 0) return only;
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
  }
  throw wrong(text);
}

function wrong(text: string): ScimError {
  const shown = text.slice(0, 64).toWellFormed();
  return new ScimError("invalid_request", "invalidPath", `The path \`${shown}\` leads to no attribute.`);
}
