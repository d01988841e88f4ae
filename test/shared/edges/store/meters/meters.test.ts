/** Meters on the embedded DynamoDB: who is admitted, what it costs the meter, and how a hold ends. */
import { describe, expect, test } from "vitest";
import { type Aws, AwsError, ThrottledError } from "#shared/base/platform/aws.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { Admission } from "#shared/books/meters/admission.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import {
  admit,
  counting,
  expectBalanced,
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

const { db, meters } = useStores();

const newWallet = (points: string) => openWallet(db, points);
const newPlan = () => openPlan(db);
const itemOf = (meter: string) => getItem(db.aws, db.tables.counters, meterKey(meter, 0));
const balance = async (meter: string) => formatPoints(await meters.balance(meter));
const errorOf = (admission: Admission) => (admission.admitted ? "admitted" : admission.error);

describe("a wallet", () => {
  test("admits exactly 10 of 50 calls at once on a balance for 10", async () => {
    const meter = await newWallet("1");
    const holds = Array.from({ length: 50 }, () => walletHold(meter, "0.1"));
    const admissions = await Promise.all(holds.map((hold) => meters.admit(hold)));
    const admitted = holds.filter((_, i) => admissions[i]?.admitted);
    expect(admitted).toHaveLength(10);
    expect(new Set(admissions.map(errorOf))).toEqual(new Set(["admitted", "insufficient_balance"]));
    await Promise.all(
      admitted.map((hold) => meters.settle(ticketOf(hold), settlement({ points: parsePoints("0.0333") }))),
    );
    expect(await balance(meter)).toBe("0.667");
    await expectBalanced(db, meter);
  });

  test("tells money that is held from money that is gone", async () => {
    const meter = await newWallet("1");
    const first = walletHold(meter, "0.7");
    await meters.admit(first);
    expect(await meters.admit(walletHold(meter, "0.7"))).toMatchObject({
      error: "insufficient_balance",
      retryAfterSeconds: expect.any(Number),
      lack: { free: parsePoints("0.3"), posted: parsePoints("1") },
    });
    await meters.settle(ticketOf(first), settlement({ points: parsePoints("0.5") }));
    const refused = await meters.admit(walletHold(meter, "0.7"));
    const half = parsePoints("0.5");
    expect(refused).toMatchObject({ error: "insufficient_balance", lack: { free: half, posted: half } });
    expect(refused).not.toHaveProperty("retryAfterSeconds");
  });

  test("charges a settlement that exceeds its hold in full, and admits nobody below zero", async () => {
    const meter = await newWallet("1");
    const hold = walletHold(meter, "1");
    await meters.admit(hold);
    expect(await meters.settle(ticketOf(hold), settlement({ points: parsePoints("1.25") }))).toBe(true);
    expect(await balance(meter)).toBe("-0.25");
    expect(errorOf(await meters.admit(walletHold(meter, "0")))).toBe("insufficient_balance");
    await expectBalanced(db, meter);
  });

  test.each(["0.5", "5"])("of %s takes one hold for an admission whose answer was lost", async (points) => {
    const meter = await newWallet(points);
    const hold = walletHold(meter, "0.5");
    expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    const left = parsePoints(points) - parsePoints("0.5");
    expect(await meters.readMeter(meter, 0)).toMatchObject({ avail: left, used: 0n });
  });

  test("settles a hold once", async () => {
    const meter = await newWallet("1");
    const hold = walletHold(meter, "0.5");
    await meters.admit(hold);
    const settled = [];
    for (let i = 0; i < 3; i++)
      settled.push(await meters.settle(ticketOf(hold), settlement({ points: parsePoints("0.2") })));
    expect(settled).toEqual([true, false, false]);
    expect(await balance(meter)).toBe("0.8");
  });

  test("keeps amounts exact that no float holds", async () => {
    const meter = await newWallet("90071992547409.930000000000000001");
    const hold = walletHold(meter, "0.000000000000000003");
    await meters.admit(hold);
    await meters.settle(ticketOf(hold), settlement({ points: 2n }));
    expect(await balance(meter)).toBe("90071992547409.929999999999999999");
  });
});

