/** The mark of a meter: one a day, which changes at another instant for each partition, and is old in time. */
import { expect, test } from "vitest";
import { idDigits, newId } from "#shared/base/platform/id.ts";
import { isOldMark, markOf, markPartitions } from "#shared/edges/store/meters/mark.ts";
import { seeded } from "#test/support/random.ts";

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 29, 12);
const meters = [...idDigits].map((digit) => newId("meter", noon).slice(0, -1) + digit);

const marked = (meter: string, at: number) => markOf(meter, at).marked?.S ?? "";

test("every meter is in a partition that is read", () => {
  expect(meters.map((meter) => markOf(meter, noon).mark?.S)).toEqual([...markPartitions]);
});

test("a meter's mark changes once in 24 hours, and in no hour do more than two partitions of 32", () => {
  const changes = Array.from({ length: 24 }, (_, at) => {
    const from = noon + at * hour;
    return meters.filter((meter) => marked(meter, from) !== marked(meter, from + hour)).length;
  });
  expect(changes.reduce((sum, each) => sum + each)).toBe(32);
  expect(Math.max(...changes)).toBeLessThanOrEqual(2);
});

test("a mark of the last 24 hours is never old, and one of 48 hours ago always is", () => {
  const random = seeded(1);
  for (let i = 0; i < 10_000; i++) {
    const meter = meters[random(meters.length)] ?? "";
    const now = noon + random(1_000 * hour);
    const ago = random(24 * hour);
    expect(isOldMark(meter, marked(meter, now - ago), now)).toBe(false);
    // A clock that is ahead sets a mark of tomorrow.
    expect(isOldMark(meter, marked(meter, now + ago), now)).toBe(false);
    expect(isOldMark(meter, marked(meter, now - 48 * hour - ago), now)).toBe(true);
  }
});
