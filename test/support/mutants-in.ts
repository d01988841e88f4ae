/** Whether what runs knows of a product that is broken on purpose (test/simulation). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mutants } from "#test/simulation/mutants.ts";

/** The names of such products in the code of a bundle's folder. */
export function mutantsIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  const code = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  return Object.keys(mutants).filter((name) => code.includes(name));
}
