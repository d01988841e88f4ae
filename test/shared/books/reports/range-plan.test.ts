/** The cover of a range: exact for any range and any seal, and never more than 110 rollups of a model. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spanEnd, spanOf, spanStart } from "#shared/books/billing/period.ts";
import { planRange, type RangePlan } from "#shared/books/reports/range-plan.ts";

const hour = 3_600_000;
const day = 24 * hour;
const at = (text: string) => Date.parse(text);
const seed = 20261121;
const rollupsMax = 110;

/** The seal of a pass every hour at ten past, as it is at an instant. */
function sealAt(now: number): { day: string; month: string } {
  const pass = Math.floor((now - 10 * 60_000) / hour) * hour + 10 * 60_000;
  const through = spanOf(spanStart(spanOf(pass - 2 * hour, "day")) - 1, "day");
  return {
    day: through,
    month: spanOf(spanStart(spanOf(spanEnd(through), "month")) - 1, "month"),
  };
}

/** Rollups of one model that there may be before `now`. */
function countRollups({ spans }: RangePlan, now: number): number {
  let count = 0;
  for (const { from, to } of spans) {
    const end = Math.min(spanStart(to), now);
    for (let start = spanStart(from); start < end; count++) {
      start =
        from.length === 13
          ? start + hour
          : from.length === 10
            ? start + day
            : spanEnd(spanOf(start, "month"));
    }
  }
  return count;
}

/** Calls at random instants of 400 days, and how many there were of each before any instant. */
function randomCalls(count: number, models: number) {
  const random = fc.sample(fc.integer({ min: 0, max: 400 * day - 1 }), { numRuns: count, seed });
  const start = at("2025-10-17T00:00:00Z");
  const calls = random
    .map((offset, i) => ({ at: start + offset, model: i % models, cost: BigInt(i + 1) }))
    .sort((a, b) => a.at - b.at);
  return { start, calls };
}

/** The sums before each of these amounts, and after the last. */
function runningSums(amounts: bigint[][]): bigint[][] {
  const running = [(amounts[0] ?? []).map(() => 0n)];
  for (const each of amounts)
    running.push((running.at(-1) ?? []).map((sum, i) => (each[i] ? sum + each[i] : sum)));
  return running;
}

