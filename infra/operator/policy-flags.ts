/** The flags of a policy's rules, by their table, for levels and keys alike. */

import type { Fields } from "#shared/base/json/fields.ts";
import { noneOfList } from "#shared/books/accounts/key-defaults.ts";
import { type PolicyRule, type PolicyRuleName, policyRows } from "#shared/books/accounts/policy.ts";
import { flag } from "./command.ts";

type FlagName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}-${FlagName<Rest>}`
  : Name;
type PolicyFlags = Record<FlagName<PolicyRuleName>, ReturnType<typeof flag>>;

/** What stands for an empty list. */
const nothing = "nothing";

function flagOfRule(rule: PolicyRule) {
  if (rule.kind === "number") return flag("N", `${rule.what}; ${noneOfList} takes the rule away`);
  const empty = rule.mayBeEmpty ? `; ${nothing} is an empty list` : "";
  return flag(
    "LIST",
    `${rule.what}, as ${rule.example.join(",")}${empty}; ${noneOfList} takes the rule away`,
  );
}

/** The flags of the rules. */
export const policyFlags = Object.fromEntries(
  policyRows.map(([name, rule]) => [name.replaceAll("_", "-"), flagOfRule(rule)]),
) as PolicyFlags;

/** The rules that the flags give, as a request gives them: null takes one away. Undefined where they give none. */
export function givenPolicy(
  flags: Partial<Record<keyof PolicyFlags, string | undefined>>,
): Fields | undefined {
  const given = policyRows.flatMap(([name, rule]): [string, unknown][] => {
    const text = flags[name.replaceAll("_", "-") as keyof PolicyFlags];
    return text === undefined ? [] : [[name, valueIn(text, rule)]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function valueIn(text: string, { kind }: PolicyRule): unknown {
  if (text === noneOfList) return null;
  if (kind === "number") return /^\d{1,15}$/.test(text) ? Number(text) : text;
  return text === nothing ? [] : text.split(",").map((each) => each.trim());
}
