/** Buckets of first-byte times: percentiles that are right within a bucket, from counts that add up in any order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  added,
  bucketOf,
  buckets,
  countOf,
  histogramOf,
  merge,
  percentile,
  timesFor,
} from "#shared/calls/routing/histogram.ts";

const seed = 20261122;
const times = fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 });
const counted = (all: readonly number[]): number[] =>
  all.reduce((sum, ms) => merge(sum, Object.assign([], { [bucketOf(ms)]: 1 })), [] as number[]);

describe("a time's bucket", () => {
  test.each([
    [0, 0],
    [1, 0],
    [100, 0],
    [101, 1],
    [160, 1],
    [161, 2],
    [600, 4],
    [10_995, 10],
    [10_996, 11],
    [300_000, 11],
    [Number.POSITIVE_INFINITY, 11],
    [-5, 0],
  ])("of %f ms is %i", (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket);
  });

  test("grows with the time, and is one of twelve", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6 }),
        (one, more) => {
          const [lower, upper] = [bucketOf(one), bucketOf(one + (more || 0))];
          expect(lower).toBeLessThanOrEqual(upper);
          expect(upper).toBeLessThan(buckets);
        },
      ),
      { seed },
    );
  });
});

describe("histograms", () => {
  test("add up to the histogram of all times, in any order", () => {
    fc.assert(
      fc.property(times, times, (one, other) => {
        const all = counted([...one, ...other]);
        expect(merge(counted(one), counted(other))).toEqual(all);
        expect(merge(counted(other), counted(one))).toEqual(all);
        expect(countOf(all)).toBe(one.length + other.length);
      }),
      { seed },
    );
  });

  test("count by a weight, and take what is missing for nothing", () => {
    expect(merge([], []).length).toBe(buckets);
    expect(merge([1, 2], [0, 4, 8], 0.5).slice(0, 4)).toEqual([1, 4, 4, 0]);
  });
});

describe("a percentile", () => {
  test("is within a bucket of the true one", () => {
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * all.length) - 1] as number;
        const told = percentile(counted(all), share) as number;
        const bounded = Math.min(Math.max(exact, 62.5), 18_000);
        expect(told).toBeGreaterThanOrEqual(bounded / 1.61);
        expect(told).toBeLessThanOrEqual(bounded * 1.61);
      }),
      { seed },
    );
  });

  test("grows with its share, and does not depend on how many times were counted", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 2, max: 50 }), (all, factor) => {
        const shares = [0, 0.1, 0.5, 0.9, 1].map((share) => percentile(counted(all), share) as number);
        expect(shares).toEqual(shares.toSorted((a, b) => a - b));
        const more = merge([], counted(all), factor);
        expect(percentile(more, 0.5)).toBeCloseTo(percentile(counted(all), 0.5) as number, 6);
      }),
      { seed },
    );
  });

  test("of a thousand answers around 600 ms is near 600 ms", () => {
    const spread = Array.from({ length: 999 }, (_, at) => 600 * Math.exp(0.45 * normal((at + 0.5) / 999)));
    expect(percentile(counted(spread), 0.5)).toBeGreaterThan(570);
    expect(percentile(counted(spread), 0.5)).toBeLessThan(630);
  });

  test("of nothing is unknown", () => {
    expect(percentile([], 0.5)).toBeUndefined();
    expect(percentile([0, 0, 0], 0.5)).toBeUndefined();
  });

  test.each([
    [0, 62.5, 100],
    [11, 10_995, 18_000],
  ])("in the bucket at the edge, %i, has an end", (bucket, least, most) => {
    const only = Object.assign([], { [bucket]: 0.1 }) as number[];
    for (const share of [0, 0.5, 0.999, 1]) {
      expect(percentile(merge([], only), share)).toBeGreaterThanOrEqual(least);
      expect(percentile(merge([], only), share)).toBeLessThanOrEqual(most);
    }
  });
});

/** The value of a standard normal variable that a share of them do not exceed (Abramowitz and Stegun 26.2.23). */
function normal(share: number): number {
  if (share > 0.5) return -normal(1 - share);
  const t = Math.sqrt(-2 * Math.log(share));
  return (
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
  );
}

describe("times in lanes", () => {
  const laned = (...counts: [lane: number, ms: number, count: number][]) =>
    counts.reduce<number[]>(
      (sum, [lane, ms, count]) =>
        added(
          sum,
          histogramOf(ms, lane).map((one) => one * count),
        ),
      [],
    );
  const median = (times: number[], lane?: number) => percentile(timesFor(lane, times), 0.5);

  test("are all counted where no lane has two thirds of what the rest has", () => {
    const times = laned([0, 400, 10], [3, 400, 12], [7, 900, 10]);
    expect(countOf(timesFor(undefined, times))).toBe(32);
    expect(timesFor(undefined, times)).toEqual(merge(laned([0, 400, 22], [0, 900, 10]), []));
  });

  test("of one lane alone, and of none, are all counted", () => {
    expect(countOf(timesFor(undefined, laned([5, 400, 9])))).toBe(9);
    expect(countOf(timesFor(5, laned([5, 400, 9])))).toBe(9);
    expect(countOf(timesFor(1, laned([5, 400, 9])))).toBe(9);
    expect(timesFor(undefined, [])).toEqual(merge([], []));
  });

  test("of the loudest count at most two thirds of the rest, but in full for that lane itself", () => {
    const times = laned([1, 400, 6], [2, 400, 3], [6, 20_000, 900]);
    expect(countOf(timesFor(undefined, times))).toBeCloseTo(15);
    expect(countOf(timesFor(1, times))).toBeCloseTo(15);
    expect(countOf(timesFor(6, times))).toBe(909);
    expect([median(times, 2), median(times, 6)]).toEqual([
      expect.closeTo(400, -3),
      expect.closeTo(18_000, -4),
    ]);
  });

  test("of one lane move nobody else's median beyond what its own calls have seen, however many there are", () => {
    const own = fc.array(fc.integer({ min: 100, max: 2_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(own, fc.integer({ min: 1, max: 10_000 }), (times, count) => {
        const seen = times.reduce<number[]>((sum, ms) => added(sum, histogramOf(ms, 1)), []);
        const beside = median(added(seen, laned([4, 60_000, count])), 1) ?? 0;
        // Two fifths are not a half: the slowest of its own times is above the middle.
        expect(beside).toBeLessThanOrEqual(percentile(merge(seen.slice(12), []), 1) ?? 0);
      }),
      { seed: 20261128 },
    );
  });
});
