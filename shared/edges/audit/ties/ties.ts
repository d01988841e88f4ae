/** Every field of the kept tables, and the invariants that a change of it breaks. */
import { accounts } from "./accounts.ts";
import { counters } from "./counters.ts";
import { keys } from "./keys.ts";
import { ledger } from "./ledger.ts";
import { tasks } from "./tasks.ts";
import { type ItemKind, isTie, type TableKinds, type Tie } from "./tie.ts";

/** By table. Board and cache are not here: all of them may be lost. */
export const ties = { keys, counters, ledger, tasks, accounts } satisfies Record<string, TableKinds>;

/** The kind of an item, by its keys; undefined where the table has no such kind. */
export function kindOf(table: keyof typeof ties, pk: string, sk: string): [string, ItemKind] | undefined {
  return Object.entries<ItemKind>(ties[table]).find(([, { at }]) => at.test(`${pk} ${sk}`));
}

/** The tie of a field, by the names on its way from the item; undefined where no row has it. */
export function tieOf(kind: ItemKind, path: readonly string[]): Tie | undefined {
  const row = rowOf(kind, path);
  return isTie(row) ? row : undefined;
}

/** The same, or the rows of the fields below it. */
export function rowOf(
  { ties: rows, named = [] }: ItemKind,
  [name = "", ...rest]: readonly string[],
): unknown {
  let row = Object.hasOwn(rows, name) ? rows[name] : named.find(([form]) => form.test(name))?.[1];
  for (const each of rest) {
    if (row === undefined || isTie(row)) break;
    const inner = row as Readonly<Record<string, unknown>>;
    row = Object.hasOwn(inner, each) ? inner[each] : undefined;
  }
  return row;
}
