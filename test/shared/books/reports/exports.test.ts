/** The columns of every export against their documents, and CSV as spreadsheets read it. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callColumns } from "#shared/books/reports/call-columns.ts";
import { type Column, csvOf } from "#shared/books/reports/csv.ts";
import { focusColumns, ownColumns } from "#shared/books/reports/export-columns.ts";
import { invoiceColumns } from "#shared/people/invoices/columns.ts";
import { orderColumns } from "#shared/people/orders/columns.ts";

const read = (name: string) =>
  readFileSync(new URL(`../../../../shared/books/reports/${name}`, import.meta.url), "utf8");
const [exportsPage, focusPage] = [read("exports.md"), read("focus.md")];

type Told = Pick<Column, "name" | "source" | "what"> & { type: string };

/** The rows of the table that has these columns: the name, the type, and at its end where from and what. */
function tableIn(text: string, head: string, type: number): Told[] {
  const [, after = ""] = text.split(`${head}\n`);
  return after
    .split("\n\n")[0]
    ?.split("\n")
    .slice(1)
    .filter((row) => row !== "")
    .map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
    .map((cells) => ({
      name: (cells[0] ?? "").replaceAll("`", ""),
      type: cells[type] ?? "",
      source: cells.at(-2) ?? "",
      what: cells.at(-1) ?? "",
    })) as Told[];
}

const told = (columns: readonly Told[]) =>
  columns.map(({ name, type, source, what }) => ({ name, type, source, what }));
const plain = "| Column | Type | From | What |";

describe("a document", () => {
  test.each([
    ["calls", exportsPage.split("## Calls")[1] ?? "", callColumns],
    ["orders", exportsPage.split("## Orders")[1] ?? "", orderColumns],
    ["invoices", exportsPage.split("## Invoices")[1] ?? "", invoiceColumns],
    ["our own columns of FOCUS", focusPage, ownColumns],
  ] as [string, string, readonly Told[]][])(
    "has every column of %s, as it is declared",
    (_name, text, columns) => {
      expect(tableIn(text, plain, 1)).toEqual(told(columns));
    },
  );

  test("has every column of FOCUS, as it is declared", () => {
    const head = "| Column | Presence | Type | Null | Allowed values | From | What |";
    const byName = (a: Told, b: Told) => (a.name < b.name ? -1 : 1);
    expect(tableIn(focusPage, head, 2).sort(byName)).toEqual(told(focusColumns).sort(byName));
  });

  test("names no column twice", () => {
    for (const columns of [callColumns, orderColumns, invoiceColumns, [...focusColumns, ...ownColumns]]) {
      const names = columns.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
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
