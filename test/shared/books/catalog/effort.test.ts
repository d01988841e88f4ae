/** The table of words and budgets, read both ways. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  budgetOfEffort,
  type EffortWord,
  effortOfBudget,
  effortWords,
  heldBudget,
  nearestEffort,
} from "#shared/books/catalog/effort.ts";

describe("words and budgets of reasoning", () => {
  test.each<[EffortWord, number]>([
    ["none", 0],
    ["minimal", 512],
    ["low", 1_024],
    ["medium", 8_192],
    ["high", 24_576],
    ["xhigh", 32_768],
    ["max", 65_536],
  ])("%s is a budget of %i", (word, budget) => {
    expect(budgetOfEffort(word)).toBe(budget);
  });

  test.each<[number, EffortWord]>([
    [0, "none"],
    [1, "low"],
    [2_048, "low"],
    [2_049, "medium"],
    [8_192, "medium"],
    [8_193, "high"],
    [1_000_000, "high"],
  ])("a budget of %i is %s", (budget, word) => {
    expect(effortOfBudget(budget)).toBe(word);
  });

  test("a word becomes a budget and the same word again, up to high", () => {
    for (const word of ["none", "low", "medium", "high"] as const) {
      expect(effortOfBudget(budgetOfEffort(word))).toBe(word);
    }
  });

  test("more reasoning is never less of the other", () => {
    const budgets = effortWords.map(budgetOfEffort);
    expect(budgets).toEqual(budgets.toSorted((a, b) => a - b));
  });

  test.each<[wanted: EffortWord, taken: EffortWord[], nearest: EffortWord | undefined]>([
    ["high", ["low", "high"], "high"],
    ["xhigh", ["low", "medium", "high", "max"], "high"],
    ["max", ["none", "low", "xhigh"], "xhigh"],
    ["minimal", ["none", "low"], "low"],
    ["none", ["low", "medium"], "low"],
    ["none", ["none", "low"], "none"],
    ["high", ["none"], undefined],
  ])("%s of %j is %s", (wanted, taken, nearest) => {
    expect(nearestEffort(wanted, taken)).toBe(nearest);
  });

  test("a held budget lies within its bounds and below the maximum, or there is none", () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.nat(5_000),
        fc.nat(100_000),
        fc.nat(100_000),
        (tokens, min, more, maximum) => {
          const bounds = { min, max: min + more };
          const held = heldBudget(tokens, bounds, maximum);
          if (held === undefined) expect(maximum).toBeLessThanOrEqual(min);
          else {
            expect(held).toBeGreaterThanOrEqual(min);
            expect(held).toBeLessThanOrEqual(bounds.max);
            expect(held).toBeLessThan(maximum);
            expect(heldBudget(held, bounds, maximum)).toBe(held);
          }
        },
      ),
      { seed: 3 },
    );
  });
});
