/** The catalog that ships, as its files say it together: not checked, and without defaults. */
import { readCatalogFiles } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type common from "#shared/books/catalog/default/catalog.json";

type CatalogFile = typeof common & Omit<Catalog, keyof typeof common>;

export const catalogFile = readCatalogFiles(defaultCatalog).json as unknown as CatalogFile;
