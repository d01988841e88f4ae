/** What a catalog offers, and every way in which two offers differ. */
import { describe, expect, it } from "vitest";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { digestOf, offerChanges, offerOf } from "#shared/books/prices/offer.ts";
import { catalogFile as shipped } from "#test/support/default-catalog.ts";

const catalog = parseCatalog(shipped);

/** The shipped catalog, changed. */
function changed(change: (catalog: Catalog) => void): Catalog {
  const copy = structuredClone(catalog);
  change(copy);
  return copy;
}

/** What changes for customers with a change of the shipped catalog. */
const changesOf = (change: (catalog: Catalog) => void) =>
  offerChanges(offerOf(catalog), offerOf(changed(change)));

const modelOf = ({ models }: Catalog, id: string) => {
  const model = models.find((each) => each.id === id);
  if (!model) throw new Error(`no model ${id}`);
  return model;
};

const mini = "openai/gpt-5.4-mini";

/** Every place of a decimal in a value, as a function that puts another one there. */
function decimalPlaces(value: unknown): ((text: string) => void)[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" && /^[\d.]+$/.test(inner)
      ? [(text: string) => Object.assign(value, { [name]: text })]
      : decimalPlaces(inner),
  );
}

describe("an offer", () => {
  it("is the same for the same catalog, and for numbers that are written otherwise", () => {
    expect(changesOf(() => {})).toEqual([]);
    const rewritten = changesOf((copy) => Object.assign(modelOf(copy, mini).price ?? {}, { input: "0.750" }));
    expect(rewritten).toEqual([]);
  });

  it("does not say what nobody is charged by", () => {
    const changes = changesOf((copy) => {
      for (const model of copy.models) Object.assign(model, { price_source: null, display_name: "x" });
      copy.version = "another";
    });
    expect(changes).toEqual([]);
  });

  it("has every decimal of every price and plan: none can change unseen", () => {
    const before = offerOf(catalog);
    const copy = structuredClone(catalog);
    const priced = [copy.recharge, copy.plans, copy.pricing_groups, ...copy.models.map(({ price }) => price)];
    let seen = 0;
    for (const place of decimalPlaces(priced)) {
      place("7.654321");
      seen += 1;
    }
    const changes = offerChanges(before, offerOf(copy)).filter(({ after }) => after === "7.654321");
    expect(seen).toBeGreaterThan(400);
    // A group's price is that of each of its models.
    expect(changes.length).toBeGreaterThanOrEqual(seen);
  });
});

