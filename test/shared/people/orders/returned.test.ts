/** What a platform pays back without us: the order goes to review once, and no money moves a second time. */
import { describe, expect, test } from "vitest";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { decideReview, refundOrder, showOrderOf } from "#shared/edges/operator/orders.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { bookOrder } from "#shared/people/orders/book.ts";
import { takeEvidence } from "#shared/people/orders/evidence.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { startRefund, tendRefund } from "#shared/people/orders/refund.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { customer } from "#test/support/plan-customer.ts";
import { Trades } from "#test/support/trades.ts";

const day = 86_400_000;

/** An order of 100 CNY at a channel that is paid. */
async function paid(channel: PaymentChannel) {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const database = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps(database, { [channel]: trades }, clock);
  const organization = await signedUp(database, morning - 60_000);
  const { id } = await pendingOrder(organization.id, deps, { channel });
  trades.pay(id);
  const told = () => takeNotice(trades.evidence(id, channel), deps);
  // A call names a part that went back, also where an answer of the platform does not.
  const toldOf = (refunded: number) =>
    takeNotice({ ...trades.evidence(id, channel), state: "refunded", refunded }, deps);
  const state = async () => {
    const { state, refunded = 0, returned = 0 } = (await deps.orders.find(id)) as Order;
    return [state, refunded, returned];
  };
  const booked = async () => {
    const entries = await createLedger(database.aws, database.tables).creditsAndFees(organization.id);
    return entries.filter(({ id }) => id.startsWith("credit#")).length;
  };
  const rings = () => deps.told.filter(({ event }) => event === "order_refunded_elsewhere").length;
  return { clock, trades, deps, id, told, toldOf, state, booked, rings };
}

/** A customer whose plans are paid at Alipay. */
async function planPayer() {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  return await customer({ aws: awsOverMemory(db), tables: db.tables });
}

/** The same once it is credited. */
async function credited(channel: PaymentChannel) {
  const order = await paid(channel);
  await order.told();
  return order;
}

describe.each(["alipay", "wechat", "stripe"] as const)("at %s", (channel) => {
  test("a payment that went back is told once, and books nothing", async () => {
    const { trades, deps, id, told, state, booked, rings } = await credited(channel);
    trades.returnElsewhere(id);
    await told();
    await told();
    expect(await state()).toEqual(["review", 0, 0]);
    expect(await deps.orders.find(id)).toMatchObject({ doubt: { fields: ["refund"] }, booked_as: "points" });
    // Neither a refund of ours nor a second credit is possible meanwhile.
    await expect(refundOrder(id, { amount: undefined, reason: "r" }, deps)).rejects.toMatchObject({
      key: "invalid_state",
    });
    await expect(decideReview(id, "credit", deps)).rejects.toMatchObject({ key: "invalid_state" });
    expect(await decideReview(id, "dismiss", deps)).toMatchObject({ state: "credited", returned: "100.00" });
    await told();
    expect(await state()).toEqual(["credited", 0, 10_000]);
    // Nothing is left that we could pay back.
    await expect(refundOrder(id, { amount: "0.01", reason: "r" }, deps)).rejects.toMatchObject({
      key: "invalid_request",
    });
    expect([rings(), await booked()]).toEqual([1, 1]);
  });

  test("it is found by a question where no call tells of it", async () => {
    const { clock, trades, deps, id, state } = await credited(channel);
    clock.now += day;
    await reconcile(deps);
    expect(await state()).toEqual(["credited", 0, 0]);
    trades.returnElsewhere(id);
    clock.now += 6 * day;
    await reconcile(deps);
    expect(await state()).toEqual(["review", 0, 0]);
  });

  test("a refund of ours is none of these, whenever it is told", async () => {
    const { deps, id, trades, told, state, rings } = await credited(channel);
    const taken = await startRefund(
      (await deps.orders.find(id)) as Order,
      { amount: 4_000, reason: "r" },
      deps,
    );
    const during = trades.evidence(id, channel);
    await takeNotice(during, deps);
    trades.refundOutcomes.push("pending");
    await tendRefund(taken, deps);
    await told();
    expect(await state()).toEqual(["refunding", 0, 0]);
    trades.finishRefunds();
    await tendRefund(taken, deps);
    await told();
    expect([await state(), rings()]).toEqual([["partly_refunded", 4_000, 0], 0]);
  });
});

