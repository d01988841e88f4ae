import { join } from "node:path";

/** The folder of the catalog that ships with the gateway. */
export const defaultCatalog = join(import.meta.dirname, "../../shared/books/catalog/default");

/** The folder of models that were added on this machine (`operator model add`). It extends the catalog that ships. */
export const ownCatalog = join(import.meta.dirname, "../../.local/catalog");
