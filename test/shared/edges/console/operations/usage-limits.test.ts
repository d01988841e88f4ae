/** Limits through the console's route, over the real meters: what it shows is what admission decides by. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import {
  admit,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { type Asker, askConsole, catalog, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db, meters } = useStores();

const now = Date.parse("2026-11-21T12:30:00Z");
const startedAt = Date.parse("2026-11-05T00:00:00Z");
const free = catalog.plan("free");

const limitsOf = async (organization: Organization, change: Partial<Asker> = {}) =>
  (await askConsole(db, "/api/v1/limits", { organization, at: now, ...change })).json();

/** An organization with a subscription to the plan `free` and a wallet of 100 points. */
async function openBoth(change: Partial<NonNullable<Organization["subscription"]>> = {}) {
  const id = newId("organization", startedAt);
  const subscription = await openPlan(db);
  const wallet = await openWallet(db, "100", id);
  return organizationOf(id, {
    subscription: {
      plan: "free",
      period: "monthly",
      meter: subscription,
      started_at: startedAt,
      ends_at: null,
      ...change,
    },
    wallet: { meter: wallet, shards: 1 },
  });
}

/** The hold of a call on the plan at an instant, of a key with these limits. */
function onPlan({ subscription }: Organization, at: number, tokens: number, key?: KeyRecord): Hold {
  const { id, ends_at } = quotaPeriod(startedAt, at);
  const plan = { rpm: free?.rpm ?? null, tpm: free?.tpm ?? null, tpd: free?.tpd ?? null };
  const limits = planLimits({ ...plan, quota: 100, period: { id, ends_at } });
  const hold = planHold(subscription?.meter ?? "", limits, tokens, at, key?.id);
  return key?.limits ? { ...hold, limits: key.limits } : hold;
}

describe("a plan", () => {
  test("shows the minute, the day and the month as the meter counts them", async () => {
    const organization = await openBoth();
    const early = await admit(meters, onPlan(organization, now - 90_000, 50));
    await admit(meters, onPlan(organization, now - 20_000, 300));
    await meters.settle(early, settlement({ tokens: 40 }));
    const shown = await limitsOf(organization);
    const minute = "2026-11-21T12:30:40.000Z";
    expect(shown).toMatchObject({
      object: "limits",
      at: "2026-11-21T12:30:00.000Z",
      in_flight: 1,
      subscription: {
        plan: "free",
        period: "monthly",
        ends_at: null,
        rpm: { used: 1, limit: free?.rpm, resets_at: minute, free_at: null },
        tpm: { used: 300, limit: free?.tpm, resets_at: minute, free_at: null },
        tpd: { used: 340, limit: free?.tpd, resets_at: "2026-11-22T00:00:00.000Z" },
        quota: { used: 2, limit: free?.quota.monthly, resets_at: "2026-12-05T00:00:00.000Z" },
        in_flight: 1,
        open_tasks: 0,
      },
      keys: [],
    });
  });

  test("shows the points of its day, spent and held, which are those of its own calls of the day", async () => {
    const organization = await openBoth({ plan: "bounded" });
    const dayPoints = parsePoints("2");
    const hold = (at: number, points: string): Hold => {
      const { planLimits, ...rest } = onPlan(organization, at, 10);
      return {
        ...rest,
        planLimits: planLimits && { ...planLimits, dayPoints },
        listPoints: parsePoints(points),
      };
    };
    const day = async () => (await limitsOf(organization)).subscription.day_points;
    expect((await limitsOf(await openBoth())).subscription.day_points).toBeNull();
    const bound = {
      limit_points: "2",
      period: "day",
      resets_at: "2026-11-22T00:00:00.000Z",
    };
    const nothing = { spent_points: "0", held_points: "0", left_points: "2" };
    expect(await day()).toEqual({ ...bound, ...nothing });
    // Yesterday's call is still in flight, and counts today as nothing.
    await admit(meters, hold(now - 86_400_000, "0.4"));
    expect(await day()).toEqual({ ...bound, ...nothing });
    const ended = await admit(meters, hold(now - 90_000, "0.5"));
    await meters.settle(ended, settlement({ listPoints: parsePoints("0.125") }));
    await admit(meters, hold(now - 20_000, "0.25"));
    expect(await day()).toEqual({
      ...bound,
      spent_points: "0.125",
      held_points: "0.25",
      left_points: "1.625",
    });
  });

  test("says when a full minute takes the next request, which is when admission takes it", async () => {
    const organization = await openBoth();
    const rpm = free?.rpm ?? 0;
    for (let at = 0; at < rpm; at++) await admit(meters, onPlan(organization, now - 30_000 + at * 1_000, 1));
    const { rpm: use } = (await limitsOf(organization)).subscription;
    expect(use).toMatchObject({ used: rpm, limit: rpm });
    const freeAt = Date.parse(use.free_at);
    expect(await meters.admit(onPlan(organization, freeAt - 1, 1))).toMatchObject({ admitted: false });
    expect(await meters.admit(onPlan(organization, freeAt, 1))).toMatchObject({ admitted: true });
  });

  test("tells the change that is booked until it has come, and then the plan that runs", async () => {
    const booked = { plan: "pro", period: "yearly", from: now + 1 } as const;
    const due = await openBoth({ ends_at: now + 2, next: booked });
    expect((await limitsOf(due)).subscription).toMatchObject({
      ...{ plan: "free", period: "monthly", ends_at: "2026-11-21T12:30:00.002Z" },
      next: { plan: "pro", period: "yearly", from: "2026-11-21T12:30:00.001Z" },
    });
    expect((await limitsOf(due, { at: now + 1 })).subscription).toMatchObject({
      ...{ plan: "pro", period: "yearly", ends_at: "2026-11-21T12:30:00.002Z", next: null },
    });
  });

  test("that has ended has no limits to show, and one that was never used is unused", async () => {
    const ended = await openBoth({ ends_at: now - 1 });
    expect((await limitsOf(ended)).subscription).toMatchObject({
      ends_at: "2026-11-21T12:29:59.999Z",
      rpm: null,
      quota: null,
      day_points: null,
    });
    const unused = (await limitsOf(await openBoth())).subscription;
    for (const name of ["rpm", "tpm", "tpd", "quota"])
      expect(unused[name]).toMatchObject({ used: 0, resets_at: null, free_at: null });
  });
});

