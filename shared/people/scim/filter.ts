/** Filters of lists: conditions of equality with `and` between them, as providers send them (RFC 7644 §3.4.2.2). */
import { scimLimits } from "./bounds.ts";
import { ScimError } from "./scim-error.ts";

/** An attribute, in lower case, and what it must be. */
export interface FilterCondition {
  attribute: string;
  value: string | boolean;
}

/** An attribute such as `userName` or `emails[type eq "work"].value`, `eq`, and a text in quotes or a boolean. */
const condition =
  /\s*([a-z][\w:.$-]*(?:\[[^\][]*\](?:\.[\w$-]+)?)?) +eq +("(?:[^"\\]|\\.)*"|true|false)\s*/iy;
const conjunction = /and\s/iy;

/** The conditions of a filter, all of which must hold. Throws `invalidFilter` for every other one. */
export function readFilter(text: string): FilterCondition[] {
  if (text.length > scimLimits.filterCharsMax) throw wrong();
  const conditions: FilterCondition[] = [];
  for (let at = 0; ; ) {
    condition.lastIndex = at;
    const found = condition.exec(text);
    if (!found || conditions.length === scimLimits.conditionsMax) throw wrong();
    const [, attribute = "", value = ""] = found;
    conditions.push({ attribute: attribute.toLowerCase(), value: textOf(value) });
    at = condition.lastIndex;
    if (at === text.length) return conditions;
    conjunction.lastIndex = at;
    if (!conjunction.test(text)) throw wrong();
    at = conjunction.lastIndex;
  }
}

function textOf(text: string): string | boolean {
  if (!text.startsWith('"')) return text.toLowerCase() === "true";
  try {
    return JSON.parse(text) as string;
  } catch {
    throw wrong();
  }
}

function wrong(): ScimError {
  const message =
    'The filter must be such as `userName eq "ann@example.com"`, with `and` between several of them.';
  return new ScimError("invalid_request", "invalidFilter", message);
}

/** The refusal of a filter by an attribute that nobody filters by. */
export function unfiltered(attributes: readonly string[]): ScimError {
  const message = `A filter may be by ${attributes.join(", ")}.`;
  return new ScimError("invalid_request", "invalidFilter", message);
}
