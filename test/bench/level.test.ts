/** The soak's verdict, on runs whose end is known. */
import { expect, test } from "vitest";
import { trendOf } from "./level.ts";

const tolerance = { share: 0.03, atLeast: 1 };
const run = (of: (minute: number) => number) =>
  Array.from({ length: 30 }, (_, minute) => ({ hours: minute / 60, value: of(minute) }));

test("what rises in the first third and then stays is level", () => {
  expect(
    trendOf(
      run((minute) => 200 + Math.min(minute, 10) * 10),
      tolerance,
    ),
  ).toMatchObject({
    medians: [245, 300, 300],
    slope: 0,
    isLevel: true,
  });
});

test("what goes on rising is not, and its slope is told", () => {
  const trend = trendOf(
    run((minute) => 200 + minute),
    tolerance,
  );
  expect(trend).toMatchObject({ medians: [204.5, 214.5, 224.5], isLevel: false });
  expect(trend.slope).toBeCloseTo(60);
});

test("a saw is level, whatever its teeth", () => {
  expect(
    trendOf(
      run((minute) => 200 + (minute % 5) * 20),
      tolerance,
    ).isLevel,
  ).toBe(true);
});

test("a rise within the tolerance is level: a share of what there was, or a few", () => {
  const risen = (value: number) =>
    trendOf(
      run((minute) => (minute < 20 ? 100 : value)),
      tolerance,
    ).isLevel;
  expect([risen(103), risen(104)]).toEqual([true, false]);
  const few = trendOf(
    run((minute) => (minute < 20 ? 0 : 1)),
    tolerance,
  );
  expect(few.isLevel).toBe(true);
});
