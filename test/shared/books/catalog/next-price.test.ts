/** A price that changes on a known day: from when calls cost it, what lists say before, and what may not be announced. */
import { describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createCatalog, wholePrices } from "#shared/books/catalog/models.ts";
import { nextChange, offeredPrice } from "#shared/books/catalog/next-price.ts";
import { type CatalogError, parseCatalog } from "#shared/books/catalog/schema.ts";
import { compare } from "#shared/books/prices/drift.ts";
import { readAmount } from "#shared/books/prices/numbers.ts";
import { offerChanges, offerOf, offerOn, priceChanges } from "#shared/books/prices/offer.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createModelList } from "#shared/edges/console/operations/models.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { ownModel } from "#shared/edges/operator/own-model.ts";
import { rates, sample, set } from "#test/support/catalog.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const day = "2026-12-15";
const from = Date.UTC(2026, 11, 15);
const dearer = { mode: "flat_tokens", ...rates, input: "3" } as const;

/** The sample, whose models at these places announce a price. */
const announcing = (...announced: [at: number, next: object][]) =>
  announced.reduce<unknown>((json, [at, next]) => set(json, `models.${at}.next_price`, next), sample());
const catalogWith = (...announced: [at: number, next: object][]) =>
  createCatalog(parseCatalog(announcing(...announced)));
const problemsOf = (...announced: [at: number, next: object][]): readonly string[] => {
  try {
    parseCatalog(announcing(...announced));
    return [];
  } catch (error) {
    return (error as CatalogError).problems;
  }
};
const sonic = (catalog: ReturnType<typeof createCatalog>) => {
  const model = catalog.find("acme/sonic-1.5");
  if (!model) throw new Error("no model");
  return model;
};

describe("an announced price", () => {
  const catalog = catalogWith([0, { from: day, price: dearer }]);
  const model = sonic(catalog);

  test("is that of calls from the first instant of its day in UTC, and of none before", () => {
    expect(catalog.price(model, from - 1).price).toEqual({ mode: "flat_tokens", ...rates });
    expect(catalog.price(model, from).price).toEqual(dearer);
    expect(catalog.price(model, from)).toBe(catalog.price(model, from + 1e9));
  });

  test("has the version that it would have as the price itself", () => {
    const later = createCatalog(
      parseCatalog(set(set(sample(), "models.0.pricing_group", null), "models.0.price", dearer)),
    );
    expect(catalog.price(model, from).version).toBe(later.price(sonic(later), 0).version);
  });

  test("may be a discount alone, or both", () => {
    const [cheaper, both] = [{ discount_rate: "0.5" }, { discount_rate: "0.5", price: dearer }].map(
      (next) => {
        const other = catalogWith([0, { from: day, ...next }]);
        const { price, discount_rate } = other.price(sonic(other), from);
        return { price, discount_rate };
      },
    );
    expect(cheaper).toEqual({ price: { mode: "flat_tokens", ...rates }, discount_rate: "0.5" });
    expect(both).toEqual({ price: dearer, discount_rate: "0.5" });
  });

  test("is found by its version, as the price before is, so both are kept in the history", () => {
    const find = wholePrices(catalog);
    const [before, after] = [from - 1, from].map((at) => catalog.price(model, at));
    expect(before?.version).not.toBe(after?.version);
    for (const each of [before, after]) expect(find(model.id, each?.version ?? "")).toBe(each);
    expect(find(model.id, "000000000000")).toBeUndefined();
  });

  test("stands in lists before its day, and is the price from then on", () => {
    expect(offeredPrice(model, from - 1)).toEqual({
      price: { mode: "flat_tokens", ...rates },
      discount_rate: "1",
      next_price: { from: day, price: dearer, discount_rate: "1" },
    });
    expect(offeredPrice(model, from)).toEqual({ price: dearer, discount_rate: "1" });
    expect(offeredPrice(sonic(catalogWith()), from)).not.toHaveProperty("next_price");
  });

  test("makes the console's list anew on its day, and not before", () => {
    const list = createModelList({ catalog });
    const priceAt = (at: number) => {
      const request = { query: new URLSearchParams(), headers: {}, received_at: at };
      const { body, headers = {} } = list({ request } as never);
      const { data } = JSON.parse(String(body)) as { data: { price: { input: string } }[] };
      return [data[0]?.price.input, headers.etag];
    };
    const seen = [from - 10_000, from - 1, from, from + 1].map(priceAt);
    expect(seen.map(([input]) => input)).toEqual(["2.5", "2.5", "3", "3"]);
    const [, before, after, later] = seen.map(([, etag]) => etag);
    expect([seen[0]?.[1], later]).toEqual([before, after]);
    expect(after).not.toBe(before);
  });
});

