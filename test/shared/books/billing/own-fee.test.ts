/** The fee for calls that an organization's own key has paid: exact, and never more than it says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isExactShare, isOwnFee, ownFeeOf } from "#shared/books/billing/own-fee.ts";
import { formatDecimal, parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";

const rate = fc.bigInt({ min: 0n, max: 10_000_000n }).map((value) => formatDecimal(value, 6));
const share = fc.bigInt({ min: 0n, max: 1_000_000n }).map((value) => formatDecimal(value, 6));

test("a share that the catalog takes is exact for every call: so many times the fee is so much of the value", () => {
  fc.assert(
    fc.property(share, rate, rate, fc.nat(10_000_000), (part, discount, input, tokens) => {
      fc.pre(isExactShare(part, discount));
      const price = { mode: "flat_tokens", input, output: "0", cache_read: "0", cache_write: "0" } as const;
      const { points } = charge({ ...noUsage, input_tokens: tokens }, pinPrice(price, discount));
      const fee = ownFeeOf({ share: part }, points);
      expect(fee * 10n ** 18n).toBe(points * parsePoints(part));
      expect(fee).toBeLessThanOrEqual(points);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("points for each call do not depend on it", () => {
  expect(ownFeeOf({ call: "0.002" }, 0n)).toBe(parsePoints("0.002"));
  expect(ownFeeOf({ call: "0.002" }, parsePoints("5"))).toBe(parsePoints("0.002"));
});

test("what is no fee is known", () => {
  for (const fee of [{ share: "0" }, { share: "0.05" }, { share: "1" }, { call: "0.000001" }, { call: "12" }])
    expect(isOwnFee(fee)).toBe(true);
  const wrong = [null, {}, "0.05", { share: "1.5" }, { share: "-0.1" }, { share: 0.05 }, { call: "-1" }];
  for (const fee of [...wrong, { share: "0.05", call: "1" }]) expect(isOwnFee(fee)).toBe(false);
});
