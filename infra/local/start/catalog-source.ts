/** Which catalog a local gateway reads, and whether it has changed. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { defaultCatalog, ownCatalog } from "../../catalog/default-catalog.ts";

/** Whether the catalog of a path is the one that ships, perhaps with models of one's own. */
export function isShipped(path: string): boolean {
  return path === ownCatalog || path === defaultCatalog;
}

/** A catalog as it was read. */
interface CatalogRead {
  catalog: Catalog;
  /** The catalogs that it extends. */
  bases: readonly string[];
}

/**
 * Reads and checks the catalog of a path. Rejects with `CatalogError`, with every problem at its file and line. The
 * catalog that ships is part of a kept stack, whose folder is `assembly`: it was checked when that was made.
 */
export async function readSource(path: string, assembly?: string): Promise<CatalogRead> {
  const checked = join(assembly ?? "", shippedName);
  if (assembly !== undefined && placeOf(path) === defaultCatalog && existsSync(checked))
    return { catalog: JSON.parse(readFileSync(checked, "utf8")) as Catalog, bases: [] };
  // What checks a catalog takes longer to load than all else here.
  const { checkedCatalog, readCatalogFiles } = await import("../../catalog/catalog-files.ts");
  const files = readCatalogFiles(placeOf(path));
  return { catalog: checkedCatalog(files), bases: files.bases };
}

/** The file of a stack that has the checked catalog that ships, as it was when the stack was made. */
const shippedName = "shipped.json";

/** Writes the catalog that ships into a stack, for the starts that take it. Rejects where it is not valid. */
export async function keepShipped(assembly: string): Promise<void> {
  const { catalog } = await readSource(defaultCatalog);
  writeFileSync(join(assembly, shippedName), JSON.stringify(catalog));
}

/** Stands for the state of all files of a catalog, and of those that it extends. Another one says that some changed. */
export function sourceState(path: string, bases: readonly string[]): string {
  return [placeOf(path), ...bases].map(stateOf).join("\n");
}

function placeOf(path: string): string {
  return path === ownCatalog && !existsSync(path) ? defaultCatalog : path;
}

/** The names of the files, with their sizes and when they were written. */
function stateOf(path: string): string {
  try {
    const isFolder = statSync(path).isDirectory();
    const folder = isFolder ? path : dirname(path);
    const files = isFolder
      ? readdirSync(path).filter((name) => name.endsWith(".json"))
      : [path.slice(folder.length + 1)];
    return [path, ...files.map((name) => `${name} ${stampOf(join(folder, name))}`)].join("\n");
  } catch {
    return "";
  }
}

function stampOf(file: string): string {
  const { mtimeMs, size, ino } = statSync(file);
  return `${mtimeMs} ${size} ${ino}`;
}