/** How many of `count` things in order come before a place. */
function countBefore(count: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

describe("the oracle: 10^5 calls in 400 days, 10^4 ranges to the millisecond", () => {
  const models = 3;
  const { start, calls } = randomCalls(100_000, models);
  const now = start + 400 * day;
  const running = runningSums(
    calls.map(({ model, cost }) => Array.from({ length: models }, (_, i) => (i === model ? cost : 0n))),
  );
  const position = (instant: number) =>
    countBefore(calls.length, (index) => (calls[index]?.at ?? 0) < instant);
  const between = (from: number, to: number): bigint[] => {
    const [first, last] = [running[position(from)] ?? [], running[position(to)] ?? []];
    return last.map((sum, i) => sum - (first[i] ?? 0n));
  };
  const rollups = new Map<string, bigint[]>();
  for (const { at, model, cost } of calls) {
    for (const unit of ["hour", "day", "month"] as const) {
      const span = spanOf(at, unit);
      const sums = rollups.get(span) ?? Array.from({ length: models }, () => 0n);
      sums[model] = (sums[model] ?? 0n) + cost;
      rollups.set(span, sums);
    }
  }
  const names = [...rollups.keys()].sort();
  const byLength = new Map(
    [...Map.groupBy(names, ({ length }) => length)].map(([length, all]) => [
      length,
      { all, running: runningSums(all.map((name) => rollups.get(name) ?? [])) },
    ]),
  );
  /** The sums of the rollups before a span of their length. */
  const until = (span: string): bigint[] => {
    const { all = [], running = [] } = byLength.get(span.length) ?? {};
    return running[countBefore(all.length, (index) => (all[index] ?? "") < span)] ?? [];
  };

  function sumParts({ edges, spans }: RangePlan): bigint[] {
    const sums = Array.from({ length: models }, () => 0n);
    const add = (more: bigint[], sign: bigint) => {
      for (const i of sums.keys()) sums[i] = (sums[i] ?? 0n) + sign * (more[i] ?? 0n);
    };
    for (const { from, to, sign } of spans) {
      add(until(to), BigInt(sign));
      add(until(from), BigInt(-sign));
    }
    for (const { from, to } of edges) {
      for (const { at, model, cost } of calls.slice(position(from), position(to))) {
        if (at >= from && at < to) sums[model] = (sums[model] ?? 0n) + cost;
      }
    }
    return sums;
  }

  const range = fc
    .tuple(fc.integer({ min: -day, max: 401 * day }), fc.integer({ min: 0, max: 366 * day }))
    .map(([offset, length]) => [start + offset, start + offset + length] as const);
  const seals = fc.oneof(
    fc.constant(sealAt(now)),
    fc.constant({ day: "", month: "" }),
    fc.integer({ min: 0, max: 402 * day }).map((offset) => sealAt(start + offset)),
    fc.integer({ min: 0, max: 402 * day }).map((offset) => ({ ...sealAt(start + offset), month: "" })),
  );

  test("every sum is that of the calls, whatever is sealed", () => {
    fc.assert(
      fc.property(range, seals, fc.boolean(), ([from, to], seal, subtract) => {
        const parts = planRange(from, to, seal, { subtract });
        expect(parts.edges.length).toBeLessThanOrEqual(2);
        for (const edge of parts.edges) expect(spanOf(edge.to - 1, "hour")).toBe(spanOf(edge.from, "hour"));
        for (const { to: end } of parts.spans.filter(({ from }) => from.length < 13)) {
          expect(spanStart(end)).toBeLessThanOrEqual(spanEnd(end.length === 10 ? seal.day : seal.month));
        }
        expect(sumParts(parts)).toEqual(between(from, to));
      }),
      { seed, numRuns: 10_000 },
    );
  });

  test("no random range needs more than 110 rollups of a model when the sealer keeps time", () => {
    fc.assert(
      fc.property(range, ([from, to]) => {
        const parts = planRange(from, to, sealAt(now));
        expect(countRollups(parts, now)).toBeLessThanOrEqual(rollupsMax);
      }),
      { seed, numRuns: 10_000 },
    );
  });
});

describe("the ranges that need the most rollups", () => {
  /** From the first days of a month to the first hours or the end of another, a year later and less. */
  const ranges = Array.from({ length: 24 }, (_, month) => Date.UTC(2027, month)).flatMap((first) =>
    [first + 2.1 * hour, first - 0.5 * hour, first - 11.5 * hour].flatMap((to) =>
      Array.from({ length: 35 }, (_, i) => spanStart(spanOf(to, "day")) - (366 - i) * day).flatMap((start) =>
        [0.5, 11.5, 12.5].map((hours) => [start + hours * hour, to] as const),
      ),
    ),
  );
  const most = (count: (from: number, to: number) => number) =>
    Math.max(...ranges.filter(([from, to]) => to - from <= 366 * day).map(([from, to]) => count(from, to)));

  test("need 108 just before yesterday is sealed, and 94 once all of it is", () => {
    expect(most((from, to) => countRollups(planRange(from, to, sealAt(to)), to))).toBe(108);
    expect(most((from, to) => countRollups(planRange(from, to, sealAt(to + 3 * day)), to))).toBe(94);
  });

  test("would need more than 110 without taking hours away from days", () => {
    const plain = (from: number, to: number) =>
      countRollups(planRange(from, to, sealAt(to + 3 * day), { subtract: false }), to);
    expect(most(plain)).toBe(116);
  });

  test("need nothing but hours before the first seal, and nothing at all when empty", () => {
    const unsealed = { day: "", month: "" };
    const [from, to] = [at("2026-01-31T22:30:00Z"), at("2026-03-01T02:00:00Z")];
    expect(new Set(planRange(from, to, unsealed).spans.map((span) => span.from.length))).toEqual(
      new Set([13]),
    );
    expect(planRange(from, from, sealAt(to))).toEqual({ edges: [], spans: [] });
    expect(planRange(to, from, sealAt(to))).toEqual({ edges: [], spans: [] });
  });
});
