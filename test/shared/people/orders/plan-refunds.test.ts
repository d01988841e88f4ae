/** Plans that the operator pays back: by what is not used, and the subscription changes with it. */
import { afterEach, describe, expect, test } from "vitest";
import { onePoint } from "#shared/books/billing/points.ts";
import { look } from "#shared/edges/audit/audit.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { startRefund } from "#shared/people/orders/refund.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { signUp } from "#test/support/plan-customer.ts";
import { buyer } from "#test/support/refunded-customer.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const at = (text: string) => Date.parse(`${text}Z`);
const dayMs = 86_400_000;

afterEach(async () => {
  const { invariants } = await look({
    ...{
      accounts: createAccounts(db.aws, db.tables),
      ledger: createLedger(db.aws, db.tables),
      kept: createKeptBooks(db.aws, db.tables),
      queue: emptyQueue,
    },
    ...{ meters: createMeters(db.aws, db.tables), tasks: createTasks(db.aws, db.tables) },
    now: () => signUp,
  });
  expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
});

const day = (instant: number | null | undefined) => instant && new Date(instant).toISOString().slice(0, 10);

describe("a plan that runs", () => {
  test.each([
    // A month of 30 days from the 11th on, of which a begun day counts. The smaller of days and calls counts.
    ["2026-11-11T09:00:00", 0, (12_900 * 29) / 30],
    ["2026-11-26T00:00:00", 0, (12_900 * 15) / 30],
    ["2026-11-26T00:00:00", 750, (12_900 * 250) / 1_000],
    ["2026-11-26T00:00:00", 2_000, 0],
    ["2026-12-10T00:00:01", 0, 0],
  ])("at %s with %d calls of its month pays back its unused part", async (now, calls, left) => {
    const { clock, buy, refundable, refund, organization, owed, call, entries } = await buyer(db);
    const bought = await buy("lite", "monthly");
    clock.now = at(now);
    await call("20261111", calls);
    expect(await refundable(bought)).toBe((left / 100).toFixed(2));
    if (left === 0) {
      await expect(refund(bought)).rejects.toMatchObject({ key: "invalid_request" });
      await call("20261111", 0);
      return;
    }
    const refunded = await refund(bought);
    expect([refunded.state, refunded.refunded, await owed()]).toEqual(["partly_refunded", left, "0"]);
    expect((await organization()).subscription.ends_at).toBe(clock.now);
    const back = (await entries()).filter(({ fee, id }) => fee?.returns || id.startsWith("credit#refund."));
    expect(back.map(({ debit, credit, points }) => [debit, credit, points])).toEqual([
      [expect.stringContaining("receivable:"), "cash:alipay", String(left / 100)],
      ["revenue:plan:lite", expect.stringContaining("receivable:"), String(left / 100)],
    ]);
    await call("20261111", 0);
    await expect(refund(bought)).rejects.toMatchObject({ key: "invalid_state" });
  });

  test("of a year pays back its months to come whole, and can be bought anew", async () => {
    const { clock, buy, refund, organization, owed, schedule } = await buyer(db);
    const bought = await buy("lite", "yearly");
    clock.now = at("2027-02-12T00:00:00");
    // Eight months to come, and 27 of the 28 days of the one that runs.
    expect((await refund(bought)).refunded).toBe(Math.floor((118_800 * (8 * 28 + 27)) / (12 * 28)));
    clock.now += 1_000;
    await buy("lite", "yearly");
    expect(day((await organization()).subscription.ends_at)).toBe("2028-02-12");
    expect([await owed(), await schedule()]).toEqual(["0", 0]);
  });

  test("pays back a part where that is asked for, and never more than is unused", async () => {
    const { clock, buy, refund, organization } = await buyer(db);
    const bought = await buy("lite", "monthly");
    clock.now = at("2026-11-26T00:00:00");
    await expect(refund(bought, 6_451)).rejects.toThrow("64.50 CNY can be paid back at most");
    expect((await organization()).subscription.plan).toBe("lite");
    expect((await refund(bought, 1_000)).refunded).toBe(1_000);
  });
});

test("a renewal that was ordered before its plan was paid back begins at another time, and becomes points", async () => {
  const { clock, buy, order, pay, refund, organization } = await buyer(db);
  const bought = await buy("lite", "monthly");
  clock.now = at("2026-11-26T00:00:00");
  const renewal = await order("lite", "monthly");
  await refund(bought);
  clock.now += 1_000;
  expect(await pay(renewal)).toMatchObject({ booked_as: "points" });
  expect((await organization()).subscription.ends_at).toBe(at("2026-11-26T00:00:00"));
});

