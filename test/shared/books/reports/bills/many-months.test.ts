/** The same as simulator.test.ts with many months: `npm run test:long`. */
import { expect, test } from "vitest";
import { billCauses } from "#shared/books/reports/bills/compare/cell.ts";
import { faults, otherZone, withoutReason } from "#test/support/bills/faults.ts";
import { play, severalFaults } from "#test/support/bills/history.ts";
import { billStyles } from "#test/support/bills/writers.ts";

test.each(billStyles)("bills as %s", { timeout: 600_000 }, (style) => {
  for (let seed = 5000; seed < 5025; seed++) {
    const alone = [...billCauses.map((cause) => faults[cause]), otherZone, withoutReason];
    for (const fault of alone)
      for (const rounded of [[], [faults.rounding]]) {
        if (fault === faults.rounding && rounded.length > 0) continue;
        expect([seed, play({ seed, style, faults: [...rounded, fault] }).problems]).toEqual([seed, []]);
      }
    const causes = severalFaults(seed);
    const { problems } = play({ seed, style, faults: causes.map((cause) => faults[cause]) });
    expect([seed, causes, problems]).toEqual([seed, causes, []]);
  }
});
