/** When prices were read, as the public list and the check of a catalog say it. */
import { expect, test } from "vitest";
import { bundledText } from "#infra/catalog/bundled-text.ts";
import type { ModelEntry } from "#shared/books/catalog/catalog.ts";
import { type BundledCatalog, openCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { listPublicModels } from "#shared/edges/api/models.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { sample, set } from "#test/support/catalog.ts";

const catalog = parseCatalog(sample());

test("the public list says when the oldest and the newest price were read", () => {
  const query = { query: new URLSearchParams(), style: "standard", at: 0 } as const;
  const days = (text: string) => {
    const { body } = listPublicModels(openCatalog(JSON.parse(text) as BundledCatalog), query);
    return (JSON.parse(String(body)) as { prices_read: unknown }).prices_read;
  };
  const read = (as_of: string | null) => (as_of === null ? null : { source: "a page", as_of });
  const dated = {
    ...catalog,
    models: ["2026-11-02", null, "2026-06-01"].map((as_of, index) => ({
      ...(catalog.models[index] as ModelEntry),
      price_source: read(as_of),
    })),
  };
  expect(days(bundledText(dated))).toEqual({ oldest: "2026-06-01", newest: "2026-11-02" });
  const undated = { ...dated, models: dated.models.slice(1, 2) };
  expect(days(bundledText(undated))).toBeNull();
});

test("a warning is told once for each kind of warning, with how many there are and the first of them", () => {
  const price_source = { source: "a list", as_of: "2026-01-01" };
  const [first, ...others] = sample().models;
  const alike = [..."abcde"].map((name) => ({ ...first, id: `acme/${name}`, aliases: [], price_source }));
  const many = { ...sample(), models: [...alike, ...others] };
  const { grouped, warnings, prices } = checkCatalog(many, Date.parse("2026-11-22"));
  expect(grouped.filter((line) => line.includes("prices"))).toEqual([
    "prices more than 90 days old (5): acme/a, acme/b, acme/c and 2 more",
    "prices without a price_source (2): acme/brush-1, acme/reel-1",
  ]);
  expect(warnings.filter((line) => line.includes("its price is of 2026-01-01"))).toHaveLength(5);
  expect(prices).toBe(
    "read from 2026-01-01 to 2026-01-01, 5 of 7 more than 90 days ago, 2 of 7 nobody knows when",
  );
});

test("a model that its vendor ends is named from two months before on", () => {
  const file = set(sample(), "models.1.ends", "2026-12-01");
  const id = sample().models[1]?.id;
  const ending = (at: string) =>
    checkCatalog(file, Date.parse(at), (path) => `${path}: `).warnings.filter((line) =>
      line.includes("ends it"),
    );
  expect(ending("2026-10-01")).toEqual([]);
  for (const at of ["2026-10-02", "2026-12-03"])
    expect(ending(at)).toEqual([`models[1].ends: ${id}: its vendor ends it on 2026-12-01`]);
  const wrong = checkCatalog(set(sample(), "models.1.ends", "soon"), Date.now());
  expect(wrong.problems).toEqual([expect.stringContaining("must be a day like 2026-11-20")]);
});

test("a catalog that deploys all the same may have prices of unknown age, or read more than 90 days ago", () => {
  const sourceOf = (as_of: string) => ({ source: "acme.example/prices", as_of });
  const [first, second] = [sourceOf("2026-08-24"), sourceOf("2026-08-25")];
  const file = set(
    set(set(sample(), "models.0.price_source", first), "models.1.price_source", second),
    "models.2.price_source",
    undefined,
  );
  const check = (at: string) => {
    const report = checkCatalog(file, Date.parse(at));
    const ofModels = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("plans"));
    return { ...report, warnings: ofModels(report.warnings), grouped: ofModels(report.grouped) };
  };
  const traits = "acme/Sonic-1-5: it has no traits: requests are not made to fit it";
  expect(check("2026-11-22T23:59:59Z")).toEqual({
    ok: true,
    problems: [],
    warnings: ["acme/reel-1: its price has no price_source", traits],
    grouped: [
      "prices without a price_source (1): acme/reel-1",
      "chat models without traits, whose requests are not made to fit them (1): acme/Sonic-1-5",
    ],
    prices: "read from 2026-08-24 to 2026-08-25, 1 of 3 nobody knows when",
    plans: { pro: expect.stringMatching(/^includes no tools/) },
    models: 3,
  });
  expect(check("2026-11-23T00:00:00Z").warnings).toEqual([
    "acme/Sonic-1-5: its price is of 2026-08-24, 91 days old (acme.example/prices)",
    "acme/reel-1: its price has no price_source",
    traits,
  ]);
});
