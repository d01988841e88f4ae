/** Amounts and times between our numbers and Alipay's texts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fenIn, timeIn, timeText, yuanText } from "#shared/people/payments/alipay/amount.ts";

const seeded = { seed: 16, numRuns: 2_000 };
const fen = fc.integer({ min: 0, max: 10 ** 12 });

test("an amount is the same after it was written and read", () => {
  fc.assert(
    fc.property(fen, (amount) => {
      expect(yuanText(amount)).toMatch(/^\d+\.\d\d$/);
      expect(fenIn(yuanText(amount))).toBe(amount);
    }),
    seeded,
  );
});

test("an amount is written as whole-number arithmetic writes it", () => {
  fc.assert(
    fc.property(fen, (amount) => {
      const digits = String(BigInt(amount)).padStart(3, "0");
      expect(yuanText(amount)).toBe(`${digits.slice(0, -2)}.${digits.slice(-2)}`);
    }),
    seeded,
  );
});

test.each([
  ["0.01", 1],
  ["0.1", 10],
  ["1", 100],
  ["1.10", 110],
  ["123.45", 12_345],
  ["0.29", 29],
  ["4.35", 435],
  ["99999999999.99", 9_999_999_999_999],
])("%s yuan are %i fen", (text, amount) => {
  expect(fenIn(text)).toBe(amount);
});

test.each([
  "",
  ".5",
  "1.",
  "01.00",
  "1e2",
  "+1",
  "-1",
  "1.005",
  "1,00",
  "1 ",
  " 1",
  "0x1",
  "NaN",
  "１",
  "1.0\n",
  "100000000000000",
])("%j is no amount", (text) => {
  expect(fenIn(text)).toBeUndefined();
});

test("no text is read as another amount than it says", () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[\d.,eE+-]{1,12}$/));
  fc.assert(
    fc.property(text, (written) => {
      const read = fenIn(written);
      // What was read, written again, is the same text up to zeros at its end.
      if (read !== undefined) expect(Number(yuanText(read))).toBe(Number(written));
    }),
    seeded,
  );
});

test("a time is Beijing's on every machine", () => {
  expect(timeText(Date.UTC(2026, 10, 23, 16, 30, 5))).toBe("2026-11-24 00:30:05");
  expect(timeIn("2026-11-24 00:30:05")).toBe(Date.UTC(2026, 10, 23, 16, 30, 5));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
      expect(timeIn(timeText(seconds * 1000))).toBe(seconds * 1000);
    }),
    seeded,
  );
});

test.each(["", "2026-11-23", "2026-13-01 00:00:00", "2026-11-23T00:00:00Z", "yesterday"])(
  "%j is no time",
  (text) => {
    expect(timeIn(text)).toBeUndefined();
  },
);
