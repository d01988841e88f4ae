/** Budgets in the audit: running counters are their calls' charges and holds, and what is over is nobody's any more. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { BudgetPeriod, KeyRecord } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { budgetCounter } from "#shared/books/meters/budget.ts";
import { budgetName } from "#shared/books/meters/hold.ts";
import { accountOf } from "#shared/books/meters/levels.ts";
import { budgetsMatchLedger } from "#shared/edges/audit/budgets.ts";
import { accountsOf, noUses, usesOf } from "#shared/edges/audit/uses.ts";
import { cleanBooks, eventOf } from "#test/support/audit-books.ts";

const now = Date.parse("2026-12-01T00:30:00Z");
const counterOf = (period: BudgetPeriod, at: number) => budgetName("key_1", budgetCounter(period, at));

/** What the audit says of one counter, with calls of 0.25 points admitted at these instants, and what is held. */
function said(
  period: BudgetPeriod,
  taken: string,
  calls: number[],
  held: { at: number; points: string }[] = [],
) {
  const { organization, wallet, entries } = cleanBooks();
  const events = calls.map((at) => eventOf(newId("request", at), "payg", "0.25"));
  const usage = entries[0];
  if (!usage) throw new Error("no entry");
  wallet.budgets = new Map([[counterOf(period, now), parsePoints(taken)]]);
  wallet.holds = new Map(
    held.map(({ at, points }) => [
      newId("request", at),
      {
        points: parsePoints(points),
        tokens: 0,
        period: "",
        budgets: [{ counter: counterOf(period, at), points: parsePoints(points) }],
      },
    ]),
  );
  const accounts = accountsOf([organization], now);
  return budgetsMatchLedger({
    organizations: [organization],
    meters: [wallet],
    records: [],
    uses: usesOf(
      events.map((event) => ({ ...usage, id: event.id, event })),
      accounts,
    ),
    accounts,
    inFlight: { coming: [], ahead: [], unknown: [], unseen: 0 },
    now,
  }).gaps;
}

const [yesterday, lastYear] = [now - 3_600_000, Date.parse("2025-06-01T00:00:00Z")];

test("a day is the calls of that day, a month of that month, a total of all there are", () => {
  const calls = [now, now - 1, yesterday, lastYear];
  for (const period of ["day", "month"] as const) {
    expect(said(period, "0.5", calls)).toEqual([]);
    expect(said(period, "0.75", calls)).toEqual([expect.stringContaining("has 0.25 points more")]);
    expect(said(period, "0.25", calls)).toEqual([expect.stringContaining("has -0.25 points more")]);
  }
  expect(said("total", "1", calls)).toEqual([]);
});

test("what calls in flight hold is taken, and not yet spent", () => {
  expect(said("day", "1", [now], [{ at: now, points: "0.75" }])).toEqual([]);
  expect(said("day", "0.25", [now], [{ at: now, points: "0.75" }])).toHaveLength(1);
  expect(said("day", "0.25", [now], [{ at: yesterday, points: "0.75" }])).toEqual([]);
});

test("a day that is over is not looked at: its counter may have gone, or be what a late correction left", () => {
  const { organization, wallet } = cleanBooks();
  wallet.budgets = new Map([[counterOf("day", yesterday), 7n]]);
  const inFlight = { coming: [], ahead: [], unknown: [], unseen: 0 };
  const books = { organizations: [organization], meters: [wallet], records: [], uses: noUses(), inFlight };
  const at = (instant: number) => ({ now: instant, accounts: accountsOf([organization], instant) });
  expect(budgetsMatchLedger({ ...books, ...at(now) }).gaps).toEqual([]);
  expect(budgetsMatchLedger({ ...books, ...at(yesterday) }).gaps).toHaveLength(1);
});

test("levels have spent no more than their calls were charged, and may have spent less", () => {
  const { organization, wallet, entries } = cleanBooks();
  const [usage] = entries;
  if (!usage) throw new Error("no entry");
  const member = newId("user", now);
  const budgets = [{ level: "organization", id: "", points: "5", period: "day" }] as const;
  const owner = { ...organization, budgets: [...budgets] };
  const key = { id: "key_1", created_by: member } as KeyRecord;
  const accounts = accountsOf([owner], now, [key]);
  const event = eventOf(newId("request", now), "payg", "0.25");
  const counters = [
    accountOf("organization", ""),
    accountOf("project", event.project),
    accountOf("member", member),
    accountOf("customer", "ann"),
  ].map((account) => `${account}:${budgetCounter("day", now)}`);
  const found = (
    spent: string,
    inFlight: { coming?: UsageEvent[]; ahead?: UsageEvent[]; unseen?: number },
  ) => {
    wallet.budgets = new Map(counters.map((counter) => [counter, parsePoints(spent)]));
    return budgetsMatchLedger({
      ...{ organizations: [owner], meters: [wallet], records: [], now, accounts },
      uses: usesOf([{ ...usage, id: event.id, event }], accounts),
      inFlight: { coming: [], ahead: [], unknown: [], unseen: 0, ...inFlight },
    });
  };
  for (const spent of ["0", "0.25"]) expect(found(spent, {}).gaps).toEqual([]);
  expect(found("0.26", {}).gaps).toEqual(
    counters.slice(0, 3).map((counter) => `mtr_w ${counter} has 0.01 points more than its calls came to`),
  );
  const other = eventOf(newId("request", now), "payg", "0.01");
  expect(found("0.26", { coming: [other] }).gaps).toEqual([]);
  expect(found("0.25", { ahead: [other] }).gaps).toHaveLength(3);
  expect(found("0.26", { unseen: 1 })).toMatchObject({ gaps: [], open: { length: 3 } });
});
