/** Lists as CSV (RFC 4180). Their columns are declared once, in tables (columns.md). */

/** What a cell of a column has: `instant` is RFC 3339 in UTC, `list` has its parts separated by spaces. */
export type CellType = "text" | "decimal" | "integer" | "boolean" | "instant" | "list" | "JSON";

/** A column as its document has it. */
export interface Column<Name extends string = string> {
  name: Name;
  type: CellType;
  /** The record and the field that the value is from. */
  source: string;
  /** What the value says. */
  what: string;
}

/** A column that knows its value in a row. Null is an empty cell. */
export interface CellColumn<Row> extends Column {
  of(row: Row): string | number | boolean | null;
}

/** Without this mark spreadsheets take a file of UTF-8 for one of the machine's own character set. */
const byteOrderMark = "\uFEFF";

/** Lines of cells as a file. A page that continues one has no mark. */
export function csvFile(lines: readonly (readonly string[])[], isContinued = false): string {
  return `${isContinued ? "" : byteOrderMark}${lines.map((cells) => `${csvRow(cells)}\r\n`).join("")}`;
}

/** A list as a file whose first line names the columns. A page that continues one has no such line. */
export function csvOf<Row>(
  columns: readonly CellColumn<Row>[],
  rows: readonly Row[],
  isContinued = false,
): string {
  const lines = rows.map((row) => columns.map(({ of }) => String(of(row) ?? "")));
  return csvFile(isContinued ? lines : [columns.map(({ name }) => name), ...lines], isContinued);
}

/** Cells as a line of CSV, without a line end. No cell can run as a formula of a spreadsheet. */
export function csvRow(cells: readonly string[]): string {
  return cells.map(csvCell).join(",");
}

/** A cell that a spreadsheet would run gets an apostrophe: clients choose some. A negative number is no formula. */
function csvCell(text: string): string {
  const runs = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-\d+(?:\.\d+)?$/.test(text);
  const safe = runs ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
