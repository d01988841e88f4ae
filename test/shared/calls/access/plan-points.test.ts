/**
 * What calls of a plan may cost at list price: the counter of the day, and dear calls that count as several. Both are
 * conditions of the admitting write, and every end corrects them by what was used.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { callsWorth, type Hold, heldBy, type PlanLimits, ticketOf } from "#shared/books/meters/hold.ts";
import { dayPointsCounter } from "#shared/books/meters/window.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { readHeld, writeHeld } from "#shared/edges/store/meters/meter-item.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { budgetOf } from "#test/support/budgets.ts";
import {
  eventOf,
  intentOf,
  noon,
  openPlan,
  period,
  planHold,
  planLimits,
  repeating,
  settlement,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { storesOn } from "#test/support/wallets.ts";

const { db, ledger, meters } = useStores();

const day = 86_400_000;

/** A subscription under these limits: what its calls ask for, and what is counted. */
async function subscribed(change: Partial<PlanLimits>) {
  const meter = await openPlan(db);
  const terms = planLimits(change);
  return {
    meter,
    /** A call that may cost so many points. */
    hold(points: string, at = noon): Hold {
      const calls = callsWorth(parsePoints(points), terms.callPoints);
      return {
        ...planHold(meter, terms, 5, at),
        listPoints: parsePoints(points),
        ...(calls > 1 && { calls }),
      };
    },
    async counted(at = noon): Promise<[calls: number, points: string]> {
      const read = await meters.readMeter(meter, 0);
      const points = read?.days.get(dayPointsCounter(at)) ?? 0n;
      return [read?.periods.get(period.id) ?? 0, formatPoints(points)];
    },
    item: async () => (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {},
  };
}

const charged = (points: string, calls = 1) =>
  settlement({ listPoints: parsePoints(points), tokens: 5, ...(calls > 1 && { calls }) });

describe("the points of a plan's day", () => {
  const dayPoints = parsePoints("1");

  test("let in what fits to the last digit and refuse the least bit more, taking nothing", async () => {
    const plan = await subscribed({ dayPoints });
    expect(await meters.admit(plan.hold("0.4"))).toMatchObject({ admitted: true });
    expect(await meters.admit(plan.hold("0.599999999999999999"))).toMatchObject({ admitted: true });
    const before = await plan.item();
    expect(await meters.admit(plan.hold("0.000000000000000002"))).toMatchObject({
      error: "rate_limited",
      message:
        "The plan's calls of one day (UTC) may cost 1 points at list price. 0.999999999999999999 are used or held by calls in flight, and this call may cost up to 0.000000000000000002. The day ends at 2026-11-22T00:00:00.000Z.",
      retryAfterSeconds: 60,
      lack: { free: 1n },
    });
    expect(await plan.item()).toEqual(before);
    expect(await meters.admit(plan.hold("0.000000000000000001"))).toMatchObject({ admitted: true });
    expect(await plan.counted()).toEqual([3, "1"]);
  });

  test("of 50 calls at once admit the ten that they are worth", async () => {
    const plan = await subscribed({ dayPoints });
    const admissions = await Promise.all(Array.from({ length: 50 }, () => meters.admit(plan.hold("0.1"))));
    expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(10);
    expect(await plan.counted()).toEqual([10, "1"]);
  });

  test("keep what a call came to in place of what it held, and nothing of one given back", async () => {
    const plan = await subscribed({ dayPoints });
    const [used, failed, over] = [plan.hold("0.5"), plan.hold("0.2"), plan.hold("0.1")];
    for (const hold of [used, failed, over]) await meters.admit(hold);
    await meters.settle(ticketOf(used), charged("0.3"));
    await meters.settle(ticketOf(failed), settlement({ giveBack: true, listPoints: 10n ** 17n }));
    expect(await plan.counted()).toEqual([2, "0.4"]);
    await meters.settle(ticketOf(over), charged("0.9"));
    expect(await plan.counted()).toEqual([2, "1.2"]);
    expect(await meters.admit(plan.hold("0"))).toMatchObject({ error: "rate_limited" });
  });

  test("begin anew at midnight UTC, and a call of before counts in its own day", async () => {
    const plan = await subscribed({ dayPoints });
    const last = plan.hold("1", Date.parse("2026-11-21T23:59:59.999Z"));
    await meters.admit(last);
    expect(await meters.admit(plan.hold("1", noon + day))).toMatchObject({ admitted: true });
    await meters.settle(ticketOf(last), { ...charged("0.25"), at: noon + day });
    expect([await plan.counted(), await plan.counted(noon + day)]).toEqual([
      [2, "0.25"],
      [2, "1"],
    ]);
  });

  test("go with the counters of a day that is over", async () => {
    const plan = await subscribed({ dayPoints });
    const first = plan.hold("0.5");
    await meters.admit(first);
    await meters.settle(ticketOf(first), charged("0.5"));
    const later = await meters.admit(plan.hold("0.5", noon + 2 * day));
    if (!later.admitted) expect.fail();
    await meters.settle(later.ticket, { ...charged("0.5"), at: noon + 2 * day });
    expect(Object.keys(await plan.item()).filter((name) => /^l\d+$/.test(name))).toEqual([
      dayPointsCounter(noon + 2 * day),
    ]);
  });

  test("count an admission once whose first answer was lost, and its end too", async () => {
    const plan = await subscribed({ dayPoints, callPoints: parsePoints("0.2") });
    const twice = createMeters(repeating(db.aws), db.tables);
    const hold = plan.hold("0.6");
    expect(await twice.admit(hold)).toMatchObject({ admitted: true });
    expect(await plan.counted()).toEqual([3, "0.6"]);
    await twice.settle(ticketOf(hold), charged("0.25", 2));
    expect(await plan.counted()).toEqual([2, "0.25"]);
  });

  test("are not counted where the plan does not bound them", async () => {
    const plan = await subscribed({});
    const hold = plan.hold("5");
    await meters.admit(hold);
    await meters.settle(ticketOf(hold), charged("3"));
    expect(await plan.counted()).toEqual([1, "0"]);
    expect(Object.keys(await plan.item()).filter((name) => name.startsWith("l"))).toEqual([]);
  });
});

describe("a dear call", () => {
  const callPoints = parsePoints("0.5");

  test.each([
    ["0", 1],
    ["0.5", 1],
    ["0.500000000000000001", 2],
    ["1", 2],
    ["5", 10],
  ])("of %s points counts as %i", (points, calls) => {
    expect(callsWorth(parsePoints(points), callPoints)).toBe(calls);
    expect(callsWorth(parsePoints(points), undefined)).toBe(1);
  });

  test("takes as many calls of the month, and what it was not worth goes back", async () => {
    const plan = await subscribed({ callPoints });
    const [cheap, dear, failed] = [plan.hold("2"), plan.hold("2"), plan.hold("2")];
    for (const hold of [cheap, dear, failed]) await meters.admit(hold);
    expect(await plan.counted()).toEqual([12, "0"]);
    await meters.settle(ticketOf(cheap), charged("0.1"));
    await meters.settle(ticketOf(dear), charged("1.2", 3));
    await meters.settle(ticketOf(failed), settlement({ giveBack: true }));
    expect(await plan.counted()).toEqual([4, "0"]);
  });

  test("is refused where the month has fewer left, and the message says so", async () => {
    const plan = await subscribed({ callPoints, quota: 5 });
    expect(await meters.admit(plan.hold("1.5"))).toMatchObject({ admitted: true });
    const before = await plan.item();
    expect(await meters.admit(plan.hold("1.5"))).toMatchObject({
      error: "quota_exhausted",
      message: expect.stringContaining(
        "counts as 3 calls, and 2 of the quota of 5 calls of this month are left",
      ),
    });
    expect(await plan.item()).toEqual(before);
    expect(await meters.admit(plan.hold("1"))).toMatchObject({ admitted: true });
    expect(await meters.admit(plan.hold("0.1"))).toMatchObject({
      message: expect.stringContaining("The quota of 5 calls of this month is used up."),
    });
  });

  test("that is more than a whole month never runs", async () => {
    const plan = await subscribed({ callPoints, quota: 5 });
    expect(await meters.admit(plan.hold("2.6"))).toMatchObject({ error: "quota_exhausted" });
    expect(await plan.counted()).toEqual([0, "0"]);
  });
});

describe("of a call whose process died", () => {
  /** A call that may cost 2 points and died. Its input of 100 tokens is worth 0.00025 points. */
  async function died(change: { intended: boolean }) {
    const plan = await subscribed({ dayPoints: parsePoints("10"), callPoints: parsePoints("0.0001") });
    const organization = newId("organization", noon);
    const hold = { ...plan.hold("0.002"), key: newId("key", noon) };
    await meters.admit(hold);
    expect(await plan.counted()).toEqual([20, "0.002"]);
    if (change.intended) {
      await meters.intend({ ...intentOf(hold, organization), call_points: "0.0001" });
    }
    const now = hold.at + limits.holdExpirySeconds * 1000;
    await sweep({}, { ...storesOn(db.aws, db), now: () => now });
    return { plan, hold, organization };
  }

  test("its input is counted, and the real event corrects that, once", async () => {
    const { plan, hold, organization } = await died({ intended: true });
    expect(await plan.counted()).toEqual([3, "0.00025"]);
    const real = eventOf(hold, "0", { organization, list_points: "0.0007", calls: 7, call_points: "0.0001" });
    expect(await ledger.record([real])).toEqual(["corrected"]);
    expect(await ledger.record([real])).toEqual(["duplicate"]);
    expect(await plan.counted()).toEqual([7, "0.0007"]);
    const entry = await ledger.entry(organization, hold.request);
    expect(entry?.event).toMatchObject({ calls: 3, call_points: "0.0001" });
  });

  test("nothing is counted where it was never sent", async () => {
    const { plan } = await died({ intended: false });
    expect(await plan.counted()).toEqual([0, "0"]);
  });
});

describe("a hold on the item", () => {
  const holds: Hold[] = [
    planHold("mtr_1", planLimits(), 5),
    { ...planHold("mtr_1", planLimits(), 5), calls: 3 },
    { ...planHold("mtr_1", planLimits({ dayPoints: 9n }), 5), listPoints: 7n },
    { ...planHold("mtr_1", planLimits({ dayPoints: 9n }), 5), listPoints: 7n, calls: 3 },
    { ...planHold("mtr_1", planLimits({ dayPoints: 9n }), 5), listPoints: 7n, limits: {} },
    { ...planHold("mtr_1", planLimits({ dayPoints: 9n }), 5), listPoints: 7n, limits: budgetOf("1") },
  ];

  test.each(holds.map((hold) => [writeHeld(heldBy(hold)).S?.replace(/k[^.]+/, "k…"), hold] as const))(
    "is %s, and is read as it was",
    (_, hold) => {
      expect(readHeld(writeHeld(heldBy(hold)))).toEqual(heldBy(hold));
    },
  );

  test("of an older release is read as before", () => {
    expect(readHeld({ S: "1500.20261121" })).toEqual({ points: 0n, tokens: 1500, period: "20261121" });
  });
});
