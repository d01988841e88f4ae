/** Orders on the embedded database: what many callers at once come to. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { orderKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { changeItem } from "#shared/edges/store/dynamodb/items.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { bookOrder } from "#shared/people/orders/book.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { startRefund, tendRefund } from "#shared/people/orders/refund.ts";
import type { Order } from "#shared/people/payments/order.ts";
import type { DueQuery } from "#shared/people/payments/orders.ts";
import { contended } from "#test/support/contended.ts";
import { morning, newOrder, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { useStores } from "#test/support/stores.ts";
import { Trades } from "#test/support/trades.ts";

const { db } = useStores();
const points = (count: number) => BigInt(count) * 10n ** 18n;

/** An organization with ports of its own. */
async function shop() {
  const clock = { now: morning };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps(db, { alipay: trades }, clock);
  const organization = await signedUp(db, morning - 60_000);
  const balance = () => createMeters(db.aws, db.tables).balance(organization.wallet?.meter ?? "");
  const paid = async (): Promise<Order> => {
    const order = await pendingOrder(organization.id, deps);
    trades.pay(order.id);
    return await takeNotice(trades.evidence(order.id, "alipay"), deps);
  };
  return { clock, trades, deps, organization, balance, paid };
}

const times = <Value>(count: number, act: (at: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));

describe("sixty at once", () => {
  test("notices of one payment book it once", async () => {
    const { trades, deps, organization, balance } = await shop();
    const order = await pendingOrder(organization.id, deps);
    trades.pay(order.id);
    const evidence = trades.evidence(order.id, "alipay");
    const after = await times(60, () => takeNotice(evidence, deps));
    expect(new Set(after.map(({ state }) => state))).toEqual(new Set(["credited"]));
    expect(await balance()).toBe(points(100));
    expect(deps.told.filter(({ event }) => event === "order_paid")).toHaveLength(1);
  });

  test("bookings of one paid order, which all read as paid, book it once", async () => {
    const { deps, organization, balance } = await shop();
    const order = await pendingOrder(organization.id, deps);
    const facts = {
      transaction: "t",
      amount: order.amount,
      currency: "CNY",
      at: morning,
      via: "notice",
    } as const;
    const paid = (await deps.orders.move(order, "paid", { paid: facts }, morning)) as Order;
    await times(60, () => bookOrder(paid, deps));
    expect(await balance()).toBe(points(100));
    const entries = await createLedger(db.aws, db.tables).creditsAndFees(organization.id);
    expect(entries.filter(({ kind }) => kind === "bought")).toMatchObject([
      {
        id: `credit#order.${order.id}`,
        debit: "cash:alipay",
        credit: `customer:${organization.id}`,
        points: "100",
      },
    ]);
  });
});

test("an order that is booked and then put back by a late write is credited as of its entry", async () => {
  const { clock, deps, paid } = await shop();
  const { id, credited_at, ...order } = await paid();
  expect(credited_at).toBe(morning);
  await changeItem(db.aws, {
    table: db.tables.accounts,
    key: orderKey(id),
    set: toItem({ state: "paid" }),
    remove: ["credited_at", "booked_as"],
  });
  clock.now += 60_000;
  await bookOrder({ ...order, id, state: "paid" }, deps);
  expect(await deps.orders.find(id)).toMatchObject({ state: "credited", credited_at, booked_as: "points" });
});

test("an order that is not paid is not booked, whoever asks", async () => {
  const { deps, organization, balance } = await shop();
  const order = await pendingOrder(organization.id, deps);
  const facts = {
    transaction: "t",
    amount: order.amount,
    currency: "CNY",
    at: morning,
    via: "notice",
  } as const;
  await expect(bookOrder({ ...order, state: "paid", paid: facts }, deps)).rejects.toThrow("is not paid");
  expect(await balance()).toBe(0n);
});

