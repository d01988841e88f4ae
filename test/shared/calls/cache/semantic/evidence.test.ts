/** What a context has shown, and what follows from it. */
import { describe, expect, test } from "vitest";
import { boundOf, isOff, isTrusted, noEvidence, offUntil } from "#shared/calls/cache/semantic/evidence.ts";

const dayMs = 86_400_000;
const audited = (refuted: number, audits: number) => ({ ...noEvidence, refuted, agreed: audits - refuted });

describe("the bound on wrong answers", () => {
  // The upper limits of 90 % two-sided Clopper-Pearson intervals, which are 95 % one-sided: the quantile 0.95 of the beta
  // distribution with refuted + 1 and agreed. The rule of three, and 1 - 0.05^(1/n) for no refutation.
  test.each([
    [0, 10, 0.258866],
    [1, 10, 0.394163],
    [2, 10, 0.506901],
    [5, 10, 0.777559],
    [0, 20, 0.139108],
    [1, 20, 0.216106],
    [0, 50, 0.058155],
    [1, 50, 0.091398],
    [0, 100, 0.029513],
    [1, 100, 0.04656],
    [5, 100, 0.102253],
    [0, 149, 0.019905],
  ])("of %d refuted in %d audits is %d", (refuted, audits, bound) => {
    expect(boundOf(audited(refuted, audits))).toBeCloseTo(bound, 5);
  });

  test("is 1 without audits, and where all were refuted", () => {
    expect(boundOf(noEvidence)).toBe(1);
    expect(boundOf(audited(3, 3))).toBe(1);
  });

  test("falls with each audit that agrees, rises with each that does not, and takes large counts", () => {
    expect(boundOf(audited(2, 301))).toBeLessThan(boundOf(audited(2, 300)));
    expect(boundOf(audited(3, 300))).toBeGreaterThan(boundOf(audited(2, 300)));
    expect(boundOf(audited(10_000, 1_000_000))).toBeCloseTo(0.010165, 5);
  });
});

test.each([
  [0, 149],
  [1, 236],
  [2, 313],
  [3, 386],
])("a context with %d refuted is trusted from %d audits on", (refuted, audits) => {
  expect(isTrusted(audited(refuted, audits))).toBe(true);
  expect(isTrusted(audited(refuted, audits - 1))).toBe(false);
  expect(boundOf(audited(refuted, audits))).toBeLessThanOrEqual(0.02);
  expect(boundOf(audited(refuted, audits - 1))).toBeGreaterThan(0.02);
  expect(isTrusted(audited(refuted + 1, audits + 1))).toBe(false);
});

test("verdicts of the judge and of audits count alike for trust", () => {
  expect(isTrusted({ ...noEvidence, confirmed: 146, agreed: 3 })).toBe(true);
  expect(isTrusted({ ...noEvidence, confirmed: 145, agreed: 3 })).toBe(false);
  expect(isTrusted({ ...noEvidence, confirmed: 146, denied: 1, agreed: 3 })).toBe(false);
  expect(isTrusted({ ...noEvidence, confirmed: 146, agreed: 3, refuted: 1 })).toBe(false);
});

test("a judge that denies does its work: it switches nothing off, and moves no bound", () => {
  const evidence = { ...noEvidence, confirmed: 10, denied: 90, agreed: 20 };
  expect(offUntil(evidence, 0)).toBeUndefined();
  expect(boundOf(evidence)).toBe(boundOf(audited(0, 20)));
});

test("nobody trusts a context without verdicts", () => {
  expect(isTrusted(noEvidence)).toBe(false);
  expect(isTrusted({ ...noEvidence, lookups: 1_000, candidates: 1_000 })).toBe(false);
});

describe("a context", () => {
  test.each([
    [1, 14],
    [2, 48],
    [3, 86],
  ])("with %d refuted goes off for a day up to %d audits", (refuted, audits) => {
    expect(offUntil(audited(refuted, audits), 5)).toBe(5 + dayMs);
    expect(offUntil(audited(refuted, audits + 1), 5)).toBeUndefined();
  });

  test.each([
    [100, 4, true],
    [100, 5, false],
    [99, 0, false],
    [1_000, 49, true],
    [1_000, 50, false],
  ])("with %d lookups and %d candidates goes off: %s", (lookups, candidates, isIdle) => {
    expect(offUntil({ ...noEvidence, lookups, candidates }, 5)).toBe(isIdle ? 5 + dayMs : undefined);
  });

  test("that is trusted never goes off by its audits", () => {
    for (let refuted = 0; refuted <= 20; refuted++) {
      let audits = refuted + 1;
      while (!isTrusted(audited(refuted, audits))) audits++;
      expect(offUntil(audited(refuted, audits), 0)).toBeUndefined();
    }
  });

  test("is off until its instant", () => {
    const off = { ...noEvidence, off_until: 1_000 };
    expect([isOff(off, 999), isOff(off, 1_000), isOff(noEvidence, 0)]).toEqual([true, false, false]);
  });

  test("whose judge is always wrong is off with the first audit", () => {
    expect(offUntil(audited(1, 1), 0)).toBe(dayMs);
  });
});
