/** The tables of fields: each attribute that is stored has its row, and each row is of an attribute that is stored. */
import { beforeAll, expect, test } from "vitest";
import { look } from "#shared/edges/audit/audit.ts";
import { invariants } from "#shared/edges/audit/invariants.ts";
import { type ItemKind, isTie } from "#shared/edges/audit/ties/tie.ts";
import { kindOf, rowOf, tieOf, ties } from "#shared/edges/audit/ties/ties.ts";
import { type Item, readText, toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { type KeptBooks, keptBooks, keptNames } from "#test/support/kept-books.ts";

let books: KeptBooks;
beforeAll(async () => {
  books = await keptBooks();
});

/** Every item, with its table, its kind and its attributes. */
function* items() {
  for (const table of keptNames) {
    for (const { pk, sk, ...attributes } of books.db.items(table)) {
      const key = `${readText(pk)} ${readText(sk)}`;
      yield { table, key, kind: kindOf(table, readText(pk), readText(sk)), attributes };
    }
  }
}

/** The paths of the attributes for which there is no row, as far as rows go down. */
function unknown(kind: ItemKind, attributes: Item, path: string[] = []): string[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const here = [...path, name];
    if (tieOf(kind, here)) return [];
    // A record of its own that is not there.
    if (value.NULL && rowOf(kind, here)) return [];
    return value.M ? unknown(kind, value.M, here) : [here.join(".")];
  });
}

test("the books are clean", async () => {
  const { invariants: found } = await look(books.deps);
  expect(found.filter(({ holds }) => !holds)).toEqual([]);
});

test("each item has its kind, and each of its attributes a row", () => {
  const strangers = [...items()].flatMap(({ table, key, kind, attributes }) =>
    kind
      ? unknown(kind[1], attributes).map((field) => `${table}: ${kind[0]}: ${field}`)
      : [`${table}: ${key}`],
  );
  expect([...new Set(strangers)]).toEqual([]);
});

test("an attribute without a row is found", () => {
  const kind = kindOf("accounts", "R#ord_1", "-")?.[1];
  expect(kind && unknown(kind, toItem({ paid: { at: 1, tip: 1 }, taxed: true }))).toEqual([
    "paid.tip",
    "taxed",
  ]);
});

test("each kind has an item in the books", () => {
  const met = new Set([...items()].map(({ table, kind }) => `${table}: ${kind?.[0]}`));
  const told = Object.entries(ties).flatMap(([table, kinds]) =>
    Object.keys(kinds).map((kind) => `${table}: ${kind}`),
  );
  expect(told.filter((kind) => !met.has(kind))).toEqual([]);
});

test("each invariant that the audit reports covers a field", () => {
  const named = new Set<string>();
  const walk = (row: unknown): void => {
    if (!isTie(row)) for (const each of Object.values(row as object)) walk(each);
    else if (!("untied" in row)) for (const name of row) named.add(name);
  };
  for (const kinds of Object.values(ties))
    for (const { ties: rows, named: forms = [] } of Object.values<ItemKind>(kinds)) {
      walk(rows);
      for (const [, tie] of forms) walk(tie);
    }
  // It is about the queue, which is no table.
  expect(Object.keys(invariants).filter((name) => !named.has(name))).toEqual(["events_arrive"]);
});

test("since an hour, the entries of that hour and later are walked, and the books are as clean", async () => {
  const whole = await look(books.deps);
  const some = await look({ ...books.deps, walking: { since: "2026-11-24T11" } });
  const walked = ({ invariants: all }: typeof whole) =>
    Number.parseInt(all.find(({ name }) => name === "entries_agree")?.detail ?? "", 10);
  expect(some.invariants.filter(({ holds }) => !holds)).toEqual([]);
  expect(walked(some)).toBeGreaterThan(0);
  expect(walked(some)).toBeLessThan(walked(whole));
});
