import { join } from "node:path";

/** The folder of the catalog that ships with the gateway. */
export const defaultCatalog = join(import.meta.dirname, "../../shared/books/catalog/default");

/**
 * The folder of the models that somebody has added on this machine (`operator model add`). It extends the catalog that
 * ships. While it is not there, `npm start` reads that one alone.
 */
export const ownCatalog = join(import.meta.dirname, "../../.local/catalog");
