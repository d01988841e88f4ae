/** The reasons of a charge: lines that add up to it, and the tiers that chose their prices. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPoints, parseDecimal } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { explain } from "#shared/books/billing/pricing/explain.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { PinnedPrice, Price } from "#shared/books/billing/pricing/price.ts";
import { noUsage, type Usage } from "#shared/books/billing/usage.ts";
import {
  byInput,
  byTotal,
  count,
  flat,
  micro,
  perImage,
  perSecond,
  pinned,
  seed,
  tokens,
} from "#test/support/prices.ts";

const priced = (price: Price, usage: Usage) => explain(usage, pinPrice(price, "1"), { resolution: "720p" });
const taken = (price: Price, usage: Usage) =>
  priced(price, usage).tiers.map(({ side, tokens, from, up_to }) => [side, tokens, from, up_to]);

describe("the tiers of a charge", () => {
  test.each<[string, Price, Usage, unknown[]]>([
    ["a flat price has none", flat, tokens(1000, 500), []],
    ["on a breakpoint the lower one", byInput, tokens(32_000, 1000), [["call", 32_000, 0, 32_000]]],
    ["one above it the next", byInput, tokens(32_001, 1000), [["call", 32_001, 32_001, 128_000]]],
    ["cached input counts", byInput, tokens(1, 0, 32_000), [["call", 32_001, 32_001, 128_000]]],
    ["the last is open", byInput, tokens(128_001), [["call", 128_001, 128_001, null]]],
    [
      "each side has its own, by the call's total",
      byTotal,
      tokens(3000, 1001),
      [
        ["input", 4001, 0, 8000],
        ["output", 4001, 4001, 200_000],
      ],
    ],
    ["images have none", perImage, { ...noUsage, generated_images: 3 }, []],
    ["seconds have none", perSecond, { ...noUsage, video_seconds: 5 }, []],
  ])("%s", (_name, price, usage, tiers) => {
    expect(taken(price, usage)).toEqual(tiers);
  });

  test("are told in a sentence", () => {
    expect(priced(byTotal, tokens(3000, 1001)).tiers[1]?.reason).toBe(
      "The call has 4001 tokens of input, cached ones included, and output together, so all of its output is " +
        "priced at the tier from 4001 to 200000.",
    );
  });
});

/** A line by hand: quantity × unit price ÷ per × discount, in 10⁻¹⁸ points. */
function byHand(quantity: number, unit_price: string, dimension: string, discount: string): bigint {
  const piece = dimension === "generated_images" || dimension === "video_seconds" ? 1_000_000n : 1n;
  return BigInt(quantity) * parseDecimal(unit_price, 6) * parseDecimal(discount, 6) * piece;
}

const media = fc.oneof(
  micro.map((unit_price): Price => ({ mode: "per_image", unit_price })),
  micro.map((price): Price => ({ mode: "per_second", by_resolution: { "720p": price } })),
);
const anyPinned: fc.Arbitrary<PinnedPrice> = fc.oneof(
  pinned,
  fc.tuple(media, micro).map(([price, discount]) => pinPrice(price, discount)),
);
const anyUsage: fc.Arbitrary<Usage> = fc.record({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  generated_images: count,
  video_seconds: count,
});

describe("laws", () => {
  test("the lines add up to the charge, each computed by hand, in every price mode", () => {
    const modes = new Set<string>();
    fc.assert(
      fc.property(anyPinned, anyUsage, (price, usage) => {
        modes.add(price.price.mode);
        const bill = explain(usage, price, { resolution: "720p" });
        const sum = bill.lines.reduce((total, { points }) => total + points, 0n);
        expect(formatPoints(sum)).toBe(formatPoints(charge(usage, price, { resolution: "720p" }).points));
        for (const { dimension, quantity, unit_price, points } of bill.lines) {
          expect(points).toBe(byHand(quantity, unit_price, dimension, price.discount_rate));
        }
      }),
      { seed, numRuns: 2000 },
    );
    expect(modes.size).toBe(5);
  });

  test("a line's price is the one of the tier that is named", () => {
    fc.assert(
      fc.property(pinned, anyUsage, ({ price, ...pin }, usage) => {
        const { lines, tiers } = explain(usage, { price, ...pin });
        const priceOf = (dimension: string) => lines.find((line) => line.dimension === dimension)?.unit_price;
        for (const { side, tokens: size, from, up_to } of tiers) {
          expect(size >= from && (up_to === null || size <= up_to)).toBe(true);
          if (price.mode === "input_tokens_tiers") {
            const tier = price.tiers.find((each) => each.up_to === up_to);
            expect([tier?.output, undefined]).toContain(priceOf("output_tokens"));
          }
          if (price.mode === "total_tokens_tiers" && side !== "call") {
            const tier = price[side].find((each) => each.up_to === up_to);
            expect([tier?.price, undefined]).toContain(priceOf(`${side}_tokens`));
          }
        }
      }),
      { seed, numRuns: 2000 },
    );
  });
});
