import type { Catalog, PriceSource } from "#shared/books/catalog/catalog.ts";
import type { PriceSourceOf } from "#shared/books/catalog/models.ts";
import type { StatedTraits, Traits } from "#shared/books/catalog/traits.ts";

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
