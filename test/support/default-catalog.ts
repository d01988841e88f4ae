/** The catalog that ships, as its files say it together: not checked, and without defaults. */
import { readCatalogFiles } from "#infra/catalog-files.ts";
import { defaultCatalog } from "#infra/default-catalog.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import type common from "#shared/catalog/default/catalog.json";

type CatalogFile = typeof common & Omit<Catalog, keyof typeof common>;

export const catalogFile = readCatalogFiles(defaultCatalog).json as unknown as CatalogFile;
