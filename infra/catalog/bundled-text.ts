import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { type BundledCatalog, namesOf } from "#shared/books/catalog/models.ts";
import type { StatedTraits, Traits } from "#shared/books/catalog/traits.ts";

/** The text that a bundle has of a checked catalog: what a start would otherwise do with every model is done here. */
export function bundledText(catalog: Catalog): string {
  // No call needs to know where a trait was read.
  const models = catalog.models.map((model) => ({
    ...unsourced(model),
    channels: model.channels.map(unsourced),
  }));
  const providers = Object.fromEntries(
    Object.entries(catalog.providers).map(([name, provider]) => [name, unsourced(provider)]),
  );
  const indexed: Pick<BundledCatalog, "names" | "models"> = {
    names: namesOf(catalog.models),
    models: models.map((model) => JSON.stringify(model)).join("\n"),
  };
  return JSON.stringify({ ...catalog, providers, ...indexed });
}

/** A model, a channel or a provider with its traits, without the source and the day they were read. */
function unsourced<Owner extends { traits?: StatedTraits }>(
  owner: Owner,
): Omit<Owner, "traits"> & { traits?: Traits } {
  if (!owner.traits) return owner;
  const { source, as_of, ...traits } = owner.traits;
  return { ...owner, traits };
}