test("of twenty orders at once five wait, and the count goes down as they end", async () => {
  const { deps, organization } = await shop();
  const orders = Array.from({ length: 20 }, () => newOrder(organization.id, morning));
  const outcomes = await times(20, (at) => deps.orders.create(orders[at] as Order, morning));
  const created = orders.filter((_, at) => outcomes[at]?.outcome === "created");
  expect(created).toHaveLength(consoleLimits.openOrdersMax);
  expect(outcomes.filter(({ outcome }) => outcome === "too_many")).toHaveLength(15);
  await deps.orders.move(created[0] as Order, "ended", {}, morning);
  // The same move again finds another state, and counts nothing.
  expect(await deps.orders.move(created[0] as Order, "ended", {}, morning)).toBeUndefined();
  const next = await times(3, () => deps.orders.create(newOrder(organization.id, morning), morning));
  expect(next.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
});

test("while others of the organization order again and again, an order is refused and not there", async () => {
  const { aws, tables } = db;
  const order = newOrder("org_busy", morning);
  const busy = createOrders(contended(aws), tables);
  await expect(busy.create(order, morning)).rejects.toMatchObject({ key: "global_rate_limited" });
  expect(await createOrders(aws, tables).find(order.id)).toBeUndefined();
});

test("one key makes one order, for a day", async () => {
  const { deps, organization } = await shop();
  const claim = { key: "k", request: "r" };
  const orders = Array.from({ length: 10 }, () => newOrder(organization.id, morning));
  const outcomes = await times(10, (at) => deps.orders.create(orders[at] as Order, morning, claim));
  const made = orders.filter((_, at) => outcomes[at]?.outcome === "created");
  expect(made).toHaveLength(1);
  const others = outcomes.filter(({ outcome }) => outcome === "known");
  expect(others).toEqual(Array(9).fill({ outcome: "known", order: made[0]?.id, request: "r" }));
  const tomorrow = morning + consoleLimits.orderClaimSeconds * 1000 + 1_000;
  const again = await deps.orders.create(newOrder(organization.id, tomorrow), tomorrow, claim);
  expect(again.outcome).toBe("created");
});

test("the list is complete, newest first, page by page", async () => {
  const { deps, organization } = await shop();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++)
    ids.unshift((await pendingOrder(organization.id, deps, newOrder(organization.id, morning + n))).id);
  const first = await deps.orders.list(organization.id, { limit: 2 });
  const second = await deps.orders.list(organization.id, { limit: 2, after: first.orders[1]?.id ?? "" });
  const third = await deps.orders.list(organization.id, { limit: 2, after: second.orders[1]?.id ?? "" });
  const seen = [first, second, third].flatMap(({ orders }) => orders.map(({ id }) => id));
  expect(seen).toEqual(ids);
  expect([first.more, second.more, third.more]).toEqual([true, true, false]);
});

test("what is due comes in order of its time, and those that nobody waits for are asked for alone", async () => {
  const { deps, organization, paid } = await shop();
  const [first, second] = [
    await pendingOrder(organization.id, deps, { created_at: morning + 10 ** 9, expires_at: morning + 2e9 }),
    await pendingOrder(organization.id, deps),
  ];
  await deps.orders.rest(first as Order, morning + 1);
  await deps.orders.rest(second as Order, morning + 2);
  const own = async (query: Partial<DueQuery>, ids: string[]) => {
    const found = await deps.orders.due({ kind: "awaited", now: morning + 2, limit: 1_000, ...query });
    return found.filter((id) => ids.includes(id));
  };
  const both = [first.id, second.id];
  expect(await own({ now: morning }, both)).toEqual([]);
  expect(await own({}, both)).toEqual(both);
  expect(await own({ newestFirst: true }, both)).toEqual(both.toReversed());
  expect(await own({ kind: "rechecked" }, both)).toEqual([]);
  const booked = await paid();
  const later = { now: morning + 10 ** 12 };
  expect(await own(later, [booked.id])).toEqual([]);
  expect(await own({ ...later, kind: "rechecked" }, [booked.id])).toEqual([booked.id]);
});

test("an organization makes thirty orders an hour, and what is refused is no order", async () => {
  const { deps, organization } = await shop();
  const put = async (at: number) => {
    const order = newOrder(organization.id, at);
    const { outcome } = await deps.orders.create(order, at);
    if (outcome === "created") await deps.orders.move(order, "ended", {}, at);
    return outcome;
  };
  const { ordersOfHourMax } = consoleLimits;
  const hour = morning + 3_600_000;
  for (let n = 0; n < ordersOfHourMax; n++) expect(await put(morning + n)).toBe("created");
  expect(await put(hour - 1)).toBe("too_often");
  expect((await deps.orders.list(organization.id, { limit: 50 })).orders).toHaveLength(ordersOfHourMax);
  expect(await put(hour)).toBe("created");
});

describe("refunds", () => {
  test("of twenty at once one takes the points, and the platform pays once", async () => {
    const { trades, deps, balance, paid } = await shop();
    const order = await paid();
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, () => startRefund(order, { amount: 10_000, reason: "r" }, deps)),
    );
    const taken = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(taken).toHaveLength(1);
    expect(await balance()).toBe(0n);
    await times(10, () => tendRefund(taken[0] as Order, deps));
    expect(await deps.orders.find(order.id)).toMatchObject({ state: "refunded", refunded: 10_000 });
    expect(trades.trades.get(order.id)?.refunded).toBe(10_000);
  });

  test("points that are spent are not paid back", async () => {
    const { deps, organization, paid } = await shop();
    const order = await paid();
    const spent = { points: -points(60), kind: "adjustment", reference: "spent", at: morning } as const;
    await createLedger(db.aws, db.tables).credit({
      ...{ organization: organization.id, meter: organization.wallet?.meter ?? "" },
      ...spent,
    });
    await expect(startRefund(order, { amount: 10_000, reason: "r" }, deps)).rejects.toMatchObject({
      key: "insufficient_balance",
    });
    expect(await startRefund(order, { amount: 4_000, reason: "r" }, deps)).toMatchObject({
      state: "refunding",
    });
  });

  test("a refund that the platform refuses gives the points back, once", async () => {
    const { trades, deps, balance, paid } = await shop();
    const order = await paid();
    trades.refundOutcomes.push("refused");
    const taken = await startRefund(order, { amount: 2_500, reason: "r" }, deps);
    expect(await balance()).toBe(points(75));
    await times(10, () => tendRefund(taken, deps));
    expect(await balance()).toBe(points(100));
    expect(await deps.orders.find(order.id)).toMatchObject({ state: "credited" });
  });
});
