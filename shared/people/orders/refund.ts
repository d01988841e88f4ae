/** Gives money back: the ledger takes points first, then the platform is asked (people/payments/README.md "Refunds"). */

import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import { newId } from "../../base/platform/id.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Credit } from "../../books/ledger/ledger.ts";
import { feeId } from "../../books/ledger/plan-fee.ts";
import type { Order, Refund } from "../payments/order.ts";
import type { PlanPayment } from "../payments/orders.ts";
import { feeBack } from "../payments/plan-refund.ts";
import type { RefundRequest } from "../payments/platform.ts";
import { leftOf, refundTrigger, stateAfter } from "../payments/states.ts";
import { accountOf, referenceOf } from "./book.ts";
import { audit, byOperator, type OrderDeps } from "./deps.ts";
import { planLeft } from "./plan-left.ts";
import { pointsLeft } from "./points-left.ts";
import { refundReference } from "./postings.ts";
import { moneyLeft, type RefundableDeps } from "./refundable.ts";

/** A refund that has been asked for this long without an end rings an alarm. */
const lateMs = 3_600_000;

export type RefundDeps = Pick<OrderDeps, "orders" | "audit" | "log"> & RefundableDeps;

/**
 * Begins to pay back so many minor units of an order, or without an amount all that can be paid back. The ledger takes the
 * points, or the plan's fee; the reconciler's next run asks the platform. Points that paid for a plan are back in the wallet
 * at once. Throws `invalid_state` for an order that is not booked, or whose plan cannot be taken back. Throws
 * `invalid_request` for more than is left of its payment or of its plan, and `insufficient_balance` where its own points are
 * used.
 */
export async function startRefund(
  order: Order,
  { amount: wanted, reason }: Pick<Refund, "reason"> & Partial<Pick<Refund, "amount">>,
  deps: RefundDeps,
): Promise<Order> {
  const organization = await deps.accounts.organization(order.organization);
  if (!order.paid || !stateAfter(order.state, "refund_taken"))
    throw invalidState(`The order is ${order.state}.`);
  if (!organization) throw new Error(`there is no organization ${order.organization}`);
  if (wanted !== undefined && !isWithin(wanted, leftOf(order))) throw tooMuch(leftOf(order), order);
  const part = await (order.booked_as === "plan" ? planPart : pointsPart)(order, organization, deps);
  const amount = wanted ?? part.most;
  if (!isWithin(amount, part.most)) throw part.refusal;
  const now = deps.now();
  const points = formatPoints(pointsOf(order, amount));
  const asked = { order: order.id, amount, reason, points };
  const taken = await part.take({ id: newId("refund", now), ...asked, state: "asked", created_at: now });
  if (!taken) throw invalidState("The order or the subscription was changed meanwhile.");
  return taken;
}

/** What of an order can be taken back. */
interface Part {
  /** In minor units. */
  most: number;
  /** Why more than that cannot. */
  refusal: GatewayError;
  /** Undefined where the order or the subscription is another by now. */
  take(refund: Refund): Promise<Order | undefined>;
}

async function pointsPart(order: Order, organization: Organization, deps: RefundDeps): Promise<Part> {
  const meter = walletOf(organization);
  const left = await pointsLeft(order, organization, deps);
  return {
    most: moneyLeft(order, left),
    refusal: used(order, left),
    take(refund) {
      const credit = creditOf(order, meter, refund, refund.created_at);
      return deps.orders.takeRefund(order, refund, credit, refund.created_at);
    },
  };
}

async function planPart(order: Order, organization: Organization, deps: RefundDeps): Promise<Part> {
  const { money, fee, from, before, after } = await planLeft(order, organization, deps);
  return {
    most: money,
    refusal: tooMuch(money, order),
    async take(asked) {
      const { id, created_at: at } = asked;
      const points = parsePoints(asked.points);
      const back = feeBack(fee, points, from);
      const common = { organization: organization.id, reference: refundReference(id), at };
      const isDone = order.channel === "points";
      const payment: PlanPayment = isDone
        ? { ...common, meter: walletOf(organization), points, kind: "plan", of: referenceOf(order) }
        : { ...common, points: -points, account: accountOf(order) };
      const done = { state: "done", ended_at: at } as const;
      const refund = { ...asked, fee: feeId(back), ...(isDone && done) };
      const taken = await deps.orders.takePlan(order, refund, { payment, fee: back, before, after });
      if (taken && isDone) await tellRefunded(taken, refund, deps);
      return taken;
    },
  };
}

function walletOf({ wallet }: Organization): string {
  if (!wallet) throw invalidState("The organization has no wallet.");
  return wallet.meter;
}

function isWithin(amount: number, most: number): boolean {
  return Number.isSafeInteger(amount) && amount >= 1 && amount <= most;
}

function tooMuch(most: number, { currency }: Order): GatewayError {
  return invalidRequest(`Of this order ${formatMoney(most, currency)} ${currency} can be paid back at most.`);
}

function used({ id }: Order, left: bigint): GatewayError {
  const message = `Of the points of ${id} ${formatPoints(left)} are left. Points that nobody has paid for are used first, and then the oldest. What calls in flight hold is not left.`;
  return new GatewayError("insufficient_balance", { message });
}

async function tellRefunded(
  order: Order,
  { id, amount }: Refund,
  deps: Pick<OrderDeps, "audit" | "log" | "now">,
): Promise<void> {
  deps.log("info", "order_refunded", { order: order.id, refund: id, channel: order.channel });
  const after = { refund: id, amount: formatMoney(amount, order.currency) };
  await audit(order, { kind: "order_refunded", after }, byOperator, deps);
}

/** Asks about an order's refund, and for it where it is unknown. Throws `payment_platform` without an answer. */
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
  if (state === "done") await tellRefunded(order, refund, deps);
  else deps.log("warn", "refund_refused", { order: order.id, refund: refund.id, channel: order.channel });
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
    ? { ...common, points: -amount, kind: "refund", reference: refundReference(id), of: referenceOf(order) }
    : { ...common, points: amount, kind: "adjustment", reference: `${refundReference(id)}.back` };
}

/** What an amount of an order is worth at the order's own rate, 10⁻¹⁸ points. */
function pointsOf({ points, amount: whole }: Order, amount: number): bigint {
  return (parsePoints(points) * BigInt(amount)) / BigInt(whole);
}
