/** Orders of which another amount was paid than was ordered, and what the operator decides about them. */
import { expect, test } from "vitest";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { decideReview } from "#shared/edges/operator/orders.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { showOrder } from "#shared/people/orders/show.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { Trades } from "#test/support/trades.ts";

/** An order of 10 USD for 70 points, of which so many cents are paid. */
async function paidInPart(cents: number) {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const database = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps(database, { stripe: trades }, clock);
  const organization = await signedUp(database, morning - 60_000);
  const change = { channel: "stripe", amount: 1_000, currency: "USD", points: "70" } as const;
  const { id } = await pendingOrder(organization.id, deps, change);
  trades.pay(id, cents);
  await takeNotice(trades.evidence(id, "stripe"), deps);
  const shown = async () => showOrder((await deps.orders.find(id)) as Order);
  const booked = async () =>
    (await createLedger(database.aws, database.tables).creditsAndFees(organization.id)).flatMap(
      ({ kind, points }) => (kind === "bought" ? [points] : []),
    );
  return { clock, trades, deps, id, shown, booked };
}

test("an order that is credited with less than was ordered shows what was paid and booked", async () => {
  const { deps, id, shown, booked } = await paidInPart(999);
  expect(await shown()).toMatchObject({ state: "review", review: "differs", credited_points: null });
  await decideReview(id, "credit", deps);
  expect(await shown()).toMatchObject({ state: "paid", review: null, paid: "9.99" });
  await reconcile(deps);
  expect(await shown()).toMatchObject({
    ...{ state: "credited", amount: "10.00", points: "70" },
    ...{ paid: "9.99", credited_points: "69.93" },
  });
  expect(await booked()).toEqual(["69.93"]);
});

test("the audit log says that the operator accepted the amount, and credited the order", async () => {
  const { deps, id } = await paidInPart(999);
  await decideReview(id, "credit", deps);
  await reconcile(deps);
  expect(deps.audited).toMatchObject([
    {
      ...{ kind: "order_accepted", subject: id, actor: "operator" },
      ...{ before: { amount: "10.00" }, after: { amount: "9.99" } },
    },
    { kind: "order_credited", subject: id, actor: "operator", after: { points: "69.93" } },
  ]);
});

test("an order whose money went back after its booking is in review for that", async () => {
  const { trades, deps, id, shown } = await paidInPart(1_000);
  expect(await shown()).toMatchObject({ state: "credited", review: null });
  trades.returnElsewhere(id);
  await takeNotice(trades.evidence(id, "stripe"), deps);
  expect(await shown()).toMatchObject({ state: "review", review: "paid_back", credited_points: "70" });
});