describe("a change", () => {
  it("of a rate has its model, its name and its per cent", () => {
    const changes = changesOf((copy) =>
      Object.assign(modelOf(copy, mini).price ?? {}, { input: "1.5", output: "4.4999", cache_read: "0" }),
    );
    expect(changes).toEqual([
      { of: mini, term: "input", before: "0.75", after: "1.5", change: "+100 %" },
      { of: mini, term: "output", before: "4.5", after: "4.4999", change: "-<0.1 %" },
      { of: mini, term: "cache_read", before: "0.075", after: "0", change: "-100 %" },
    ]);
  });

  it("of a tier says for which sizes it holds", () => {
    const changes = changesOf((copy) => {
      const { price } = modelOf(copy, "openai/gpt-5.6-sol");
      if (price?.mode !== "input_tokens_tiers") throw new Error("no price has tiers");
      const [first, second] = price.tiers;
      Object.assign(first ?? {}, { output: "20" });
      Object.assign(second ?? {}, { output: "60" });
    });
    expect(changes).toMatchObject([
      { term: "tiers to 272000 output", after: "20", change: "-33.3 %" },
      { term: "tiers over 272000 output", after: "60", change: "+33.3 %" },
    ]);
  });

  it("of the mode of a price loses no rate", () => {
    const changes = changesOf((copy) => {
      modelOf(copy, mini).price = { mode: "per_image", unit_price: "1" };
    });
    expect(changes).toEqual(
      expect.arrayContaining([
        { of: mini, term: "mode", before: "flat_tokens", after: "per_image", change: "-" },
        { of: mini, term: "input", before: "0.75", after: "none", change: "gone" },
        { of: mini, term: "unit_price", before: "none", after: "1", change: "new" },
      ]),
    );
  });

  it("of a plan is one of its fees, quotas, limits and models", () => {
    const changes = changesOf(({ plans: { lite } }) => {
      if (!lite) throw new Error("there is no such plan");
      lite.price.monthly = "130";
      lite.quota.yearly = 600;
      lite.rpm = null;
      lite.models = ["openai/*"];
    });
    expect(changes).toEqual([
      { of: "plan lite", term: "price monthly", before: "129", after: "130", change: "+0.8 %" },
      { of: "plan lite", term: "quota yearly", before: "1200", after: "600", change: "-50 %" },
      { of: "plan lite", term: "rpm", before: "60", after: "no limit", change: "-" },
      { of: "plan lite", term: "models *", before: "yes", after: "none", change: "gone" },
      { of: "plan lite", term: "models openai/*", before: "none", after: "yes", change: "new" },
    ]);
  });

  it("of models is one line for one that goes, and all rates of one that comes", () => {
    const changes = changesOf((copy) => {
      copy.models = copy.models.filter(({ id }) => id !== mini);
      const [first] = copy.models;
      if (!first) throw new Error("the catalog is empty");
      const price = { mode: "per_image", unit_price: "0.2" } as const;
      copy.models.push({ ...first, id: "acme/new", aliases: ["newest"], price });
    });
    const aliases = modelOf(catalog, mini).aliases.map((name) => `alias ${name}`);
    expect(changes.filter(({ change }) => change === "gone").map(({ of }) => of)).toEqual([mini, ...aliases]);
    expect(changes.filter(({ change }) => change === "new")).toEqual([
      { of: "acme/new", term: "mode", before: "none", after: "per_image", change: "new" },
      { of: "acme/new", term: "unit_price", before: "none", after: "0.2", change: "new" },
      { of: "acme/new", term: "discount_rate", before: "none", after: "1", change: "new" },
      { of: "alias newest", term: "model", before: "none", after: "acme/new", change: "new" },
    ]);
  });

  it("of a name's model, of a discount and of the worth of a point is one too", () => {
    const changes = changesOf((copy) => {
      const [first, second] = copy.models;
      if (!first || !second) throw new Error("the catalog is too small");
      second.aliases.push("moved");
      second.discount_rate = "0.9";
      copy.currency = { code: "CNY", points_per_unit: "100" };
    });
    expect(changes.map(({ of, term, after }) => [of, term, after])).toEqual(
      expect.arrayContaining([
        [catalog.models[1]?.id, "discount_rate", "0.9"],
        ["alias moved", "model", catalog.models[1]?.id],
        ["currency", "code", "CNY"],
        ["currency", "points_per_unit", "100"],
      ]),
    );
  });

  it("of what points are sold for is one too", () => {
    const changes = changesOf(({ recharge }) =>
      Object.assign(recharge?.CNY ?? {}, { points_per_unit: "0.5" }),
    );
    expect(changes).toEqual([
      { of: "recharge CNY", term: "points_per_unit", before: "1", after: "0.5", change: "-50 %" },
    ]);
  });

  it("from nothing has no per cent", () => {
    const [change] = offerChanges({ a: { input: "0" } }, { a: { input: "1" } });
    expect(change?.change).toBe("from 0");
  });
});

describe("a digest", () => {
  it("is that of exactly these changes", () => {
    const one = changesOf(({ plans: { lite } }) => Object.assign(lite?.price ?? {}, { monthly: "130" }));
    const other = changesOf(({ plans: { lite } }) => Object.assign(lite?.price ?? {}, { monthly: "131" }));
    expect(digestOf(one)).toMatch(/^[0-9a-f]{12}$/);
    expect(digestOf(one)).toBe(digestOf(structuredClone(one)));
    expect(digestOf(one)).not.toBe(digestOf(other));
  });
});
