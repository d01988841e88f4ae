/** What is told of thresholds, by random histories of one measure against sets that share no code with the product. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thresholdLimits } from "#shared/people/thresholds/bounds.ts";
import {
  marksAfter,
  type ThresholdMarks,
  type ThresholdMeasure,
  untold,
} from "#shared/people/thresholds/measure.ts";

const percents = [50, 80, 100];

const measureOf = (name: string, most: number, used: number, isOver = false): ThresholdMeasure => ({
  ...{ kind: "budget_reached", subject: name, name, of: String(most), isOver },
  thresholds: percents.map((percent) => ({ facts: { percent }, isReached: used * 100 >= most * percent })),
});

/** What a look tells, and the marks after it. */
function look(measures: ThresholdMeasure[], marks: ThresholdMarks, { isWhole = true } = {}) {
  const told = untold(measures, marks);
  return {
    told: told.map(({ facts }) => facts.percent),
    marks: marksAfter(marks, told, { measures, isWhole }),
  };
}

describe("thresholds", () => {
  test("are each told once while the measure's bound is the same, if a look has seen them reached", () => {
    const step = fc.record({ most: fc.constantFrom(10, 20, 40), used: fc.integer({ min: 0, max: 45 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let marks: ThresholdMarks = {};
        let [bound, seen] = [0, new Set<number>()];
        for (const { most, used } of steps) {
          const reached = percents.filter((percent) => used >= (most * percent) / 100);
          const { told, marks: after } = look([measureOf("a", most, used)], marks);
          // Another bound begins anew with the first thing that it tells.
          const known = bound === most ? seen : new Set<number>();
          expect(told).toEqual(reached.filter((percent) => !known.has(percent)));
          if (told.length > 0) [bound, seen] = [most, new Set([...known, ...reached])];
          marks = after;
        }
      }),
      { seed: 1 },
    );
  });

  test("that several measures have reached are told for each", () => {
    const measures = [measureOf("a", 10, 5), measureOf("b", 10, 10), measureOf("c", 10, 4)];
    const first = look(measures, {});
    expect(first.told).toEqual([50, 50, 80, 100]);
    expect(look(measures, first.marks).told).toEqual([]);
  });

  test("that are more than one transaction takes are told by the next looks, in order", () => {
    const measures = Array.from({ length: 40 }, (_, at) => measureOf(`m${at}`, 10, 10));
    const told: unknown[] = [];
    let marks: ThresholdMarks = {};
    for (;;) {
      const next = look(measures, marks);
      if (next.told.length === 0) break;
      expect(next.told.length).toBeLessThanOrEqual(thresholdLimits.linesMax);
      told.push(...next.told);
      marks = next.marks;
    }
    expect(told).toEqual(measures.flatMap(() => percents));
  });
});

describe("a mark", () => {
  const { marks } = look([measureOf("a", 10, 5), measureOf("b", 10, 5)], {});

  test("goes when nobody measures it any more", () => {
    expect(Object.keys(look([measureOf("b", 10, 0)], marks).marks)).toEqual(["b"]);
  });

  test("stays where a look did not measure everything", () => {
    expect(Object.keys(look([], marks, { isWhole: false }).marks)).toEqual(["a", "b"]);
  });

  test("of a period that is over stay told, whatever the bound is now", () => {
    const { told, marks } = look([measureOf("a", 100, 85)], {});
    expect(told).toEqual([50, 80]);
    for (const most of [10, 90, 200]) expect(look([measureOf("a", most, 85, true)], marks).told).toEqual([]);
    // With the same bound, the last one may still come.
    expect(look([measureOf("a", 100, 100, true)], marks).told).toEqual([100]);
    expect(look([measureOf("a", 100, 85, true)], {}).told).toEqual([50, 80]);
  });
});
