/**
 * Faults in single items of books with everything in them. Each attribute that an invariant is named for is changed, gets
 * another type, and is lost. Each item is lost too. The audit must name the item and the field. How many are walked is
 * told by the last test.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { look } from "#shared/edges/audit/audit.ts";
import { kindOf } from "#shared/edges/audit/ties/ties.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import {
  during,
  type Fault,
  faultsOf,
  isTied,
  isUnseen,
  nameOfFault,
  toldOf,
} from "#test/support/item-faults.ts";
import { type KeptBooks, keptBooks, keptNames } from "#test/support/kept-books.ts";

let books: KeptBooks;
let faults: Fault[];

/** The first fault of each way in each field of each kind of item, where the table names an invariant. */
beforeAll(async () => {
  books = await keptBooks();
  const seen = new Set<string>();
  faults = keptNames.flatMap((table) =>
    books.db.items(table).flatMap((item) =>
      faultsOf(table, item).filter((fault) => {
        const { kind, field, way } = fault;
        const name = `${table} ${kind} ${field} ${way}`;
        return isTied(fault) && !seen.has(name) && seen.add(name);
      }),
    ),
  );
});

/** What the audit tells while a fault is in the books. */
async function toldDuring(fault: Fault): Promise<string[]> {
  const { findings } = await during(books.db, fault, () => look(books.deps));
  return toldOf(fault, findings);
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
      const told = await toldDuring(fault);
      const passes = isUnseen(fault, books.now);
      if (passes !== (told.length === 0)) wrong.push(nameOfFault(fault));
      else if (!passes && !told.some((gap) => isNamed(gap, fault)))
        wrong.push(`${nameOfFault(fault)}, as ${told.join("; ")}`);
    }
    expect(wrong).toEqual([]);
  });

  test("an item that is gone is told of, unless its kind may be lost", async () => {
    const passed = new Set<string>();
    for (const item of books.db.items(table)) {
      const [name = "", kind] = kindOf(table, readText(item.pk), readText(item.sk)) ?? [];
      const gone = faultsOf(table, item).at(-1);
      if (!gone || kind?.lost || item.expires_at) continue;
      if ((await toldDuring(gone)).length === 0) passed.add(`${name}: ${gone.key}`);
    }
    expect([...passed]).toEqual([]);
  });
});

test("over 400 of them are walked, in all tables and ways", () => {
  expect(faults.length).toBeGreaterThan(400);
  expect(new Set(faults.map(({ table }) => table))).toEqual(new Set(keptNames));
  expect(new Set(faults.map(({ way }) => way))).toEqual(new Set(["value", "type", "loss"]));
});
