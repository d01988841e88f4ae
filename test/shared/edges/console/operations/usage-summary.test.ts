/** The overview's summary over the real stores, against the events added up one by one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import type { Organization, Subscription } from "#shared/books/accounts/account.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addSums, noSums, renderSums, sumsOf } from "#shared/books/reports/report.ts";
import { RecentUses } from "#shared/edges/console/operations/usage-recent.ts";
import { type Books, eventAt, openBooks } from "#test/support/books.ts";
import { admit, openPlan, openWallet, planHold, planLimits, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { type Asker, askConsole, catalog, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db, meters } = useStores();

const hour = 3_600_000;
const day = 24 * hour;
const midnight = Date.parse("2026-11-21T00:00:00Z");
const now = midnight + 12.5 * hour;
const seed = 20261123;

const summaryOf = async (organization: Organization, change: Partial<Asker> = {}) => {
  const answer = await askConsole(db, "/api/v1/usage/summary", { organization, at: now, ...change });
  expect(answer.status, answer.text).toBe(200);
  return answer.json();
};

/** The sums of the events in [from, to) of these keys, or of all keys. */
function sumOf({ posted }: Books, from: number, to: number, keys?: string[]) {
  const counted = [...posted.values()].filter(
    ({ id, key }) => timeOf(id) >= from && timeOf(id) < to && (!keys || keys.includes(key)),
  );
  return counted.map(sumsOf).reduce(addSums, noSums());
}

test("today and yesterday until the same time of day are the sums of their entries, for whoever asks", async () => {
  const books = await openBooks(db, [], midnight - 10 * day);
  const organization = organizationOf(books.organization);
  const mine = await storeKey(db, books.organization, { created_by: "usr_ann" });
  const other = await storeKey(db, books.organization);
  const events = fc.sample(
    fc.record({
      at: fc.oneof(
        fc.integer({ min: midnight - 9 * day, max: now }),
        fc.integer({ min: midnight - day, max: now }),
        fc.integer({ min: now - day - 2 * hour, max: now - day + 2 * hour }),
      ),
      key: fc.constantFrom(mine.id, other.id),
      cost: fc.integer({ min: 1, max: 999 }),
    }),
    { numRuns: 400, seed },
  );
  for (const { at, key, cost } of events.sort((a, b) => a.at - b.at))
    await books.post([eventAt(books.organization, at, { key, cost_points: `0.${cost}` })], at);
  await books.seal(midnight + 3 * hour);
  for (const at of [now, midnight, midnight + 1, midnight + 5 * hour, now - 29 * 60_000, now - day]) {
    const start = Math.floor(at / day) * day;
    for (const [role, keys] of [
      ["owner", undefined],
      ["member", [mine.id]],
    ] as const) {
      const told = await summaryOf(organization, { at, role, user: "usr_ann" });
      // The running hour's rollup has all calls that are posted. Here some are posted that come after `at`.
      const posted = sumOf(books, start, Math.ceil((at + 1) / hour) * hour, keys && [...keys]);
      expect(told.today).toEqual(renderSums(posted));
      expect(told.compared).toEqual({
        until: new Date(at).toISOString(),
        today: renderSums(posted),
        yesterday: renderSums(sumOf(books, start - day, at - day, keys && [...keys])),
      });
    }
  }
});

describe("the comparison", () => {
  test("ends with the last whole hour where yesterday's running hour has too many calls to read", async () => {
    const books = await openBooks(db, [], midnight - 2 * day);
    const event = (at: number) => eventAt(books.organization, at);
    const yesterday = [0, 1, 2, 3].map((at) => event(now - day - 60_000 + at));
    const earlier = [event(now - day - hour), event(now - hour)];
    await books.post([...yesterday, ...earlier, event(now - 1)], now);
    const bounds = consoleLimits as { comparedEntriesMax: number };
    const most = bounds.comparedEntriesMax;
    try {
      for (const [max, until, today, before] of [
        [4, "2026-11-21T12:30:00.000Z", 2, 5],
        [3, "2026-11-21T12:00:00.000Z", 1, 1],
      ] as const) {
        bounds.comparedEntriesMax = max;
        const told = await summaryOf(organizationOf(books.organization));
        expect(told.compared).toMatchObject({ until, today: { calls: today }, yesterday: { calls: before } });
        expect(told.today).toMatchObject({ calls: 2 });
      }
    } finally {
      bounds.comparedEntriesMax = most;
    }
  });
});

describe("an overview that takes many rollups", () => {
  /** Two looks at the overview with a call between them: the calls of today, and whether they were counted anew. */
  async function looks(most: number, [first, then]: [first: number, then: number]) {
    const books = await openBooks(db, [], midnight - 2 * day);
    const scope = { organization: books.organization, own: null, projects: new Set<string>() };
    await books.post([eventAt(books.organization, first - 1)], first);
    const recent = new RecentUses(books.ledger);
    const bounds = consoleLimits as { recentRollupsMax: number };
    const usual = bounds.recentRollupsMax;
    try {
      bounds.recentRollupsMax = most;
      const { today, at } = await recent.of(scope, "usr_1", first);
      expect(at).toBe(first);
      await books.post([eventAt(books.organization, then - 1)], then);
      const again = await recent.of(scope, "usr_1", then);
      const other = await recent.of({ ...scope, own: new Map() }, "usr_1", then);
      expect(other.today.calls).toBe(0);
      return [today.calls, again.today.calls, again.at === then];
    } finally {
      bounds.recentRollupsMax = usual;
    }
  }

  test.each([
    ["of few rollups is counted each time", 1, now, now + 5_000, [1, 2, true]],
    ["of many is told again", 0, now, now + 59_999, [1, 1, false]],
    ["but for a minute at most", 0, now, now + 60_000, [1, 2, true]],
    ["and never on the next day", 0, midnight - 1_000, midnight + 1_000, [1, 1, true]],
    ["nor before it was counted", 0, now, now - 1_000, [1, 2, true]],
  ])("%s", async (_name, most, first, then, seen) => {
    expect(await looks(most, [first, then])).toEqual(seen);
  });
});

