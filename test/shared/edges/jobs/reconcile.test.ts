/** Runs of the reconciler: how soon a payment is found whose notice is lost, and what many orders do to each other. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { pause } from "#shared/base/platform/pause.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { dueItem } from "#shared/edges/store/orders/order-item.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, newOrder, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { seeded } from "#test/support/random.ts";
import { type Between, platformsOver, silence, Trades } from "#test/support/trades.ts";

const minute = 60_000;
/** What is promised of a payment whose notice is lost while no page shows its order (people/payments/README.md). */
const promisedMs = 70_000;

afterEach(() => vi.useRealTimers());

/** A stage in which each question takes so many milliseconds of its clock. */
async function shop({ askMs = 0 } = {}) {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const quiet = { aws: awsOverMemory(db), tables: db.tables };
  const trades = { alipay: new Trades(() => clock.now, true), wechat: new Trades(() => clock.now) };
  const silent = new Set<string>();
  const asked: string[] = [];
  let channel = "";
  const between: Between = async (call, act) => {
    asked.push(call);
    if (silent.has(channel)) {
      const until = clock.now + consoleLimits.platformAnswerMs;
      await pause(consoleLimits.platformAnswerMs);
      clock.now = Math.max(clock.now, until);
      throw silence();
    }
    clock.now += askMs;
    return act();
  };
  const ports = orderDeps(quiet, trades, clock);
  const setUp = { ...ports, platforms: platformsOver(trades) };
  const whole = platformsOver(trades, between);
  const platforms: typeof whole = {
    ...whole,
    async platform(name) {
      const own = await whole.platform(name);
      return {
        ...own,
        query: (order) => {
          channel = name;
          return own.query(order);
        },
      };
    },
  };
  const organization = await signedUp(quiet, morning - minute);
  return { clock, db, trades, silent, asked, deps: { ...ports, platforms }, setUp, organization };
}

describe("a payment whose notice is lost, and whose page is closed", () => {
  test.each(["alipay", "wechat"] as const)(
    "at %s is credited within 70 s, whenever it is",
    async (channel) => {
      const random = seeded(11);
      const waits: number[] = [];
      for (let round = 0; round < 60; round++) {
        const { clock, trades, deps, setUp, organization } = await shop();
        const begin = clock.now;
        // Runs begin within some seconds of their minute.
        const firstRun = random(minute);
        const order = await pendingOrder(organization.id, setUp, { channel });
        const paysAt = begin + 1 + random(15 * minute - 2);
        let paid = false;
        for (let run = 0; ; run++) {
          const at = begin + firstRun + run * minute + random(5_000);
          if (!paid && at > paysAt) {
            clock.now = paysAt;
            expect(trades[channel].pay(order.id)).toBe(true);
            paid = true;
          }
          clock.now = Math.max(clock.now, at);
          await reconcile(deps);
          const { state, credited_at = 0 } = (await deps.orders.find(order.id)) as Order;
          if (state === "credited") {
            waits.push(credited_at - paysAt);
            break;
          }
          if (clock.now > paysAt + 3 * minute) throw new Error(`${state}, paid ${clock.now - paysAt} ms ago`);
        }
      }
      expect(Math.max(...waits)).toBeLessThanOrEqual(promisedMs);
    },
  );

  test.each([10, 11])(
    "is found also where its customer has closed a code that nobody had scanned, in run %d",
    async (paidAfter) => {
      const { clock, trades, deps, setUp, organization } = await shop();
      const order = await pendingOrder(organization.id, setUp);
      await deps.orders.move(order, "ended", {}, clock.now);
      const runAt = async (run: number) => {
        // Every other run begins late.
        clock.now = morning + run * minute + (run % 2) * 3_000;
        await reconcile(deps);
      };
      for (let run = 1; run < paidAfter; run++) await runAt(run);
      expect(trades.alipay.pay(order.id)).toBe(true);
      await runAt(paidAfter);
      expect(await deps.orders.find(order.id)).toMatchObject({ state: "credited" });
    },
  );
});

test("an order that nobody pays is asked about in each run until its end, then closed, then twice more", async () => {
  const { clock, asked, deps, setUp, organization } = await shop();
  const order = await pendingOrder(organization.id, setUp, { channel: "wechat" });
  const days = 3 * 24 * 60;
  for (let run = 1; run <= days; run++) {
    clock.now = morning + run * minute + 200;
    await reconcile(deps);
  }
  expect(await deps.orders.find(order.id)).toMatchObject({ state: "closed" });
  expect(asked.filter((call) => call === "query")).toHaveLength(14 + 2);
  expect(asked.filter((call) => call === "close")).toHaveLength(1);
});

