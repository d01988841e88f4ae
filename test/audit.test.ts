/** The audit on books in memory: clean when they are, and each invariant falls to the corruption it is for. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry, Sums } from "#shared/billing/ledger.ts";
import { quotaPeriod } from "#shared/billing/period.ts";
import { type AuditDeps, type AuditReport, audit } from "#shared/operations/audit.ts";
import { newId } from "#shared/platform/id.ts";
import { at, type Books, cleanBooks } from "./support/audit-books.ts";

let books: Books;
beforeEach(() => {
  books = cleanBooks();
});

async function* each<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

function deps(): AuditDeps {
  return {
    accounts: { organizations: () => each([books.organization]) },
    meters: { everyMeter: () => each([books.wallet, books.subscription]) },
    ledger: {
      everyEntry: () => each(books.entries),
      everyRollup: () => each(books.rollups),
      seal: async () => books.seal,
    },
    tasks: { find: async () => undefined },
    pending: async () => books.queued,
    now: () => Date.now(),
  };
}

test("clean books are clean, and every invariant is named", async () => {
  const report = await audit(deps());
  expect(report).toMatchObject({ ok: true, pending: false });
  expect(report.invariants.map(({ name }) => name)).toEqual([
    "meters_balance",
    "wallets_match_ledger",
    "credits_match_grants",
    "quotas_match_ledger",
    "rollups_match_entries",
    "days_match_hours",
    "months_match_days",
    "books_balance",
    "wallets_are_whole",
    "holds_end",
    "tasks_end",
  ]);
});

/** Changes what the project's rollups of a span say, and of those that are made of it. */
function doctor(span: string, change: Partial<Sums> = { input_tokens: 7 }): void {
  for (const rollup of books.rollups) {
    if (rollup.project === "p" && span.startsWith(rollup.span)) rollup.sums = { ...rollup.sums, ...change };
  }
}

/** Changes what one entry says: the paid call's, or the one after. */
function doctorEntry(change: Partial<Entry>, index = 0): void {
  Object.assign(books.entries[index] ?? {}, change);
}

const corruptions: [invariant: string, corrupt: () => void][] = [
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
  ["rollups_match_entries", () => doctor("2026-11-21T05")],
  ["rollups_match_entries", () => (books.rollups = books.rollups.filter(({ project }) => project === ""))],
  ["days_match_hours", () => doctor("2026-11-21")],
  ["months_match_days", () => doctor("2026-11")],
  ["books_balance", () => doctorEntry({ credit: "" })],
  ["books_balance", () => doctorEntry({ debit: "customer:org_2" })],
  ["books_balance", () => doctorEntry({ kind: "adjustment" }, 1)],
  ["books_balance", () => doctorEntry({ points: "1" }, 1)],
  ["wallets_are_whole", () => Object.assign(books.organization.wallet ?? {}, { shards: 2 })],
  ["wallets_are_whole", () => Object.assign(books.organization.wallet ?? {}, { opened: 2 })],
  [
    "tasks_end",
    () => {
      books.wallet.tasks = new Map([[newId("task", at - 86_400_000), { points: 0n, period: "" }]]);
    },
  ],
];

test("days and months that were written beyond the seal are nobody's, and what is missing below it is a gap", async () => {
  doctor("2026-11");
  books.seal = { day: "2026-11-21", month: "2026-10", late: 0 };
  expect(await audit(deps())).toMatchObject({ ok: true });
  books.rollups = books.rollups.filter(({ span }) => span !== "2026-11-21");
  const { invariants } = await audit(deps());
  expect(invariants.filter(({ holds }) => !holds)).toEqual([
    expect.objectContaining({
      name: "days_match_hours",
      detail: expect.stringContaining("org_1 p 2026-11-21 m/1 differs from its hours by "),
    }),
  ]);
});

describe("each corruption is found by its invariant", () => {
  test.each(corruptions)("%s", async (invariant, corrupt) => {
    corrupt();
    const report = await audit(deps());
    expect(report).toMatchObject({ ok: false, pending: false });
    expect(report.invariants.filter(({ holds }) => !holds).map(({ name }) => name)).toEqual([invariant]);
  });

  test.each(corruptions)(
    "%s, also where a message is under way that does not explain it",
    async (invariant, corrupt) => {
      corrupt();
      books.queued = 1;
      const explained = ["wallets_match_ledger", "quotas_match_ledger"].includes(invariant);
      expect(await audited()).toMatchObject({ ok: explained, pending: true });
    },
  );

  test("holds_end: a hold that was forgotten", async () => {
    books.wallet.holds = new Map([[newId("request", at), { points: 1n, period: "" }]]);
    books.wallet.avail -= 1n;
    const report = await audited(at + 86_400_000);
    expect(report).toMatchObject({ ok: false, pending: true });
    expect(report.invariants.filter(({ holds }) => !holds)).toMatchObject([{ name: "holds_end" }]);
  });
});

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

test("a gap that closes while it is looked at is none: the last message was settled between two reads", async () => {
  const [missing] = books.entries.splice(0, 1);
  books.queued = 1;
  let looks = 0;
  const watched = deps();
  const pending = watched.pending;
  watched.pending = () => {
    looks += 1;
    // The books were read without the entry; it is there, and the queue empty, before the queue is asked.
    if (looks === 2 && missing) {
      books.entries.unshift(missing);
      books.queued = 0;
    }
    return pending();
  };
  expect(await audit(watched)).toMatchObject({ ok: true, pending: false });
  expect(looks).toBe(3);
});

test("a gap that a queued message explains is pending, not a failure, after 30 s of patience", async () => {
  books.wallet.used += 1n;
  books.wallet.avail -= 1n;
  books.queued = 1;
  expect(await audited()).toMatchObject({ ok: true, pending: true });
});

test("so is one that not every look has shown: what moves is read at two instants", async () => {
  books.queued = 1;
  const { rollups } = books;
  let looks = 0;
  const moving = deps();
  moving.pending = async () => {
    looks += 1;
    books.rollups = looks === 30 ? rollups : rollups.slice(1);
    return 1;
  };
  expect(await audited(at, moving)).toMatchObject({ ok: true, pending: true });
});
