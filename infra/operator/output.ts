/** Values as people read them: fields a line each, lists in columns. Colours only where a terminal shows them. */
import { styleText } from "node:util";

/** A value for people: one `name: value` a line, nested values indented, rows of a list on one line each under their names. */
export function render(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return `${indent}${cellOf(value)}`;
  if (Array.isArray(value))
    return renderRows(value)
      .map((row) => indent + row)
      .join("\n");
  return Object.entries(value)
    .map(([name, child]) => {
      const nested = typeof child === "object" && child !== null && Object.keys(child).length > 0;
      if (nested) return `${indent}${styleText("bold", `${name}:`)}\n${render(child, `${indent}  `)}`;
      return `${indent}${name}: ${cellOf(child)}`;
    })
    .join("\n");
}

function renderRows(rows: unknown[]): string[] {
  const [first] = rows;
  if (first === undefined) return ["none"];
  if (typeof first !== "object" || first === null) return rows.map(String);
  const names = Object.keys(first);
  const [head = "", ...lines] = columns([
    names,
    ...rows.map((row) => Object.values(row as object).map(cellOf)),
  ]);
  return [styleText("bold", head), ...lines.map(marked)];
}

/** A line that says of something that it is not as it should be stands out. */
function marked(line: string): string {
  return /\bfalse\b|\bfailed\b/.test(line) ? styleText("yellow", line) : line;
}

/** What stands for a value. What there is not has a dash. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Cells in columns as wide as their widest one; nothing is behind the last. */
function columns(table: string[][]): string[] {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
