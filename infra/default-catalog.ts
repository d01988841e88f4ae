import { join } from "node:path";

/** The folder of the catalog that ships with the gateway. */
export const defaultCatalog = join(import.meta.dirname, "../shared/catalog/default");
