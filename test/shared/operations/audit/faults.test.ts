/**
 * Faults in single items of books with everything in them. Each attribute that an invariant is named for is changed, gets
 * another type, and is lost. Each item is lost too. The audit must name the item and the field. How many are walked is
 * told by the last test.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { look } from "#shared/operations/audit/audit.ts";
import type { InvariantName } from "#shared/operations/audit/invariants.ts";
import { kindOf } from "#shared/operations/audit/ties/ties.ts";
import { type Item, readText } from "#shared/store/dynamodb/attributes.ts";
import { during, type Fault, faultsOf } from "#test/support/item-faults.ts";
import { type KeptBooks, keptBooks, keptNames } from "#test/support/kept-books.ts";

let books: KeptBooks;
let faults: Fault[];

/** Faults that pass, which the page of the audit tells ("What it cannot see"). */
const unseen = new Set([
  "keys: organization: subscription.paid.first_ends_at: gone",
  "accounts: place of an order: h: gone",
  "accounts: place of an order: p: gone",
  "accounts: place of an invoice: h: gone",
  "accounts: place of an invoice: i: gone",
  "accounts: audit log: h: gone",
]);

/** Whether an attribute says the same as none: it is null or 0. */
function isNothing({ before, field }: Fault): boolean {
  const value = field
    .split(".")
    .reduce((at, name) => at?.M?.[name], { M: before } as Item[string] | undefined);
  return value?.NULL === true || value?.N === "0";
}

function nameOf({ table, kind, field, what }: Fault): string {
  return `${table}: ${kind}: ${field}: ${what}`;
}

/** The first fault of each way in each field of each kind of item, where the table names an invariant. */
beforeAll(async () => {
  books = await keptBooks();
  const seen = new Set<string>();
  faults = keptNames.flatMap((table) =>
    books.db.items(table).flatMap((item) =>
      faultsOf(table, item).filter((fault) => {
        const { kind, field, way, tie } = fault;
        const name = `${table} ${kind} ${field} ${way}`;
        if (!Array.isArray(tie) || seen.has(name) || (way === "loss" && isNothing(fault))) return false;
        return seen.add(name);
      }),
    ),
  );
});

/** What the invariants of the fault's row say; of a loss or another type, what any of them says. */
async function toldOf(fault: Fault): Promise<string[]> {
  const { tie, way } = fault;
  const { findings } = await during(books.db, fault, () => look(books.deps));
  const isAsked = (name: InvariantName) => way !== "value" || (Array.isArray(tie) && tie.includes(name));
  return findings.flatMap(({ name, gaps }) => (isAsked(name) ? gaps : []));
}

/** A hash tells that an item is not what was written. Nobody can tell by it which field has changed. */
const byHash = /(?:hash|the [hip] of its place) differs$/;

/** Whether a gap names the item, by its key or its id, and the field. */
function isNamed(gap: string, { key, before, after, field }: Fault): boolean {
  const parts = key.split(/[# ]/).filter((part) => part.length > 3 && !/^\d{4}-\d\d-\d\dT\d\d$/.test(part));
  const id = readText(before.id);
  const isItem = parts.every((part) => gap.includes(part)) || (id !== "" && gap.includes(id));
  // A hold goes by its request. One that is gone is told by its meter.
  const [, hold] = /^[hvz](\w{26})$/.exec(field) ?? [];
  if (hold) return isItem && (gap.includes(hold) || !after || !(field in after));
  return isItem && (byHash.test(gap) || new RegExp(`\\b${field.split(".").at(-1)}\\b`).test(gap));
}

describe.each(keptNames)("in %s", (table) => {
  test("a field that is changed is named, with its item", async () => {
    const wrong: string[] = [];
    for (const fault of faults.filter((each) => each.table === table)) {
      const told = await toldOf(fault);
      const isUnseen = unseen.has(nameOf(fault));
      if (isUnseen !== (told.length === 0)) wrong.push(nameOf(fault));
      else if (!isUnseen && !told.some((gap) => isNamed(gap, fault)))
        wrong.push(`${nameOf(fault)}, as ${told.join("; ")}`);
    }
    expect(wrong).toEqual([]);
  });

  test("an item that is gone is told of, unless its kind may be lost", async () => {
    const passed = new Set<string>();
    for (const item of books.db.items(table)) {
      const [name = "", kind] = kindOf(table, readText(item.pk), readText(item.sk)) ?? [];
      const gone = faultsOf(table, item).at(-1);
      if (!gone || kind?.lost || item.expires_at) continue;
      if ((await toldOf(gone)).length === 0) passed.add(`${name}: ${gone.key}`);
    }
    expect([...passed]).toEqual([]);
  });
});

test("over 400 of them are walked, in all tables and ways", () => {
  expect(faults.length).toBeGreaterThan(400);
  expect(new Set(faults.map(({ table }) => table))).toEqual(new Set(keptNames));
  expect(new Set(faults.map(({ way }) => way))).toEqual(new Set(["value", "type", "loss"]));
});
