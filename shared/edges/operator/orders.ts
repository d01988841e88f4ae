/** What operators do with orders: look at them, decide about a doubted one, pay back (people/payments/README.md). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatMoney, parseMoney } from "../../books/billing/money.ts";
import { type By, byCommand, orderActorOf } from "../../people/admin/by.ts";
import { audit, type OrderDeps } from "../../people/orders/deps.ts";
import { type RefundDeps, startRefund } from "../../people/orders/refund.ts";
import { refundableIn, refundableOf } from "../../people/orders/refundable.ts";
import { showOrderWhole } from "../../people/orders/show.ts";
import type { Order, ReviewDecision } from "../../people/payments/order.ts";
import { nextCheck } from "../../people/payments/schedule.ts";
import { isBooked, stateAfter } from "../../people/payments/states.ts";

const changed = "The order was changed meanwhile.";

/** `by`: who decides; absent, a command. */
type AdminDeps = Pick<OrderDeps, "orders" | "audit" | "log" | "now"> & { by?: By };

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
export async function decideReview(id: string, decision: ReviewDecision, deps: AdminDeps): Promise<object> {
  const order = await orderOf(id, deps);
  const doubt = checkReview(order, decision);
  if (isBooked(order)) return await seeReturned(order, doubt, deps);
  const [now, actor] = [deps.now(), orderActorOf(deps.by ?? byCommand)];
  const { currency } = order;
  if (decision === "dismiss") {
    const closed = await deps.orders.move(order, "dismissed", { closed_at: now }, null);
    if (!closed) throw invalidState(changed);
    await audit(closed, { kind: "order_closed", after: { why: doubt.fields.join(" ") } }, actor, deps);
    return await shown(id, deps);
  }
  const { transaction = "", amount = 0, at } = doubt;
  const paid = { transaction, amount, currency, at, via: "operator" } as const;
  const moved = await deps.orders.move(order, "paid", { paid, doubt: null }, now);
  if (!moved) throw invalidState(changed);
  deps.log("info", "order_paid", { order: id, channel: order.channel, via: "operator" });
  const change = {
    kind: "order_accepted" as const,
    before: { amount: formatMoney(order.amount, currency) },
    after: { amount: formatMoney(amount, currency) },
  };
  await audit(moved, change, actor, deps);
  return await shown(id, deps);
}

/** What a decision would do, as one word. Throws as the decision would. */
export async function foreseeReview(
  id: string,
  decision: ReviewDecision,
  deps: Pick<AdminDeps, "orders">,
): Promise<"credit" | "close" | "note_returned"> {
  const order = await orderOf(id, deps);
  checkReview(order, decision);
  if (isBooked(order)) return "note_returned";
  return decision === "credit" ? "credit" : "close";
}

/** What is doubted about an order, where this may be decided about it. */
function checkReview(order: Order, decision: ReviewDecision): NonNullable<Order["doubt"]> {
  const { doubt, currency, state } = order;
  if (isBooked(order)) {
    if (doubt && state === "review" && decision === "dismiss") return doubt;
    throw invalidState(`The order is ${state}, and credited already.`);
  }
  const trigger = decision === "credit" ? "paid" : "dismissed";
  if (!doubt || state !== "review" || !stateAfter(state, trigger))
    throw invalidState(`The order is ${state}, and not in review.`);
  if (decision === "dismiss") return doubt;
  const isOurs = doubt.fields.every((field) => field === "amount");
  if (isOurs && (doubt.amount ?? 0) >= 1 && doubt.currency === currency) return doubt;
  throw invalidRequest(
    `The order differs in ${doubt.fields.join(", ")}. Only another amount can be credited; book anything else by org credit.`,
  );
}

/** Notes what went back without us, so that the same is no doubt again, and nobody pays it back a second time. */
async function seeReturned(
  order: Order,
  doubt: NonNullable<Order["doubt"]>,
  deps: AdminDeps,
): Promise<object> {
  const { refunded = 0 } = order;
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
  await audit(order, { kind: "order_refunded", after }, orderActorOf(deps.by ?? byCommand), deps);
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
