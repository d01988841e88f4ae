/** Months closed over the embedded DynamoDB: what is checked, what counts, and what is seen to differ later. */
import { describe, expect, test } from "vitest";
import { spanOf } from "#shared/books/billing/period.ts";
import { readSummary } from "#shared/books/close/summary.ts";
import { acceptableChecks } from "#shared/edges/operator/close/checks.ts";
import { type CloseDeps, checkClose } from "#shared/edges/operator/close/close.ts";
import { exportMonth, verifyMonth } from "#shared/edges/operator/close/verify.ts";
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

describe("a month", () => {
  test("is closed with its entries, and is as it was closed later", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    const { closed, checks, summary, sha256 } = await close("2026-03", deps);
    expect(checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(closed).toBe(true);
    const { organization } = spring.books;
    expect(summary).toMatchObject({
      ...{ month: "2026-03", closed_by: "ann", previous: null, late: [], reason: null },
      closed_at: "2026-04-03T12:00:00.000Z",
      counts_until: "2026-04-03T11:45:00.000Z",
      margin: { calls: 4, charged: "2" },
    });
    const wallet = summary?.accounts.find(({ account }) => account === "customer");
    expect(wallet).toMatchObject({ debit: "2", credit: "0" });
    expect(sha256).toBe(closes.months[0]?.sha256);
    expect(await verifyMonth("2026-03", deps)).toMatchObject({ ok: true, faults: [] });
    const { journal, balances } = await exportMonth("2026-03", deps);
    expect(journal).toEqual([
      {
        ...{ organization, month: "2026-03", kind: "usage" },
        ...{ debit: `customer:${organization}`, credit: "revenue:acme/Sonic-1-5", entries: 4, points: "2" },
      },
    ]);
    expect(balances).toMatchObject([{ organization, charged: "2" }]);
    expect(await close("2026-03", deps).catch(String)).toContain("2026-03 is closed");
  });

  test("takes what earlier months got too late, once", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const march = closes.months[0]?.sha256;
    const late = spring.eventOn("2026-03-20T10:00:00Z", { cost_points: "3", list_points: "3" });
    await spring.books.post([late], at("2026-04-20T10:00:00Z"));
    await spring.books.seal(at("2026-05-02T12:00:00Z"));
    const april = closingAt(spring, closes, "2026-05-03T12:00:00Z");
    const { summary } = await close("2026-04", april);
    expect(summary).toMatchObject({
      ...{ previous: { month: "2026-03", sha256: march }, late: [{ month: "2026-03", entries: 1 }] },
    });
    const { journal } = await exportMonth("2026-04", april);
    expect(journal.map(({ month, points }) => [month, points])).toEqual([
      ["2026-03", "3"],
      ["2026-04", "1"],
    ]);
    const [first, second] = closes.months.map((each) => readSummary(each).accounts);
    const wallet = (lines: typeof first) => lines?.find(({ account }) => account === "customer");
    expect(wallet(second)?.opening).toBe(wallet(first)?.closing);
    for (const month of ["2026-03", "2026-04"])
      expect(await verifyMonth(month, april)).toMatchObject({ ok: true });
    // The next close finds nothing late, and closes a month in which nothing happened.
    await spring.books.seal(at("2026-06-02T12:00:00Z"));
    const may = await close("2026-05", closingAt(spring, closes, "2026-06-03T12:00:00Z"));
    expect(may.summary).toMatchObject({ late: [], journal: { rows: 0 } });
  });

  test("of two closes at a time one is kept", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    const both = await Promise.allSettled([close("2026-03", deps), close("2026-03", deps)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(closes.months).toHaveLength(1);
  });

  test("is the one after the last closed one", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const deps = closingAt(spring, closes, "2026-09-03T12:00:00Z");
    for (const month of ["2026-05", "2026-02"])
      await expect(close(month, deps)).rejects.toThrow("close 2026-04 first");
    closes.months[0] = { ...closes.months[0], summary: "{}" } as (typeof closes.months)[0];
    await expect(close("2026-04", deps)).rejects.toThrow("2026-03 is not as it was signed");
  });

  test("whose entries somebody has changed is seen, and not exported", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    await close("2026-03", deps);
    const { ledger } = deps;
    const lost: CloseDeps = {
      ...deps,
      ledger: {
        ...ledger,
        async *eachEntry(...of) {
          for await (const entry of ledger.eachEntry(...of))
            if (spanOf(entry.at, "day") !== "2026-03-15") yield entry;
        },
      },
    };
    expect(await verifyMonth("2026-03", lost)).toMatchObject({
      ok: false,
      faults: [
        "the ledger's journal is another than the closed one",
        "the ledger's balances are others than the closed ones",
      ],
    });
    await expect(exportMonth("2026-03", lost)).rejects.toThrow("nothing was exported");
    await expect(verifyMonth("2026-02", deps)).rejects.toThrow("2026-02 is not closed");
  });
});

async function* these<Value>(...values: Value[]): AsyncGenerator<Value> {
  yield* values;
}
const cell = {
  ...{ day: "2026-03-01", model: "m", credential: "", causes: [], ours: {}, theirs: {}, difference: {} },
  unexplained: { requests: "1" },
};
const order = { id: "ord_1", created_at: at("2026-03-31T23:00:00Z") };

/** What keeps March from being closed: the check that finds it, and what it says. */
const obstacles: [check: string, detail: string, subject: Partial<CloseDeps["subject"]>][] = [
  ["calls_have_ended", "req_1", { holds: async () => [{ request: "req_1" }] }],
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
  ["orders_are_settled", "ord_1", { orders: () => these({ ...order, state: "review" as const }) }],
  ["orders_are_settled", "ord_1", { orders: () => these({ ...order, state: "paid" as const }) }],
  ["invoices_are_issued", "ord_1", { invoices: () => these({ ...order, state: "requested" as const }) }],
  [
    "bills_are_explained",
    "acme has no bill for 2026-03-30, 2026-03-31",
    { bills: async () => billedBy({ days_without_bill: ["2026-03-30", "2026-03-31"] }) },
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
      { name: "days_are_sealed", detail: `${spring.books.organization}; ${spring.books.organization} alpha` },
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