describe("a plan that is booked and has not begun", () => {
  test("pays back all of it, and the same time can be bought and paid back again", async () => {
    const { clock, buy, refund, organization, owed, schedule } = await buyer(db);
    await buy("lite", "monthly");
    for (let times = 0; times < 3; times++) {
      clock.now += dayMs;
      const renewal = await buy("lite", "monthly");
      expect(renewal.booked_as).toBe("plan");
      expect(day((await organization()).subscription.ends_at)).toBe("2027-01-11");
      expect(await refund(renewal)).toMatchObject({ state: "refunded", refunded: 12_900 });
      expect(day((await organization()).subscription.ends_at)).toBe("2026-12-11");
    }
    await buy("pro", "quarterly");
    clock.now = at("2026-12-20T00:00:00");
    expect([(await organization()).subscription.next?.plan, await owed(), await schedule()]).toEqual([
      "pro",
      "0",
      0,
    ]);
  });

  test("of another plan is taken off what follows", async () => {
    const { buy, refund, organization, owed } = await buyer(db);
    await buy("pro", "monthly");
    const smaller = await buy("lite", "quarterly");
    expect((await organization()).subscription.next?.plan).toBe("lite");
    await refund(smaller);
    const { next, ends_at, plan } = (await organization()).subscription;
    expect([next, day(ends_at), plan, await owed()]).toEqual([undefined, "2026-12-11", "pro", "0"]);
  });

  test("comes first: the order of the time before it waits", async () => {
    const { buy, refund, refundable } = await buyer(db);
    const first = await buy("lite", "monthly");
    const second = await buy("lite", "monthly");
    await expect(refund(first)).rejects.toThrow("Another order pays for the last time of the plan");
    expect(await refundable(first)).toBe("0.00");
    await refund(second);
    expect((await refund(first)).state).toBe("partly_refunded");
  });
});

describe("an upgrade", () => {
  test("is undone: the plan before it runs on, and can be paid back or upgraded again", async () => {
    const { clock, buy, refund, organization, owed, schedule, quote } = await buyer(db);
    const lite = await buy("lite", "quarterly");
    clock.now += dayMs;
    const pro = await buy("pro", "quarterly");
    const { ends_at } = (await organization()).subscription;
    clock.now = at("2026-12-11T00:00:00");
    // Two of three months are to come, one of them runs from today on: 31 of its 31 days are left.
    expect((await refund(pro)).refunded).toBe(Math.floor((pro.amount * 2) / 3));
    const { subscription } = await organization();
    expect([subscription.plan, subscription.ends_at, await owed()]).toEqual(["lite", ends_at, "0"]);
    expect((await quote("pro", "quarterly")).action).toBe("upgrade");
    clock.now += 1_000;
    const again = await buy("pro", "quarterly");
    clock.now += 1_000;
    await refund(again);
    expect((await refund(lite)).refunded).toBe(Math.floor((lite.amount * (31 + 30)) / (3 * 31)));
    clock.now += 40 * dayMs;
    expect([await owed(), await schedule()]).toEqual(["0", 0]);
  });

  test("of an upgrade leaves the first upgrade", async () => {
    const { clock, buy, refund, organization, owed, deps } = await buyer(db);
    const plan = deps.catalog.plan;
    const max = { ...plan("pro"), price: { monthly: "999", quarterly: "2400", yearly: "9999" } } as never;
    const quota = { monthly: 20_000, quarterly: 25_000, yearly: 30_000 };
    deps.catalog = {
      ...deps.catalog,
      plan: (name) => (name === "max" ? { ...(max as object), quota } : plan(name)) as never,
    };
    await buy("lite", "monthly");
    clock.now += dayMs;
    await buy("pro", "monthly");
    clock.now += dayMs;
    const largest = await buy("max", "monthly");
    await refund(largest);
    expect([(await organization()).subscription.plan, await owed()]).toEqual(["pro", "0"]);
  });
});

test("a refund of a plan that its platform refuses comes into the wallet as points", async () => {
  const { clock, buy, refund, deps, organization, owed } = await buyer(db);
  const bought = await buy("lite", "monthly");
  clock.now = at("2026-11-26T00:00:00");
  const own = await deps.platforms.platform("alipay");
  deps.platforms = { ...deps.platforms, platform: async () => ({ ...own, refund: async () => "refused" }) };
  expect(await refund(bought)).toMatchObject({ state: "credited", booked_as: "plan" });
  const { wallet } = await organization();
  expect(await deps.meters.shardsOf(wallet?.meter ?? "")).toMatchObject([{ avail: (129n * onePoint) / 2n }]);
  expect(await owed()).toBe("0");
});

test.each([
  // The platform refuses the first refund, so the order is credited again; or it has paid a part back.
  ["refused", "credited"],
  ["done", "partly_refunded"],
] as const)(
  "a plan whose refund was %s is paid back no second time by a clock that is behind",
  async (outcome, state) => {
    const { clock, buy, refund, refundable, deps, organization, owed } = await buyer(db);
    const bought = await buy("lite", "monthly");
    clock.now = at("2026-11-26T00:00:00");
    const own = await deps.platforms.platform("alipay");
    deps.platforms = { ...deps.platforms, platform: async () => ({ ...own, refund: async () => outcome }) };
    expect((await refund(bought, 1_000)).state).toBe(state);
    const { subscription } = await organization();
    // For this process the plan still runs.
    clock.now -= 60_000;
    expect(await refundable(bought)).toBe("0.00");
    await expect(refund(bought)).rejects.toMatchObject({ key: "invalid_state" });
    expect([(await organization()).subscription, await owed()]).toEqual([subscription, "0"]);
  },
);

test("of twenty refunds at once one takes the plan", async () => {
  const { clock, buy, deps, owed } = await buyer(db);
  const bought = await buy("lite", "monthly");
  clock.now = at("2026-11-26T00:00:00");
  const order = await deps.orders.find(bought.id);
  if (!order) throw new Error("no order");
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => startRefund(order, { reason: "r" }, deps)),
  );
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect([(await deps.orders.refunds(bought.id)).length, await owed()]).toEqual([1, "0"]);
});
