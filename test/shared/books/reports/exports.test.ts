/** The columns of every list, and CSV as spreadsheets read it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callColumns } from "#shared/books/reports/call-columns.ts";
import { csvOf } from "#shared/books/reports/csv.ts";
import { focusColumns, ownColumns } from "#shared/books/reports/export-columns.ts";
import { invoiceColumns } from "#shared/people/invoices/columns.ts";
import { orderColumns } from "#shared/people/orders/columns.ts";

test("no list names a column twice", () => {
  for (const columns of [callColumns, orderColumns, invoiceColumns, [...focusColumns, ...ownColumns]]) {
    const names = columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});

/** Reads CSV by the grammar of RFC 4180 alone. */
function parsed(text: string): string[][] {
  const lines: string[][] = [[]];
  const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy);
  for (const [, quoted, bare = "", end] of cells) {
    lines.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === "\r\n") lines.push([]);
  }
  return lines.slice(0, -1);
}

describe("a file of CSV", () => {
  const columns = (["a", "b"] as const).map((name) => ({
    ...{ name, type: "text" as const, source: "", what: "" },
    of: (row: Record<"a" | "b", string | null>) => row[name],
  }));
  const hostile = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "=1+1",
      "+1",
      "-1+cmd",
      "@SUM(A1)",
      "\tx",
      "\r=1",
      "＝1",
      'a "b", c',
      "two\r\nlines",
      "-0.5",
      "-x",
    ),
  );
  const rows = fc.array(fc.record({ a: fc.option(hostile), b: hostile }), { maxLength: 8 });

  test("gives back every text, runs none of them, and its pages put together are one file", () => {
    const law = fc.property(rows, fc.nat(8), (all, cut) => {
      const text = csvOf(columns, all);
      expect(text.startsWith("\uFEFFa,b\r\n")).toBe(true);
      const cells = parsed(text.slice(1)).slice(1);
      expect(cells.map((line) => line.map((cell) => cell.replace(/^'/, "")))).toEqual(
        all.map(({ a, b }) => [a ?? "", b].map((cell) => cell.replace(/^'/, ""))),
      );
      for (const cell of cells.flat())
        expect(/^(?:[=+@\t\r\n＝＋－＠]|-(?!\d+(?:\.\d+)?$))/.test(cell)).toBe(false);
      expect(csvOf(columns, all.slice(0, cut)) + csvOf(columns, all.slice(cut), true)).toBe(text);
    });
    fc.assert(law, { seed: 5, numRuns: 300 });
  });
});
