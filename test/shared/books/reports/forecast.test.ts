/** The forecast as calculation: with the prices that calls were made at, it says what the ledger says. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OwnFee } from "#shared/books/billing/own-fee.ts";
import { formatPoints, onePoint, parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { PinnedPrice, Price } from "#shared/books/billing/pricing/price.ts";
import { withUnasked } from "#shared/books/billing/pricing/rates.ts";
import { noUsage, withDetails } from "#shared/books/billing/usage.ts";
import type { Model } from "#shared/books/catalog/catalog.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { Forecast, type ForecastCatalog } from "#shared/books/reports/forecast/forecast.ts";
import { replayCall } from "#shared/books/reports/forecast/replay.ts";
import { catalogOf, endedCall } from "#test/support/forecasts.ts";
import {
  anyDetails,
  count,
  flat,
  micro,
  perImage,
  perSecond,
  pinned,
  pinnedWithRates,
  seed,
  tokens,
} from "#test/support/prices.ts";

const half: OwnFee = { share: "0.5" };
const payer = { id: "org_1", name: "Acme", subscription: null };

const one = pinPrice(flat, "1");

/** Prices of every mode. Their discounts are even, so that half of a charge is a whole number of 10⁻¹⁸ points. */
const anyPrice: fc.Arbitrary<PinnedPrice> = fc
  .tuple(
    fc.oneof(
      pinned,
      pinnedWithRates,
      ...[perImage, perSecond].map((each) => fc.constant(pinPrice(each, "1"))),
    ),
    fc.integer({ min: 0, max: 5 }),
  )
  .map(([{ price }, discount]) => pinPrice(price, String(2 * discount)));

/** How a call ends: billed, free, out of the cache, or by the sweeper, which charges so much at most. */
const anyEnd = fc.constantFrom("reported", "estimated", "free", "cache", "swept", "cut");
const anyCall = fc.record({
  price: anyPrice,
  counts: fc.record({
    ...{ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count },
    ...{ generated_images: count, video_seconds: count },
  }),
  details: anyDetails,
  end: anyEnd,
  mode: fc.constantFrom<UsageEvent["mode"]>("payg", "subscription"),
  isOwn: fc.boolean(),
  bound: fc.option(micro.filter((points) => parsePoints(points) > 0n)),
  resolution: fc.constantFrom("480p", "720p", "1080p"),
});

/** A call as gateway and sweep end it, and the catalog that it was made with. */
function made({
  price,
  counts,
  details,
  end,
  mode,
  isOwn,
  bound,
  resolution,
}: typeof anyCall extends fc.Arbitrary<infer Made> ? Made : never) {
  const isSwept = end === "swept" || end === "cut";
  const told = withDetails(counts, details);
  const usage = end === "cache" ? noUsage : end === "free" ? told : withUnasked(told, price.price);
  const isOfPlan = mode === "subscription" && bound !== null;
  const isOfOwnKey = isOwn && end !== "cache" && !isSwept;
  const event = endedCall(
    price,
    usage,
    { mode, ...(isOfOwnKey && { own_fee: half }), ...(isOfPlan && { call_points: bound }) },
    {
      ...{ free: end === "free", evidence: end === "cache" ? "cache" : "reported" },
      ...(end === "estimated" && { evidence: "estimated" }),
      ...(isSwept && { source: "sweeper", evidence: "none", provider: null }),
      ...(end === "cut" && { chargeMax: 1n }),
      ...(price.price.mode === "per_second" && { resolution }),
    },
  );
  return { event, catalog: catalogOf(price, { ownFee: () => half }) };
}

test("with the catalog that a call was made with, it is charged what it was charged", () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(anyCall, (call) => {
      const { event, catalog } = made(call);
      const replayed = replayCall(event, catalog);
      ends.set(call.end, (ends.get(call.end) ?? 0) + 1);
      if ("kept" in replayed) {
        expect([replayed.kept, event.source, event.cost_points]).toEqual([
          "charged_at_hold",
          "sweeper",
          formatPoints(1n),
        ]);
        return;
      }
      expect({
        cost_points: formatPoints(replayed.cost),
        list_points: formatPoints(replayed.list),
        calls: replayed.calls,
        unpriced: replayed.unpriced,
      }).toEqual({
        ...{ cost_points: event.cost_points, list_points: event.list_points, calls: event.calls },
        unpriced: [],
      });
    }),
    { seed, numRuns: 5_000 },
  );
  expect([...ends.keys()].sort()).toEqual(["cache", "cut", "estimated", "free", "reported", "swept"]);
});

test("at twice the discount rate it is charged twice as much, where it is charged at all", () => {
  let charged = 0;
  fc.assert(
    fc.property(anyCall, (call) => {
      const { event, catalog } = made(call);
      const { price, discount_rate } = call.price;
      const twice = pinPrice(price, String(2 * Number(discount_rate)));
      const replayed = replayCall(event, { ...catalog, price: () => twice });
      if ("kept" in replayed) return;
      if (replayed.cost > 0n) charged += 1;
      expect(replayed.cost).toBe(2n * parsePoints(event.cost_points));
      expect(replayed.list).toBe(2n * parsePoints(event.list_points));
    }),
    { seed, numRuns: 5_000 },
  );
  expect(charged).toBeGreaterThan(500);
});

