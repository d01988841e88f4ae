/**
 * Rates of what a request can switch on: the laws of bills and holds, events with and without them, and their check.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { parseDecimal } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { explain } from "#shared/books/billing/pricing/explain.ts";
import { holdPoints, type UsageBounds } from "#shared/books/billing/pricing/hold-points.ts";
import { unitOf } from "#shared/books/billing/pricing/line.ts";
import { pinPrice, withRatesOf } from "#shared/books/billing/pricing/pin-price.ts";
import { isStandard, type Switch } from "#shared/books/billing/pricing/rates.ts";
import { countedIn, tokenKinds, type UsageDetails, withDetails } from "#shared/books/billing/usage.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { parseUsageEvent } from "#shared/books/ledger/usage-event.ts";
import { sample, set } from "#test/support/catalog.ts";
import {
  anyDetails,
  count,
  flat,
  perImage,
  pinnedWithRates,
  seed,
  switched,
  tokens,
} from "#test/support/prices.ts";

const usage = tokens(1000, 500, 2000, 300);

/** A line by hand: quantity × unit price ÷ per × discount, in 10⁻¹⁸ points. */
const byHand = (quantity: number, unit_price: string, per: number, discount: string): bigint =>
  (BigInt(quantity) * parseDecimal(unit_price, 6) * parseDecimal(discount, 6) * 1_000_000n) / BigInt(per);

const allSwitches = (details: UsageDetails): Switch[] => [
  ...(["service_tier", "speed", "inference_geo"] as const).flatMap((kind) =>
    details[kind] === undefined || isStandard(kind, details[kind])
      ? []
      : [{ field: kind, kind, name: details[kind] }],
  ),
  ...tokenKinds.map((name) => ({ field: name, kind: "tokenKind" as const, name })),
  ...Object.entries(details.calls ?? {}).map(([name, calls]) => ({
    field: name,
    kind: "tool" as const,
    name,
    calls,
  })),
];

describe("laws", () => {
  const counts = fc.tuple(count, count, count, count).map(([i, o, r, w]) => tokens(i, o, r, w));

  test("the lines add up to the charge, each computed by hand, and count every token once", () => {
    fc.assert(
      fc.property(pinnedWithRates, counts, anyDetails, (price, base, details) => {
        const bill = explain(withDetails(base, details), price);
        expect(bill.lines.reduce((sum, { points }) => sum + points, 0n)).toBe(bill.points);
        for (const line of bill.lines) {
          expect(line.points).toBe(byHand(line.quantity, line.unit_price, unitOf(line), price.discount_rate));
        }
        for (const [dimension, quantity] of Object.entries(base)) {
          const own = [
            dimension,
            ...tokenKinds.filter((kind) => countedIn[kind] === dimension).map((kind) => `${kind}_tokens`),
          ];
          const counted = bill.lines.filter((line) => own.includes(line.dimension));
          expect(counted.reduce((sum, line) => sum + line.quantity, 0)).toBe(quantity);
        }
      }),
      { seed, numRuns: 2000 },
    );
  });

  test("a charge is the same by the rates that its event carries", () => {
    fc.assert(
      fc.property(pinnedWithRates, counts, anyDetails, (price, base, details) => {
        const used = withDetails(base, details);
        const { points, unpriced } = charge(used, price);
        const carried = withRatesOf(price, used.details);
        expect(charge(used, carried)).toMatchObject({ points, unpriced });
        expect(carried.version).toBe(price.version);
      }),
      { seed, numRuns: 2000 },
    );
  });

  test("a hold covers every usage that its switches let come", () => {
    fc.assert(
      fc.property(
        pinnedWithRates,
        counts,
        anyDetails,
        count,
        count,
        (price, base, details, moreIn, moreOut) => {
          const bounds: UsageBounds = {
            input_tokens: base.input_tokens + base.cache_read_tokens + base.cache_write_tokens + moreIn,
            output_tokens: base.output_tokens + moreOut,
            switches: allSwitches(details),
          };
          expect(holdPoints(bounds, price) >= charge(withDetails(base, details), price).points).toBe(true);
        },
      ),
      { seed, numRuns: 2000 },
    );
  });
});

describe("an event", () => {
  const event = {
    version: 1,
    id: newId("request", 1),
    kind: "chat",
    organization: "o",
    project: "p",
    key: "k",
    model: "m",
    mode: "payg",
    meter: "w",
    shard: 0,
    admitted_at: 1,
    ended_at: 2,
    usage,
    price: pinPrice(flat, "1"),
    cost_points: "0",
    list_points: "0",
    calls: 1,
    evidence: "reported",
    source: "gateway",
    outcome: "completed",
    flags: [],
    user: null,
    provider: null,
    attempts: 1,
  };
  const read = (more: object) => parseUsageEvent(JSON.stringify({ ...event, ...more })).usage;

  test("without details is read as it was written before there were any", () => {
    expect(read({})).toEqual(usage);
  });

  test("is read with its details, which must be counts", () => {
    const used = withDetails(usage, {
      tokens: { cache_write_1h: 2 },
      calls: { web_search: 1 },
      service_tier: "flex",
    });
    expect(read({ usage: used })).toEqual(used);
    expect(() => read({ usage: { ...usage, details: { calls: { web_search: -1 } } } })).toThrow(TypeError);
  });

  test("of an ordinary call carries no rates", () => {
    expect(withRatesOf(pinPrice(switched, "1")).price).toEqual(flat);
  });
});

describe("a catalog", () => {
  const problems = (price: unknown): string => {
    try {
      parseCatalog(set(sample(), "models.0.price", price));
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("takes every rate", () => {
    expect(problems(switched)).toBe("");
    expect(problems({ ...perImage, rates: { tools: { web_search: "0.01" } } })).toContain(
      "does not price chat",
    );
  });

  test.each<[string, object, string]>([
    ["a rate nobody knows", { smell_input: "1" }, "smell_input"],
    ["a rate that is no decimal", { audio_input: 3 }, "price.rates.audio_input"],
    [
      "a multiplier that is none",
      { service_tier: { priority: "x" } },
      "price.rates.service_tier.priority: must be",
    ],
    [
      "prices of a tier that lack one",
      { service_tier: { flex: { mode: "flat_tokens", input: "1", output: "1", cache_read: "1" } } },
      "price.rates.service_tier.flex.cache_write",
    ],
    [
      "a tier that is the price itself",
      { service_tier: { default: "2" } },
      "default is charged the price itself",
    ],
    [
      "a product of over six decimals",
      { speed: { fast: "1.0001" }, inference_geo: { us: "1.001" } },
      "six decimals",
    ],
  ])("refuses %s", (_name, given, problem) => {
    expect(problems({ ...flat, rates: given })).toContain(problem);
  });
});
