/**
 * What became of a budgeted call elsewhere than at its gateway: swept, corrected, a task, on a wallet
 * whose shards change.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { budgetCounter } from "#shared/books/meters/budget.ts";
import { type Held, type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { homeOf } from "#shared/books/meters/shards.ts";
import { take } from "#shared/calls/access/take.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { repairTasks } from "#shared/calls/tasks/repair.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { names, readHeld, writeHeld } from "#shared/edges/store/meters/meter-item.ts";
import { budgetOf, type Mode, newSpender, type Spender, usedOf } from "#test/support/budgets.ts";
import {
  eventOf,
  intentOf,
  noon,
  openPlan,
  openWallet,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { createVideoScenario, orderVideo, videoCaller } from "#test/support/video.ts";
import { newWallet, shardsOf, storesOn } from "#test/support/wallets.ts";

const { db, ledger, meters, tasks } = useStores();

const day = 86_400_000;
const point = parsePoints("1");

describe.each<Mode>(["payg", "subscription"])("of a %s key whose process died", (mode) => {
  /** A call of a day's last second that died. Its input of 100 tokens is worth 0.00025 points. */
  async function died(change: { intended: boolean }) {
    const spender = await newSpender(db, mode, budgetOf("1"));
    const organization = newId("organization", noon);
    const hold = spender.hold("0.5", Date.parse("2026-11-21T23:59:59.500Z"));
    await meters.admit(hold);
    if (change.intended) await meters.intend(intentOf(hold, organization));
    const now = hold.at + limits.holdExpirySeconds * 1000;
    await sweep({}, { ...storesOn(db.aws, db), now: () => now });
    return { spender, hold, organization };
  }

  const real = (hold: Hold, organization: string, cost: string) =>
    eventOf(hold, mode === "payg" ? cost : "0", { organization, list_points: cost });

  test("the budget of its day keeps the estimate, and the next day's is whole", async () => {
    const { spender } = await died({ intended: true });
    expect(await usedOf(meters, spender)).toEqual({ spent: "0.00025", held: "0" });
    expect(await usedOf(meters, spender, "day", noon + day)).toBeUndefined();
  });

  test.each(["0.3", "0.0001", "2"])("the real event corrects the estimate to %s, once", async (cost) => {
    const { spender, hold, organization } = await died({ intended: true });
    expect(await ledger.record([real(hold, organization, cost)])).toEqual(["corrected"]);
    expect(await ledger.record([real(hold, organization, cost)])).toEqual(["duplicate"]);
    expect(await usedOf(meters, spender)).toEqual({ spent: cost, held: "0" });
  });

  test("a real event that tells of a failure gives all of it back", async () => {
    const { spender, hold, organization } = await died({ intended: true });
    const failed = { ...real(hold, organization, "0"), calls: 0 as const, usage: noUsage };
    expect(await ledger.record([failed])).toEqual(["corrected"]);
    expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0" });
  });

  test("one that was never sent costs nothing", async () => {
    const { spender } = await died({ intended: false });
    expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0" });
  });

  test("one that has its entry is settled from that", async () => {
    const spender = await newSpender(db, mode, budgetOf("1", "total"));
    const hold = spender.hold("0.5");
    const organization = newId("organization", noon);
    await Promise.all([meters.admit(hold), meters.intend(intentOf(hold, organization))]);
    await ledger.record([real(hold, organization, "0.125")]);
    await sweep({}, { ...storesOn(db.aws, db), now: () => noon + limits.holdExpirySeconds * 1000 });
    expect(await usedOf(meters, spender, "total")).toEqual({ spent: "0.125", held: "0" });
  });
});

test("a guess of the version before, which names no counter, is corrected as ever", async () => {
  const spender = await newSpender(db, "payg", budgetOf("1"));
  const organization = newId("organization", noon);
  const [hold, other] = [spender.hold("0.5"), walletHold(spender.meter, "0.5")];
  for (const each of [hold, other]) await meters.admit(each);
  const swept = eventOf(other, "0.5", { organization, source: "sweeper" });
  await ledger.record([swept]);
  expect(await ledger.record([eventOf(other, "0.1", { organization })])).toEqual(["corrected"]);
  expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0.5" });
});

