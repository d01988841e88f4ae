/** Which catalog a command of the operator reads, and how it names models. */
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { Pattern } from "#shared/books/prices/many-lists.ts";
import { type CatalogFiles, checkedCatalog, readCatalogFiles } from "../catalog/catalog-files.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import type { CommandCall } from "./command.ts";

/** The catalog that `--catalog` names, else the one that ships: as its file has it, and as it was checked. */
export function catalogOf({ catalogFile = defaultCatalog }: Pick<CommandCall, "catalogFile">): {
  files: CatalogFiles;
  catalog: Catalog;
} {
  const files = readCatalogFiles(catalogFile);
  return { files, catalog: checkedCatalog(files) };
}

/** Whether a name fits one of several patterns, `gpt-5*,o3`, in which `*` stands for anything. */
export function matcher(patterns: string): (name: string) => boolean {
  const all = patternsOf(patterns);
  return (name) => all.some(({ fits }) => fits(name));
}

/** The patterns of a text with commas between them. */
export function patternsOf(patterns: string): Pattern[] {
  return patterns.split(",").map((text) => {
    const form = text
      .split("*")
      .map((part) => RegExp.escape(part))
      .join(".*");
    const whole = new RegExp(`^(?:${form})$`, "i");
    return { text, fits: (name) => whole.test(name) };
  });
}
