/** Paths of attributes (RFC 7644 §3.5.2), such as `name.givenName` or `emails[type eq "work"].value`. */
import { type FilterCondition, readFilter } from "./filter.ts";
import { ScimError } from "./scim-error.ts";

/** All names are in lower case. */
export interface AttributePath {
  attribute: string;
  /** Which of its values: those for which all of these hold. */
  where: readonly FilterCondition[] | undefined;
  /** A member of it. */
  sub: string | undefined;
}

const core = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const path = /^([a-z$][\w$-]*)(\[[^\][]*\])?(?:\.([\w$-]+))?$/i;
const pathCharsMax = 256;

/** The attributes with several values that are kept. Whatever a filter says of another one, nothing of it is kept. */
const manyKept: ReadonlySet<string> = new Set(["emails", "members"]);

/** Reads a path. Undefined for one into what is not kept, such as an extension. Throws `invalidPath`. */
export function readPath(text: string): AttributePath | undefined {
  const found = partsOf(text);
  if (found === "extension") return undefined;
  if (!found) throw wrong(text);
  const { attribute, filter, sub } = found;
  if (filter === undefined) return { attribute, where: undefined, sub };
  return manyKept.has(attribute) ? { attribute, where: whereOf(filter, text), sub } : undefined;
}

/** Reads a name of an object, which may be a path. Undefined also for what is no path: whole bodies have more than is kept. */
export function readName(text: string): AttributePath | undefined {
  return partsOf(text) ? readPath(text) : undefined;
}

interface PathParts {
  attribute: string;
  filter: string | undefined;
  sub: string | undefined;
}

function partsOf(text: string): PathParts | "extension" | undefined {
  if (text.length > pathCharsMax) return undefined;
  const prefix = core.exec(text)?.[0] ?? "";
  if (prefix === "" && /^urn:/i.test(text)) return "extension";
  const found = path.exec(text.slice(prefix.length));
  if (!found) return undefined;
  const [, attribute = "", filter, sub] = found;
  return { attribute: attribute.toLowerCase(), filter, sub: sub?.toLowerCase() };
}

function whereOf(filter: string, text: string): FilterCondition[] {
  try {
    return readFilter(filter.slice(1, -1));
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    throw wrong(text);
  }
}

function wrong(text: string): ScimError {
  const shown = text.slice(0, 64).toWellFormed();
  return new ScimError("invalid_request", "invalidPath", `The path \`${shown}\` leads to no attribute.`);
}
