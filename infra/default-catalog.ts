import { join } from "node:path";

/** The file of the catalog that ships with the gateway. */
export const defaultCatalog = join(import.meta.dirname, "../shared/catalog/catalog.json");
