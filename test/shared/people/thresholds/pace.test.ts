/** The pace of a wallet: which samples are kept, and for how long points suffice. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayMs, hourMs } from "#shared/books/billing/period.ts";
import { daysLeft, isGoneWithin, paceOf, sampled, type UsedSample } from "#shared/people/thresholds/pace.ts";
import { noon } from "#test/support/store.ts";

/** The samples after looks at these instants, in hours from noon. */
function samplesAfter(looks: readonly (readonly [hour: number, used: number])[]): UsedSample[] {
  return looks.reduce<UsedSample[]>(
    (samples, [hour, used]) => sampled(samples, BigInt(used), noon + hour * hourMs) ?? samples,
    [],
  );
}

const at = (hour: number) => noon + hour * hourMs;

describe("samples", () => {
  test("are taken once a day, and only if something was charged", () => {
    const samples = samplesAfter([
      [0, 0],
      [1, 5],
      [24, 7],
      [30, 9],
      [48, 7],
    ]);
    expect(samples.map(({ used }) => used)).toEqual([0n, 7n]);
  });

  test("are as many as a week needs, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat(3))), (steps) => {
        let [hour, used] = [0, 0];
        const looks = steps.map(([later, charged]) => {
          hour += later;
          used += charged;
          return [hour, used] as const;
        });
        const samples = samplesAfter(looks);
        expect(samples.length).toBeLessThanOrEqual(10);
        // What a week needs is there: the last one from before it, of all that were ever taken.
        const week = at(hour) - 7 * dayMs;
        const taken = looks.filter(([each], index) =>
          sampled(samplesAfter(looks.slice(0, index)), BigInt(looks[index]?.[1] ?? 0), at(each)),
        );
        const before = taken.findLast(([each]) => at(each) <= week);
        if (before) expect(samples).toContainEqual({ at: at(before[0]), used: BigInt(before[1]) });
      }),
      { seed: 1 },
    );
  });

  test("of a clock that is behind are not taken", () => {
    const samples = samplesAfter([[30, 1]]);
    expect(sampled(samples, 5n, at(0))).toBeUndefined();
  });
});

describe("the pace", () => {
  test("is what a week has been charged", () => {
    const looks = Array.from({ length: 20 }, (_, day) => [day * 24, day * 10] as const);
    const pace = paceOf(samplesAfter(looks), 200n, at(20 * 24));
    expect(pace).toEqual({ spent: 70n, ms: 7 * dayMs });
    expect(pace && daysLeft(25n, pace)).toBe("2.5");
  });

  test("of a wallet that rested for weeks is what the last week was charged", () => {
    const samples = samplesAfter([
      [0, 0],
      [1, 10],
      [24, 10],
    ]);
    // Since its last sample it has been charged 70, after 30 days in which it was charged nothing.
    expect(paceOf(samples, 70n, at(30 * 24))).toEqual({ spent: 60n, ms: 7 * dayMs });
  });

  test("of a first hour is that of a day", () => {
    expect(paceOf(samplesAfter([[0, 0]]), 10n, at(1))).toEqual({ spent: 10n, ms: dayMs });
  });

  test("is none without samples, and lets nothing end where nothing is charged", () => {
    expect(paceOf([], 5n, noon)).toBeUndefined();
    const still = paceOf(samplesAfter([[0, 5]]), 5n, at(48));
    expect(still && [isGoneWithin(0n, 90, still), daysLeft(0n, still)]).toEqual([false, null]);
    // A correction may take more back than was charged.
    const back = paceOf(samplesAfter([[0, 5]]), 4n, at(48));
    expect(back && [isGoneWithin(0n, 90, back), daysLeft(0n, back)]).toEqual([false, null]);
  });

  test("says that points are gone within so many days exactly where they are", () => {
    const pace = { spent: 70n, ms: 7 * dayMs };
    expect(isGoneWithin(30n, 3, pace)).toBe(false);
    expect(isGoneWithin(29n, 3, pace)).toBe(true);
    expect(isGoneWithin(-1n, 3, pace)).toBe(true);
    expect(daysLeft(-1n, pace)).toBe("0.0");
  });
});
