import { dirname, join, resolve } from "node:path";

/** The folder of the catalog that ships with the gateway. */
export const defaultCatalog = join(import.meta.dirname, "../../shared/books/catalog/default");

/** Whether a catalog is one of those that ship, which an update replaces. */
export function ships(path: string): boolean {
  return dirname(resolve(path)) === dirname(defaultCatalog);
}

/** The folder of models that were added on this machine (`operator model add`). It extends the catalog that ships. */
export const ownCatalog = join(import.meta.dirname, "../../.local/catalog");
