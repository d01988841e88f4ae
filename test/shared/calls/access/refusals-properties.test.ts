/** What a process remembers of the meter's refusals, against the meter itself: never more than that would refuse. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { dayEnd } from "#shared/books/meters/window.ts";
import { Refusals } from "#shared/calls/access/refusals.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { updateItem } from "#shared/edges/store/dynamodb/items.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { seeded } from "#test/support/random.ts";
import {
  noon,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";

const database = createMemoryDynamoDb();
const aws = awsOverMemory(database);
const db = { aws, tables: database.tables };
const meters = createMeters(aws, database.tables);
const key = newId("key", noon);

/** A process that counts how often it asked the meter. */
function createProcess() {
  const refusals = new Refusals();
  const process = {
    asked: 0,
    async ask(hold: Hold) {
      const take = async () => {
        process.asked += 1;
        return { hold, admission: await meters.admit(hold) };
      };
      return (await refusals.ask(hold, take)).admission;
    },
  };
  return process;
}

describe("not remembered is a refusal", () => {
  const refused: [string, string, () => Promise<(at: number) => Hold>][] = [
    [
      "for calls in flight",
      "rate_limited",
      async () => {
        const meter = await openPlan(db);
        return (at) => ({
          ...planHold(meter, planLimits({ rpm: 9 }), 0, at, key),
          limits: { max_concurrency: 1 },
        });
      },
    ],
    [
      "for open tasks",
      "rate_limited",
      async () => {
        const meter = await openPlan(db);
        const open = Array.from({ length: limits.openTasksMax }, () =>
          names.hold(taskOf(newId("request", noon))),
        );
        const set = Object.fromEntries(open.map((name) => [name, { S: "0.20261121" }]));
        await updateItem(aws, { table: db.tables.counters, key: meterKey(meter, 0), set });
        return (at) => {
          const hold = planHold(meter, planLimits({ rpm: 9 }), 0, at);
          return { ...hold, request: taskOf(hold.request) };
        };
      },
    ],
    [
      "of a call that never fits",
      "rate_limited",
      async () => {
        const meter = await openPlan(db);
        return (at) => planHold(meter, planLimits({ tpm: 9, tpd: 9 }), 10, at);
      },
    ],
    [
      "for the month's quota",
      "quota_exhausted",
      async () => {
        const meter = await openPlan(db);
        return (at) => planHold(meter, planLimits({ quota: 1, rpm: 9 }), 0, at);
      },
    ],
    [
      "for the balance",
      "insufficient_balance",
      async () => {
        const meter = await openWallet(db, "1");
        return (at) => walletHold(meter, "1", at);
      },
    ],
    [
      "of a frozen organization",
      "account_frozen",
      async () => {
        const meter = await openPlan(db);
        const set = { [names.frozen]: { N: String(noon) } };
        await updateItem(aws, { table: db.tables.counters, key: meterKey(meter, 0), set });
        return (at) => planHold(meter, planLimits({ rpm: 1 }), 0, at);
      },
    ],
  ];

  test.each(refused)("%s", async (_, error, make) => {
    const holdAt = await make();
    const process = createProcess();
    for (let i = 0; i < 4; i++) await process.ask(holdAt(noon + i));
    expect(await process.ask(holdAt(noon + 4))).toMatchObject({ admitted: false, error });
    expect(process.asked).toBe(5);
  });

  test("of an overloaded meter", async () => {
    const refusals = new Refusals();
    const hold = planHold("mtr_1", planLimits({ rpm: 1 }));
    let asked = 0;
    const admission = {
      admitted: false,
      error: "global_rate_limited",
      retryAfterSeconds: 1,
      limitStatus: {},
    } as const;
    const take = async () => ({ hold, admission: { ...admission, asked: ++asked } });
    for (let i = 0; i < 3; i++) await refusals.ask(hold, take);
    expect(asked).toBe(3);
  });
});