describe("a subscription", () => {
  test("gives the last call of its quota to exactly one of 50", async () => {
    const meter = await newPlan();
    const limits = planLimits({ quota: 10 });
    for (let i = 0; i < 9; i++) await meters.admit(planHold(meter, limits));
    const last = await Promise.all(Array.from({ length: 50 }, () => meters.admit(planHold(meter, limits))));
    expect(last.filter(({ admitted }) => admitted)).toHaveLength(1);
    const refused = last.find(({ admitted }) => !admitted);
    expect(refused).toMatchObject({
      error: "quota_exhausted",
      message: expect.stringContaining("2026-12-21T00:00:00.000Z"),
      limitStatus: { quota: { limit: 10, remaining: 0, resetAt: period.ends_at } },
    });
    expect(refused).not.toHaveProperty("retryAfterSeconds");
  });

  test("of 0 calls admits none", async () => {
    const meter = await openPlan(db);
    const admission = await meters.admit(planHold(meter, planLimits({ quota: 0 })));
    expect(admission).toMatchObject({ admitted: false, error: "quota_exhausted" });
  });

  test.each([1, 9])("of %i calls counts one for an admission whose answer was lost", async (quota) => {
    const meter = await newPlan();
    const hold = planHold(meter, planLimits({ quota, rpm: 1, tpm: 50 }), 50);
    expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    expect(await meters.admit(hold)).toMatchObject({
      admitted: true,
      limitStatus: { requests: { remaining: 0 } },
    });
    expect((await meters.readMeter(meter, 0))?.periods).toEqual(new Map([[period.id, 1]]));
  });

  test("refuses the fourth call of a minute without a trace, and says when it fits", async () => {
    const meter = await newPlan();
    const limits = planLimits({ rpm: 3 });
    for (const offset of [0, 10_000, 20_000]) await meters.admit(planHold(meter, limits, 5, noon + offset));
    const before = await itemOf(meter);
    expect(await meters.admit(planHold(meter, limits, 5, noon + 30_500))).toMatchObject({
      error: "rate_limited",
      retryAfterSeconds: 30,
      limitStatus: {
        requests: { limit: 3, remaining: 0, resetAt: noon + 80_000 },
        quota: { remaining: 997 },
      },
    });
    expect(await itemOf(meter)).toEqual(before);
    expect(await meters.admit(planHold(meter, limits, 5, noon + 60_500))).toMatchObject({ admitted: true });
  });

  test("leaves the others' counts alone when it takes back its own from a shared second", async () => {
    const meter = await newPlan();
    const limits = planLimits({ rpm: 100, tpm: 1000 });
    await meters.admit(planHold(meter, limits, 700));
    const before = await itemOf(meter);
    expect(errorOf(await meters.admit(planHold(meter, limits, 400)))).toBe("rate_limited");
    expect(await itemOf(meter)).toEqual(before);
  });

  test.each([
    ["tokens per minute", { tpm: 1000 }, 800, 60],
    ["tokens per day", { tpd: 1000 }, 800, 60],
  ])("limits %s", async (unit, limit, tokens, retryAfter) => {
    const meter = await newPlan();
    await meters.admit(planHold(meter, planLimits({ rpm: 60, ...limit }), tokens));
    expect(await meters.admit(planHold(meter, planLimits({ rpm: 60, ...limit }), tokens))).toMatchObject({
      error: "rate_limited",
      message: expect.stringContaining(unit),
      retryAfterSeconds: retryAfter,
    });
    const alone = await meters.admit(planHold(meter, planLimits({ rpm: 60, ...limit }), 1001));
    expect(alone).toMatchObject({ error: "rate_limited", message: expect.stringContaining("never") });
    expect(alone).not.toHaveProperty("retryAfterSeconds");
  });

  test("gives an over-estimate back to the running minute, and books an under-estimate as its debt", async () => {
    const meter = await newPlan();
    const limits = planLimits({ rpm: 60, tpm: 1000, tpd: 1500 });
    const over = planHold(meter, limits, 800);
    await meters.admit(over);
    await meters.settle(ticketOf(over), settlement({ tokens: 100, at: noon + 5000 }));
    const under = planHold(meter, limits, 100, noon + 6000);
    await meters.admit(under);
    await meters.settle(ticketOf(under), settlement({ tokens: 800, at: noon + 50_000 }));
    // 100 + 100 leave after their minute; the debt of 700 counts from when it was made.
    expect(await meters.admit(planHold(meter, limits, 1, noon + 51_000))).toMatchObject({
      admitted: true,
      limitStatus: { tokens: { limit: 1000, remaining: 99 } },
    });
    const refused = await meters.admit(planHold(meter, limits, 300, noon + 70_000));
    expect(refused).toMatchObject({ error: "rate_limited", retryAfterSeconds: 40 });
    // The day has 100 + 800 + 1 tokens of 1500.
    const later = noon + 300_000;
    expect(errorOf(await meters.admit(planHold(meter, limits, 600, later)))).toBe("rate_limited");
    expect(errorOf(await meters.admit(planHold(meter, limits, 599, later)))).toBe("admitted");
  });

  test("gives a failed call back whole", async () => {
    const meter = await newPlan();
    const limits = planLimits({ quota: 1, rpm: 1, tpm: 100, tpd: 100 });
    const failed = planHold(meter, limits, 100);
    await meters.admit(failed);
    expect(await meters.settle(ticketOf(failed), settlement({ giveBack: true }))).toBe(true);
    expect(await meters.settle(ticketOf(failed), settlement({ giveBack: true }))).toBe(false);
    expect(await meters.admit(planHold(meter, limits, 100, noon + 2000))).toMatchObject({ admitted: true });
  });

  test("sheds at settlement what no clock needs any more", async () => {
    const meter = await newPlan();
    const months = ["20260921", "20261021", "20261121"].map((id) =>
      planLimits({ rpm: 60, period: { ...period, id } }),
    );
    const days = [noon - 60 * 86_400_000, noon - 30 * 86_400_000, noon];
    for (const [i, limits] of months.entries()) {
      const hold = planHold(meter, limits, 10, days[i]);
      await meters.settle(await admit(meters, hold), settlement({ tokens: 10, at: (days[i] ?? 0) + 1000 }));
    }
    const names = Object.keys((await itemOf(meter)) ?? {}).sort();
    expect(names.filter((name) => /^[dst]/.test(name))).toHaveLength(2);
    expect(names.filter((name) => name.startsWith("q"))).toEqual(["q20261021", "q20261121"]);
  });
});

