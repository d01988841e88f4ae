/** Every fault and threat of the studies has its row, and every row points at a test and a guard that are there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { callFaults } from "./guards/call-faults.ts";
import { halves } from "./guards/guard.ts";
import { storeFaults } from "./guards/store-faults.ts";
import { threats } from "./guards/threats.ts";

const rows = [...storeFaults, ...callFaults, ...threats];
const root = new URL("..", import.meta.url);
const read = (file: string) =>
  existsSync(new URL(file, root)) ? readFileSync(new URL(file, root), "utf8") : "";

test("each of F1 to F70 and S1 to S38 has one row", () => {
  const ids = [
    ...Array.from({ length: 70 }, (_, index) => `F${index + 1}`),
    ...Array.from({ length: 38 }, (_, index) => `S${index + 1}`),
  ];
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test("every test that is named is there", () => {
  const missing = rows.flatMap((row) => {
    if (!("test" in row)) return [];
    const [file, name] = halves(row.test, " › ");
    // Names stand in the file as code, where an apostrophe is in quotes of another kind.
    return read(`test/${file}.test.ts`).includes(name) ? [] : [`${row.id}: ${row.test}`];
  });
  expect(missing).toEqual([]);
});

test("every guard that is named is there", () => {
  const missing = rows.flatMap((row) => {
    if (!("guard" in row)) return [];
    const [file, text] = halves(row.guard, ": ");
    return read(file).includes(text) ? [] : [`${row.id}: ${row.guard}`];
  });
  expect(missing).toEqual([]);
});

test("a row whose guard is not deleted says why", () => {
  for (const row of rows) {
    if ("not_applicable" in row) expect(row.not_applicable.length, row.id).toBeGreaterThan(20);
    if ("not_deletable" in row) expect(row.not_deletable.length, row.id).toBeGreaterThan(20);
  }
});
