/** Money is an integer of the minor unit, and no float ever. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { currencyPlaces, formatMoney, moneyFor, parseMoney, pointsFor } from "#shared/books/billing/money.ts";

test.each([
  ["100.00", "CNY", 10_000],
  ["100", "CNY", 10_000],
  ["0.01", "CNY", 1],
  ["1.5", "USD", 150],
  ["500", "JPY", 500],
  ["1.234", "KWD", 1_234],
])("%s %s is %i", (text, currency, amount) => expect(parseMoney(text, currency)).toBe(amount));

test.each<readonly [string, string]>([
  ...["1e2", "0.001", "-1", "+1", "01", "1.", ".5", "", " 1", "1,00", "Infinity", "NaN", "0x10", "１"].map(
    (text) => [text, "CNY"] as const,
  ),
  ["1.0", "JPY"],
  ["1", "XYZ"],
  ["1", "toString"],
])("%s %s is no amount", (text, currency) => expect(() => parseMoney(text, currency)).toThrow(RangeError));

const currency = fc.constantFrom(...Object.keys(currencyPlaces));
const amount = fc.integer({ min: 0, max: 10 ** 12 });

test("an amount is read as it was written", () => {
  const law = fc.property(currency, amount, (code, minor) => {
    expect(parseMoney(formatMoney(minor, code), code)).toBe(minor);
  });
  fc.assert(law, { seed: 16, numRuns: 500 });
});

test("what an amount is worth buys the amount again, and a bit less buys one unit less", () => {
  const rate = fc.integer({ min: 1, max: 10 ** 9 }).map((millionths) => (millionths / 1e6).toFixed(6));
  const law = fc.property(currency, amount, rate, (code, minor, points_per_unit) => {
    const points = pointsFor(minor, code, points_per_unit);
    expect(moneyFor(points, code, points_per_unit)).toBe(minor);
    if (minor > 0) expect(moneyFor(points - 1n, code, points_per_unit)).toBe(minor - 1);
  });
  fc.assert(law, { seed: 16, numRuns: 500 });
});