describe("a meter", () => {
  test("that does not exist admits nobody and is not made", async () => {
    for (const hold of [walletHold("mtr_none", "0"), planHold("mtr_none", planLimits())]) {
      await expect(meters.admit(hold)).rejects.toThrow("no meter");
    }
    expect(await itemOf("mtr_none")).toBeUndefined();
  });

  test("is found again, whole, among intents", async () => {
    const meter = await newWallet("3");
    const hold = walletHold(meter, "1");
    await Promise.all([meters.admit(hold), meters.intend(intentOf(hold))]);
    const all = await Array.fromAsync(meters.everyMeter());
    const found = all.find((item) => item.meter === meter);
    expect(found).toMatchObject({ shard: 0, mode: "payg", frozen: false, avail: parsePoints("2"), used: 0n });
    expect(found?.holds.get(hold.request)?.points).toBe(parsePoints("1"));
    expect(all.every((item) => item.meter.startsWith("mtr_"))).toBe(true);
  });

  test("is read together with 24 others, by one request", async () => {
    const own = await Promise.all(Array.from({ length: 30 }, () => newWallet("1")));
    const requests = new Map<string, number>();
    const counted: Aws = (service, action, input, delivery) => {
      requests.set(action, (requests.get(action) ?? 0) + 1);
      return db.aws(service, action, input, delivery);
    };
    const all = await Array.fromAsync(createMeters(counted, db.tables).everyMeter());
    expect(all.map(({ meter }) => meter)).toEqual(expect.arrayContaining(own));
    expect(Object.fromEntries(requests)).toEqual({
      Query: expect.any(Number),
      BatchGetItem: Math.ceil(all.length / 25),
    });
  });

  test("is left alone when it is opened again", async () => {
    const meter = await newWallet("3");
    await meters.open(meter, 0, "payg");
    expect(await balance(meter)).toBe("3");
  });

  test.each([
    ["throttled", new ThrottledError("ThrottlingException", 400, {})],
    ["under transactions", new AwsError("TransactionConflictException", 400, {})],
  ])("that stays %s admits nobody", async (_name, error) => {
    const failing: Aws = () => Promise.reject(error);
    const admission = await createMeters(failing, db.tables).admit(walletHold("mtr_any", "1"));
    expect(admission).toMatchObject({
      admitted: false,
      error: "global_rate_limited",
      retryAfterSeconds: 1,
    });
  });

  test("costs two write units an admission and one a settlement", async () => {
    const [wallet, plan] = [await newWallet("9"), await newPlan()];
    const admitted = planLimits({ rpm: 60, tpm: 10_000, tpd: 100_000 });
    // The first call of the day marks the meter too.
    for (const hold of [walletHold(wallet, "1"), planHold(plan, admitted, 100)]) {
      await meters.settle(await admit(meters, hold), settlement({ tokens: 40 }));
    }
    for (const hold of [walletHold(wallet, "1"), planHold(plan, admitted, 100)]) {
      const { aws, units } = counting(db.aws);
      const counted = createMeters(aws, db.tables);
      await Promise.all([counted.admit(hold), counted.intend(intentOf(hold))]);
      expect(Object.fromEntries(units)).toEqual({ UpdateItem: 1, PutItem: 1 });
      await counted.settle(ticketOf(hold), settlement({ tokens: 40 }));
      expect(units.get("UpdateItem")).toBe(2);
    }
  });
});
