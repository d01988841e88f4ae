/** What the operator's commands on keys take: the flags of a key's limits and defaults, and its id. */

import type { Fields } from "#shared/base/json/fields.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import {
  isChosen,
  type KeyDefaultName,
  type KeyDefaults,
  keyDefaultRows,
  noneOfList,
} from "#shared/books/accounts/key-defaults.ts";
import { keyLimitNames, readKeyLimits } from "#shared/edges/api/key-limits.ts";
import { readKeyDefaults } from "#shared/edges/api/key-request.ts";
import { choice, flag, needed } from "./command.ts";

export const budgetPeriods = ["day", "month", "total"] as const;

/** Ids as the examples write them. */
export const sampleOrganization = "org_01M81Z5H5K9AHWPQ118FTWPX14";
export const sampleKey = "key_01M81Z5H6R6E3CQBCFXFYS02HZ";

export const org = needed(flag("ID", "the organization"));
export const operands = [
  { name: "KEY", what: "the key's id", missing: "give the id of the key; key list shows it" },
];

/** Reads a limit of a key. */
export function limit(text: string, name: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new Error(`${name} takes a whole number from 1 on`);
  return Number(text);
}

type FlagName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}-${FlagName<Rest>}`
  : Name;
type DefaultFlags = Record<FlagName<KeyDefaultName>, ReturnType<typeof flag>>;

/** The flags of a key's defaults, by their table. `none` takes one away. */
export const defaultFlags = Object.fromEntries(
  keyDefaultRows.map(([name, row]) => [
    name.replaceAll("_", "-"),
    isChosen(row)
      ? choice(
          [...row.values, noneOfList],
          `${row.what}, where a call does not say; none leaves it to the gateway`,
        )
      : flag("TEXT", `${row.what}, as ${row.example}; ${noneOfList} takes them away`),
  ]),
) as DefaultFlags;

type Given<Flags> = Partial<Record<keyof Flags, string | undefined>>;

/** The defaults that the flags give, as a request gives them: null takes one away. Undefined where they give none. */
export function givenDefaults(flags: Given<DefaultFlags>): Fields | undefined {
  const given = keyDefaultRows.flatMap(([name, row]): [string, unknown][] => {
    const value = flags[name.replaceAll("_", "-") as keyof DefaultFlags];
    if (value === undefined) return [];
    if (value === noneOfList) return [[name, null]];
    return [[name, isChosen(row) && row.isList ? [value] : value]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The defaults of a new key. */
export function defaultsOf(flags: Given<DefaultFlags>): KeyDefaults | undefined {
  return readKeyDefaults(givenDefaults(flags));
}

type LimitFlags = Record<FlagName<(typeof keyLimitNames)[number]>, string | number | null | undefined>;

/** The limits that the flags give, as a request gives them. Points stay text. Undefined where they give none. */
export function givenLimits(flags: LimitFlags): Fields | undefined {
  const given = keyLimitNames.flatMap((name) => {
    const value = flags[name.replace("_", "-") as keyof LimitFlags];
    return value === undefined ? [] : [[name, value] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** A new key's own limits. */
export function limitsOf(flags: LimitFlags): KeyLimits | null {
  return readKeyLimits(givenLimits(flags));
}
