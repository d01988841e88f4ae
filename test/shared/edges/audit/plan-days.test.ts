/** The points of plans' days in the audit: no more may be counted than the day's calls came to and hold. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { dayPointsCounter } from "#shared/books/meters/window.ts";
import { planDaysMatch } from "#shared/edges/audit/plan-days.ts";
import { accountsOf, usesOf } from "#shared/edges/audit/uses.ts";
import { cleanBooks, eventOf } from "#test/support/audit-books.ts";

const now = Date.parse("2026-12-01T12:30:00Z");
const yesterday = now - 86_400_000;
const nothing = { coming: [], ahead: [], unknown: [], unseen: 0 };

/** A call worth half a point. */
const called = (at: number): UsageEvent => eventOf(newId("request", at), "subscription", "0");

/** What the audit says of a day that has counted so much, with these calls booked and this much held. */
function said(
  taken: string,
  { booked = [] as UsageEvent[], held = "0", heldAt = now, inFlight = {} } = {},
): { gaps: string[]; open?: string[] } {
  const { subscription, entries, organization } = cleanBooks();
  const usage = entries[0] ?? expect.fail();
  subscription.days = new Map([
    [dayPointsCounter(now), parsePoints(taken)],
    [dayPointsCounter(yesterday), parsePoints("99")],
  ]);
  const share = { points: 0n, tokens: 0, period: "20261121", dayPoints: parsePoints(held) };
  subscription.holds = new Map([[newId("request", heldAt), share]]);
  return planDaysMatch({
    meters: [subscription],
    uses: usesOf(
      booked.map((event) => ({ ...usage, id: event.id, event })),
      accountsOf([organization], now),
    ),
    inFlight: { ...nothing, ...inFlight },
    now,
  });
}

describe("the day that runs", () => {
  test("has what its calls came to and hold, or less; more is a gap that names the meter and the day", () => {
    const booked = [called(now), called(now - 1), called(yesterday)];
    expect(said("1", { booked }).gaps).toEqual([]);
    expect(said("0.5", { booked }).gaps).toEqual([]);
    expect(said("3", { booked, held: "2" }).gaps).toEqual([]);
    expect(said("1.25", { booked }).gaps).toEqual([
      `mtr_s ${dayPointsCounter(now)} has 0.25 points more than its calls came to`,
    ]);
  });

  test("has nothing of a call of yesterday, of a wallet, or of one that was given back", () => {
    const free = { ...called(now), calls: 0 };
    const paid = eventOf(newId("request", now), "payg", "0.5");
    expect(said("0.5", { booked: [called(yesterday), free, paid] }).gaps).toHaveLength(1);
    expect(said("2", { held: "2", heldAt: yesterday }).gaps).toHaveLength(1);
  });

  test("has a call that comes, and of one that is booked and held its hold alone", () => {
    expect(said("0.5", { inFlight: { coming: [called(now)] } }).gaps).toEqual([]);
    const ahead = called(now);
    expect(said("2.5", { booked: [ahead], held: "2", inFlight: { ahead: [ahead] } }).gaps).toHaveLength(1);
  });

  test("may have more where nobody knows yet what a message came to", () => {
    expect(said("2", { inFlight: { unseen: 1 } })).toMatchObject({ gaps: [], open: [expect.any(String)] });
  });
});