describe("a wallet", () => {
  test("shows what is left, and what calls in flight hold of it", async () => {
    const organization = await openBoth();
    const meter = organization.wallet?.meter ?? "";
    const ended = await admit(meters, walletHold(meter, "10", now - 1_000));
    await meters.settle(ended, settlement({ points: 3n * 10n ** 18n }));
    await admit(meters, walletHold(meter, "20.5", now - 1_000));
    // A hold so old belongs to a dead call: it holds points until the sweep comes, and is no call in flight.
    await admit(meters, walletHold(meter, "1", now - 2 * 3_600_000));
    expect((await limitsOf(organization)).wallet).toEqual({
      balance_points: "97",
      held_points: "21.5",
      free_points: "75.5",
      in_flight: 1,
      open_tasks: 0,
    });
  });

  test("and a plan that are not there are null", async () => {
    const nothing = organizationOf(newId("organization", now));
    expect(await limitsOf(nothing)).toMatchObject({
      in_flight: 0,
      subscription: null,
      wallet: null,
      keys: [],
    });
  });
});

describe("a key with limits of its own", () => {
  const store = (organization: Organization, limits: KeyLimits | null, change: object = {}) =>
    storeKey(db, organization.id, { limits, created_at: now, ...change });

  test("shows what it has used of each, and no other key's", async () => {
    const organization = await openBoth();
    const own = { rpm: 2, tpd: 1_000, max_concurrency: 4 };
    const limited = await store(organization, own, { mode: "subscription", name: "shop" });
    const other = await store(organization, { rpm: 1 }, { mode: "subscription" });
    await store(organization, null, { mode: "subscription" });
    await admit(meters, onPlan(organization, now - 20_000, 300, limited));
    await admit(meters, onPlan(organization, now - 10_000, 50, other));
    expect((await limitsOf(organization)).keys).toEqual([
      expect.objectContaining({
        id: limited.id,
        name: "shop",
        last_four: "0000",
        billing_mode: "subscription",
        rpm: { used: 1, limit: 2, resets_at: "2026-11-21T12:30:40.000Z", free_at: null },
        tpd: { used: 300, limit: 1_000, resets_at: "2026-11-22T00:00:00.000Z", free_at: null },
        in_flight: { used: 1, limit: 4 },
        budget: null,
      }),
      expect.objectContaining({
        id: other.id,
        rpm: {
          used: 1,
          limit: 1,
          resets_at: "2026-11-21T12:30:50.000Z",
          free_at: "2026-11-21T12:30:50.000Z",
        },
      }),
    ]);
  });

  test("shows its budget, spent and held", async () => {
    const organization = await openBoth();
    const own: KeyLimits = { budget_points: "50", budget_period: "day" };
    const key = await store(organization, own);
    const hold = (points: string) => ({
      ...walletHold(organization.wallet?.meter ?? "", points, now - 1_000, key.id),
      limits: own,
    });
    const ended = await admit(meters, hold("10"));
    await meters.settle(ended, settlement({ points: 4n * 10n ** 18n }));
    await admit(meters, hold("20"));
    expect((await limitsOf(organization)).keys).toMatchObject([
      {
        id: key.id,
        budget: {
          limit_points: "50",
          period: "day",
          spent_points: "4",
          held_points: "20",
          left_points: "26",
          resets_at: "2026-11-22T00:00:00.000Z",
        },
      },
    ]);
  });

  test("is shown to a member if they made it, and not after it has expired or was revoked", async () => {
    const organization = await openBoth();
    const own = { max_concurrency: 1 };
    const mine = await store(organization, own, { created_by: "usr_ann" });
    const bobs = await store(organization, own, { created_by: "usr_bob" });
    await store(organization, own, { created_by: "usr_ann", expires_at: now - 1 });
    await store(organization, own, { created_by: "usr_ann", status: "revoked" });
    const shown = async (change: Partial<Asker>) =>
      (await limitsOf(organization, change)).keys.map(({ id }: { id: string }) => id);
    expect(await shown({ role: "member", user: "usr_ann" })).toEqual([mine.id]);
    expect(await shown({ role: "admin", user: "usr_ann" })).toEqual([mine.id, bobs.id].sort());
  });
});
