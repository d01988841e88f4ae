/** How long the functions of a file are. */
import { parseAst } from "rolldown/parseAst";

interface FunctionLines {
  /** The file, and the line where it begins. */
  place: string;
  /** Without those that are blank or have a comment alone. Those of functions within it count. */
  lines: number;
}

/** Every function of a text of TypeScript. Throws where it is none. */
export function functionLinesIn(text: string, file: string): FunctionLines[] {
  const found: FunctionLines[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isFunction(node)) {
      const line = text.slice(0, node.start).split("\n").length;
      found.push({ place: `${file}:${line}`, lines: linesOfCode(text.slice(node.start, node.end)) });
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(text, { lang: file.endsWith(".tsx") ? "tsx" : "ts" }));
  return found;
}

function isFunction(node: object): node is { start: number; end: number } {
  return "type" in node && /^(?:Function|ArrowFunction)/.test(String(node.type)) && "body" in node;
}

/** The formatter begins each further line of a block comment with an asterisk. */
function linesOfCode(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}
