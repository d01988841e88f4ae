/** Turns a catalog, a file or a folder, into the file that a bundle carries. */
import { writeFileSync } from "node:fs";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { bundledText } from "./bundled-text.ts";
import { readCatalog } from "./catalog-files.ts";

/** Writes what `compiledCatalog` gives of `sourceFile` to `outFile`, which it gives. Throws as that does. */
export function compileCatalog(sourceFile: string, outFile: string): string {
  writeFileSync(outFile, compiledCatalog(sourceFile).text);
  return outFile;
}

/**
 * The checked catalog of a file or folder, and the text that a bundle carries of it. The text has the defaults written
 * out. It has each source of prices once, and none of traits. Throws when it cannot be read or is not valid, and names the file.
 */
export function compiledCatalog(sourceFile: string): { catalog: Catalog; text: string } {
  try {
    const catalog = readCatalog(sourceFile);
    return { catalog, text: bundledText(catalog) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`catalog ${sourceFile}: ${reason}`, { cause: error });
  }
}
