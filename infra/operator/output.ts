/** Values as people read them: fields a line each, lists in columns. */
import type { styleText } from "node:util";

/** Colours a text where a terminal shows it, and leaves it as it is elsewhere. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** A value for people: a `name: value` a line, nested values indented, a row of a list on a line under their names. */
export function render(value: unknown, paint: Paint, indent = ""): string {
  if (typeof value !== "object" || value === null) return indent + textOf(value);
  if (Array.isArray(value))
    return renderRows(value, paint)
      .map((row) => indent + row)
      .join("\n");
  return Object.entries(value)
    .map(([name, child]) => {
      const isNested = typeof child === "object" && child !== null && Object.keys(child).length > 0;
      if (isNested) return `${indent}${paint("bold", `${name}:`)}\n${render(child, paint, `${indent}  `)}`;
      return `${indent}${name}: ${painted(name, textOf(child), paint)}`;
    })
    .join("\n");
}

function renderRows(rows: unknown[], paint: Paint): string[] {
  const [first] = rows;
  if (first === undefined) return ["none"];
  if (typeof first !== "object" || first === null) return rows.map(textOf);
  const names = Object.keys(first);
  const cells = rows.map((row) => Object.values(row as object).map(textOf));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: string[], style: (name: string, text: string) => string) =>
    row
      .map((text, column) =>
        style(names[column] ?? "", text.padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0))),
      )
      .join("  ");
  const head = lineOf(names, (_, text) => text);
  return [
    paint("bold", head),
    ...cells.map((row) => lineOf(row, (name, text) => painted(name, text, paint))),
  ];
}

/** Fields in which `false` means that something is not as it should be. */
const verdicts = new Set(["ok", "holds"]);

function painted(name: string, text: string, paint: Paint): string {
  return verdicts.has(name) && text.trim() === "false" ? paint("red", text) : text;
}

/** What stands for a value. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.length === 0) return "none";
  return typeof value === "object" ? JSON.stringify(value, sorted) : String(value);
}

/** Fields by name: the store keeps no order of them, and a reader is given the same one each time. */
function sorted(_: string, value: unknown): unknown {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
