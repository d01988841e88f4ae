/** Turns a catalog, a file or a folder, into the file that a bundle carries. */
import { writeFileSync } from "node:fs";
import type { Catalog, PriceSource } from "#shared/books/catalog/catalog.ts";
import type { PriceSourceOf } from "#shared/books/catalog/models.ts";
import type { StatedTraits, Traits } from "#shared/books/catalog/traits.ts";
import { readCatalog } from "./catalog-files.ts";

/**
 * Checks `sourceFile` and writes it to `outFile`, as `compiledCatalog` gives it. The gateway starts from that file. Gives
 * `outFile`. Throws when the catalog cannot be read or is not valid, and names the file.
 */
export function compileCatalog(sourceFile: string, outFile: string): string {
  writeFileSync(outFile, compiledCatalog(sourceFile).text);
  return outFile;
}

/**
 * The checked catalog of a file or folder, and the text that a bundle carries of it. The text has the defaults written
 * out. It has each source of prices once, and none of traits. Throws when it cannot be read or is not valid, and names the file.
 */
export function compiledCatalog(sourceFile: string): { catalog: Catalog; text: string } {
  try {
    const catalog = readCatalog(sourceFile);
    return { catalog, text: bundledText(catalog) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`catalog ${sourceFile}: ${reason}`, { cause: error });
  }
}

/** The text that a bundle carries of a checked catalog. */
export function bundledText(catalog: Catalog): string {
  // No call needs to know where a price or a trait was read. The console says it of prices.
  const models = catalog.models.map((model) => ({
    ...unsourced(model),
    price_source: null,
    channels: model.channels.map(unsourced),
  }));
  const providers = Object.fromEntries(
    Object.entries(catalog.providers).map(([name, provider]) => [name, unsourced(provider)]),
  );
  return JSON.stringify({ ...catalog, providers, models, price_sources: priceSources(catalog) });
}

/** Each source with the models whose price was read there: hundreds of models have the same few. */
function priceSources({ models }: Catalog): PriceSourceOf[] {
  const read = models.flatMap(({ id, price_source }) => (price_source ? [{ id, ...price_source }] : []));
  const groups = Map.groupBy(read, ({ source, as_of }) => JSON.stringify({ source, as_of }));
  return [...groups].map(([source, its]) => ({
    ...(JSON.parse(source) as PriceSource),
    models: its.map(({ id }) => id),
  }));
}

/** A model, a channel or a provider with its traits, without the source and the day they were read. */
function unsourced<Owner extends { traits?: StatedTraits }>(
  owner: Owner,
): Omit<Owner, "traits"> & { traits?: Traits } {
  if (!owner.traits) return owner;
  const { source, as_of, ...traits } = owner.traits;
  return { ...owner, traits };
}
