/** Gives money back: the ledger takes the points first, then the platform is asked (payments/README.md "Refunds"). */
import { formatMoney } from "../../billing/money.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import type { Credit } from "../../ledger/ledger.ts";
import type { Order, Refund } from "../../payments/order.ts";
import type { RefundRequest } from "../../payments/platform.ts";
import { leftOf, refundTrigger, stateAfter } from "../../payments/states.ts";
import { newId } from "../../platform/id.ts";
import { accountOf } from "./book.ts";
import { audit, byOperator, type OrderDeps } from "./deps.ts";
import { refundReference } from "./postings.ts";

/** A refund that has been asked for this long without an end rings an alarm. */
const lateMs = 3_600_000;

/**
 * Begins to pay back a part of an order, or all of it: so many minor units. The ledger takes the points; the reconciler's
 * next run asks the platform. Throws `invalid_state` for an order that was not credited with points, `invalid_request` for
 * more than is left of it, and `insufficient_balance` where the points are spent.
 */
export async function startRefund(
  order: Order,
  { amount, reason }: Pick<Refund, "amount" | "reason">,
  deps: Pick<OrderDeps, "orders" | "accounts" | "now">,
): Promise<Order> {
  const { wallet } = (await deps.accounts.organization(order.organization)) ?? {};
  const { paid } = order;
  if (!paid || !stateAfter(order.state, "refund_taken")) throw wrongState(`The order is ${order.state}.`);
  if (order.booked_as !== "points" || !wallet) throw wrongState("Only orders of points are paid back.");
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > leftOf(order)) {
    const left = formatMoney(leftOf(order), order.currency);
    throw invalidRequest(`Of this order ${left} ${order.currency} can be paid back at most.`);
  }
  const now = deps.now();
  const points = pointsOf(order, amount);
  const refund: Refund = {
    ...{ id: newId("refund", now), order: order.id, amount, reason },
    ...{ points: formatPoints(points), state: "asked", created_at: now },
  };
  const credit = creditOf(order, wallet.meter, refund, now);
  const taken = await deps.orders.takeRefund(order, refund, credit, now);
  if (!taken) throw wrongState("The order was changed meanwhile.");
  return taken;
}

/**
 * Asks the platform about the refund of an order, and for it where the platform does not know it. Gives the order as it is
 * then. Throws `payment_platform` where the platform did not answer.
 */
export async function tendRefund(order: Order, deps: OrderDeps): Promise<Order> {
  const refund = await deps.orders.refund(order.id, order.refund ?? "");
  if (!refund) throw new Error(`the order ${order.id} has no refund`);
  if (deps.now() - refund.created_at >= lateMs) {
    deps.log("error", "refund_failed", { order: order.id, refund: refund.id, channel: order.channel });
  }
  const platform = await deps.platforms.platform(order.channel);
  const request: RefundRequest = {
    ...{ id: refund.id, amount: refund.amount, reason: refund.reason },
    ...{ order, transaction: order.paid?.transaction ?? "" },
  };
  const known = await platform.queryRefund(request);
  const outcome = known === "absent" ? await platform.refund(request) : known;
  return outcome === "pending" ? order : await endRefund(order, refund, outcome, deps);
}

async function endRefund(
  order: Order,
  refund: Refund,
  state: "done" | "refused",
  deps: OrderDeps,
): Promise<Order> {
  const now = deps.now();
  const { wallet } = (await deps.accounts.organization(order.organization)) ?? {};
  if (!wallet) throw new Error(`the organization of ${order.id} has no wallet`);
  const back = state === "refused" ? creditOf(order, wallet.meter, refund, now, "back") : undefined;
  const trigger = refundTrigger(order, refund.amount, state);
  const ended = await deps.orders.endRefund(order, refund, { trigger, state, now, ...(back && { back }) });
  if (!ended) return (await deps.orders.find(order.id)) ?? order;
  const told = { order: order.id, refund: refund.id, channel: order.channel };
  if (state === "refused") deps.log("warn", "refund_refused", told);
  else {
    deps.log("info", "order_refunded", told);
    const after = { refund: refund.id, amount: formatMoney(refund.amount, order.currency) };
    await audit(order, { kind: "order_refunded", after }, byOperator, deps);
  }
  return ended;
}

/** The credit that takes the points of a refund out of the wallet, or gives them back because it was refused. */
function creditOf(
  order: Order,
  meter: string,
  { id, points }: Refund,
  at: number,
  direction: "out" | "back" = "out",
): Credit {
  const amount = parsePoints(points);
  const common = { organization: order.organization, meter, account: accountOf(order), at };
  return direction === "out"
    ? { ...common, points: -amount, kind: "refund", reference: refundReference(id) }
    : { ...common, points: amount, kind: "adjustment", reference: `${refundReference(id)}.back` };
}

/** What an amount of an order is worth at the order's own rate, 10⁻¹⁸ points. */
function pointsOf({ points, amount: whole }: Order, amount: number): bigint {
  return (parsePoints(points) * BigInt(amount)) / BigInt(whole);
}

function wrongState(message: string): GatewayError {
  return new GatewayError("invalid_state", { message });
}
