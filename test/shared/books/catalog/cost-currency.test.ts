/** A channel's cost in a catalog that names no currency, as the check of a catalog says it. */
import { expect, test } from "vitest";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { sample, set } from "#test/support/catalog.ts";

const checked = (catalog: unknown) =>
  checkCatalog(catalog, Date.parse("2026-12-01"), (path) => `<${path}> `).warnings.filter((line) =>
    line.includes("currency"),
  );

test("each model with a cost is warned of, until the catalog has its currency", () => {
  const priced = set(sample(), "models.0.channels.0.cost", { input: "2", output: "10" });
  const id = sample().models[0]?.id;
  expect(checked(sample())).toEqual([]);
  expect(checked(priced)).toEqual([
    `<models[0].channels[0].cost> ${id}: its cost is in no currency: give the catalog its currency`,
  ]);
  expect(checked(set(priced, "currency", { code: "USD", points_per_unit: "1" }))).toEqual([]);
});
