/** Points are exact in and out, and only one spelling of a number is one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPoints, parseDecimal, parsePoints } from "#shared/books/billing/points.ts";

describe("points", () => {
  test.each([
    ["0", 0n],
    ["0.000000000000000001", 1n],
    ["1", 10n ** 18n],
    ["12.5", 125n * 10n ** 17n],
    ["-0.25", -25n * 10n ** 16n],
    ["9007199254740993", 9_007_199_254_740_993n * 10n ** 18n],
    ["100000000000000000000", 10n ** 38n],
  ])("%s is read and written the same", (text, value) => {
    expect(parsePoints(text)).toBe(value);
    expect(formatPoints(value)).toBe(text);
  });

  test.each([
    "",
    "-",
    ".5",
    "1.",
    "+1",
    "1e3",
    "0x10",
    " 1",
    "1 ",
    "1,0",
    "--1",
    "NaN",
    "1.0000000000000000001",
  ])("%j is no amount", (text) => {
    expect(() => parsePoints(text)).toThrow(RangeError);
  });

  test("zeros that say nothing are read and not written", () => {
    expect(formatPoints(parsePoints("007.500"))).toBe("7.5");
    expect(formatPoints(parsePoints("-0.0"))).toBe("0");
  });

  test("every amount survives being written and read", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), (value) => {
        const text = formatPoints(value);
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(parsePoints(text)).toBe(value);
      }),
      { seed: 20261121 },
    );
  });

  test("a price has no sign and at most six decimals", () => {
    expect(parseDecimal("3.125", 6)).toBe(3_125_000n);
    expect(() => parseDecimal("0.0000001", 6)).toThrow(RangeError);
    expect(() => parseDecimal("-1", 6)).toThrow(RangeError);
  });
});
