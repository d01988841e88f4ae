/** What keeps a month from being closed, over the embedded DynamoDB. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { acceptableChecks } from "#shared/edges/operator/close/checks.ts";
import { type CloseDeps, checkClose } from "#shared/edges/operator/close/close.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { memoryCloses } from "#test/support/closed-months.ts";
import { billedBy, close, closingAt } from "#test/support/month-close.ts";
import { at, useBooks } from "#test/support/spring.ts";

const spring = useBooks();

/** Four calls of 0.5 points in March, and two in April; the sums of March are sealed. */
async function calledInMarch(): Promise<void> {
  for (const day of ["03-01", "03-15", "03-31", "04-01", "04-02"])
    await spring.postOn(`2026-${day}T10:00:00Z`);
  await spring.postOn("2026-03-31T23:59:59.999Z");
  await spring.books.seal(at("2026-04-02T12:00:00Z"));
}

const closedOn = "2026-04-03T12:00:00Z";

async function* these<Value>(...values: Value[]): AsyncGenerator<Value> {
  yield* values;
}
const cell = {
  ...{ day: "2026-03-01", model: "m", credential: "", causes: [], ours: {}, theirs: {}, difference: {} },
  unexplained: { requests: "1" },
};
const order = { id: "ord_1", created_at: at("2026-03-31T23:00:00Z") };

/** Calls of the last second of March, and of the first one of April. */
const lastSecond = newId("request", at("2026-03-31T23:59:59.600Z"));
const nextMonth = newId("request", at("2026-04-01T00:00:00Z"));

/** What keeps March from being closed: the check that finds it, and what it says. */
const obstacles: [check: string, detail: string, subject: Partial<CloseDeps["subject"]>][] = [
  ["calls_have_ended", lastSecond, { holds: async () => [{ request: lastSecond }, { request: nextMonth }] }],
  ["events_are_booked", "2 dead letters", { deadLetters: async () => 2 }],
  [
    "audit_is_clean",
    "books_balance: a gap",
    {
      audit: async () => ({
        ...{ ok: false, pending: false },
        invariants: [
          { name: "books_balance", holds: false, detail: "a gap" },
          { name: "months_match_days", holds: true, detail: "fine" },
        ],
      }),
    },
  ],
  [
    "nothing_is_on_its_way",
    "wallets_match_ledger: 100 points; 12 messages could not be read",
    {
      audit: async () => ({
        ...{ ok: true, pending: true },
        invariants: [
          { name: "wallets_match_ledger", holds: false, detail: "100 points; 12 messages could not be read" },
        ],
      }),
    },
  ],
  ["orders_are_settled", "ord_1", { orders: () => these({ ...order, state: "review" as const }) }],
  ["orders_are_settled", "ord_1", { orders: () => these({ ...order, state: "paid" as const }) }],
  ["invoices_are_issued", "ord_1", { invoices: () => these({ ...order, state: "requested" as const }) }],
  [
    "bills_are_explained",
    "acme has no bill for 2026-03-30, 2026-03-31",
    { bills: async () => billedBy({ days_without_bill: ["2026-03-30"] }, ["2026-03-30", "2026-03-31"]) },
  ],
  [
    "bills_are_explained",
    "acme has no bill",
    { bills: async () => ({ month: "2026-03", currency: "USD", providers: [] }) },
  ],
  [
    "bills_are_explained",
    "acme has differences that nothing explains",
    { bills: async () => billedBy({ cells: [cell] }) },
  ],
];

describe("a check that does not hold", () => {
  test.each(obstacles)("%s: %s", async (check, detail, subject) => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn, subject);
    const outcome = await close("2026-03", deps);
    const wrong = outcome.checks.filter(({ holds }) => !holds);
    expect(wrong).toMatchObject([{ name: check, detail, accepted: false, todo: expect.any(String) }]);
    expect([outcome.closed, outcome.summary, closes.months]).toEqual([false, null, []]);
    expect(await checkClose({ month: "2026-03", accepted: new Set() }, deps)).toEqual(outcome);
    const accepted = await close("2026-03", deps, { accepted: new Set(acceptableChecks), reason: "late" });
    expect(accepted.closed).toBe(acceptableChecks.some((each) => each === check));
    if (accepted.summary)
      expect(accepted.summary).toMatchObject({
        reason: "late",
        checks: expect.arrayContaining([{ name: check, holds: false, detail, accepted: true }]),
      });
  });

  test("an order that is done, or of the next month, is none", async () => {
    await calledInMarch();
    const next = { id: "ord_2", state: "review" as const, created_at: at("2026-04-01T00:00:00Z") };
    const orders = () =>
      these<Pick<Order, "id" | "state" | "created_at">>({ ...order, state: "credited" }, next);
    expect(await close("2026-03", closingAt(spring, memoryCloses(), closedOn, { orders }))).toMatchObject({
      closed: true,
    });
  });

  test("a month that has just ended, and one whose sums are not sealed", async () => {
    await spring.postOn("2026-03-01T10:00:00Z");
    const deps = closingAt(spring, memoryCloses(), "2026-04-01T01:59:59Z");
    const { closed, checks } = await close("2026-03", deps, {
      accepted: new Set(acceptableChecks),
      reason: "no",
    });
    expect(closed).toBe(false);
    expect(checks.filter(({ holds }) => !holds)).toMatchObject([
      { name: "month_is_over", detail: "it can be closed from 2026-04-01T02:00:00.000Z on" },
      { name: "days_are_sealed", detail: spring.books.organization },
    ]);
  });

  test("a provider that cost nothing needs no bill", async () => {
    await spring.postOn("2026-03-01T10:00:00Z", { provider: null });
    await spring.books.seal(at("2026-04-02T12:00:00Z"));
    const bills = async () => ({ month: "2026-03", currency: "USD", providers: [] });
    expect(await close("2026-03", closingAt(spring, memoryCloses(), closedOn, { bills }))).toMatchObject({
      closed: true,
    });
  });
});
