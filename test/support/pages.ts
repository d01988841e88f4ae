/** The pages in a folder of their own, as they lie beside a bundle. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writePages } from "#infra/pages.ts";

/** Writes the pages. Gives their folder, and what removes it. */
export function pagesFolder(): { folder: string; remove: () => void } {
  const scratch = mkdtempSync(join(tmpdir(), "pages-"));
  writePages(scratch);
  return { folder: join(scratch, "pages"), remove: () => rmSync(scratch, { recursive: true }) };
}
