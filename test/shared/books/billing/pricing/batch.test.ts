/** Batch rates: a catalog keeps them, and no call is held for, charged by or flagged because of them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import { pinPrice, withRatesOf } from "#shared/books/billing/pricing/pin-price.ts";
import type { Price, Rates } from "#shared/books/billing/pricing/price.ts";
import { type Switch, ways } from "#shared/books/billing/pricing/rates.ts";
import type { Usage } from "#shared/books/billing/usage.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { miscalculations } from "#shared/edges/audit/entries.ts";
import { sample, set } from "#test/support/catalog.ts";
import {
  anyDetails,
  byInput,
  byTotal,
  count,
  flat,
  perImage,
  perSecond,
  pinnedWithRates,
  seed,
  switched,
  tokens,
} from "#test/support/prices.ts";
import { eventOf, walletHold } from "#test/support/store.ts";

const half = { ...flat, input: "1.25", output: "5" };
const batched: Price = { ...switched, rates: { ...switched.rates, batch: half } };

/** Hashes of before there were batch rates: entries name their prices by them. */
const versions: [name: string, price: Price, version: string][] = [
  ["flat", flat, "08ff333a520d"],
  ["by input", byInput, "6e2771274469"],
  ["by total", byTotal, "3bbf9fb65ddc"],
  ["of pictures", perImage, "8f958d321faa"],
  ["of seconds", perSecond, "55748ec27c7d"],
  ["with rates", switched, "3649eaf53132"],
];

describe("the version of a price", () => {
  test.each(versions)("without batch rates is what it was: %s", (_name, price, version) => {
    expect(pinPrice(price, "0.95").version).toBe(version);
  });

  test("is another one with batch rates, and with others", () => {
    const dearer: Price = { ...switched, rates: { ...switched.rates, batch: flat } };
    const all = [switched, batched, dearer].map((price) => pinPrice(price, "0.95").version);
    expect(new Set(all).size).toBe(3);
  });
});

describe("batch rates", () => {
  test("change no charge and no hold, whatever a provider reports and a request asks for", () => {
    const used = fc.tuple(count, count, anyDetails, fc.boolean());
    const field = "any";
    const switches: Switch[] = [
      ...ways.map((kind) => ({ field, kind, name: "auto" })),
      ...["batch", "priority"].map((name) => ({ field, kind: "service_tier" as const, name })),
      { field, kind: "tool", name: "web_search", calls: 3 },
    ];
    const seen = { with: 0 };
    fc.assert(
      fc.property(pinnedWithRates, used, (full, [input, output, details, isBatch]) => {
        const { batch, ...rates }: Rates = full.price.rates ?? {};
        if (batch) seen.with += 1;
        const bare = pinPrice({ ...full.price, rates } as Price, full.discount_rate);
        const told = { ...details, ...(isBatch && { service_tier: "batch" }) };
        const usage: Usage = { ...tokens(input, output), details: told };
        expect(charge(usage, full)).toEqual(charge(usage, bare));
        const bounds = { input_tokens: input, output_tokens: output, switches };
        expect(holdPoints(bounds, full)).toBe(holdPoints(bounds, bare));
      }),
      { seed, numRuns: 1000 },
    );
    expect(seen.with).toBeGreaterThan(300);
  });

  test("stay out of what an event carries, and its entry has the price of the history all the same", () => {
    const whole = pinPrice(batched, "1");
    const carried = withRatesOf(whole);
    expect(carried).toEqual({ ...whole, price: flat });
    const more = { price: carried, usage: tokens(1_000_000), list_points: "2.5" };
    const event = eventOf(walletHold("w", "9"), "2.5", more);
    const known = { ...whole, model: event.model, since: 1 };
    expect(miscalculations(event, known)).toEqual([]);
    expect(miscalculations({ ...event, cost_points: "1.25" }, known)).toEqual([
      "has the cost_points 1.25, not 2.5",
    ]);
  });
});

test("a catalog has prices of their own for them, and no factor", () => {
  const parsed = (price: unknown) => parseCatalog(set(sample(), "models.0.price", price));
  expect(parsed(batched).models[0]?.price).toEqual(batched);
  expect(() => parsed({ ...flat, rates: { batch: "0.5" } })).toThrow("price.rates.batch");
  expect(() => parsed({ ...flat, rates: { batch: perImage } })).toThrow("price.rates.batch");
});