test("the next change of many is the first one that has not come", () => {
  const models = ["2026-12-20", day].map((each) => ({ next_price: { from: each } }));
  expect(nextChange([...models, {}], from - 1)).toBe(from);
  expect(nextChange(models, from)).toBe(Date.UTC(2026, 11, 20));
  expect(nextChange(models, Date.UTC(2027, 0))).toBe(Number.POSITIVE_INFINITY);
});

describe("what cannot be announced", () => {
  const image = { mode: "per_image", unit_price: "0.05" };
  test.each<[string, number, object, string]>([
    ["nothing", 0, {}, "models[0].next_price: must have `price` or `discount_rate`"],
    [
      "a day that is none",
      0,
      { from: "2026-02-30", discount_rate: "1" },
      "models[0].next_price.from: must be a day",
    ],
    ["a price of other things", 0, { price: image }, "next_price.price.mode: per_image does not price chat"],
    ["a discount above ten", 0, { discount_rate: "11" }, "next_price.discount_rate: must be at most 10"],
    [
      "a price without a resolution that videos have",
      2,
      { price: { mode: "per_second", by_resolution: { "480p": "0.02" } } },
      "next_price.price.by_resolution: must have 720p",
    ],
    [
      "a switch that the price of now has not",
      0,
      { price: { ...dearer, rates: { tools: { web_search: "0.01" } } } },
      "next_price.price.rates.tools: must be for the same names",
    ],
    [
      "what the price is now",
      1,
      { price: { mode: "per_image", unit_price: "0.04" } },
      "next_price: is the price of now",
    ],
    ["another field", 0, { discount_rate: "1", pricing_group: "shared" }, "models[0].next_price: "],
  ])("%s", (_, at, next, problem) => {
    expect(problemsOf([at, { from: day, ...next }]).join("\n")).toContain(problem);
  });

  test("a price without a rate for tokens that have one now", () => {
    const json = set(announcing([0, { from: day, price: dearer }]), "models.0.price", {
      ...{ mode: "flat_tokens", ...rates, rates: { cache_write_1h: "5" } },
    });
    expect(() => parseCatalog(json)).toThrow("next_price.price.rates.cache_write_1h: must be given");
  });

  test("a discount at which a share of our fee would be rounded", () => {
    const json = set(announcing([0, { from: day, discount_rate: "0.333333" }]), "byok_fee", {
      share: "0.05",
    });
    expect(() => parseCatalog(json)).toThrow("0.05 × 0.333333, a discount_rate of acme/Sonic-1-5");
  });
});

test("a next price that is in force is to be made the price, says the check", () => {
  const warnings = (at: number) => checkCatalog(announcing([0, { from: day, price: dearer }]), at).warnings;
  const told = /^acme\/Sonic-1-5: its next_price is in force since 2026-12-15/;
  expect([from - 1, from].map((at) => warnings(at).some((line) => told.test(line)))).toEqual([false, true]);
});

test("an announcement is a change of the offer, which a deployment shows and has confirmed", () => {
  const [before, after] = [sample(), announcing([0, { from: day, price: dearer }])].map((json) =>
    offerOf(parseCatalog(json)),
  );
  const changes = offerChanges(before ?? {}, after ?? {});
  expect(changes).toContainEqual({
    of: "acme/Sonic-1-5",
    ...{ term: "next_price from", before: "none", after: day, change: "new" },
  });
  expect(changes).toContainEqual({
    of: "acme/Sonic-1-5",
    ...{ term: "next_price input", before: "2.5", after: "3", change: "+20 %" },
  });
  expect(changes).toHaveLength(2);
});

