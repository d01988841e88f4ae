/** What is used of limits, by the same counters as admission. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LimitUse, rateUses, spanUse } from "#shared/books/meters/limit-use.ts";
import { bucketAt, dayCounter, dayEnd, packBucket } from "#shared/books/meters/window.ts";

const now = Date.parse("2026-11-21T12:30:30Z");
const seed = 20261123;

const buckets = fc.array(
  fc.record({
    ago: fc.integer({ min: 0, max: 90_000 }),
    requests: fc.integer({ min: 0, max: 5 }),
    tokens: fc.integer({ min: 0, max: 1_000 }),
  }),
  { maxLength: 12 },
);

/** Counters of calls at these moments, as a limit of `rpm` a minute has them. */
function countersOf(calls: { ago: number; requests: number; tokens: number }[], rpm: number | null) {
  const counters = new Map<string, bigint>();
  for (const { ago, requests, tokens } of calls) {
    const name = bucketAt(now - ago, rpm);
    counters.set(name, (counters.get(name) ?? 0n) + packBucket(requests, tokens));
  }
  return counters;
}

const rpms = fc.constantFrom(3, 60, 600, null);

describe("a minute", () => {
  test("is used by what the last 60 s had, and is free again when enough of it has left", () => {
    const law = fc.property(buckets, rpms, fc.integer({ min: 1, max: 2_000 }), (calls, rpm, tpm) => {
      const counters = countersOf(calls, rpm);
      const at = (instant: number) => rateUses(counters, { rpm, tpm, tpd: null }, instant);
      const used = at(now);
      for (const name of ["rpm", "tpm"] as const) {
        const use: LimitUse = used[name];
        expect(use.resetsAt === null).toBe(use.used === 0);
        if (use.resetsAt !== null) {
          expect(at(use.resetsAt)[name].used).toBe(0);
          expect(at(use.resetsAt - 1)[name].used).toBeGreaterThan(0);
        }
        const { limit } = use;
        expect(use.freeAt === null).toBe(limit === null || use.used < limit);
        if (use.freeAt === null || limit === null) continue;
        expect(at(use.freeAt)[name].used).toBeLessThan(limit);
        expect(at(use.freeAt - 1)[name].used).toBeGreaterThanOrEqual(limit);
      }
    });
    fc.assert(law, { seed, numRuns: 500 });
  });

  test("is the sum of its calls", () => {
    const law = fc.property(buckets, (calls) => {
      const inside = calls.filter(({ ago }) => ago < 60_000);
      const sum = (name: "requests" | "tokens") => inside.reduce((all, call) => all + call[name], 0);
      expect(rateUses(countersOf(calls, 3), { rpm: 3 }, now)).toMatchObject({
        rpm: { used: sum("requests"), limit: 3 },
        tpm: { used: sum("tokens"), limit: null },
      });
    });
    fc.assert(law, { seed });
  });
});

test("a day is used by its own counter alone", () => {
  const counters = [
    [dayCounter(now), 700n],
    [dayCounter(now - 86_400_000), 9_000n],
  ] as const;
  expect(rateUses(counters, { tpd: 700 }, now).tpd).toEqual({
    limit: 700,
    used: 700,
    resetsAt: dayEnd(now),
    freeAt: dayEnd(now),
  });
  expect(rateUses(counters, { tpd: 701 }, now).tpd).toMatchObject({ freeAt: null });
  expect(rateUses([], { tpd: 700 }, now).tpd).toEqual({ limit: 700, used: 0, resetsAt: null, freeAt: null });
});

test.each([
  [0, 10, null, null],
  [9, 10, 5_000, null],
  [10, 10, 5_000, 5_000],
  [12, null, 5_000, null],
])("%i used of %s", (used, limit, resetsAt, freeAt) => {
  expect(spanUse(used, limit, 5_000)).toEqual({ limit, used, resetsAt, freeAt });
});
