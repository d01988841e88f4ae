/** Writes a catalog for people who read and compare it: a value that fits on one line stands on one. */

/** The width of a line, the same as in the formatter of this repository. */
const widthMax = 110;

/** The JSON text of a catalog file, with a line break at its end. A change of one model changes its lines only. */
export function catalogText(json: unknown): string {
  return `${lines(json, 0, 0)}\n`;
}

/** The value's text. `used` counts the characters that others take on its first line and behind its last. */
function lines(value: unknown, depth: number, used: number): string {
  const short = inline(value);
  const parts = partsOf(value);
  if (parts.length === 0 || depth * 2 + used + short.length <= widthMax) return short;
  const indent = "  ".repeat(depth + 1);
  const body = parts.map(([name, part], index) => {
    const comma = index < parts.length - 1 ? 1 : 0;
    return indent + name + lines(part, depth + 1, name.length + comma);
  });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${body.join(",\n")}\n${"  ".repeat(depth)}${close}`;
}

function inline(value: unknown): string {
  const parts = partsOf(value);
  if (parts.length === 0) return JSON.stringify(value);
  const body = parts.map(([name, part]) => name + inline(part)).join(", ");
  return Array.isArray(value) ? `[${body}]` : `{ ${body} }`;
}

/** The parts of an object or a list, each with the text before it. A plain value has no parts. */
function partsOf(value: unknown): [name: string, part: unknown][] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.map((part) => ["", part]);
  return Object.entries(value).map(([name, part]) => [`${JSON.stringify(name)}: `, part]);
}