test("what went back beside a refund of ours is known by its sum", async () => {
  const { deps, id, trades, told, state } = await credited("stripe");
  const taken = await startRefund(
    (await deps.orders.find(id)) as Order,
    { amount: 4_000, reason: "r" },
    deps,
  );
  trades.refundOutcomes.push("pending");
  await tendRefund(taken, deps);
  trades.returnElsewhere(id, 1_000);
  // While ours runs nobody can tell whose went back, so the call has to come again.
  await expect(told()).rejects.toMatchObject({ key: "payment_platform" });
  trades.finishRefunds();
  await tendRefund(taken, deps);
  await told();
  expect(await state()).toEqual(["review", 4_000, 0]);
  await decideReview(id, "dismiss", deps);
  expect(await state()).toEqual(["partly_refunded", 4_000, 1_000]);
  trades.returnElsewhere(id, 500);
  await told();
  expect(await state()).toEqual(["review", 4_000, 1_000]);
});

test("what goes back while the order is in review raises its sum, and a smaller or an equal one says nothing", async () => {
  const { deps, id, toldOf, state, rings } = await credited("alipay");
  for (const refunded of [3_000, 5_000, 3_000, 5_000]) expect((await toldOf(refunded)).state).toBe("review");
  expect(rings()).toBe(2);
  expect(await decideReview(id, "dismiss", deps)).toMatchObject({ state: "credited", returned: "50.00" });
  await toldOf(5_000);
  expect([await state(), rings()]).toEqual([["credited", 0, 5_000], 2]);
});

test("an operator who has read a smaller sum does not dismiss a larger one", async () => {
  const { deps, id, toldOf, state } = await credited("alipay");
  await toldOf(3_000);
  const read = (await deps.orders.find(id)) as Order;
  await toldOf(5_000);
  const late = { ...deps, orders: { ...deps.orders, find: async () => read } };
  await expect(decideReview(id, "dismiss", late)).rejects.toMatchObject({ key: "invalid_state" });
  // Nor does a call that has met the smaller sum write over a larger one.
  const facts = { doubt: { ...read.doubt, refunded: 4_000 } as Order["doubt"] & object };
  expect(await deps.orders.move(read, "returned", facts, null)).toBeUndefined();
  await decideReview(id, "dismiss", deps);
  expect(await state()).toEqual(["credited", 0, 5_000]);
});

test("what goes back before the booking is told again after it", async () => {
  const { deps, id, trades, toldOf, state } = await paid("alipay");
  const order = (await deps.orders.find(id)) as Order;
  const unbooked = await takeEvidence(order, trades.evidence(id, "alipay"), "notice", deps);
  expect(unbooked.state).toBe("paid");
  await expect(toldOf(3_000)).rejects.toMatchObject({ key: "payment_platform" });
  await bookOrder(unbooked, deps);
  await toldOf(3_000);
  expect(await state()).toEqual(["review", 0, 0]);
  expect(await deps.orders.find(id)).toMatchObject({ doubt: { refunded: 3_000 } });
});

test("a refund of ours that fails after it was paid back rings, and one that has no end is told again", async () => {
  const { deps, id, trades, state, booked } = await credited("stripe");
  const order = (await deps.orders.find(id)) as Order;
  const taken = await startRefund(order, { amount: 4_000, reason: "r" }, deps);
  const failed = {
    ...trades.evidence(id, "stripe"),
    state: "refund_failed" as const,
    refund: taken.refund ?? "",
  };
  await expect(takeNotice(failed, deps)).rejects.toMatchObject({ key: "payment_platform" });
  await tendRefund(taken, deps);
  const rings = () => deps.told.filter(({ event }) => event === "refund_failed").map(({ fields }) => fields);
  await takeNotice({ ...failed, accounts: { account: "acct_2" } }, deps);
  await takeNotice({ ...failed, refund: "another" }, deps);
  expect(rings()).toEqual([]);
  const before = await booked();
  await takeNotice(failed, deps);
  expect(rings()).toEqual([{ order: id, refund: taken.refund, channel: "stripe" }]);
  expect([await state(), await booked()]).toEqual([["partly_refunded", 4_000, 0], before]);
});

