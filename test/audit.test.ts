/** The audit on books in memory: clean when they are, and each invariant falls to the corruption it is for. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Organization } from "#shared/billing/account.ts";
import type { Entry, Seal, Sums } from "#shared/billing/ledger.ts";
import { hourOf, quotaPeriod, spanOf } from "#shared/billing/period.ts";
import { parsePoints } from "#shared/billing/points.ts";
import { sumsOf } from "#shared/billing/report.ts";
import { noUsage } from "#shared/billing/usage.ts";
import type { UsageEvent } from "#shared/billing/usage-event.ts";
import { type AuditDeps, type AuditedMeter, audit } from "#shared/operations/audit.ts";
import type { PlacedRollup } from "#shared/operations/audit-rollups.ts";
import { newId } from "#shared/platform/id.ts";

const at = Date.UTC(2026, 10, 21, 5, 30);
const request = newId("request", at);

interface Books {
  organization: Organization;
  wallet: AuditedMeter;
  subscription: AuditedMeter;
  entries: Entry[];
  rollups: PlacedRollup[];
  /** Of the organization and of its project alike. */
  seal: Seal;
  queued: number;
}

let books: Books;
beforeEach(() => {
  books = cleanBooks();
});

function eventOf(id: string, mode: UsageEvent["mode"], cost: string): UsageEvent {
  return {
    version: 1,
    id,
    kind: "chat",
    organization: "org_1",
    project: "p",
    key: "key_1",
    model: "m/1",
    mode,
    meter: mode === "payg" ? "mtr_w" : "mtr_s",
    shard: 0,
    admitted_at: at,
    ended_at: at + 1,
    usage: { ...noUsage, input_tokens: 3 },
    price: { price: { mode: "per_image", unit_price: "1" }, discount_rate: "1", version: "v" },
    cost_points: cost,
    list_points: "0.5",
    calls: 1,
    evidence: "reported",
    source: "gateway",
    outcome: "completed",
    flags: [],
    user: null,
    provider: "p",
    attempts: 1,
  };
}

/** One organization: 10 points credited, one call of 0.5 paid, one call of the quota used. */
function cleanBooks(): Books {
  const paid = eventOf(request, "payg", "0.5");
  const counted = eventOf(newId("request", at + 1), "subscription", "0");
  const entry = (event: UsageEvent): Entry => ({
    id: event.id,
    kind: "usage",
    organization: "org_1",
    debit: "customer:org_1",
    credit: "revenue:m/1",
    points: event.cost_points,
    at,
    event,
  });
  const sums = sumsOf(paid);
  const both = { ...sums, calls: 2, input_tokens: 6, list_points: parsePoints("1") };
  const meter = {
    shard: 0,
    granted: 0n,
    avail: 0n,
    used: 0n,
    holds: new Map(),
    seized: new Map(),
    tasks: new Map(),
    periods: new Map<string, number>(),
  };
  return {
    organization: {
      id: "org_1",
      name: "n",
      status: "active",
      permissions: [],
      created_at: at,
      wallet: { meter: "mtr_w", shards: 1 },
      subscription: { meter: "mtr_s", plan: "free", period: "monthly", started_at: at, ends_at: null },
    },
    wallet: {
      ...meter,
      meter: "mtr_w",
      mode: "payg",
      granted: parsePoints("10"),
      avail: parsePoints("9.5"),
      used: parsePoints("0.5"),
    },
    subscription: {
      ...meter,
      meter: "mtr_s",
      mode: "subscription",
      periods: new Map([[quotaPeriod(at, at).id, 1]]),
    },
    entries: [
      entry(paid),
      entry(counted),
      {
        id: "credit#r",
        kind: "credit",
        organization: "org_1",
        debit: "cash:operator",
        credit: "customer:org_1",
        points: "10",
        at,
        event: null,
      },
    ],
    rollups: ["", "p"].flatMap((project) =>
      [hourOf(at), spanOf(at, "day"), spanOf(at, "month")].map((span) => ({
        organization: "org_1",
        project,
        span,
        model: "m/1",
        sums: both,
      })),
    ),
    seal: { day: "2026-11-30", month: "2026-11", late: 0 },
    queued: 0,
  };
}

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
    now: Date.now,
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

  test("holds_end: a hold that was forgotten", async () => {
    vi.useFakeTimers();
    try {
      vi.setSystemTime(at + 86_400_000);
      books.wallet.holds = new Map([[newId("request", at), { points: 1n, period: "" }]]);
      books.wallet.avail -= 1n;
      const report = audit(deps());
      await vi.advanceTimersByTimeAsync(31_000);
      expect((await report).invariants.find(({ name }) => name === "holds_end")).toMatchObject({
        holds: false,
      });
    } finally {
      vi.useRealTimers();
    }
  });
});

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
  vi.useFakeTimers();
  try {
    books.entries.splice(0, 1);
    books.queued = 1;
    const report = audit(deps());
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await report).toMatchObject({ ok: true, pending: true });
  } finally {
    vi.useRealTimers();
  }
});
