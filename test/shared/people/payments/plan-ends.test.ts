/** When owners are told that a plan ends. */
import { expect, test } from "vitest";
import { daysToTell, nextNotice } from "#shared/people/payments/plan-ends.ts";
import { morning } from "#test/support/orders.ts";

const day = 86_400_000;

test("the days before an end, by hand", () => {
  const ends_at = morning + 10 * day;
  expect(nextNotice(ends_at, morning)).toBe(ends_at - 7 * day);
  expect(nextNotice(ends_at, ends_at - 7 * day)).toBe(ends_at - 3 * day);
  expect(nextNotice(ends_at, ends_at - day)).toBe(ends_at);
  expect(nextNotice(ends_at, ends_at)).toBe(null);
  expect(nextNotice(null, morning)).toBe(null);
  expect(daysToTell(ends_at, ends_at - 7 * day)).toBe(7);
  expect(daysToTell(ends_at, ends_at - 7 * day - 1)).toBe(undefined);
  expect(daysToTell(ends_at, ends_at - 1)).toBe(1);
  expect(daysToTell(ends_at, ends_at)).toBe(undefined);
  expect(daysToTell(null, morning)).toBe(undefined);
});