test.each([
  ["of another transaction", { transaction: "other" }],
  ["of another account", { accounts: { account: "acct_2" } }],
  ["of another amount", { amount: 1 }],
])("a refund %s says nothing of the order", async (_, change) => {
  const { deps, id, trades, state } = await credited("stripe");
  trades.returnElsewhere(id);
  await takeNotice({ ...trades.evidence(id, "stripe"), ...change }, deps);
  expect(await state()).toEqual(["credited", 0, 0]);
});

test("a payment that an operator has dismissed is not doubted again when it is paid back, or told again", async () => {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const database = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps(database, { alipay: trades }, clock);
  const organization = await signedUp(database, morning - 60_000);
  const { id } = await pendingOrder(organization.id, deps);
  trades.pay(id, 9_000);
  const told = async () => (await takeNotice(trades.evidence(id, "alipay"), deps)).state;
  expect(await told()).toBe("review");
  await decideReview(id, "dismiss", deps);
  expect(await told()).toBe("closed");
  trades.returnElsewhere(id);
  expect(await told()).toBe("closed");
  expect(deps.told.filter(({ event }) => event === "order_review")).toHaveLength(1);
  // Another payment is another doubt.
  const other = { ...trades.evidence(id, "alipay"), transaction: "second", state: "paid" as const };
  expect((await takeNotice(other, deps)).state).toBe("review");
});

describe("what went back before we knew of the payment", () => {
  test("is no part of what is booked, and the payment told later changes nothing", async () => {
    const { clock, trades, deps, id, told, toldOf, state, rings } = await paid("alipay");
    const before = trades.evidence(id, "alipay");
    trades.returnElsewhere(id, 2_500);
    await toldOf(2_500);
    const order = await deps.orders.find(id);
    expect(order).toMatchObject({
      state: "credited",
      booked_as: "points",
      paid: { amount: 10_000, returned: 2_500 },
    });
    await takeNotice(before, deps);
    await toldOf(2_500);
    clock.now += 31 * day;
    await told();
    expect([await state(), rings()]).toEqual([["credited", 0, 0], 0]);
    const [entry] = await deps.ledger.creditsAndFees(order?.organization ?? "");
    expect(entry?.points).toBe("75");
    expect(await showOrderOf(id, deps)).toMatchObject({
      paid: "100.00",
      returned: "25.00",
      refundable: "75.00",
    });
    // More than that is new, and no refund of ours can be more than what is left.
    await expect(refundOrder(id, { amount: "75.01", reason: "r" }, deps)).rejects.toThrow("75.00 CNY");
    trades.returnElsewhere(id, 1_000);
    await toldOf(3_500);
    expect([await state(), rings()]).toEqual([["review", 0, 0], 1]);
    await decideReview(id, "dismiss", deps);
    expect(await state()).toEqual(["credited", 0, 1_000]);
  });

  test("of a plan, the rest of its payment becomes points", async () => {
    const { deps, organization, order, trades } = await planPayer();
    const { id } = await order("lite", "monthly");
    trades.pay(id);
    await takeNotice({ ...trades.evidence(id, "alipay"), state: "refunded", refunded: 2_900 }, deps);
    expect(await deps.orders.find(id)).toMatchObject({ state: "credited", booked_as: "points" });
    expect((await organization()).subscription.plan).toBe("free");
  });

  test.each([
    ["all of it", { refunded: 10_000 }],
    ["nobody knows how much", {}],
  ])(
    "where that is %s, nothing is booked, and the older call of the payment does not change that",
    async (_, told) => {
      const { trades, deps, id, state, booked } = await paid("alipay");
      const payment = trades.evidence(id, "alipay");
      await takeNotice({ ...payment, state: "refunded", ...told }, deps);
      await takeNotice(payment, deps);
      expect([await state(), await booked()]).toEqual([["review", 0, 0], 0]);
      await decideReview(id, "dismiss", deps);
      await takeNotice(payment, deps);
      expect([await state(), await booked()]).toEqual([["closed", 0, 0], 0]);
    },
  );
});
