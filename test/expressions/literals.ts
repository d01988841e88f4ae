/** The regular expressions that stand in the product's code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const root = join(import.meta.dirname, "../..");

/** What a stranger's bytes can reach. The OpenAPI documents are made by a command, from our own files. */
const isReached = (file: string) =>
  /^(?:shared|functions)\/.*\.ts$/.test(file) && !file.startsWith("shared/edges/openapi/");

/** A literal, and the first place where it stands. */
export interface Expression {
  source: string;
  flags: string;
  /** A path from the root, and a line. */
  place: string;
}

/** Each expression that a stranger's bytes can reach, once. */
export function reachedExpressions(): Expression[] {
  const found = new Map<string, Expression>();
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" }).filter(isReached).sort()) {
    for (const expression of expressionsIn(readFileSync(join(root, file), "utf8"), file)) {
      const key = `/${expression.source}/${expression.flags}`;
      if (!found.has(key)) found.set(key, expression);
    }
  }
  return [...found.values()];
}

/** The literals of one text of TypeScript, in their order. Throws where it is none. */
export function expressionsIn(text: string, file: string): Expression[] {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isLiteral(node)) {
      const line = text.slice(0, node.start).split("\n").length;
      found.push({ source: node.regex.pattern, flags: node.regex.flags, place: `${file}:${line}` });
      return;
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(text, { lang: "ts" }));
  return found;
}

interface Literal {
  start: number;
  regex: { pattern: string; flags: string };
}

function isLiteral(node: object): node is Literal {
  return "regex" in node && "start" in node;
}
