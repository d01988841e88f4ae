/** How a list is printed: in columns for people, or as CSV or JSON for other programs. */
import { csvRow } from "#shared/books/reports/csv.ts";
import { operatorBounds } from "./bounds.ts";
import { type CommandOutcome, choice, count, flagOf, usually } from "./command.ts";

/** The flag of every command that prints such a list. */
export const listFormat = choice(["csv", "json"], "the form of the list, instead of columns");

const { listMax, listUsual } = operatorBounds;
/** The flag of every command whose list may be long. */
export const listLimit = usually(
  listUsual,
  flagOf("N", `at most so many; ${listUsual} if not given`, count(listMax)),
);

/** A row: its fields by the names of their columns. */
type Row = Readonly<Record<string, string | number | null>>;

interface List {
  /** The whole answer, as `--json` prints it. */
  value: object;
  /** The answer as people are shown it, where that has fewer columns. */
  shown?: object;
  /** The rows of a CSV, under these columns. */
  columns: readonly string[];
  rows: readonly Row[];
  ok?: boolean;
}

/** The outcome of a command that lists. CSV is RFC 4180: every line ends in CRLF, the first names the columns. */
export function listed(
  { value, shown = value, columns, rows, ok = true }: List,
  format: "csv" | "json" | undefined,
): CommandOutcome {
  if (format === undefined) return { value, shown, ok };
  const lines =
    format === "json"
      ? [`${JSON.stringify(value)}\n`]
      : [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))].map(
          (fields) => `${csvRow(fields)}\r\n`,
        );
  return { text: texts(lines), ok };
}

async function* texts(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
