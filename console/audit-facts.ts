/** What a line of the audit log says was so before and after, in the reader's words and in one order. */
import type { AuditEntry } from "./api-types.ts";

/** A fact of a change. A side is absent where the line does not tell it. */
interface ShownFact {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** Facts whose values are words of ours. All others are what somebody typed, ids, or figures. */
const coded = [
  ...["role", "billing_mode", "channel", "booked_as", "state", "why", "disabled_by"],
  ...["level", "measure", "budget_period"],
];

/** The facts of a change, in the order of the words. Those that are empty on both sides are left out. */
export function factsOf(
  { before, after }: Pick<AuditEntry, "before" | "after">,
  { facts, values }: Pick<typeof import("./pages/team/audit/en.ts").words, "facts" | "values">,
  roles: Readonly<Record<string, string>>,
): ShownFact[] {
  const order = Object.keys(facts);
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const known = { ...values, ...roles };
  const text = (name: string, side: AuditEntry["before"]) => {
    const value = String(side?.[name] ?? "");
    if (!coded.includes(name)) return value;
    return value
      .split(" ")
      .map((word) => known[word] ?? word)
      .join(" ");
  };
  return names
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
    .map((name) => ({ name, sides: [before && text(name, before), after && text(name, after)] }))
    .filter(({ sides }) => sides.some(Boolean))
    .map(({ name, sides: [was, is] }) => ({
      name: facts[name] ?? name.replaceAll("_", " "),
      before: was === null ? undefined : was || "–",
      after: is === null ? undefined : is || "–",
    }));
}
