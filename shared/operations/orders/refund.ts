/** Gives money back: the ledger takes the points first, then the platform is asked (payments/README.md "Refunds"). */
import type { Organization } from "../../accounts/account.ts";
import { formatMoney } from "../../billing/money.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import type { Credit } from "../../ledger/ledger.ts";
import { feeId } from "../../ledger/plan-fee.ts";
import type { Order, Refund } from "../../payments/order.ts";
import { feeBack } from "../../payments/plan-refund.ts";
import type { RefundRequest } from "../../payments/platform.ts";
import { leftOf, refundTrigger, stateAfter } from "../../payments/states.ts";
import { newId } from "../../platform/id.ts";
import { accountOf, referenceOf } from "./book.ts";
import { audit, byOperator, type OrderDeps } from "./deps.ts";
import { type PlanLeftDeps, planLeft } from "./plan-left.ts";
import { type PointsLeftDeps, pointsLeft } from "./points-left.ts";
import { refundReference } from "./postings.ts";

/** A refund that has been asked for this long without an end rings an alarm. */
const lateMs = 3_600_000;

export type RefundDeps = Pick<OrderDeps, "orders" | "accounts"> & PointsLeftDeps & PlanLeftDeps;

/**
 * Begins to pay back so many minor units of an order, or without an amount all that can be paid back. The ledger takes the
 * points, or the plan's fee; the reconciler's next run asks the platform. Throws `invalid_state` for an order that is not
 * booked, or whose plan cannot be taken back. Throws `invalid_request` for more than is left of its payment or of its plan,
 * and `insufficient_balance` where its own points are used.
 */
export async function startRefund(
  order: Order,
  { amount, reason }: Pick<Refund, "reason"> & Partial<Pick<Refund, "amount">>,
  deps: RefundDeps,
): Promise<Order> {
  const organization = await deps.accounts.organization(order.organization);
  if (!order.paid || !stateAfter(order.state, "refund_taken"))
    throw wrongState(`The order is ${order.state}.`);
  if (!organization) throw new Error(`there is no organization ${order.organization}`);
  const wanted = amount === undefined ? undefined : checked(amount, leftOf(order), order);
  const take = order.booked_as === "plan" ? takePlan : takePoints;
  const taken = await take(order, { amount: wanted, reason }, organization, deps);
  if (!taken) throw wrongState("The order or the subscription was changed meanwhile.");
  return taken;
}

/** What is asked for. Without an amount it is all that can be paid back. */
interface Wanted {
  amount: number | undefined;
  reason: string;
}

async function takePoints(
  order: Order,
  { amount, reason }: Wanted,
  organization: Organization,
  deps: RefundDeps,
): Promise<Order | undefined> {
  if (!organization.wallet) throw wrongState("The organization has no wallet.");
  const left = await pointsLeft(order, organization, deps);
  const now = deps.now();
  const refund = newRefund(order, amount ?? moneyLeft(order, left), reason, now);
  const points = parsePoints(refund.points);
  if (points === 0n || points > left) throw used(order, left);
  const credit = creditOf(order, organization.wallet.meter, refund, now);
  return await deps.orders.takeRefund(order, refund, credit, now);
}

async function takePlan(
  order: Order,
  { amount, reason }: Wanted,
  organization: Organization,
  deps: RefundDeps,
): Promise<Order | undefined> {
  const { money, fee, from, before, after } = await planLeft(order, organization, deps);
  const at = deps.now();
  const refund = newRefund(order, checked(amount ?? money, money, order), reason, at);
  const points = parsePoints(refund.points);
  const back = feeBack(fee, points, from);
  const payment = {
    ...{ organization: organization.id, points: -points, at },
    ...{ reference: refundReference(refund.id), account: accountOf(order) },
  };
  const taken = { payment, fee: back, before, after };
  return await deps.orders.takePlan(order, { ...refund, fee: feeId(back) }, taken);
}

function newRefund(order: Order, amount: number, reason: string, now: number): Refund {
  const points = formatPoints(pointsOf(order, amount));
  const asked = { order: order.id, amount, reason, points };
  return { id: newId("refund", now), ...asked, state: "asked", created_at: now };
}

function checked(amount: number, most: number, { currency }: Order): number {
  if (Number.isSafeInteger(amount) && amount >= 1 && amount <= most) return amount;
  throw invalidRequest(`Of this order ${formatMoney(most, currency)} ${currency} can be paid back at most.`);
}

/** What of an order can be paid back now, in minor units; 0 where nothing can. */
export async function refundableOf(
  order: Order,
  deps: Pick<RefundDeps, "accounts" | keyof PointsLeftDeps | keyof PlanLeftDeps>,
): Promise<number> {
  if (!stateAfter(order.state, "refund_taken")) return 0;
  const organization = await deps.accounts.organization(order.organization);
  if (!organization) return 0;
  if (order.booked_as !== "plan") return moneyLeft(order, await pointsLeft(order, organization, deps));
  try {
    return (await planLeft(order, organization, deps)).money;
  } catch (error) {
    if (error instanceof GatewayError && error.key === "invalid_state") return 0;
    throw error;
  }
}

/** What so many of an order's points are in minor units, and not more than is left of its payment. */
function moneyLeft(order: Order, points: bigint): number {
  const worth = (points * BigInt(order.amount)) / parsePoints(order.points);
  return Math.min(leftOf(order), Number(worth));
}

function used({ id }: Order, left: bigint): GatewayError {
  const message = `Of the points of ${id} ${formatPoints(left)} are left. Points that nobody has paid for are used first, and then the oldest. What calls in flight hold is not left.`;
  return new GatewayError("insufficient_balance", { message });
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
    ? { ...common, points: -amount, kind: "refund", reference: refundReference(id), of: referenceOf(order) }
    : { ...common, points: amount, kind: "adjustment", reference: `${refundReference(id)}.back` };
}

/** What an amount of an order is worth at the order's own rate, 10⁻¹⁸ points. */
function pointsOf({ points, amount: whole }: Order, amount: number): bigint {
  return (parsePoints(points) * BigInt(amount)) / BigInt(whole);
}

function wrongState(message: string): GatewayError {
  return new GatewayError("invalid_state", { message });
}
