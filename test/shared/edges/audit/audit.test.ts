/** The audit on books in memory: clean when they are, and each invariant falls to the corruption it is for. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Entry, Sums } from "#shared/books/ledger/ledger.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { sumsOf } from "#shared/books/reports/report.ts";
import { type AuditDeps, type AuditReport, audit } from "#shared/edges/audit/audit.ts";
import { type InvariantName, invariants } from "#shared/edges/audit/invariants.ts";
import {
  at,
  type Books,
  budgetCounter,
  cleanBooks,
  depsOf,
  each,
  eventOf,
} from "#test/support/audit-books.ts";

let books: Books;
beforeEach(() => {
  books = cleanBooks();
});

function deps(): AuditDeps {
  return depsOf(books);
}

test("clean books are clean, and every invariant is named", async () => {
  const report = await audit(deps());
  expect(report).toMatchObject({ ok: true, pending: false });
  expect(report.invariants.map(({ name }) => name)).toEqual(Object.keys(invariants));
});

/** Changes what the project's rollups of a span say, and of those that are made of it. */
function doctor(span: string, change: Partial<Sums> = { input_tokens: 7 }): void {
  for (const rollup of books.rollups) {
    if (rollup.project === "p" && span.startsWith(rollup.span)) rollup.sums = { ...rollup.sums, ...change };
  }
}

/** Books the same sums of an hour, a day and a month to another key, or to a key of another project. */
function attribute(share: { key: string } | { owner: string }): void {
  books.rollups = books.rollups.map((rollup) => ({ ...rollup, ...share }));
}

/** Counts more points on the key's budget. */
function spendBudget({ budgets }: Meter, points: bigint): void {
  budgets.set(budgetCounter, (budgets.get(budgetCounter) ?? 0n) + points);
}

/** Changes what one entry says: the paid call's, or the one after. */
function doctorEntry(change: Partial<Entry>, index = 0): void {
  Object.assign(books.entries[index] ?? {}, change);
}

/** Each with the other invariants that fall with it, in the order of the report. */
const corruptions: [invariant: InvariantName, corrupt: () => void, others?: InvariantName[]][] = [
  ["meters_balance", () => (books.wallet.avail -= 1n)],
  [
    "wallets_match_ledger",
    () => {
      books.wallet.used += 1n;
      books.wallet.avail -= 1n;
    },
  ],
  [
    "credits_match_grants",
    () => {
      books.wallet.granted += 1n;
      books.wallet.avail += 1n;
    },
  ],
  ["quotas_match_ledger", () => books.subscription.periods.set(quotaPeriod(at, at).id, 2)],
  ["budgets_match_ledger", () => spendBudget(books.wallet, 1n)],
  ["budgets_match_ledger", () => spendBudget(books.subscription, 1n)],
  ["rollups_match_entries", () => doctor("2026-11-21T05")],
  ["rollups_match_entries", () => (books.rollups = books.rollups.filter(({ project }) => project === ""))],
  ["rollups_match_entries", () => attribute({ key: "key_2" })],
  ["rollups_match_entries", () => attribute({ owner: "q" })],
  ["days_match_hours", () => doctor("2026-11-21")],
  ["months_match_days", () => doctor("2026-11")],
  ["books_balance", () => doctorEntry({ credit: "" }), ["entries_agree"]],
  ["entries_agree", () => doctorEntry({ debit: "customer:org_2" })],
  ["entries_agree", () => doctorEntry({ kind: "adjustment" }, 1), ["rollups_match_entries", "books_balance"]],
  ["books_balance", () => doctorEntry({ points: "1" }, 1)],
  ["prices_resolve", () => (books.prices = [])],
  ["prices_resolve", () => Object.assign(books.prices[0] ?? {}, { model: "m/2" })],
  ["prices_resolve", () => Object.assign(books.prices[0] ?? {}, { discount_rate: "0.9" })],
  ["meters_are_whole", () => Object.assign(books.organization.wallet ?? {}, { shards: 2 })],
  ["meters_are_whole", () => Object.assign(books.organization.wallet ?? {}, { opened: 2 })],
  [
    "tasks_end",
    () => {
      books.wallet.tasks = new Map([[newId("task", at - 86_400_000), { points: 0n, tokens: 0, period: "" }]]);
    },
  ],
  [
    "events_arrive",
    () => (books.deadLetters = [{ id: "1", body: "", organization: "org_1", sent_at: at - 8 * 86_400_000 }]),
  ],
];

