/**
 * Faults in single items of books with everything in them: each attribute that an invariant is named for is changed, and the
 * audit must say so. How many are walked is told by the last test.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { look } from "#shared/operations/audit/audit.ts";
import {
  during,
  type Fault,
  faultsOf,
  isNamed,
  isTied,
  isUnseen,
  nameOfFault,
} from "#test/support/item-faults.ts";
import { type KeptBooks, keptBooks, keptNames } from "#test/support/kept-books.ts";

let books: KeptBooks;
let faults: Fault[];

/** The first change and the first loss of each field of each kind of item, where the table names an invariant. */
beforeAll(async () => {
  books = await keptBooks();
  const seen = new Set<string>();
  faults = keptNames.flatMap((table) =>
    books.db.items(table).flatMap((item) =>
      faultsOf(table, item).filter((fault) => {
        const { kind, field, what } = fault;
        const name = `${table} ${kind} ${field} ${what === "gone"}`;
        return isTied(fault) && !seen.has(name) && seen.add(name);
      }),
    ),
  );
});

/** The faults of a table that no invariant names of those that its row has. */
async function unnamed(table: string): Promise<string[]> {
  const passed: string[] = [];
  for (const fault of faults.filter((each) => each.table === table)) {
    const { findings } = await during(books.db, fault, () => look(books.deps));
    const name = nameOfFault(fault);
    if (isNamed(fault, findings) === isUnseen(fault, books.now)) passed.push(name);
  }
  return passed;
}

describe("a field that is changed is named", () => {
  test.each(keptNames)("in %s", async (table) => {
    expect(await unnamed(table)).toEqual([]);
  });
});

test("a text where a number was is a gap that names item and field, and ends no audit", async () => {
  const isRead = ({ kind, tie }: Fault) =>
    Array.isArray(tie) && (kind === "meter" || kind.startsWith("rollup"));
  const texts = keptNames.flatMap((table) =>
    books.db
      .items(table)
      .flatMap((item) =>
        faultsOf(table, item).filter((fault) => fault.what === "no number" && isRead(fault)),
      ),
  );
  const one = new Map(texts.map((fault) => [`${fault.kind} ${fault.field}`, fault]));
  expect(one.size).toBeGreaterThan(10);
  for (const fault of one.values()) {
    const { findings } = await during(books.db, fault, () => look(books.deps));
    const told = findings.flatMap(({ gaps }) => gaps).join("\n");
    expect(told).toContain(`${fault.key.trim()} cannot be read: its ${fault.field}`);
  }
});

test("over 120 of them are walked, in all tables", () => {
  expect(faults.length).toBeGreaterThan(120);
  expect(new Set(faults.map(({ table }) => table))).toEqual(new Set(keptNames));
});