test("holds are read in every form that was ever written", () => {
  expect(readHeld({ N: "2000" })).toEqual({ points: 2000n, tokens: 0, period: "" });
  expect(readHeld({ S: "1500.20261121" })).toEqual({ points: 0n, tokens: 1500, period: "20261121" });
  expect(readHeld({ S: "2000..kAAAAAAAAAA" })).toEqual({
    points: 2000n,
    tokens: 0,
    period: "",
    key: "kAAAAAAAAAA",
  });
  expect(readHeld({ S: "1500.20261121.kAAAAAAAAAA" })).toEqual({
    points: 0n,
    tokens: 1500,
    period: "20261121",
    key: "kAAAAAAAAAA",
  });
  expect(readHeld({ S: "2000..kAAAAAAAAAA.bd20778" })).toMatchObject({
    points: 2000n,
    budgets: [{ counter: "kAAAAAAAAAA:bd20778", points: 2000n }],
  });
  expect(readHeld({ S: "1500.20261121.kAAAAAAAAAA.bm202611.7000" })).toMatchObject({
    tokens: 1500,
    budgets: [{ counter: "kAAAAAAAAAA:bm202611", points: 7000n }],
  });
});

test.each<[written: string, held: Held]>([
  [
    "2000..kAAAAAAAAAA.bd20778+O:bm202611+CAAAAAAAA:bt",
    {
      ...{ points: 2000n, tokens: 0, period: "", key: "kAAAAAAAAAA" },
      budgets: sharesOf(2000n, "kAAAAAAAAAA:bd20778", "O:bm202611", "CAAAAAAAA:bt"),
    },
  ],
  [
    "2000...O:bt+PAAAA_-AA:bd20778",
    { points: 2000n, tokens: 0, period: "", budgets: sharesOf(2000n, "O:bt", "PAAAA_-AA:bd20778") },
  ],
  [
    "1500.20261121~2..O:bt+MAAAAAAAAAA:bt.7000",
    {
      ...{ points: 0n, tokens: 1500, period: "20261121", calls: 2 },
      budgets: sharesOf(7000n, "O:bt", "MAAAAAAAAAA:bt"),
    },
  ],
  [
    "1500.20261121~1~9000.kAAAAAAAAAA.O:bt.7000",
    {
      ...{ points: 0n, tokens: 1500, period: "20261121", dayPoints: 9000n, key: "kAAAAAAAAAA" },
      budgets: sharesOf(7000n, "O:bt"),
    },
  ],
])("a hold of several budgets is written as %s, and read", (written, held) => {
  expect(writeHeld(held)).toEqual({ S: written });
  expect(readHeld({ S: written })).toEqual(held);
});

function sharesOf(points: bigint, ...counters: string[]) {
  return counters.map((counter) => ({ counter, points }));
}

describe.each<Mode>(["payg", "subscription"])("a video of a %s key", (mode) => {
  /** 5 s at 0.09 points are held; the budget of the day has room for two of them. */
  async function studio(period: "day" | "total" = "day") {
    const scenario = createVideoScenario(tasks, meters);
    const meter = await (mode === "payg" ? openWallet(db, "10") : openPlan(db));
    const caller = videoCaller(mode === "payg" ? { wallet: meter } : { subscription: meter });
    caller.key.limits = budgetOf("1", period);
    const spender: Pick<Spender, "meter" | "key"> = { meter, key: caller.key.id };
    const used = (at = noon) => usedOf(meters, spender as Spender, period, at);
    const step = (task: string, action: "submit" | "poll") =>
      work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
    return { scenario, caller, used, step };
  }

  test("holds its price, and is refused when the budget is used up", async () => {
    const { scenario, caller, used } = await studio();
    for (let count = 0; count < 2; count++) await orderVideo(scenario, caller);
    expect(await used()).toEqual({ spent: "0", held: "0.9" });
    await expect(orderVideo(scenario, caller)).rejects.toMatchObject({
      key: mode === "payg" ? "insufficient_balance" : "quota_exhausted",
      message: expect.stringContaining(
        "may cost up to 0.45 points: 0.1 are left, 0 are spent and 0.9 are held",
      ),
    });
  });

  test("is charged to the day in which it was ordered, when it ends days later", async () => {
    const { scenario, caller, used, step } = await studio();
    const id = await orderVideo(scenario, caller);
    await step(id, "submit");
    scenario.provider.tasks.set("cgt-1", "succeed");
    scenario.clock.now += 3 * day;
    expect(await step(id, "poll")).toMatchObject({ done: true });
    expect(await used()).toEqual({ spent: "0.45", held: "0" });
    expect(await used(noon + 3 * day)).toBeUndefined();
  });

  test("that fails gives its budget back", async () => {
    const { scenario, caller, used, step } = await studio("total");
    const id = await orderVideo(scenario, caller);
    await step(id, "submit");
    scenario.provider.tasks.set("cgt-1", "failed");
    await step(id, "poll");
    expect(await used()).toEqual({ spent: "0", held: "0" });
  });

  test("whose task was never kept gives it back with the repair", async () => {
    const { scenario, caller, used } = await studio();
    const broken = { ...tasks, create: () => Promise.reject(new Error("down")) } as typeof tasks;
    const bar = () => Promise.reject(new Error("down"));
    const deps = { ...scenario.deps, tasks: { ...broken, bar } };
    await expect(orderVideo({ ...scenario, deps }, caller)).rejects.toThrow();
    expect(await used()).toEqual({ spent: "0", held: "0.45" });
    const repaired = await repairTasks(
      { older_than_seconds: 0 },
      { ...scenario.deps, meters, now: () => noon + limits.taskOverdueSeconds * 2000 },
    );
    expect(repaired).toMatchObject({ voided: expect.any(Number), failed: 0 });
    expect(await used()).toEqual({ spent: "0", held: "0" });
  });

  test("of the version before, whose task names no budget, ends as it began", async () => {
    const { scenario, caller, used, step } = await studio();
    caller.key.limits = null;
    const id = await orderVideo(scenario, caller);
    const task = (await tasks.find("org_1", id)) as Task;
    expect(task.hold).not.toHaveProperty("budget");
    await step(id, "submit");
    scenario.provider.tasks.set("cgt-1", "succeed");
    expect(await step(id, "poll")).toMatchObject({ done: true });
    expect(await used()).toBeUndefined();
  });
});

