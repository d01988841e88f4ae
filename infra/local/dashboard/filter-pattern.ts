/**
 * The filter patterns of CloudWatch Logs for lines of JSON, as far as this stack uses them:
 * `{ ($.event = "call") && ($.attempts > 1) }`. A pattern with anything else is refused, so that no chart is wrong.
 */

/** A line of the log, parsed. */
export type LogObject = Record<string, unknown>;

export type Matches = (line: LogObject) => boolean;

const tokens =
  /\s*(?:([(){}]|&&|\|\||!=|>=|<=|[=<>])|(\$(?:\.\w+)+)|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)(?![\w.]))/y;

type Token = { kind: "sign" | "field" | "text" | "number"; text: string };

const comparisons: Record<string, (a: number, b: number) => boolean> = {
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** The lines that a pattern matches. Throws on a pattern with something that is not known here. */
export function parsePattern(pattern: string): Matches {
  const all = tokensOf(pattern);
  let at = 0;
  const next = (): Token => all[at++] ?? { kind: "sign", text: "" };
  const isNext = (text: string) => all[at]?.kind === "sign" && all[at]?.text === text;
  const expect = (text: string) => {
    const { text: found } = next();
    if (found !== text) throw unknown(pattern, `${found || "its end"} stands where ${text} should`);
  };
  const either = (): Matches => {
    const parts = [both()];
    while (isNext("||")) {
      at += 1;
      parts.push(both());
    }
    return (line) => parts.some((matches) => matches(line));
  };
  const both = (): Matches => {
    const parts = [single()];
    while (isNext("&&")) {
      at += 1;
      parts.push(single());
    }
    return (line) => parts.every((matches) => matches(line));
  };
  const single = (): Matches => {
    if (!isNext("(")) return comparison(pattern, next(), next(), next());
    at += 1;
    const inner = either();
    expect(")");
    return inner;
  };
  expect("{");
  const matches = either();
  expect("}");
  if (at < all.length) throw unknown(pattern, "something follows it");
  return matches;
}

function tokensOf(pattern: string): Token[] {
  const found: Token[] = [];
  const text = pattern.trimEnd();
  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.length) {
    const from = tokens.lastIndex;
    const [, sign, field, quoted, number] = tokens.exec(text) ?? [];
    if (sign !== undefined) found.push({ kind: "sign", text: sign });
    else if (field !== undefined) found.push({ kind: "field", text: field });
    else if (quoted !== undefined) found.push({ kind: "text", text: JSON.parse(quoted) as string });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else throw unknown(pattern, `${text.slice(from).trim()} is not known here`);
  }
  return found;
}

function unknown(pattern: string, reason: string): Error {
  return new Error(`the filter pattern ${pattern} cannot be read: ${reason}`);
}

/** A number matches numbers alone, and a text other texts, with `*` for any characters. */
function comparison(pattern: string, field: Token, sign: Token, value: Token): Matches {
  const compare = comparisons[sign.text];
  if (field.kind !== "field" || !compare) throw unknown(pattern, `${field.text} is compared with nothing`);
  if (value.kind === "number") {
    const bound = Number(value.text);
    return (line) => {
      const found = fieldOf(line, field.text);
      return typeof found === "number" && compare(found, bound);
    };
  }
  if (value.kind !== "text" || !["=", "!="].includes(sign.text))
    throw unknown(pattern, `${field.text} ${sign.text} ${value.text} compares no texts`);
  const parts = value.text.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const form = new RegExp(`^${parts.join(".*")}$`, "s");
  return (line) => {
    const found = fieldOf(line, field.text);
    return typeof found === "string" && form.test(found) === (sign.text === "=");
  };
}

/** The value at a path such as `$.a.b`; undefined where there is none. */
export function fieldOf(line: LogObject, path: string): unknown {
  let value: unknown = line;
  for (const name of path.split(".").slice(1)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as LogObject)[name];
  }
  return value;
}
