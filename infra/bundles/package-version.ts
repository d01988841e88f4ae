/** The version of the code in this repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** As package.json has it. */
export function packageVersion(): string {
  const file = join(import.meta.dirname, "../../package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
