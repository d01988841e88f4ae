/** Books of one organization as the audit reads them, clean until a test corrupts them. */

import { newId, timeOf } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { hourOf, quotaPeriod, spanOf } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { PriceVersion } from "#shared/books/billing/pricing/price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { Entry, PlacedRollup, Seal } from "#shared/books/ledger/ledger.ts";
import type { DeadLetter, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { budgetName } from "#shared/books/meters/hold.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { sumsOf } from "#shared/books/reports/report.ts";
import type { AuditDeps } from "#shared/edges/audit/audit.ts";
import type { KeptEntry } from "#shared/edges/audit/kept.ts";

export const at = Date.UTC(2026, 10, 21, 5, 30);
const request = newId("request", at);

const price = pinPrice({ mode: "per_image", unit_price: "0.5" }, "1");

/** A usage queue with nothing in it. */
export const emptyQueue: AuditDeps["queue"] = {
  depth: async () => 0,
  deadLetters: async () => ({ deadLetters: [], unread: 0 }),
};

export interface Books {
  organization: Organization;
  wallet: Meter;
  subscription: Meter;
  entries: Entry[];
  rollups: PlacedRollup[];
  prices: PriceVersion[];
  /** Of the organization and of its project alike. */
  seal: Seal;
  queued: number;
  deadLetters: DeadLetter[];
}

/** A call of this organization. */
export function eventOf(id: string, mode: UsageEvent["mode"], cost: string): UsageEvent {
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
    admitted_at: timeOf(id),
    ended_at: timeOf(id) + 1,
    usage: { ...noUsage, generated_images: 1 },
    price,
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

/** What the books' only key may spend in all is counted here. */
export const budgetCounter = budgetName("key_1", "bt");

/** The entry of a usage event. */
const entry = (event: UsageEvent): Entry => ({
  id: event.id,
  kind: "usage",
  organization: "org_1",
  debit: "customer:org_1",
  credit: "revenue:m/1",
  points: event.cost_points,
  at: event.admitted_at,
  event,
});

/** A meter that nothing has been booked on. */
const emptyMeter = () => ({
  shard: 0,
  credits: 0n,
  frozen: false,
  ended: new Map(),
  opened: 1,
  owner: "",
  shardsAtRetirement: null,
  marked: null,
  granted: 0n,
  avail: 0n,
  used: 0n,
  holds: new Map(),
  seized: new Map(),
  tasks: new Map(),
  periods: new Map<string, number>(),
  days: new Map<string, bigint>(),
  moves: 0,
  budgets: new Map<string, bigint>(),
});

/** One organization: 10 points credited, one call of 0.5 paid, one call of the quota used. The key has a budget. */
export function cleanBooks(): Books {
  const paid = eventOf(request, "payg", "0.5");
  const counted = eventOf(newId("request", at + 1), "subscription", "0");
  const sums = sumsOf(paid);
  const both = { ...sums, calls: 2, generated_images: 2, list_points: parsePoints("1") };
  const meter = emptyMeter();
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
      budgets: new Map([[budgetCounter, parsePoints("0.5")]]),
    },
    subscription: {
      ...meter,
      meter: "mtr_s",
      mode: "subscription",
      periods: new Map([[quotaPeriod(at, at).id, 1]]),
      budgets: new Map([[budgetCounter, parsePoints("0.5")]]),
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
        key: "key_1",
        owner: "p",
        sums: both,
      })),
    ),
    prices: [{ ...price, model: "m/1", since: at }],
    seal: { day: "2026-11-30", month: "2026-11", late: 0 },
    queued: 0,
    deadLetters: [],
  };
}

/** The items one by one, as a store gives them. */
export async function* each<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** The books as the audit reads them, as they are then. */
export function depsOf(books: Books): AuditDeps {
  const placed = (entry: Entry): KeptEntry => {
    const hour = entry.event ? hourOf(entry.event.admitted_at) : "$";
    const sort = entry.event ? entry.id.slice("req_".length) : entry.id;
    return { entry, organization: "org_1", hour, sort, part: "", hash: undefined, isAsHashed: true };
  };
  const all = () =>
    books.entries.map(placed).toSorted((a, b) => (a.hour < b.hour ? -1 : a.hour > b.hour ? 1 : 0));
  return {
    accounts: { organizations: () => each([books.organization]) },
    meters: {
      everyMeter: () => each([books.wallet, books.subscription]),
      intent: async () => undefined,
    },
    ledger: {
      rollupsIn: () => each(books.rollups),
      prices: () => each(books.prices),
      seal: async () => books.seal,
      entriesOf: async (_, request) => books.entries.filter(({ event }) => event?.id === request),
      hoursWithEntries: () =>
        each([...new Set(all().map(({ hour }) => hour))].filter((hour) => hour !== "$")),
    },
    kept: {
      entries: () => each(all().map((kept, at) => ({ ...kept, cursor: String(at) }))),
      entriesOf: (organization, hour) =>
        each(all().filter((kept) => kept.organization === organization && kept.hour === hour)),
      moneyHash: async () => 0n,
      hashOf: () => new Uint8Array(),
      hourOf: async (_, project, hour) =>
        books.rollups
          .filter((rollup) => rollup.project === project && rollup.span === hour)
          .map((rollup) => ({ ...rollup, hash: 0n })),
      items: () => each([]),
    },
    tasks: { find: async () => undefined },
    queue: {
      depth: async () => books.queued,
      deadLetters: async () => ({ deadLetters: books.deadLetters, unread: 0 }),
    },
    now: () => Date.now(),
  };
}
