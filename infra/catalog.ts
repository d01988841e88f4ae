/** Turns a catalog file into the one that a bundle carries. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseCatalog } from "#shared/catalog/schema.ts";

/**
 * Checks `sourceFile` and writes it to `outFile` with its defaults written out, which is what the gateway
 * starts from, without the sources of its prices. Gives `outFile`. Throws, naming the file, when it cannot be read or would not serve.
 */
export function compileCatalog(sourceFile: string, outFile: string): string {
  try {
    const catalog = parseCatalog(JSON.parse(readFileSync(sourceFile, "utf8")));
    // No call asks where a price was read.
    const models = catalog.models.map((model) => ({ ...model, price_source: null }));
    writeFileSync(outFile, JSON.stringify({ ...catalog, models }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`catalog ${sourceFile}: ${reason}`, { cause: error });
  }
  return outFile;
}
