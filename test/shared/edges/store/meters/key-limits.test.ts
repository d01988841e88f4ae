/**
 * A key's own limits on the meter item: counted beside the plan's in the same write, corrected and forgotten with them.
 */
import { describe, expect, test } from "vitest";
import { limits as bounds } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import { type Hold, type PlanLimits, ticketOf } from "#shared/books/meters/hold.ts";
import { dayCounter } from "#shared/books/meters/window.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import {
  admit,
  counting,
  expectBalanced,
  noon,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();

const itemOf = async (meter: string) => (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {};
const admitted = { admitted: true };
const key = newId("key", noon);

/** A call of `key`, or of another key, under limits of its own. */
function limitedHold(
  meter: string,
  limits: KeyLimits,
  change: { at?: number; tokens?: number; key?: string; plan?: PlanLimits } = {},
): Hold {
  const { at = noon, tokens = 0, plan = planLimits({ rpm: 600 }) } = change;
  return { ...planHold(meter, plan, tokens, at, change.key ?? key), limits };
}

describe("a key's minute", () => {
  test("is its own: another key of the subscription goes on, and the plan's minute has both", async () => {
    const meter = await openPlan(db);
    const own = { rpm: 1 };
    expect(await meters.admit(limitedHold(meter, own))).toMatchObject({
      ...admitted,
      limitStatus: { requests: { limit: 1, remaining: 0, resetAt: noon + 60_000 } },
    });
    const before = await itemOf(meter);
    expect(await meters.admit(limitedHold(meter, own, { at: noon + 20_000 }))).toMatchObject({
      error: "rate_limited",
      message: "The key's limit of 1 requests per minute is exceeded until 2026-11-21T12:31:00.000Z.",
      retryAfterSeconds: 40,
      limitStatus: { requests: { limit: 1, remaining: 0 } },
    });
    expect(await itemOf(meter)).toEqual(before);
    const other = planHold(meter, planLimits({ rpm: 600 }), 0, noon + 20_000);
    expect(await meters.admit(other)).toMatchObject({
      limitStatus: { requests: { limit: 600, remaining: 598 } },
    });
    expect(await meters.admit(limitedHold(meter, own, { at: noon + 60_000 }))).toMatchObject(admitted);
  });

  test("does not free the key of the plan's, which is shown where it has less left", async () => {
    const meter = await openPlan(db);
    const plan = planLimits({ rpm: 3 });
    for (const at of [noon, noon + 1]) await meters.admit(planHold(meter, plan, 0, at));
    const last = await meters.admit(limitedHold(meter, { rpm: 2 }, { plan, at: noon + 2 }));
    expect(last).toMatchObject({ ...admitted, limitStatus: { requests: { limit: 3, remaining: 0 } } });
    expect(await meters.admit(limitedHold(meter, { rpm: 2 }, { plan, at: noon + 3 }))).toMatchObject({
      message: expect.stringMatching(/^The limit of 3 requests/),
    });
  });

  test("refuses by the limit that lasts longest", async () => {
    const meter = await openPlan(db);
    const plan = planLimits({ rpm: 2 });
    await meters.admit(planHold(meter, plan));
    await meters.admit(limitedHold(meter, { rpm: 1 }, { plan, at: noon + 10_000 }));
    expect(await meters.admit(limitedHold(meter, { rpm: 1 }, { plan, at: noon + 20_000 }))).toMatchObject({
      message: expect.stringContaining("key's"),
      retryAfterSeconds: 50,
    });
    await meters.admit(limitedHold(meter, { tpd: 5 }, { plan, at: noon + 80_000, tokens: 5 }));
    expect(
      await meters.admit(limitedHold(meter, { tpd: 5 }, { plan, at: noon + 80_001, tokens: 5 })),
    ).toMatchObject({
      message: "The key's limit of 5 tokens per day (UTC) is exceeded until 2026-11-22T00:00:00.000Z.",
      retryAfterSeconds: 60,
    });
  });

  test("is one that counts of tokens share", async () => {
    const meter = await openPlan(db);
    const count = (at: number) => ({ ...limitedHold(meter, { rpm: 2 }, { at }), counting: true as const });
    expect(await meters.admit(count(noon))).toMatchObject({ limitStatus: { requests: { limit: 2 } } });
    expect(await meters.admit(limitedHold(meter, { rpm: 2 }, { at: noon + 1 }))).toMatchObject(admitted);
    const before = await itemOf(meter);
    expect(await meters.admit(count(noon + 2))).toMatchObject({ error: "rate_limited" });
    expect(await itemOf(meter)).toEqual(before);
  });
});

describe("a key's tokens", () => {
  test.each<[KeyLimits, string]>([
    [{ tpm: 100 }, "key's limit of 100 tokens per minute"],
    [{ tpd: 100 }, "key's limit of 100 tokens per day"],
  ])("under %j are reserved, given back, and a debt where they were too few", async (own, message) => {
    const meter = await openPlan(db);
    const call = (at: number, tokens: number) => limitedHold(meter, own, { at, tokens });
    const over = call(noon, 90);
    expect(await meters.admit(over)).toMatchObject(admitted);
    expect(await meters.admit(call(noon + 1, 11))).toMatchObject({
      message: expect.stringContaining(message),
    });
    await meters.settle(ticketOf(over), settlement({ tokens: 10 }));
    const under = call(noon + 2000, 80);
    expect(await meters.admit(under)).toMatchObject(admitted);
    await meters.settle(ticketOf(under), settlement({ tokens: 89, at: noon + 3000 }));
    expect(await meters.admit(call(noon + 4000, 2))).toMatchObject({ error: "rate_limited" });
    expect(await meters.admit(call(noon + 4001, 1))).toMatchObject(admitted);
    const alone = await meters.admit(call(noon + 4002, 101));
    expect(alone).toMatchObject({ message: expect.stringContaining(`over the ${message}`) });
    expect(alone).not.toHaveProperty("retryAfterSeconds");
  });

  test("and its request come back with a failed call", async () => {
    const meter = await openPlan(db);
    const own = { rpm: 1, tpm: 100, tpd: 100 };
    const failed = limitedHold(meter, own, { tokens: 100 });
    await meters.admit(failed);
    await meters.settle(ticketOf(failed), settlement({ giveBack: true }));
    expect(await meters.admit(limitedHold(meter, own, { at: noon + 1, tokens: 100 }))).toMatchObject(
      admitted,
    );
  });

  test("of a call that died are corrected by the sweeper, on the key's day as on the subscription's", async () => {
    const meter = await openPlan(db);
    const dead = limitedHold(meter, { tpd: 100 }, { tokens: 100 });
    await meters.admit(dead);
    const held = await meters.seize(meter, 0, dead.request);
    expect(held).toMatchObject({ tokens: 100, key: names.limited(key) });
    if (!held) throw new Error("nothing was held");
    const end = settlement({ tokens: 30, at: noon + 1_020_000 });
    expect(await meters.settleSeized(meter, 0, dead.request, held, end)).toBe(true);
    const day = dayCounter(noon);
    expect(await itemOf(meter)).toMatchObject({
      [day]: { N: "30" },
      [`${names.limited(key)}:${day}`]: { N: "30" },
    });
    const next = (tokens: number) => limitedHold(meter, { tpd: 100 }, { at: noon + 2_000_000, tokens });
    expect(await meters.admit(next(71))).toMatchObject({ error: "rate_limited" });
    expect(await meters.admit(next(70))).toMatchObject(admitted);
  });
});

describe("a cap on a key's calls in flight", () => {
  const cap = { max_concurrency: 2 };
  const makers: [string, () => Promise<(at: number, key?: string) => Hold>][] = [
    [
      "subscription",
      async () => {
        const meter = await openPlan(db);
        return (at, other = key) => limitedHold(meter, cap, { at, key: other, plan: planLimits() });
      },
    ],
    [
      "wallet",
      async () => {
        const meter = await openWallet(db, "100");
        return (at, other = key) => ({ ...walletHold(meter, "1", at, other), limits: cap });
      },
    ],
  ];

  test.each(makers)("of a %s gives every place once, and again when a call has ended", async (_, make) => {
    const holdAt = await make();
    const first = holdAt(noon);
    expect(await meters.admit(first)).toMatchObject(admitted);
    const calls = Array.from({ length: 20 }, (_, i) => holdAt(noon + 1 + i));
    const all = await Promise.all(calls.map((hold) => meters.admit(hold)));
    expect(all.filter((each) => each.admitted)).toHaveLength(1);
    expect(all.find((each) => !each.admitted)).toMatchObject({
      error: "rate_limited",
      message: "The key's limit of 2 calls in flight is reached. Try again when one has ended.",
      retryAfterSeconds: 1,
    });
    expect((await meters.readMeter(first.meter, 0))?.holds.size).toBe(2);
    const before = await itemOf(first.meter);
    expect(await meters.admit(holdAt(noon + 30))).toMatchObject({ error: "rate_limited" });
    expect(await itemOf(first.meter)).toEqual(before);
    expect(await meters.admit(holdAt(noon + 31, newId("key", noon)))).toMatchObject(admitted);
    expect(await meters.settle(ticketOf(first), settlement({ points: 5n }))).toBe(true);
    expect(await meters.admit(holdAt(noon + 32))).toMatchObject(admitted);
    if (first.mode === "payg") await expectBalanced(db, first.meter);
  });

  test.each(makers)("of a %s counts a call once whose first answer was lost", async (_, make) => {
    const holdAt = await make();
    await meters.admit(holdAt(noon));
    const second = holdAt(noon + 1);
    for (let i = 0; i < 2; i++) expect(await meters.admit(second)).toMatchObject(admitted);
  });

  test.each(makers)("of a %s is not taken for ever by a call that died", async (_, make) => {
    const holdAt = await make();
    for (const at of [noon, noon + 1]) await meters.admit(holdAt(at));
    const later = noon + bounds.holdExpirySeconds * 1000;
    expect(await meters.admit(holdAt(later))).toMatchObject({ error: "rate_limited" });
    expect(await meters.admit(holdAt(later + 1))).toMatchObject(admitted);
  });

  test("says nothing of counts of tokens, which take no place", async () => {
    const meter = await openPlan(db);
    for (const at of [noon, noon + 1]) await meters.admit(limitedHold(meter, cap, { at }));
    const count = {
      ...limitedHold(meter, { max_concurrency: 1 }, { at: noon + 2 }),
      counting: true as const,
    };
    expect(await meters.admit(count)).toMatchObject(admitted);
  });

  test("leaves a wallet's balance on the item, also when a refused call of no points finds it empty", async () => {
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "payg");
    const hold = () => ({ ...walletHold(meter, "0", noon, key), limits: { max_concurrency: 1 } });
    await meters.admit(hold());
    expect(await meters.admit(hold())).toMatchObject({ error: "rate_limited" });
    expect(await itemOf(meter)).toMatchObject({ avail: { N: "0" } });
  });
});

