/** Reads CSV (RFC 4180) with a line of names first, and knows the line of each row. */
import { BillRefused, shown } from "./bill.ts";
import { withoutMark } from "./formats/format.ts";

/** A row by its columns' names, and the line where it begins. */
export interface CsvRow {
  line: number;
  cells: Readonly<Record<string, string>>;
}

/** The names of the columns, and the rows. Throws `BillRefused` for what is no such file. */
export function csvRows(text: string): { names: readonly string[]; rows: readonly CsvRow[] } {
  const [head, ...records] = recordsIn(withoutMark(text));
  if (!head) throw new BillRefused([{ line: 1, why: "the file is empty" }]);
  const names = head.cells.map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new BillRefused([{ line: 1, why: `the column ${shown(twice)} stands there twice` }]);
  const rows = records.map(({ line, cells }) => {
    if (cells.length !== names.length)
      throw new BillRefused([
        { line, why: `it has ${cells.length} cells, and the first line names ${names.length}` },
      ]);
    return { line, cells: Object.fromEntries(cells.map((cell, at) => [names[at] ?? "", cell])) };
  });
  return { names, rows };
}

interface CsvRecord {
  line: number;
  cells: string[];
}

function recordsIn(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, at] = [1, 0];
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] };
    for (let end = ","; end === ","; ) {
      const found = cellAt(text, at);
      if (!found) throw new BillRefused([{ line, why: "a quotation mark stands where none may" }]);
      record.cells.push(found.cell);
      line += found.lines;
      [at, end] = [found.next, found.end];
    }
    const isBlank = record.cells.length === 1 && record.cells[0] === "";
    if (!isBlank) records.push(record);
  }
  return records;
}

const special = /[",\r\n]/g;
const lineEnd = /\r\n|\n|\r/g;
const separator = /,|\r\n|\n|\r|$/y;

/**
 * The cell that begins here, quoted or plain, what ends it, and how many lines end in both. One that is quoted is found by
 * its quotation marks: an expression for all of it would need a stack as deep as the cell is long.
 */
function cellAt(text: string, at: number) {
  const isQuoted = text[at] === '"';
  const after = isQuoted ? quotedEnd(text, at) : plainEnd(text, at);
  if (after === undefined) return undefined;
  separator.lastIndex = after;
  const end = separator.exec(text)?.[0];
  if (end === undefined) return undefined;
  const next = after + end.length;
  const cell = isQuoted ? text.slice(at + 1, after - 1).replaceAll('""', '"') : text.slice(at, after);
  const lines = isQuoted || end !== "," ? (text.slice(at, next).match(lineEnd)?.length ?? 0) : 0;
  return { cell, end, next, lines };
}

/** Where a quoted cell ends, behind its last quotation mark; undefined if it is never closed. */
function quotedEnd(text: string, at: number): number | undefined {
  for (let from = at + 1; ; from += 2) {
    from = text.indexOf('"', from);
    if (from < 0) return undefined;
    if (text[from + 1] !== '"') return from + 1;
  }
}

function plainEnd(text: string, at: number): number {
  special.lastIndex = at;
  return special.exec(text)?.index ?? text.length;
}