test("days and months that were written beyond the seal are nobody's, and what is missing below it is a gap", async () => {
  doctor("2026-11");
  books.seal = { day: "2026-11-21", month: "2026-10", late: 0 };
  expect(await audit(deps())).toMatchObject({ ok: true });
  books.rollups = books.rollups.filter(({ span }) => span !== "2026-11-21");
  const { invariants } = await audited();
  expect(invariants.filter(({ holds }) => !holds)).toEqual([
    expect.objectContaining({
      name: "days_match_hours",
      detail: expect.stringContaining("org_1 p 2026-11-21 m/1 key_1 differs from its hours by "),
    }),
  ]);
});

test("rollups of all keys are compared with all of them, as a version before wrote them", async () => {
  books.rollups = books.rollups.map((rollup) => ({ ...rollup, key: null, owner: null }));
  expect(await audit(deps())).toMatchObject({ ok: true });
  doctor("2026-11-21T05");
  expect(await audited()).toMatchObject({ ok: false });
});

describe("each corruption is found by its invariant", () => {
  test.each(corruptions)("%s", async (invariant, corrupt, others = []) => {
    corrupt();
    const report = await audited();
    expect(report).toMatchObject({ ok: false, pending: invariant === "events_arrive" });
    expect(brokenIn(report)).toEqual(inOrder(invariant, ...others));
  });

  test.each(corruptions)(
    "%s, also where a dead letter does not explain it",
    async (invariant, corrupt, others = []) => {
      const of = eventOf(newId("request", at), "payg", "0.25");
      books.deadLetters = [{ id: "2", body: JSON.stringify(of), organization: "org_1", sent_at: at }];
      books.wallet.used += parsePoints("0.25");
      books.wallet.avail -= parsePoints("0.25");
      spendBudget(books.wallet, parsePoints("0.25"));
      expect(await audited()).toMatchObject({ ok: true, pending: true });
      const { deadLetters } = books;
      corrupt();
      books.deadLetters = [...new Set([...deadLetters, ...books.deadLetters])];
      const report = await audited();
      expect(report).toMatchObject({ ok: false, pending: true });
      expect(brokenIn(report)).toEqual(inOrder(invariant, ...others));
    },
  );

  test.each(corruptions)(
    "%s, also where a message is in flight that does not explain it",
    async (invariant, corrupt) => {
      corrupt();
      books.queued = 1;
      const counted = ["wallets_match_ledger", "quotas_match_ledger", "budgets_match_ledger"];
      const explained = counted.includes(invariant);
      expect(await audited()).toMatchObject({ ok: explained, pending: true });
    },
  );

  test("holds_end: a hold that was forgotten", async () => {
    books.wallet.holds = new Map([[newId("request", at), { points: 1n, tokens: 0, period: "" }]]);
    books.wallet.avail -= 1n;
    const report = await audited(at + 86_400_000);
    expect(report).toMatchObject({ ok: false, pending: true });
    expect(report.invariants.filter(({ holds }) => !holds)).toMatchObject([{ name: "holds_end" }]);
  });
});

/** The invariants that do not hold. */
function brokenIn(report: AuditReport): string[] {
  return report.invariants.filter(({ holds }) => !holds).map(({ name }) => name);
}

/** Invariants in the order of the report. */
function inOrder(...names: InvariantName[]): string[] {
  return Object.keys(invariants).filter((name) => names.some((each) => each === name));
}