describe("the pace", () => {
  /** An organization with a wallet that was made `age` before now, and has one call of so many points. */
  async function spent(cost: string, { points = "100", age = 30 * day, ago = hour } = {}) {
    const books = await openBooks(db, [], now - age);
    const meter = await openWallet(db, points, books.organization);
    const event: Partial<UsageEvent> = { cost_points: cost, mode: "payg" };
    await books.post([eventAt(books.organization, now - ago, event)], now);
    return organizationOf(books.organization, { wallet: { meter, shards: 1 }, created_at: now - age });
  }

  test("is what the last seven days took, today included, and says how long the balance lasts", async () => {
    // 6 days and 12.5 hours have passed since the first of the seven midnights.
    expect(await summaryOf(await spent("65.20833333333333333"))).toMatchObject({
      pace: { points_per_day: expect.stringMatching(/^9\.99999/) },
      wallet: { balance_points: "100", held_points: "0" },
      days_left: 10,
      alerts: [],
    });
  });

  test("counts nothing from before, and foretells nothing where nothing is spent", async () => {
    const organization = await spent("65", { ago: 7 * day });
    expect(await summaryOf(organization)).toMatchObject({ pace: { points_per_day: "0" }, days_left: null });
  });

  test("of a young organization is that of its days, and at least of one", async () => {
    expect(await summaryOf(await spent("20", { age: 2 * day }))).toMatchObject({
      pace: { points_per_day: "10" },
      days_left: 10,
    });
    expect(await summaryOf(await spent("20", { age: 2 * hour }))).toMatchObject({
      pace: { points_per_day: "20" },
      days_left: 5,
    });
  });

  test("that the balance lasts for less than three days is an alert", async () => {
    const three = await spent("10", { age: 2 * hour, points: "30" });
    expect(await summaryOf(three)).toMatchObject({ days_left: 3, alerts: [] });
    const less = await spent("10", { age: 2 * hour, points: "29.9" });
    expect(await summaryOf(less)).toMatchObject({
      days_left: 2,
      alerts: [{ kind: "low_balance", days_left: 2 }],
    });
    const none = await spent("10", { age: 2 * hour, points: "0.000000000000000001" });
    expect(await summaryOf(none)).toMatchObject({ alerts: [{ kind: "low_balance", days_left: 0 }] });
  });

  test("is told to nobody who sees only their own keys", async () => {
    const told = await summaryOf(await spent("65"), { role: "member" });
    expect(told).toMatchObject({
      wallet: { balance_points: "100" },
      today: { calls: 0 },
      pace: null,
      days_left: null,
      alerts: [],
    });
  });
});

describe("the plan", () => {
  const withPlan = (ends_at: number | null, more: Partial<Subscription> = {}) =>
    organizationOf(newId("organization", now), {
      subscription: {
        plan: "free",
        period: "monthly",
        meter: "mtr_none",
        started_at: now - 40 * day,
        ends_at,
        ...more,
      },
    });

  test.each([
    [null, []],
    [7 * day + 1, []],
    [7 * day, ["plan_ends"]],
    [1, ["plan_ends"]],
    [0, ["plan_ended"]],
    [-day, ["plan_ended"]],
  ])("that ends in %s ms has the alerts %j", async (left, kinds) => {
    const ends_at = left === null ? null : now + left;
    const told = await summaryOf(withPlan(ends_at));
    const at = ends_at === null ? null : new Date(ends_at).toISOString();
    expect(told.alerts).toEqual(kinds.map((kind) => ({ kind, at })));
    expect(told.subscription).toMatchObject({ plan: "free", ends_at: at });
  });

  test("that is booked is told with the instant from which it runs", async () => {
    const next = { plan: "pro", period: "yearly", from: now + day } as const;
    const organization = withPlan(now + 2 * day, { next });
    expect((await summaryOf(organization)).subscription).toMatchObject({
      plan: "free",
      next: { ...next, from: new Date(next.from).toISOString() },
    });
  });

  test("shows its quota as the meter counts it", async () => {
    const meter = await openPlan(db);
    const { id, ends_at } = quotaPeriod(now - 40 * day, now);
    await admit(meters, planHold(meter, planLimits({ period: { id, ends_at } }), 10, now));
    const subscription = {
      plan: "free",
      period: "monthly" as const,
      started_at: now - 40 * day,
      ends_at: null,
    };
    const organization = organizationOf(newId("organization", now), {
      subscription: { ...subscription, meter },
    });
    expect((await summaryOf(organization)).subscription.quota).toMatchObject({
      used: 1,
      limit: catalog.plan("free")?.quota.monthly,
      resets_at: new Date(ends_at).toISOString(),
      free_at: null,
    });
  });
});

test("calls in flight and their points are those of this moment", async () => {
  const id = newId("organization", now);
  const meter = await openWallet(db, "100", id);
  await admit(meters, walletHold(meter, "30", now - 1_000));
  const told = await summaryOf(organizationOf(id, { wallet: { meter, shards: 1 } }));
  expect(told).toMatchObject({ in_flight: 1, wallet: { balance_points: "100", held_points: "30" } });
});

test("it takes no parameters", async () => {
  const asker = { organization: organizationOf(newId("organization", now)), at: now };
  for (const path of ["usage/summary?period=today", "limits?key=1"])
    expect((await askConsole(db, `/api/v1/${path}`, asker)).status).toBe(400);
});
