/** What operators do with orders: look at them, decide about a doubted one, pay back (people/payments/README.md). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatMoney, parseMoney } from "../../books/billing/money.ts";
import { audit, byOperator, type OrderDeps } from "../../people/orders/deps.ts";
import { type RefundDeps, startRefund } from "../../people/orders/refund.ts";
import { refundableIn, refundableOf } from "../../people/orders/refundable.ts";
import { showOrderWhole } from "../../people/orders/show.ts";
import type { Order } from "../../people/payments/order.ts";
import { nextCheck } from "../../people/payments/schedule.ts";
import { isBooked, stateAfter } from "../../people/payments/states.ts";

const changed = "The order was changed meanwhile.";

type AdminDeps = Pick<OrderDeps, "orders" | "audit" | "log" | "now">;

/** An order with refunds, what its platform said, and what can be paid back. Throws `order_not_found`. */
export async function showOrderOf(id: string, deps: RefundDeps): Promise<object> {
  const order = await orderOf(id, deps);
  return showOrderWhole(order, await deps.orders.refunds(id), await refundableOf(order, deps));
}

/**
 * Decides about an order in review. `credit`: the reconciler's next run books the points. `dismiss`: nothing is
 * credited, and the money is paid back at the platform. A booked order that went back without us is only dismissed, and
 * is again what it was. Throws `invalid_state`, and `invalid_request` for money of another currency or account.
 */
export async function decideReview(
  id: string,
  decision: "credit" | "dismiss",
  deps: AdminDeps,
): Promise<object> {
  const order = await orderOf(id, deps);
  if (isBooked(order)) return await seeReturned(order, decision, deps);
  const { doubt, currency } = order;
  const trigger = decision === "credit" ? "paid" : "dismissed";
  if (!doubt || order.state !== "review" || !stateAfter(order.state, trigger)) {
    throw invalidState(`The order is ${order.state}, and not in review.`);
  }
  const now = deps.now();
  if (decision === "dismiss") {
    const closed = await deps.orders.move(order, trigger, { closed_at: now }, null);
    if (!closed) throw invalidState(changed);
    await audit(closed, { kind: "order_closed", after: { why: doubt.fields.join(" ") } }, byOperator, deps);
    return await shown(id, deps);
  }
  const isOurs = doubt.fields.every((field) => field === "amount");
  const { transaction = "", amount = 0, at } = doubt;
  if (!isOurs || amount < 1 || doubt.currency !== currency) {
    throw invalidRequest(
      `The order differs in ${doubt.fields.join(", ")}. Only another amount can be credited; book anything else by org credit.`,
    );
  }
  const paid = { transaction, amount, currency, at, via: "operator" } as const;
  const moved = await deps.orders.move(order, trigger, { paid, doubt: null }, now);
  if (!moved) throw invalidState(changed);
  deps.log("info", "order_paid", { order: id, channel: order.channel, via: "operator" });
  const change = {
    kind: "order_accepted" as const,
    before: { amount: formatMoney(order.amount, currency) },
    after: { amount: formatMoney(amount, currency) },
  };
  await audit(moved, change, byOperator, deps);
  return await shown(id, deps);
}

/** Notes what went back without us, so that the same is no doubt again, and nobody pays it back a second time. */
async function seeReturned(order: Order, decision: "credit" | "dismiss", deps: AdminDeps): Promise<object> {
  const { doubt, refunded = 0 } = order;
  if (!doubt || order.state !== "review" || decision === "credit") {
    throw invalidState(`The order is ${order.state}, and credited already.`);
  }
  const now = deps.now();
  const trigger = refunded > 0 ? "seen_in_part" : "seen";
  const state = stateAfter(order.state, trigger) ?? order.state;
  // A platform that does not say how much went back may have paid back all.
  const early = order.paid?.returned ?? 0;
  const returned = (doubt.refunded ?? order.paid?.amount ?? 0) - refunded - early;
  const due_at = nextCheck({ ...order, state }, now);
  if (!(await deps.orders.move(order, trigger, { returned, doubt: null }, due_at)))
    throw invalidState(changed);
  const after = { why: doubt.fields.join(" "), amount: formatMoney(returned, order.currency) };
  await audit(order, { kind: "order_refunded", after }, byOperator, deps);
  return await shown(order.id, deps);
}

/** Pays back an order, or an amount of it such as `50.00`. Throws as `startRefund` does, and `order_not_found`. */
export async function refundOrder(
  id: string,
  { amount, reason }: { amount: string | undefined; reason: string },
  deps: RefundDeps,
): Promise<object> {
  const order = await orderOf(id, deps);
  await startRefund(
    order,
    { ...(amount !== undefined && { amount: readMoney(amount, order.currency) }), reason },
    deps,
  );
  return await shown(id, deps);
}

/** What can be paid back now of an organization's newest orders, those with nothing left out. */
export async function refundablesOf(
  organization: Organization,
  deps: Pick<OrderDeps, "orders"> & Parameters<typeof refundableIn>[1],
): Promise<object[]> {
  const { orders } = await deps.orders.list(organization.id, { limit: consoleLimits.orderListMax });
  const left = refundableIn(organization, deps);
  const found: object[] = [];
  for (const order of orders) {
    const amount = await left(order);
    const { id, currency } = order;
    if (amount > 0) found.push({ order: id, refundable: formatMoney(amount, currency), currency });
  }
  return found;
}

async function shown(id: string, deps: Pick<OrderDeps, "orders">): Promise<object> {
  return showOrderWhole(await orderOf(id, deps), await deps.orders.refunds(id));
}

function readMoney(text: string, currency: string): number {
  try {
    return parseMoney(text, currency);
  } catch {
    throw invalidRequest(`${text} is no amount of ${currency}.`);
  }
}

async function orderOf(id: string, { orders }: Pick<OrderDeps, "orders">): Promise<Order> {
  const order = await orders.find(id);
  if (!order) throw new GatewayError("order_not_found");
  return order;
}