/** The audit of books that stay as they are, with all its patience. */
async function audited(now = at, of = deps()): Promise<AuditReport> {
  vi.useFakeTimers();
  vi.setSystemTime(now);
  try {
    const report = audit(of);
    await vi.advanceTimersByTimeAsync(31_000);
    return await report;
  } finally {
    vi.useRealTimers();
  }
}

/** The same books, changed by what `look` does before each look at the queue; it is told how many there were. */
function watched(look: (looks: number) => void): AuditDeps {
  const of = deps();
  const { depth } = of.queue;
  let looks = 0;
  of.queue.depth = () => {
    looks += 1;
    look(looks);
    return depth();
  };
  return of;
}

test("a gap that closes while it is looked at is none: the queue was not as empty as it said", async () => {
  const { entries, rollups } = books;
  books.entries = entries.slice(1);
  const rest = sumsOf(eventOf(newId("request", at), "subscription", "0"));
  books.rollups = rollups.map((rollup) => ({ ...rollup, sums: rest }));
  books.queued = 1;
  let seen = 0;
  const of = watched((looks) => {
    seen = looks;
    if (looks === 2) books.queued = 0;
    if (looks === 3) Object.assign(books, { entries, rollups });
  });
  expect(await audited(at, of)).toMatchObject({ ok: true, pending: false });
  expect(seen).toBe(3);
});

describe("a wallet that has used more than was charged", () => {
  beforeEach(() => {
    books.wallet.used += 1n;
    books.wallet.avail -= 1n;
    books.queued = 3;
  });

  test("is pending, not a failure, while messages stay in the queue for 30 s, and they are counted", async () => {
    const { ok, pending, invariants } = await audited();
    expect({ ok, pending }).toEqual({ ok: true, pending: true });
    expect(invariants.filter(({ holds }) => !holds)).toEqual([
      {
        name: "wallets_match_ledger",
        holds: false,
        detail: expect.stringMatching(
          /^the used of mtr_w has 0\.0{17}1 points more .*; 3 messages could not be read$/,
        ),
      },
    ]);
  });

  test.each([
    ["is pending where the queue was empty once, which is no more than SQS's guess", [10], true],
    ["fails where it was empty twice: the gap has outlasted its messages", [10, 20], false],
  ])("%s", async (_, empty, ok) => {
    const of = watched((looks) => (books.queued = empty.includes(looks) ? 0 : looks));
    expect(await audited(at, of)).toMatchObject({ ok, pending: true });
  });

  test("fails beside another whose gap changes with every look", async () => {
    const moving = {
      ...books.organization,
      id: "org_2",
      wallet: { meter: "mtr_v", shards: 1 },
      subscription: null,
    };
    const item = { ...books.wallet, meter: "mtr_v", granted: 0n, avail: 0n, used: 0n };
    const of = watched((looks) => {
      books.queued = looks % 2;
      Object.assign(item, { used: BigInt(looks), avail: -BigInt(looks) });
    });
    of.accounts.organizations = () => each([books.organization, moving]);
    of.meters.everyMeter = () => each([books.wallet, item, books.subscription]);
    expect(await audited(at, of)).toMatchObject({ ok: false, pending: true });
  });
});

test("a wallet that was charged more than it used is a gap whatever is queued: no message gives back", async () => {
  books.wallet.used -= 1n;
  books.wallet.avail += 1n;
  books.queued = 3;
  expect(await audited()).toMatchObject({ ok: false, pending: true });
});

test("a gap gets its second look also where the first has taken all of the patience", async () => {
  books.wallet.avail -= 1n;
  const slow = { ...deps(), now: () => (clock += 60_000) };
  let clock = at;
  expect(await audited(at, slow)).toMatchObject({ ok: false, pending: false });
});

test("a gap is none that not every look has shown: what moves is read at two instants", async () => {
  const { rollups } = books;
  books.queued = 1;
  const of = watched((looks) => (books.rollups = looks === 30 ? rollups : rollups.slice(1)));
  expect(await audited(at, of)).toMatchObject({ ok: true, pending: true });
});
