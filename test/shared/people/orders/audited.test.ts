/** What the audit log of an organization says of its orders: each thing once, and only what happened. */
import { expect, test } from "vitest";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleCall } from "#shared/edges/console/call.ts";
import { paymentAnswers } from "#shared/edges/console/operations/payments.ts";
import { bookOrder } from "#shared/people/orders/book.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { Trades } from "#test/support/trades.ts";

async function shop() {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const database = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps(database, { alipay: trades }, clock);
  const organization = await signedUp(database, morning - 60_000);
  return { deps, trades, organization };
}

const pro: Partial<Order> = {
  kind: "plan",
  plan: { plan: "pro", period: "monthly", action: "buy", from: { plan: "free", period: "monthly" } },
};

test.each([
  ["points", {}],
  ["a plan", pro],
])("four who book an order of %s at once tell it once", async (_, change) => {
  const { deps, organization } = await shop();
  const pending = await pendingOrder(organization.id, deps, change);
  const { amount, currency } = pending;
  const facts = { transaction: "txn", amount, currency, at: morning, via: "notice" } as const;
  const paid = await deps.orders.move(pending, "paid", { paid: facts }, morning);
  if (!paid) throw new Error("the order has moved");
  const booked = await Promise.all(Array.from({ length: 4 }, () => bookOrder(paid, deps)));
  expect(booked.map(({ state }) => state)).toEqual(Array(4).fill("credited"));
  expect(deps.audited.map(({ kind }) => kind)).toEqual(["order_credited"]);
  expect(deps.told.filter(({ event }) => event === "order_credited")).toHaveLength(1);
});

const closing = (organization: Organization, { id }: Order): ConsoleCall =>
  ({
    request: { headers: {}, ip: "203.0.113.7" },
    route: { method: "POST", path: "", operation: "close_recharge", access: "manage_billing" },
    parameters: { id },
    caller: { user: { id: "usr_1", name: "Li" }, organization, role: "owner" },
  }) as unknown as ConsoleCall;

test("an order that is paid when its customer closes it is not told as closed", async () => {
  const { deps, trades, organization } = await shop();
  const answers = paymentAnswers({ ...deps, notifyBase: undefined });
  const [given, paid] = [
    await pendingOrder(organization.id, deps),
    await pendingOrder(organization.id, deps),
  ];
  trades.pay(paid.id);
  for (const order of [given, paid]) await answers.close_recharge(closing(organization, order));
  expect(deps.audited.map(({ kind, subject }) => [kind, subject])).toEqual([
    ["order_closed", given.id],
    ["order_credited", paid.id],
  ]);
});
