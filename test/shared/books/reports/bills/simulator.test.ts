/** Made-up months with faults of every kind: each is named with its amount, and none is invented. */
import { describe, expect, test } from "vitest";
import { billCauses } from "#shared/books/reports/bills/compare/cell.ts";
import { faults, otherZone, withoutReason } from "#test/support/bills/faults.ts";
import { play, severalFaults } from "#test/support/bills/history.ts";
import { billStyles } from "#test/support/bills/writers.ts";

const named = billCauses.filter((cause) => cause !== "rounding");

describe.each(billStyles.map((style, at) => [style, 100 * at] as const))("bills as %s", (style, first) => {
  test("a perfect bill agrees, also one that is rounded by line", () => {
    const clean = play({ seed: first, style, faults: [] });
    expect(clean.problems).toEqual([]);
    expect(clean.sections.every(({ totals }) => Object.keys(totals.causes).length === 0)).toBe(true);
    const cents = play({ seed: first, style, faults: [faults.rounding] });
    expect(cents.problems).toEqual([]);
    expect(cents.sections.flatMap(({ totals }) => Object.keys(totals.causes))).toEqual(["rounding"]);
  });

  test.each(named.map((cause, at) => [cause, first + at] as const))(
    "%s alone is named: seed %i",
    (cause, seed) => {
      expect(play({ seed, style, faults: [faults[cause]] }).problems).toEqual([]);
      expect(play({ seed, style, faults: [faults.rounding, faults[cause]] }).problems).toEqual([]);
    },
  );

  test("days of another time zone are named", () => {
    expect(play({ seed: first + 20, style, faults: [otherZone] }).problems).toEqual([]);
  });

  test("what has no reason is given none", () => {
    expect(play({ seed: first + 21, style, faults: [withoutReason] }).problems).toEqual([]);
  });

  test("several at once are named each", () => {
    for (let seed = first + 30; seed < first + 36; seed++) {
      const causes = severalFaults(seed);
      const { problems } = play({ seed, style, faults: causes.map((cause) => faults[cause]) });
      expect([seed, causes, problems]).toEqual([seed, causes, []]);
    }
  });
});
