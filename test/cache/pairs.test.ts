/** The pairs of questions that are not held out, the bounds, and what the exact rules may do with the pairs. */
import { describe, expect, test } from "vitest";
import { families, faultsOf, isHeldOut, type Pair, readPairs } from "./pairs.ts";
import { linesOf, rowsOf, servedTraps, tallyOf } from "./report.ts";
import { rules } from "./rules.ts";
import { wilsonBounds } from "./wilson.ts";

const pairs = readPairs("open");
const ofVerdict = (verdict: string) => pairs.filter((pair) => pair.verdict === verdict);

describe("the pairs", () => {
  test("are well formed: ids, families, two texts that differ, none held out, none from one mould", () => {
    expect(faultsOf(pairs, false)).toEqual([]);
  });

  test("are two thirds of 300 and more of each verdict, and six in ten are English", () => {
    expect(ofVerdict("same").length).toBeGreaterThanOrEqual(200);
    expect(ofVerdict("trap").length).toBeGreaterThanOrEqual(200);
    const english = pairs.filter(({ language }) => language === "en").length / pairs.length;
    expect(english).toBeGreaterThan(0.55);
    expect(english).toBeLessThan(0.65);
  });

  test("have every family in each verdict, and none of them makes up a quarter", () => {
    for (const verdict of ["same", "trap"] as const) {
      const counts = families[verdict].map((family) =>
        ofVerdict(verdict).filter((pair) => pair.family === family),
      );
      expect(Math.min(...counts.map((group) => group.length))).toBeGreaterThanOrEqual(4);
      expect(Math.max(...counts.map((group) => group.length))).toBeLessThan(ofVerdict(verdict).length / 4);
    }
  });

  test("of a third of all ids are held out", () => {
    const ids = Array.from({ length: 3000 }, (_, at) => `en-same-case-${at}`);
    const share = ids.filter(isHeldOut).length / ids.length;
    expect(share).toBeCloseTo(1 / 3, 1);
  });

  test("with faults are named with the fault", () => {
    const number = ["01", "02", "03", "04", "05", "06", "07"].find((each) =>
      isHeldOut(`en-same-case-${each}`),
    );
    const pair: Pair = {
      id: `en-same-case-${number}`,
      language: "en",
      family: "case",
      verdict: "same",
      a: "Who are you?",
      b: "who are you?",
    };
    expect(faultsOf([pair], true)).toEqual([]);
    expect(faultsOf([pair], false)).toEqual([`${pair.id}: is held out`]);
    expect(faultsOf([{ ...pair, b: pair.a }], true)).toEqual([
      `${pair.id}: both texts are equal`,
      "a text stands twice: Who are you?",
    ]);
    expect(faultsOf([{ ...pair, family: "unit" }], true)).toEqual([
      `${pair.id}: unknown family unit`,
      `${pair.id}: the id says something else`,
    ]);
    expect(faultsOf([pair, { ...pair, a: "Who?", b: " " }], true)).toEqual([
      `${pair.id}: a text is empty`,
      `${pair.id}: another pair has this id`,
    ]);
    const moulded = [1, 2, 3, 4, 5].map((at) => ({
      ...pair,
      a: `How tall is the tower ${at}?`,
      b: `How high is ${at}?`,
    }));
    expect(faultsOf(moulded, true)).toContain("too many pairs begin with: how tall is the");
    expect(faultsOf(moulded.slice(1), true)).not.toContain("too many pairs begin with: how tall is the");
  });
});

describe("the rules", () => {
  test.each(["canonical", "equal"])("%s serves no trap", (name) => {
    const rule = rules[name];
    expect(rule?.isExact).toBe(true);
    expect(rule && servedTraps(rule, pairs).map(({ id }) => id)).toEqual([]);
  });

  test.each([
    ["semantic", 3],
    ["semantic-judged", 2],
  ] as const)("%s serves more than %d times of what canonical does, and no trap", (name, times) => {
    const { [name]: rule, canonical } = rules;
    if (!canonical || !rule) throw new Error("a rule is missing");
    expect(tallyOf(rule, pairs, "same").served).toBeGreaterThan(
      times * tallyOf(canonical, pairs, "same").served,
    );
    expect(servedTraps(rule, pairs).map(({ id }) => id)).toEqual([]);
  });

  test("content-words, the lower control, serves more of `same` than canonical, and traps", () => {
    const { canonical, "content-words": control } = rules;
    if (!canonical || !control) throw new Error("a rule is missing");
    const served = tallyOf(canonical, pairs, "same").served;
    expect(served).toBeGreaterThan(0);
    expect(tallyOf(control, pairs, "same").served).toBeGreaterThan(served);
    expect(servedTraps(control, pairs).length).toBeGreaterThan(0);
  });

  test("are reported by language and family, and every pair is counted once", () => {
    const rule = { serves: (a: string) => a.length % 2 === 0, isExact: false };
    for (const verdict of ["same", "trap"] as const) {
      const rows = rowsOf(rule, pairs, verdict);
      const sum = (of: "pairs" | "served") => rows.reduce((total, row) => total + row[of], 0);
      expect({ pairs: sum("pairs"), served: sum("served") }).toEqual(tallyOf(rule, pairs, verdict));
    }
    const [first] = ofVerdict("trap");
    if (!first) throw new Error("there is no trap");
    expect(linesOf({ serves: () => true, isExact: true }, [first]).at(-1)).toMatch(
      /^ {2}all +1 +1 +100\.0 % {3}20\.7 % to 100\.0 %$/,
    );
  });
});

describe("Wilson's bounds", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %d in %d are those that the literature has", (hits, all, low, high) => {
    expect(wilsonBounds(hits, all).low).toBeCloseTo(low, 4);
    expect(wilsonBounds(hits, all).high).toBeCloseTo(high, 4);
  });

  test("mirror each other, and no cases rule out nothing", () => {
    expect(wilsonBounds(20, 20).low).toBeCloseTo(1 - wilsonBounds(0, 20).high, 12);
    expect(wilsonBounds(20, 20).high).toBe(1);
    expect(wilsonBounds(0, 0)).toEqual({ low: 0, high: 1 });
  });

  test.each([
    [-1, 3],
    [4, 3],
    [Number.NaN, 3],
  ])("refuse %d of %d", (hits, all) => {
    expect(() => wilsonBounds(hits, all)).toThrow(RangeError);
  });
});
