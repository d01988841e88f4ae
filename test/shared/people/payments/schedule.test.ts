/** When an order is looked at again, by hand (people/payments/README.md "When an order is looked at"). */
import { describe, expect, test } from "vitest";
import type { OrderState } from "#shared/people/payments/order.ts";
import { isDead, nextCheck, nextTry } from "#shared/people/payments/schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const expires_at = 1_000 * day;

const at = (state: OrderState, facts: object = {}) => ({ state, expires_at, ...facts });

describe("after a look that came to nothing", () => {
  test.each<[OrderState, number, object, number | null]>([
    ["created", -10 * minute, {}, -10 * minute + 5_000],
    ["pending", -10 * minute, { tries: 9 }, -10 * minute + 5_000],
    ["pending", -10_000, {}, -5_000],
    ["pending", -3_000, {}, 0],
    ["pending", 0, {}, 5_000],
    ["closing", -10 * minute, { tries: 9 }, -10 * minute + 5_000],
    ["closing", 14 * minute, {}, 14 * minute + 5_000],
    ["closing", 15 * minute, {}, 16 * minute],
    ["closing", 19 * minute, {}, 23 * minute],
    ["closing", 3 * hour, {}, 4 * hour],
    ["review", -10 * minute, { tries: 1 }, -10 * minute + 5_000],
    ["review", -3_000, { tries: 3 }, 0],
    ["review", 0, { tries: 2 }, 4 * minute],
    ["review", 0, { credited_at: 1 }, null],
    ["paid", 0, {}, minute],
    ["paid", 0, { tries: 7 }, 8 * minute],
    ["refunding", 0, { tries: 5 }, 32 * minute],
    ["refunding", 0, { tries: 7 }, hour],
    ["closed", 0, { tries: 2 }, 4 * minute],
    ["credited", 0, { credited_at: 1 }, minute],
    ["partly_refunded", 0, { credited_at: 1 }, minute],
    ["refunded", 0, { credited_at: 1 }, null],
  ])("%s, %d ms from its end with %j: %d", (state, from, facts, wanted) => {
    const found = nextTry(at(state, facts), expires_at + from);
    expect(found === null ? null : found - expires_at).toBe(wanted);
  });
});

test("what is over is asked about again at its times, and then no more", () => {
  const closed_at = expires_at + minute;
  const closed = at("closed", { closed_at });
  expect(nextCheck(closed, closed_at)).toBe(closed_at + hour);
  expect(nextCheck(closed, closed_at + hour)).toBe(closed_at + day);
  expect(nextCheck(closed, closed_at + day)).toBe(null);
  expect(nextCheck(at("review"), expires_at - minute)).toBe(expires_at - minute + 5_000);
  expect(nextCheck(at("review"), expires_at - 1)).toBe(expires_at);
  const credited_at = expires_at - minute;
  for (const state of ["credited", "partly_refunded"] as const) {
    const booked = at(state, { credited_at });
    expect(nextCheck(booked, credited_at)).toBe(credited_at + day);
    expect(nextCheck(booked, credited_at + day)).toBe(credited_at + 7 * day);
    expect(nextCheck(booked, credited_at + 7 * day)).toBe(credited_at + 30 * day);
    expect(nextCheck(booked, credited_at + 30 * day)).toBe(null);
  }
  expect(nextCheck(at("refunded", { credited_at }), credited_at)).toBe(null);
  expect(nextCheck(at("review", { credited_at }), credited_at)).toBe(null);
});

test("a code that is made at the order's end lives for as long again", () => {
  expect(isDead({ expires_at }, expires_at + 15 * minute - 1)).toBe(false);
  expect(isDead({ expires_at }, expires_at + 15 * minute)).toBe(true);
});
