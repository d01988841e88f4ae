/** The pages in a folder of their own, as they lie beside a bundle. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writePages } from "#infra/bundles/pages.ts";

/** The compiled catalog that lies beside them: health says its version, and no more of it. */
export const bundledCatalog = JSON.stringify({ version: "2026-11-21" });

/** Writes the pages. Gives their folder, and what removes it. */
export function pagesFolder(): { folder: string; remove: () => void } {
  const scratch = mkdtempSync(join(tmpdir(), "pages-"));
  const catalog = join(scratch, "catalog.json");
  writeFileSync(catalog, bundledCatalog);
  writePages(scratch, catalog);
  return { folder: join(scratch, "pages"), remove: () => rmSync(scratch, { recursive: true }) };
}
