/** Prices: the vectors of the contract's rules, computed by hand, and the laws that hold for every price. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { noUsage, type Usage } from "#shared/books/billing/usage.ts";
import {
  byInput,
  byTotal,
  count,
  flat,
  perImage,
  perSecond,
  pinned,
  seed,
  tokens,
} from "#test/support/prices.ts";

const vectors: [
  name: string,
  price: Price,
  discount: string,
  usage: Usage,
  points: string,
  tier: string | null,
][] = [
  ["input and output", flat, "1", tokens(1000, 500), "0.0075", null],
  ["all four, discounted", flat, "0.85", tokens(1234, 567, 8901, 234), "0.009954775", null],
  ["no usage", flat, "1", noUsage, "0", null],
  ["one token is not rounded", { ...flat, input: "0.02" }, "0.000001", tokens(1), "0.00000000000002", null],
  ["OpenAI usage 1000 of which 400 cached", flat, "1", tokens(600, 100, 400), "0.0026", null],
  ["Anthropic usage with both cached counts", flat, "1", tokens(600, 100, 400, 50), "0.00275625", null],
  ["on a breakpoint", byInput, "1", tokens(32_000, 1000), "0.0336", "input_tokens 0-32000"],
  ["one token above it", byInput, "1", tokens(32_001, 1000), "0.0544012", "input_tokens 32001-128000"],
  [
    "cached input counts for the tier",
    byInput,
    "1",
    tokens(1, 0, 32_000),
    "0.0051212",
    "input_tokens 32001-128000",
  ],
  ["the last tier is open", byInput, "1", tokens(128_001), "0.3072024", "input_tokens 128001-"],
  [
    "output does not count for an input tier",
    byInput,
    "1",
    tokens(1, 900_000),
    "7.2000008",
    "input_tokens 0-32000",
  ],
  ["total on a breakpoint", byTotal, "1", tokens(3000, 1000), "0.008", "total_tokens 0-4000"],
  ["only the output tier moves", byTotal, "1", tokens(3000, 1001), "0.01301", "total_tokens 4001-8000"],
  ["both have moved", byTotal, "1", tokens(7000, 1001), "0.02401", "total_tokens 8001-200000"],
  ["images", perImage, "0.95", { ...noUsage, generated_images: 3 }, "0.57", null],
  ["seconds", perSecond, "1", { ...noUsage, video_seconds: 5 }, "1.25", null],
];

describe("charge", () => {
  test.each(vectors)("%s", (_name, price, discount, usage, points, tier) => {
    const bill = charge(usage, pinPrice(price, discount), { resolution: "720p" });
    expect(formatPoints(bill.points)).toBe(points);
    expect(bill.tier).toBe(tier);
    expect(bill.lines.reduce((sum, line) => sum + line.points, 0n)).toBe(bill.points);
  });

  test("the bill names what was counted at which price", () => {
    const { lines } = charge(tokens(1000, 0, 2000), pinPrice(flat, "0.5"));
    expect(lines).toEqual([
      { dimension: "input_tokens", quantity: 1000, unit_price: "2.5", points: 1_250_000_000_000_000n },
      { dimension: "cache_read_tokens", quantity: 2000, unit_price: "0.25", points: 250_000_000_000_000n },
    ]);
  });

  test.each([
    ["a negative count", flat, "1", tokens(-1)],
    ["a fraction", flat, "1", tokens(1.5)],
    ["no count", flat, "1", tokens(Number.NaN)],
    ["a signed price", { ...flat, input: "-1" } as Price, "1", tokens(1)],
    ["seven decimals", flat, "0.1234567", tokens(1)],
    ["a resolution without a price", perSecond, "1", noUsage],
  ])("refuses %s", (_name, price, discount, usage) => {
    expect(() => charge(usage, pinPrice(price, discount), { resolution: "8k" })).toThrow(RangeError);
  });

  test("a resolution is a name of the price's own", () => {
    expect(() => charge(noUsage, pinPrice(perSecond, "1"), { resolution: "constructor" })).toThrow(
      RangeError,
    );
  });
});

describe("a pinned price", () => {
  test("has one version, whatever the order of its fields", () => {
    const turned = Object.fromEntries(Object.entries(flat).reverse()) as unknown as Price;
    expect(pinPrice(turned, "1").version).toBe(pinPrice(flat, "1").version);
    expect(pinPrice(flat, "1").version).toMatch(/^[0-9a-f]{12}$/);
    expect(pinPrice(flat, "0.9").version).not.toBe(pinPrice(flat, "1").version);
  });
});

describe("laws", () => {
  test("a hold covers every usage within its bounds", () => {
    fc.assert(
      fc.property(pinned, count, count, count, count, count, count, (price, i, o, r, w, moreIn, moreOut) => {
        const bounds = { input_tokens: i + r + w + moreIn, output_tokens: o + moreOut };
        expect(holdPoints(bounds, price) >= charge(tokens(i, o, r, w), price).points).toBe(true);
      }),
      { seed, numRuns: 2000 },
    );
  });

  test("a hold is no larger than the dearest usage within its bounds", () => {
    const few = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(pinned, few, few, (price, input_tokens, output_tokens) => {
        let dearest = 0n;
        for (let all = 0; all <= input_tokens; all++) {
          for (let output = 0; output <= output_tokens; output++) {
            for (const usage of [tokens(all, output), tokens(0, output, all), tokens(0, output, 0, all)]) {
              const { points } = charge(usage, price);
              if (points > dearest) dearest = points;
            }
          }
        }
        expect(holdPoints({ input_tokens, output_tokens }, price)).toBe(dearest);
      }),
      { seed, numRuns: 300 },
    );
  });

  test("within a tier, two usages cost what they cost apart", () => {
    const usage = fc.tuple(count, count, count, count);
    fc.assert(
      fc.property(pinned, usage, usage, (price, [i, o, r, w], [i2, o2, r2, w2]) => {
        const first = charge(tokens(i, o, r, w), price);
        const second = charge(tokens(i2, o2, r2, w2), price);
        const both = charge(tokens(i + i2, o + o2, r + r2, w + w2), price);
        fc.pre(first.tier === both.tier && second.tier === both.tier);
        expect(first.points + second.points).toBe(both.points);
      }),
      { seed },
    );
  });

  test("at most 3000 in and 1000 out, all of it on the dearest input price", () => {
    const bounds = { input_tokens: 3000, output_tokens: 1000 };
    expect(formatPoints(holdPoints(bounds, pinPrice({ ...byTotal, cache_write: "1" }, "1")))).toBe("0.008");
    expect(formatPoints(holdPoints(bounds, pinPrice(byTotal, "1")))).toBe("0.00875");
  });

  test("images and seconds are held as they are priced", () => {
    const bounds = { input_tokens: 100, output_tokens: 0 };
    expect(formatPoints(holdPoints({ ...bounds, images: 4 }, pinPrice(perImage, "0.5")))).toBe("0.4");
    expect(
      formatPoints(holdPoints({ ...bounds, seconds: 15, resolution: "1080p" }, pinPrice(perSecond, "1"))),
    ).toBe("9");
  });
});
