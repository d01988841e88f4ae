/**
 * Where the lines that rows quote stand: a row names a text, and the file is looked up, so that a move edits no row.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Guard } from "./guard.ts";

const sources = ["package.json", "{shared,functions,infra,test}/**/*.{ts,json}"];
const others = ["test/guards/**", "test/golden/**"];

/** The files that a row may quote, by their paths from the root. */
export function readSources(root: string): Map<string, string> {
  const files = globSync(sources, { cwd: root, exclude: others });
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

/** The one place of a guard. Throws where there is none, or more than one. */
export function fileOf(
  { guard, in: end = "" }: Pick<Guard, "guard" | "in">,
  sources: Map<string, string>,
): string {
  const files = [...sources].flatMap(([file, text]) =>
    file.endsWith(end) ? Array.from({ length: text.split(guard).length - 1 }, () => file) : [],
  );
  const [file] = files;
  if (file === undefined) throw new Error(`nothing in the product says ${guard}`);
  if (files.length > 1)
    throw new Error(`${files.join(", ")} say ${guard}: the row has to say which one by \`in\``);
  return file;
}