describe("on a wallet of several shards", () => {
  const key = newId("key", noon);

  /** A call of the key as the gateway takes it, by what its record of the wallet says. */
  async function callOn({ id, wallet }: Organization, shards: number, own: KeyLimits, points: string) {
    const hold = { ...walletHold(wallet?.meter ?? "", points, noon, key), limits: own };
    const choice = { shards, home: homeOf({ id: key, limits: own }, 0) };
    return await take(hold, intentOf(hold, id), { choice }, { meters, rushes: { note: () => {} } });
  }

  test("the count is one, however the shards change meanwhile, and the money comes to it", async () => {
    const organization = await newWallet(db, "40", 4);
    const stores = storesOn(db.aws, db);
    const own = budgetOf("20", "month");
    const holds: Hold[] = [];
    for (const [count, shards] of [
      [4, 4],
      [8, 8],
      [2, 2],
      // A gateway whose record is older.
      [1, 8],
      [16, 16],
    ] as const) {
      await tendWallet(organization.id, count, stores);
      for (let calls = 0; calls < 2; calls++) {
        const { hold, admission } = await callOn(organization, shards, own, "2");
        expect([admission.admitted, hold.shard]).toEqual([true, 0]);
        holds.push(hold);
      }
    }
    const { admission } = await callOn(organization, 16, own, "0.000001");
    expect(admission).toMatchObject({
      error: "insufficient_balance",
      message: expect.stringContaining("key's budget of 20 points per month"),
    });
    for (const hold of holds) await meters.settle(ticketOf(hold), settlement({ points: point }));
    await tendWallet(organization.id, 3, stores);
    const counter = `${names.limited(key)}:${budgetCounter("month", noon)}`;
    const [first, ...others] = await shardsOf(db, organization);
    expect([first?.budgets.get(counter), others.every(({ budgets }) => budgets.size === 0)]).toEqual([
      10n * point,
      true,
    ]);
    expect((await callOn(organization, 3, own, "10")).admission).toMatchObject({ admitted: true });
    expect((await callOn(organization, 3, own, "0.1")).admission).toMatchObject({ admitted: false });
  });

  test("its calls are a reason for more shards, like those of any key", async () => {
    const organization = await newWallet(db, "10000");
    const { meter = "" } = organization.wallet ?? {};
    for (let i = 0; i < 70; i++) {
      await meters.admit({ ...walletHold(meter, "1", noon, key), limits: budgetOf("1000") });
    }
    await tendWallet(organization.id, undefined, storesOn(db.aws, db));
    expect(await shardsOf(db, organization)).toHaveLength(2);
  });
});