test("an order that is paid by a bank which answers after days waits for it, and is then credited", async () => {
  const { clock, asked, trades, deps, setUp, organization } = await shop();
  const order = await pendingOrder(organization.id, setUp, { channel: "wechat" });
  let hasAnswered = false;
  const platforms: typeof deps.platforms = {
    ...deps.platforms,
    async platform(channel) {
      const own = await deps.platforms.platform(channel);
      if (hasAnswered) return own;
      return {
        ...own,
        close: async () => "pending",
        query: async (about) => ({ ...(await own.query(about)), state: "pending" }),
      };
    },
  };
  const hours = async (count: number) => {
    for (let run = 0; run < count * 60; run++) {
      clock.now += minute;
      await reconcile({ ...deps, platforms });
    }
  };
  await hours(24);
  expect(await deps.orders.find(order.id)).toMatchObject({ state: "closing" });
  const before = asked.length;
  await hours(24);
  // Once an hour, and nothing is told as a failure.
  expect(asked.length - before).toBeLessThanOrEqual(25);
  expect(deps.told.filter(({ event }) => event === "reconcile_failed")).toEqual([]);
  hasAnswered = true;
  trades.wechat.settle(order.id);
  await hours(1);
  expect(await deps.orders.find(order.id)).toMatchObject({ state: "credited" });
});

/**
 * Puts orders that are due, without what a real one has beside its item. So many of them are due for a shorter time than
 * an order that is made now, as those are that the last run has looked at.
 */
function flood(
  db: ReturnType<typeof createMemoryDynamoDb>,
  count: number,
  change: Partial<Order>,
  shortly = 0,
): void {
  const dueAt = (n: number) => morning + (n < shortly ? 40_000 : -10 * minute) + n;
  for (let n = 0; n < count; n++) {
    const order = newOrder("org_other", morning, { id: newId("order", morning - n - 1), ...change });
    const key = { pk: { S: `R#${order.id}` }, sk: { S: "-" } };
    const Item = { ...key, ...toItem(order), ...dueItem(dueAt(n), order.state) };
    db.act("PutItem", { TableName: db.tables.accounts, Item });
  }
}

describe("ten thousand orders that are due", () => {
  test.each<[string, Partial<Order>]>([
    ["over", { state: "closed", closed_at: morning - 60 * minute }],
    ["open, and were looked at", { state: "pending", expires_at: morning + 15 * minute, tries: 1 }],
    ["closing", { state: "closing", tries: 1 }],
  ])("and are %s do not keep another one from its turn, and a run ends in time", async (_, change) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { clock, db, trades, asked, deps, setUp, organization } = await shop({ askMs: 30 });
    const shortly = change.state === "closed" ? 5_000 : consoleLimits.reconcileOrdersMax;
    flood(db, 10_000, { channel: "wechat", ...change }, shortly);
    const order = await pendingOrder(organization.id, setUp, { channel: "wechat" });
    trades.wechat.pay(order.id);
    clock.now += minute;
    const began = clock.now;
    const run = reconcile(deps);
    await vi.runAllTimersAsync();
    expect(await run).toMatchObject({ credited: 1 });
    expect(await deps.orders.find(order.id)).toMatchObject({ state: "credited" });
    expect(clock.now - began).toBeLessThan(consoleLimits.reconcileMs + 5_000);
    expect(asked.length).toBeLessThanOrEqual(20 * (consoleLimits.reconcileMs / 1_000) + 10);
  });
});

test.each([299, 300, 301, 400, 800])(
  "of %d orders that were looked at before, a run asks about as many as it reads",
  async (count) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { db, asked, deps } = await shop();
    flood(db, count, { channel: "wechat", state: "pending", expires_at: morning + 15 * minute, tries: 1 });
    const run = reconcile(deps);
    await vi.runAllTimersAsync();
    // Each counts once, also where both ends of the index have it.
    expect(await run).toMatchObject({ due: count });
    expect(asked).toHaveLength(Math.min(count, consoleLimits.reconcileOrdersMax));
  },
);

test("a platform that does not answer takes no time from the others", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { clock, db, trades, silent, asked, deps, setUp, organization } = await shop();
  flood(db, 200, { channel: "alipay", state: "pending", expires_at: morning + 15 * minute });
  silent.add("alipay");
  const order = await pendingOrder(organization.id, setUp, { channel: "wechat" });
  trades.wechat.pay(order.id);
  clock.now += minute;
  const run = reconcile(deps);
  await vi.runAllTimersAsync();
  expect(await run).toMatchObject({ credited: 1 });
  // All that began at once have asked it, and no other.
  expect(asked.filter((call) => call === "query").length).toBeLessThanOrEqual(
    consoleLimits.reconcileAtOnceMax + consoleLimits.reconcileSilencesMax + 1,
  );
  expect(deps.told.filter(({ event }) => event === "reconcile_failed")).toEqual([]);
});

test("a run asks at most twenty times a second", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { clock, db, asked, deps } = await shop();
  flood(db, 100, { channel: "wechat", state: "pending", expires_at: morning + 15 * minute });
  const waited: number[] = [];
  const run = reconcile(deps);
  for (let half = 0; half < 12; half++) {
    await vi.advanceTimersByTimeAsync(0);
    waited.push(asked.length);
    clock.now += 500;
    await vi.advanceTimersByTimeAsync(500);
  }
  await run;
  for (const [half, count] of waited.entries()) expect(count).toBeLessThanOrEqual(10 * (half + 1));
  expect(asked).toHaveLength(100);
});
