/** Reads CSV (RFC 4180) with a line of names first, and knows the line of each row. */
import { BillRefused } from "./bill.ts";

/** A row by its columns' names, and the line where it begins. */
export interface CsvRow {
  line: number;
  cells: Readonly<Record<string, string>>;
}

/** The names of the columns, and the rows. Throws `BillRefused` for what is no such file. */
export function csvRows(text: string): { names: readonly string[]; rows: readonly CsvRow[] } {
  const [head, ...records] = recordsIn(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (!head) throw new BillRefused([{ line: 1, why: "the file is empty" }]);
  const names = head.cells.map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new BillRefused([{ line: 1, why: `the column ${twice} stands there twice` }]);
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

/** A cell, quoted or plain, and what ends it. */
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

function recordsIn(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, at] = [1, 0];
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] };
    for (let end = ","; end === ","; ) {
      cellPattern.lastIndex = at;
      const found = cellPattern.exec(text);
      if (!found) throw new BillRefused([{ line, why: "a quotation mark stands where none may" }]);
      const [whole, quoted, plain = ""] = found;
      record.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
      at += whole.length;
      end = found[3] ?? "";
    }
    const isBlank = record.cells.length === 1 && record.cells[0] === "";
    if (!isBlank) records.push(record);
  }
  return records;
}
