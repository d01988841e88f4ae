/** A customer who orders, and an operator who pays back. */
import { showOrderOf } from "#shared/edges/operator/orders.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { startRefund, tendRefund } from "#shared/people/orders/refund.ts";
import type { Order } from "#shared/people/payments/order.ts";
import type { Database } from "./dynamodb.ts";
import { customer, signUp } from "./plan-customer.ts";

const dayMs = 86_400_000;

/** A day after the customer has signed up. */
export async function buyer(db: Database) {
  const one = await customer(db);
  const { clock, deps, id, order, pay, organization } = one;
  const buy = async (plan: string, period: "monthly" | "quarterly" | "yearly") =>
    await pay(await order(plan, period));
  const found = async ({ id: of }: Pick<Order, "id">) => (await deps.orders.find(of)) ?? never();
  const refund = async (of: Order, amount?: number) => {
    const taken = await startRefund(
      await found(of),
      { reason: "asked for", ...(amount && { amount }) },
      deps,
    );
    return await tendRefund(taken, deps);
  };
  const refundable = async (of: Order) =>
    ((await showOrderOf(of.id, deps)) as { refundable: string }).refundable;
  const entries = async () => await createLedger(db.aws, db.tables).creditsAndFees(id);
  /** Counts calls of the month that runs, as calls do. */
  const call = async (period: string, calls: number) => {
    const { subscription } = await organization();
    await db.aws("dynamodb", "UpdateItem", {
      TableName: db.tables.counters,
      Key: { pk: { S: `M#${subscription.meter}#0` } },
      UpdateExpression: "SET #q = :n",
      ExpressionAttributeNames: { "#q": `q${period}` },
      ExpressionAttributeValues: { ":n": { N: String(calls) } },
    });
  };
  clock.now = signUp + dayMs;
  return { ...one, buy, refund, refundable, entries, call };
}

function never(): never {
  throw new Error("no order");
}
