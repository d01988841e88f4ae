/** Estimates of the sweeper that the real event corrects: ledger, rollups and meter move together, once. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { intentKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import {
  eventOf,
  expectSums,
  intentOf,
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
import { storesOn } from "#test/support/wallets.ts";

const { db, ledger, meters } = useStores();

describe("a correction", () => {
  const swept = (real: UsageEvent, cost: string, change: Partial<UsageEvent> = {}): UsageEvent => ({
    ...real,
    usage: { ...noUsage, input_tokens: 100 },
    cost_points: cost,
    list_points: cost,
    evidence: "none",
    source: "sweeper",
    ...change,
  });

  /** A wallet of 10 points with a hold of 2 that the sweeper has seized. */
  async function seizedHold(): Promise<{ organization: string; hold: Hold }> {
    const organization = newId("organization", noon);
    const meter = await openWallet(db, "10", organization);
    const hold = walletHold(meter, "2");
    await meters.admit(hold);
    await meters.seize(meter, 0, hold.request);
    return { organization, hold };
  }

  async function settleSeized({ meter, request, points }: Hold, cost: string): Promise<void> {
    const held = { points, tokens: 0, period: "" };
    await meters.settleSeized(meter, 0, request, held, settlement({ points: parsePoints(cost) }));
  }

  test.each([
    ["before", "0.75"],
    ["after", "0.75"],
    ["before", "0.1"],
    ["after", "0"],
  ])("that comes %s the sweeper has settled an estimate of 0.5 makes it %s", async (when, cost) => {
    const { organization, hold } = await seizedHold();
    const real = eventOf(hold, cost, { organization, project: "alpha" });
    expect(await ledger.record([swept(real, "0.5")])).toEqual(["recorded"]);
    if (when === "after") await settleSeized(hold, "0.5");
    expect(await ledger.record([real])).toEqual(["corrected"]);
    expect(await ledger.record([real, real])).toEqual(["duplicate", "duplicate"]);
    if (when === "before") await settleSeized(hold, "0.5");

    const item = await meters.readMeter(hold.meter, 0);
    expect(item).toMatchObject({ used: parsePoints(cost), avail: parsePoints("10") - parsePoints(cost) });
    const entries = await Array.fromAsync(ledger.eachEntry(organization, noon, noon + 1));
    expect(entries.map(({ id, kind }) => [id, kind])).toEqual([
      [hold.request, "usage"],
      [`${hold.request}#adj`, "adjustment"],
    ]);
    expect(entries.reduce((sum, { points }) => sum + parsePoints(points), 0n)).toBe(item?.used);
    for (const project of ["", "alpha"]) await expectSums(ledger, organization, project);
  });

  test("happens once, however many deliver it", async () => {
    const { organization, hold } = await seizedHold();
    const real = eventOf(hold, "1.5", { organization });
    await ledger.record([swept(real, "0.5")]);
    expect(await ledger.record([swept(real, "0.7")])).toEqual(["duplicate"]);
    await settleSeized(hold, "0.5");
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ledger.record([real])));
    expect(outcomes.flat().filter((each) => each === "corrected")).toHaveLength(1);
    expect(formatPoints(await meters.balance(hold.meter))).toBe("8.5");
    await expectSums(ledger, organization);
  });

  test("is made of one batch, too", async () => {
    const { organization, hold } = await seizedHold();
    const real = eventOf(hold, "1.5", { organization });
    expect(await ledger.record([swept(real, "0.5"), real, swept(real, "0.5")])).toEqual([
      "recorded",
      "corrected",
      "duplicate",
    ]);
    await expectSums(ledger, organization);
  });

  test("is not made by the sweeper of what is known", async () => {
    const { organization, hold } = await seizedHold();
    const real = eventOf(hold, "1.5", { organization });
    expect(await ledger.record([real])).toEqual(["recorded"]);
    expect(await ledger.record([swept(real, "0.5")])).toEqual(["duplicate"]);
    expect((await ledger.entry(organization, real.id))?.event).toEqual(real);
  });

  test("gives a call of a subscription back when it turns out to have failed, even when its intent is forgotten", async () => {
    const organization = newId("organization", noon);
    const meter = await openPlan(db);
    const hold = planHold(meter, planLimits(), 50);
    await Promise.all([meters.admit(hold), meters.intend(intentOf(hold, organization))]);
    const real = eventOf(hold, "0", { organization, usage: noUsage, calls: 0, outcome: "failed" });
    await sweep({}, { ...storesOn(db.aws, db), now: () => noon + limits.holdExpirySeconds * 1000 });
    // As DynamoDB does after three days, when the event may still be in the dead-letter queue.
    await db.aws("dynamodb", "DeleteItem", { TableName: db.tables.counters, Key: intentKey(hold.request) });
    expect((await meters.readMeter(meter, 0))?.periods.get(period.id)).toBe(1);
    expect(await ledger.record([real])).toEqual(["corrected"]);
    expect((await meters.readMeter(meter, 0))?.periods.get(period.id)).toBe(0);
    await expectSums(ledger, organization);
  });

  test("of a guess that names no quota month makes no counter of its own", async () => {
    const organization = newId("organization", noon);
    const meter = await openPlan(db);
    const hold = planHold(meter, planLimits());
    await meters.admit(hold);
    const real = eventOf(hold, "0", { organization, usage: noUsage, calls: 0, outcome: "failed" });
    await ledger.record([swept(real, "0", { calls: 1 })]);
    expect(await ledger.record([real])).toEqual(["corrected"]);
    expect((await meters.readMeter(meter, 0))?.periods).toEqual(new Map([[period.id, 1]]));
  });
});