describe("an offer on a day", () => {
  const own = (price: object) => set(set(sample(), "models.0.pricing_group", null), "models.0.price", price);
  const [announced, plain, later] = [
    announcing([0, { from: day, price: dearer }]),
    sample(),
    own(dearer),
  ].map((json) => offerOf(parseCatalog(json)));
  const changes = (before = {}, after = {}, on: string) =>
    offerChanges(offerOn(before, on), offerOn(after, on)).map(({ term }) => term);

  test("has a next price as the price once its day has come, so to write it there changes nothing", () => {
    expect(changes(announced, later, "2026-12-14")).toContain("input");
    expect(changes(announced, later, day)).toEqual([]);
  });

  test("shows a next price whose day has come as what it is: a price that changes at once", () => {
    expect(changes(plain, announced, day)).toEqual(["input"]);
    expect(changes(announced, plain, day)).toEqual(["input"]);
    expect(changes(announced, plain, "2026-12-14").sort()).toEqual(["next_price from", "next_price input"]);
  });
});

test("a list's price is not written beside a next price, and is said to be left", () => {
  const catalog = parseCatalog(announcing([0, { from: day, price: dearer }]));
  const listed = { provider: "acme", name: "upstream", others: [], rates: {}, tiers: [], about: {} } as never;
  const { drift, prices } = compare(catalog, [listed], {
    ...{
      pointsPerUsd: readAmount("1") as never,
      as_of: "2026-12-01",
      providers: new Map(),
      wanted: () => true,
    },
  });
  expect(drift.unpriced).toContainEqual({
    ...{ model: "acme/Sonic-1-5", why: `it has a next_price from ${day}: set both by hand` },
  });
  expect(prices.has("acme/Sonic-1-5")).toBe(false);
});

test("a model that is made like another one gets its price of the day, and the one that follows", () => {
  const catalog = parseCatalog(announcing([0, { from: day, price: dearer }]));
  const [like] = catalog.models;
  if (!like) throw new Error("no model");
  const wish = {
    ...{ like, price: "like" as const, provider: "vllm", name: "sonic", upstream: "sonic" },
    ...{ context_tokens: undefined, output_tokens: undefined },
  };
  const priceAt = (now: number) => {
    const { price, next_price } = ownModel({ ...wish, now }, catalog);
    return [price?.mode === "flat_tokens" && price.input, next_price !== undefined];
  };
  expect([priceAt(from - 1), priceAt(from)]).toEqual([
    ["2.5", true],
    ["3", false],
  ]);
});

test("changes of a price are one text, and a long one says how many more there are", () => {
  const old = { mode: "flat_tokens", ...rates, discount_rate: "1" };
  expect(priceChanges(old, { ...old, input: "3", output: "10.0", discount_rate: "0.5" })).toBe(
    "input: 2.5 → 3 (+20 %); discount_rate: 1 → 0.5 (-50 %)",
  );
  const many = (points: string) => ({
    by: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`r${at}`, points])),
  });
  expect(priceChanges(many("1"), many("2"))).toMatch(/r19: 1 → 2 \(\+100 %\); 10 more$/);
});

describe("calls around midnight", () => {
  const scenario = useScenario();

  test("are held for and charged at the price of the instant at which they came", async () => {
    const next = { from: day, discount_rate: "0.5" };
    scenario.memory = createMemory(set(testCatalog(scenario.upstream.url), "models.0.next_price", next));
    scenario.key = scenario.memory.addKey();
    scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
    scenario.upstream.on((_, response) => response.end(JSON.stringify(completion)));
    const costAt = async (at: number) => {
      await scenario.chat({ at });
      const [event, hold] = [scenario.memory.events.at(-1), scenario.memory.holds.at(-1)];
      return [
        parsePoints(event?.cost_points ?? "0"),
        hold?.points ?? 0n,
        event?.price.discount_rate,
      ] as const;
    };
    const [before, after] = [await costAt(from - 1), await costAt(from)];
    expect(before[0]).toBeGreaterThan(0n);
    expect(before).toEqual([after[0] * 2n, after[1] * 2n, "1"]);
    expect(after[2]).toBe("0.5");
  });
});
