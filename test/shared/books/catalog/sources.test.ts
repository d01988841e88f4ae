/** Where prices were read: what a bundle keeps of it, for the console's page of models. */
import { expect, test } from "vitest";
import { bundledText } from "#infra/catalog/bundled-text.ts";
import { type BundledCatalog, createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample, set } from "#test/support/catalog.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

test("a bundle keeps where each price was read, and each source once", () => {
  const catalog = parseCatalog(catalogFile);
  const text = bundledText(catalog);
  const bundled = createCatalog(JSON.parse(text) as BundledCatalog);
  for (const { id, price_source } of catalog.models) {
    const model = bundled.find(id);
    expect(model && bundled.priceSource(model), id).toEqual(price_source);
  }
  const source = catalog.models[0]?.price_source?.source;
  const alike = catalog.models.flatMap(({ price_source: its }) =>
    its?.source === source ? [its?.as_of] : [],
  );
  expect(text.split(JSON.stringify(source)).length - 1).toBe(new Set(alike).size);
});

test("a price of which nobody has said where it was read has no source", () => {
  const catalog = createCatalog(parseCatalog(set(sample(), "models.0.price_source", null)));
  const [first] = catalog.models();
  expect(first && catalog.priceSource(first)).toBeNull();
});
