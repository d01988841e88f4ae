/** A catalog as people read and compare it: what fits on a line stands on one. */

/** The width of a line, as the formatter of this repository has it. */
const widthMax = 110;

/** The JSON text of a catalog file, with a line break at its end. It changes line by line where the catalog does. */
export function catalogText(json: unknown): string {
  return `${lines(json, 0, 0)}\n`;
}

/** `used` is how much of the value's first line, and behind its last, is taken by others. */
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

/** The parts of an object or a list, each with what stands before it; none of a plain value. */
function partsOf(value: unknown): [name: string, part: unknown][] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.map((part) => ["", part]);
  return Object.entries(value).map(([name, part]) => [`${JSON.stringify(name)}: `, part]);
}