describe("on the item", () => {
  test("a key without limits leaves what it always did, and a limited one costs the same writes", async () => {
    const sorts = async (meter: string) =>
      Object.keys(await itemOf(meter))
        .map((name) => name[0])
        .sort()
        .join("");
    const units = async (hold: Hold) => {
      const counted = counting(db.aws);
      const store = createMeters(counted.aws, db.tables);
      await store.settle(await admit(store, hold), settlement({ tokens: 4 }));
      return counted.units.get("UpdateItem");
    };
    const marking = 1;
    const [plain, limited] = [await openPlan(db), await openPlan(db)];
    expect(await units(planHold(plain, planLimits({ rpm: 60 }), 5))).toBe(2 + marking);
    // `m` is the mode and the two of the mark.
    expect(await sorts(plain)).toBe("dkmmmpqs");
    expect(await units(limitedHold(limited, { rpm: 3, max_concurrency: 9 }, { tokens: 5 }))).toBe(
      2 + marking,
    );
    expect(await sorts(limited)).toBe("dkkkmmmpqt");
  });

  test("what is settled after its minute brings no counter of that minute back", async () => {
    const meter = await openPlan(db);
    const long = limitedHold(meter, { tpm: 100 }, { tokens: 50 });
    await meters.settle(await admit(meters, long), settlement({ giveBack: true, at: noon + 120_000 }));
    expect(Object.keys(await itemOf(meter)).filter((name) => /^[st]|:[st]/.test(name))).toEqual([]);
  });

  test("a limited key's counters go with the time they stand for", async () => {
    const meter = await openPlan(db);
    for (const day of [0, 1, 2, 3]) {
      const at = noon + day * 86_400_000;
      const hold = limitedHold(meter, { rpm: 3, tpd: 100 }, { at, tokens: 5 });
      await meters.settle(await admit(meters, hold), settlement({ tokens: 5, at: at + 1000 }));
    }
    const own = Object.keys(await itemOf(meter)).filter((name) => name.startsWith(names.limited(key)));
    expect(own.map((name) => name.split(":")[1]?.[0]).sort()).toEqual(["d", "d", "s"]);
    expect((await meters.readMeter(meter, 0))?.mode).toBe("subscription");
  });
});
