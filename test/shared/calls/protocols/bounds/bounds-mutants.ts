/** The table of bounds with one rule broken at a time, so that a test shows that each rule is needed. */
import { bounds, type ProtocolBounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";

type Table = Record<string, unknown>;

interface BoundsMutant {
  /** The rule's place in the table, as `gemini.name.most`. */
  rule: string;
  provider: CrossingName;
  broken: ProtocolBounds;
}

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp);

/** Tables that differ from this one in one rule each, at any depth. */
function brokenOnce(table: Table, path: string): { rule: string; table: Table }[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const rule = `${path}.${key}`;
    if (isTable(value)) {
      return brokenOnce(value, rule).map((inner) => ({ ...inner, table: { ...table, [key]: inner.table } }));
    }
    if (isEmpty(value)) return [];
    return [{ rule, table: { ...table, [key]: brokenValue(value, rule) } }];
  });
}

/** A pattern that forbids nothing is no rule: every character may stand in some ids. */
const isEmpty = (value: unknown): boolean => value instanceof RegExp && value.source === "(?!)";

/** A wish is gone, a number is too high, a form takes anything, and nothing is forbidden any more. */
function brokenValue(value: unknown, rule: string): unknown {
  if (typeof value === "number") return value * 2 + 1;
  if (value instanceof RegExp) return value.global ? /(?!)/gu : /^/;
  if (value === true || typeof value === "string" || Array.isArray(value)) return undefined;
  throw new TypeError(`nobody knows how to break ${rule}`);
}

/** Every rule of the table, broken. A rule of a kind that nobody can break here is an error. */
export const boundsMutants: BoundsMutant[] = (Object.keys(bounds) as CrossingName[]).flatMap((provider) =>
  brokenOnce(bounds[provider] as unknown as Table, provider).map(({ rule, table }) => ({
    rule,
    provider,
    broken: table as unknown as ProtocolBounds,
  })),
);