test("the sums of many calls are what they were, in all, by model and by customer", () => {
  const calls = fc.sample(anyCall, { seed, numRuns: 1_000 }).map(made);
  // Each call is of a model of its own.
  const catalogs = new Map(calls.map(({ catalog }, n) => [`acme/${n}`, catalog]));
  const forecast = new Forecast({
    ...catalogOf(one),
    find: (name) => ({ id: name, channels: [] }) as unknown as Model,
    price: (model, at) => (catalogs.get(model.id) as ForecastCatalog).price(model, at),
    ownFee: () => half,
  });
  let charged = 0n;
  for (const [n, { event }] of calls.entries()) {
    const id = `org_${n % 7}`;
    const points = parsePoints(event.cost_points);
    const call = { event: { ...event, model: `acme/${n}` }, charged: points };
    forecast.call(call, { ...payer, id });
    charged += points;
  }
  const { totals, customers, models, over } = forecast.report("0");
  expect([totals.charged_now, over.customers]).toEqual([formatPoints(charged), 0]);
  expect([models.length, customers.length]).toEqual([1_000, 7]);
  for (const row of [totals, ...customers, ...models]) {
    expect(row.charged_then).toBe(row.charged_now);
    expect([row.list_then, row.calls_then, row.difference]).toEqual([row.list_now, row.calls_now, "0"]);
  }
});

const million = tokens(1_000_000);
const at = (price: Price, change: Partial<ForecastCatalog> = {}) => catalogOf(pinPrice(price, "1"), change);

describe("a call that cannot be priced counts as it does now, and says why", () => {
  const video: Partial<UsageEvent> = { kind: "video" };
  test.each<[why: string, event: UsageEvent, catalog: ForecastCatalog]>([
    ["model_gone", endedCall(one, million, { model: "acme/two" }), at(flat)],
    ["other_measure", endedCall(one, million), at(perImage)],
    [
      "no_resolution",
      endedCall(pinPrice(perSecond, "1"), { ...noUsage, video_seconds: 5 }, video, { resolution: "480p" }),
      at({ mode: "per_second", by_resolution: { "720p": "0.25" } }),
    ],
    ["own_key_not_taken", endedCall(one, million, { own_fee: half }), at(flat)],
    ["charged_at_hold", endedCall(one, million, {}, { source: "sweeper", chargeMax: onePoint }), at(flat)],
  ])("%s", (why, event, catalog) => {
    const forecast = new Forecast(catalog);
    forecast.call({ event, charged: parsePoints(event.cost_points) }, payer);
    const { totals, kept, gone } = forecast.report("5");
    const counted = { entries: 1, points: event.cost_points, list_points: event.list_points };
    expect(kept).toEqual([{ reason: why, ...counted }]);
    expect(gone).toEqual(why === "model_gone" ? [{ model: "acme/two", ...counted }] : []);
    expect([totals.charged_then, totals.difference]).toEqual([event.cost_points, "0"]);
  });

  test("a free call of a model that is gone costs nothing, and is none of them", () => {
    const event = endedCall(one, noUsage, { model: "acme/two" }, { free: true });
    expect(replayCall(event, at(flat))).toMatchObject({ cost: 0n, calls: 0 });
  });
});

describe("the other catalog", () => {
  const searched = { ...million, details: { calls: { web_search: 2 } } };
  const searching: Price = { ...flat, rates: { tools: { web_search: "0.01" } } };

  test("has a rate for what was used, or leaves it out and says so", () => {
    const event = endedCall(pinPrice(searching, "1"), searched);
    expect(event.cost_points).toBe("2.52");
    const forecast = new Forecast(at(flat));
    forecast.call({ event, charged: parsePoints("2.52") }, payer);
    const { totals, unpriced } = forecast.report("5");
    expect(totals).toMatchObject({ charged_now: "2.52", charged_then: "2.5", difference: "-0.02" });
    const counted = { entries: 1, points: "2.5", list_points: "2.5" };
    expect(unpriced).toEqual([{ model: "acme/one", what: "web_search", ...counted }]);
    // What had no rate when it was used is nothing new.
    expect(replayCall(endedCall(one, searched), at(flat))).toMatchObject({ unpriced: [] });
  });

  test("asks a fee for a tool that a provider runs unasked, of calls that are billed and not of others", () => {
    const unasked: Price = { ...flat, rates: { unasked: { web_search: "0.03" } } };
    const costs = [
      endedCall(one, million),
      endedCall(one, noUsage, {}, { evidence: "cache" }),
      endedCall(one, noUsage, {}, { free: true }),
    ].map((event) => replayCall(event, at(unasked)));
    expect(costs).toMatchObject([{ cost: parsePoints("2.53") }, { cost: 0n }, { cost: 0n }]);
  });

  test("has a fee for an organization's own key, and a price by which a dear call counts as more", () => {
    const own = endedCall(one, million, { own_fee: { call: "1" } });
    expect(replayCall(own, at(flat, { ownFee: () => half }))).toMatchObject({
      cost: parsePoints("1.25"),
    });
    const dear = endedCall(one, million, { mode: "subscription", call_points: "1" });
    expect(dear.calls).toBe(3);
    expect(replayCall(dear, at({ ...flat, input: "4.5" }))).toMatchObject({ calls: 5, cost: 0n });
  });
});