describe("a memory", () => {
  const full = async (limit: { rpm: number } | { tpd: number }, at: number) => {
    const meter = await openPlan(db);
    const holdAt = (at: number, own?: KeyLimits) => ({
      ...planHold(meter, planLimits(limit), 1, at, key),
      ...(own && { limits: own }),
    });
    await meters.admit(holdAt(at));
    return { process: createProcess(), holdAt };
  };

  test("is of a limit by its size: neither another plan's nor other limits of the key are meant", async () => {
    const { process, holdAt } = await full({ rpm: 9 }, noon);
    const seen = [];
    for (const own of [{ rpm: 1 }, { rpm: 1 }, { rpm: 2 }, { tpm: 1 }, { tpm: 1 }, {}]) {
      const asked = process.asked;
      const { admitted } = await process.ask(holdAt(noon + 1, own));
      seen.push([admitted, process.asked > asked]);
    }
    expect(seen).toEqual([
      [true, true],
      [false, true],
      [true, true],
      [false, true],
      [false, false],
      [true, true],
    ]);
  });

  test("says nothing of calls that were received before: they may be of another day", async () => {
    const midnight = dayEnd(noon);
    const { process, holdAt } = await full({ tpd: 1 }, midnight);
    expect(await process.ask(holdAt(midnight))).toMatchObject({ admitted: false });
    expect(await process.ask(holdAt(midnight - 1))).toMatchObject({ admitted: true });
    expect(await process.ask(holdAt(midnight))).toMatchObject({ admitted: false });
    expect(process.asked).toBe(2);
  });

  test("ends with the day", async () => {
    const midnight = dayEnd(noon);
    const { process, holdAt } = await full({ tpd: 1 }, noon);
    expect(await process.ask(holdAt(midnight - 1))).toMatchObject({
      admitted: false,
      retryAfterSeconds: 1,
    });
    expect(await process.ask(holdAt(midnight))).toMatchObject({ admitted: true });
  });

  test("is told that lasts longest, where several bind", async () => {
    const meter = await openPlan(db);
    const process = createProcess();
    const call = (at: number, own?: KeyLimits) => ({
      ...planHold(meter, planLimits({ rpm: 2 }), 0, noon + at, own && key),
      ...(own && { limits: own }),
    });
    await meters.admit(call(0));
    await meters.admit(call(10_000, { rpm: 1 }));
    for (const own of [{ rpm: 1 }, undefined]) await process.ask(call(20_000, own));
    expect(await process.ask(call(20_000))).toMatchObject({ retryAfterSeconds: 40 });
    expect(await process.ask(call(20_000, { rpm: 1 }))).toMatchObject({
      message: expect.stringContaining("key's"),
      retryAfterSeconds: 50,
    });
    expect(process.asked).toBe(2);
  });

  test("of many keys is bounded, and the oldest goes first", async () => {
    const refusals = new Refusals();
    let asked = 0;
    const ask = async (meter: number, at = noon) => {
      const hold = planHold(`mtr_${meter}`, planLimits({ rpm: 1 }), 0, at);
      const scope = { limit: "rpm", own: false, until: noon + 60_000, limitStatus: {} } as const;
      const admission = { admitted: false, error: "rate_limited", limitStatus: {}, scope } as const;
      const before = asked;
      await refusals.ask(hold, async () => ({ hold, admission: { ...admission, asked: ++asked } }));
      return asked > before;
    };
    const later = noon + limits.refusalMemoryMs;
    for (let i = 0; i < limits.refusalMemoryMax; i++) await ask(i);
    // One that is refused anew takes no other's place; one more does, and the first to come is the first to go.
    expect([await ask(5, later), await ask(0, later - 1)]).toEqual([true, false]);
    expect([await ask(-1, later), await ask(1, later - 1)]).toEqual([true, false]);
    expect(await ask(0, later - 1)).toBe(true);
  });
});

test("in 1,000 random sequences, what memory refuses the meter refuses too, unless something was given back since", async () => {
  const found = { remembered: 0, givenBack: 0, own: 0, tokens: 0, counts: 0 };
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seeded(seed);
    const meter = await openPlan(db);
    const plan = planLimits(
      [{ rpm: 3 }, { rpm: 70 }, { tpm: 60 }, { tpd: 200 }, { rpm: 4, tpm: 90 }][random(5)],
    );
    const callers = [
      undefined,
      undefined,
      { rpm: 2 },
      { tpm: 40 },
      { rpm: 3, tpd: 90, max_concurrency: 2 },
    ].map((own) => ({ key: newId("key", noon), own }));
    const process = createProcess();
    const open: Hold[] = [];
    let [now, givenBackAt] = [dayEnd(noon) - random(60_000), 0];
    for (let step = 0; step < 30; step++) {
      now += [0, random(5), random(400), random(400), random(20_000)][random(5)] ?? 0;
      const [ended] = random(5) === 0 ? open.splice(random(Math.max(1, open.length)), 1) : [];
      if (ended) {
        const tokens = ended.tokens + random(9) - 4;
        const giveBack = random(2) === 0;
        await meters.settle(ticketOf(ended), settlement({ at: now, tokens, giveBack }));
        if (giveBack || tokens < ended.tokens) givenBackAt = now;
      }
      const { key, own } = callers[random(callers.length)] ?? { key: "" };
      const hold: Hold = { ...planHold(meter, plan, random(50), now, key), ...(own && { limits: own }) };
      if (random(6) === 0) Object.assign(hold, { counting: true, tokens: 0 });
      const asked = process.asked;
      const admission = await process.ask(hold);
      if (admission.admitted && !hold.counting) open.push(hold);
      if (process.asked > asked) continue;
      expect(admission).toMatchObject({ admitted: false, error: "rate_limited" });
      found.remembered += 1;
      if (givenBackAt > now - limits.refusalMemoryMs) {
        found.givenBack += 1;
        continue;
      }
      const truth = await meters.admit(hold);
      if (truth.admitted || admission.admitted)
        expect.fail(`seed ${seed}, step ${step}: ${JSON.stringify(admission)}`);
      expect(truth.error).toBe("rate_limited");
      expect(admission.retryAfterSeconds).toBeLessThanOrEqual(truth.retryAfterSeconds ?? Infinity);
      if (admission.message?.includes("key's")) found.own += 1;
      if (admission.message?.includes("tokens")) found.tokens += 1;
      if (hold.counting) found.counts += 1;
    }
  }
  for (const [what, times] of Object.entries(found)) expect(times, what).toBeGreaterThan(100);
});
