/** Holds of calls that died, on the embedded DynamoDB: taken over, explained by their intent, settled once. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import {
  admit,
  expectBalanced,
  intentOf,
  looking,
  noon,
  openPlan,
  openWallet,
  period,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();

describe("a hold whose gateway is gone", () => {
  const holds: [string, () => Promise<Hold>][] = [
    ["of a wallet", async () => walletHold(await openWallet(db, "1"), "0.5")],
    [
      "of a wallet's capped key",
      async () => ({ ...walletHold(await openWallet(db, "1"), "0.5"), limits: { max_concurrency: 1 } }),
    ],
    ["of a subscription", async () => planHold(await openPlan(db), planLimits({ rpm: 3 }), 70)],
  ];

  test.each(holds)("%s is seized, and then settled by the sweeper alone", async (_name, make) => {
    const hold = await make();
    await meters.admit(hold);
    const held = await meters.seize(hold.meter, 0, hold.request);
    const { points, tokens, planLimits, limits } = hold;
    const key = limits && { key: names.limited(hold.key) };
    expect(held).toEqual({ points, tokens, period: planLimits?.period.id ?? "", ...key });
    expect(await meters.settle(ticketOf(hold), settlement({ points: 5n }))).toBe(false);
    expect(await meters.seize(hold.meter, 0, hold.request)).toEqual(held);
    const end = settlement({ points: hold.points / 2n, tokens: 30, at: noon + 1_020_000 });
    if (!held) throw new Error("nothing was held");
    expect(await meters.settleSeized(hold.meter, 0, hold.request, held, end)).toBe(true);
    expect(await meters.settleSeized(hold.meter, 0, hold.request, held, end)).toBe(false);
    expect(await meters.seize(hold.meter, 0, hold.request)).toBeUndefined();
    expect(await meters.readMeter(hold.meter, 0)).toMatchObject({
      used: hold.points / 2n,
      seized: new Map(),
      periods: new Map(hold.planLimits ? [[period.id, 1]] : []),
    });
    await expectBalanced(db, hold.meter);
  });

  test.each(holds)("%s is never taken again: neither while it is seized nor after", async (_name, make) => {
    const hold = await make();
    await meters.admit(hold);
    const held = await meters.seize(hold.meter, 0, hold.request);
    const late = { admitted: false, error: "global_rate_limited" };
    expect(await meters.admit(hold)).toMatchObject(late);
    if (!held) throw new Error("nothing was held");
    await meters.settleSeized(hold.meter, 0, hold.request, held, settlement({ at: noon }));
    expect(await meters.admit(hold)).toMatchObject(late);
    // The mark of it goes with a settlement that comes long after.
    const later = noon + 3_600_000;
    const next = looking({ ...hold, request: newId("request", later), at: later });
    await meters.settle(await admit(meters, next), settlement({ at: later }));
    const { Item } = await db.aws("dynamodb", "GetItem", {
      TableName: db.tables.counters,
      Key: meterKey(hold.meter, 0),
    });
    expect(Object.keys(Item ?? {}).filter((name) => /^[hyz]/.test(name))).toEqual([]);
  });

  test("has its intent, with the price it was pinned to", async () => {
    const hold = walletHold("mtr_1", "0.5");
    const intent = intentOf(hold);
    await meters.intend(intent);
    await meters.intend(intent);
    expect(await meters.intent(hold.request)).toEqual(intent);
    expect(await meters.closeIntent(hold.request)).toEqual(intent);
  });

  test("keeps the intent of its last attempt, also when an earlier one's comes late", async () => {
    const intent = intentOf(walletHold("mtr_1", "0.5"));
    await meters.intend({ ...intent, shard: 2 }, 2);
    await expect(meters.intend({ ...intent, shard: 1 }, 1)).rejects.toMatchObject({
      key: "global_rate_limited",
    });
    expect(await meters.intent(intent.request)).toMatchObject({ shard: 2 });
  });

  test("can never be sent once it was closed without an intent", async () => {
    const hold = walletHold("mtr_1", "0.5");
    expect(await meters.closeIntent(hold.request)).toBeUndefined();
    expect(await meters.closeIntent(hold.request)).toBeUndefined();
    await expect(meters.intend(intentOf(hold))).rejects.toMatchObject({ key: "global_rate_limited" });
    expect(await meters.intent(hold.request)).toBeUndefined();
  });
});
