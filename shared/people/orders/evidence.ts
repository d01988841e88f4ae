/**
 * Takes what a platform says of an order: it is paid, or a person has to look (people/payments/README.md "Evidence").
 */
import { GatewayError } from "../../base/errors.ts";
import { differences } from "../payments/evidence.ts";
import type { EvidenceSource, Order } from "../payments/order.ts";
import type { OrderFacts } from "../payments/orders.ts";
import type { Evidence } from "../payments/platform.ts";
import { nextCheck, nextTry } from "../payments/schedule.ts";
import { isBooked, stateAfter, type Trigger } from "../payments/states.ts";
import type { OrderDeps } from "./deps.ts";

type EvidenceDeps = Pick<OrderDeps, "orders" | "platforms" | "log" | "now">;

/** What evidence does to an order. */
interface Step {
  trigger: Trigger;
  facts: OrderFacts;
  due_at: number | null;
}

/**
 * Moves an order by evidence, and gives it as it is then. Evidence of a payment counts in every state before the
 * booking, also of a closed order. After it, evidence that the platform has paid back what we did not ask for brings the
 * order to review, and a larger sum raises the doubt there. What says nothing of money changes nothing.
 * Throws `payment_platform` where money went back before the booking is done, so that the platform repeats its call. So it
 * does where a refund of ours runs, because nobody can tell whose money it was.
 */
export async function takeEvidence(
  order: Order,
  evidence: Evidence,
  via: EvidenceSource,
  deps: EvidenceDeps,
): Promise<Order> {
  if (evidence.state === "refund_failed") return await takeFailedRefund(order, evidence, deps);
  if (evidence.state !== "paid" && evidence.state !== "refunded") return order;
  const { accounts } = await deps.platforms.platform(order.channel);
  for (let current: Order | undefined = order; current; current = await deps.orders.find(order.id)) {
    const step = isBooked(current)
      ? await afterBooking(current, evidence, { via, accounts }, deps)
      : beforeBooking(current, evidence, { via, accounts }, deps.now());
    if (!step || !stateAfter(current.state, step.trigger)) return current;
    const moved = await deps.orders.move(current, step.trigger, step.facts, step.due_at);
    if (!moved) continue;
    tell(moved, step.trigger, via, deps);
    return moved;
  }
  throw new Error(`the order ${order.id} is gone`);
}

/**
 * Rings where a refund that was paid back has failed afterwards: the customer has neither the money nor the points. The
 * order stays as it is, and a person acts. Throws `payment_platform` while the refund has no end, because that question may
 * still be answered by what the platform said before.
 */
async function takeFailedRefund(
  order: Order,
  evidence: Evidence,
  { orders, platforms, log }: EvidenceDeps,
): Promise<Order> {
  const { accounts } = await platforms.platform(order.channel);
  const fields = differences(evidence, order, accounts);
  const isOurs = !fields.includes("channel") && !fields.includes("account");
  const refund = isOurs ? await orders.refund(order.id, evidence.refund ?? "") : undefined;
  if (refund?.state === "asked") throw new GatewayError("payment_platform");
  if (refund?.state === "done") {
    log("error", "refund_failed", { order: order.id, refund: refund.id, channel: order.channel });
  }
  return order;
}

/** How we learned of evidence, and our accounts at the channel of its order. */
interface EvidenceOrigin {
  via: EvidenceSource;
  accounts: Evidence["accounts"];
}

function beforeBooking(
  order: Order,
  evidence: Evidence,
  { via, accounts }: EvidenceOrigin,
  now: number,
): Step | undefined {
  const fields = differences(evidence, order, accounts);
  // What went back is compared with what is booked, so it has to be told again after the booking.
  if (order.state === "paid" && isPaidBack(order, evidence, accounts))
    throw new GatewayError("payment_platform");
  const { transaction = "", amount = 0, currency = "", paid_at = now } = evidence;
  const money = { transaction, amount, currency, at: paid_at, via };
  if (fields.length === 0 && wentBack(order, transaction)) return undefined;
  const returned = fields.join() === "state" ? partBack(evidence) : undefined;
  if (fields.length === 0 || returned !== undefined) {
    const paid = { ...money, ...(returned !== undefined && { returned }) };
    return { trigger: "paid", facts: { paid, doubt: null }, due_at: now };
  }
  if (isDismissed(order, money)) return undefined;
  const state = stateAfter(order.state, "doubted") ?? order.state;
  // A doubted order may still be paid rightly, so it stays due until its time is over.
  const due_at = nextTry({ ...order, state, tries: 0 }, now) ?? nextCheck(order, now);
  return { trigger: "doubted", facts: { doubt: { fields, ...money } }, due_at };
}

/**
 * What went back of a payment that we did not know of, where the platform says how much and it is a part. What is left of the
 * payment is as good as any other.
 */
function partBack({ refunded = 0, amount = 0 }: Evidence): number | undefined {
  return refunded > 0 && refunded < amount ? refunded : undefined;
}

/**
 * Whether the platform has told before that this very payment went back. Calls come in any order, and one that says `paid` may
 * be the older one. A person decides about the order.
 */
function wentBack({ doubt }: Order, transaction: string): boolean {
  return doubt?.transaction === transaction && doubt.fields.includes("state");
}

/** Whether a person has decided about this very payment already. The platform tells of it again when it is paid back. */
function isDismissed(
  { state, doubt }: Order,
  { transaction, amount, currency }: { transaction: string; amount: number; currency: string },
): boolean {
  if (state !== "closed" || !doubt || transaction === "") return false;
  return doubt.transaction === transaction && doubt.amount === amount && doubt.currency === currency;
}

/** A platform that does not say how much went back tells nothing where a part is known to have gone back. */
async function afterBooking(
  order: Order,
  evidence: Evidence,
  { via, accounts }: EvidenceOrigin,
  { orders, now }: Pick<OrderDeps, "orders" | "now">,
): Promise<Step | undefined> {
  const { paid } = order;
  if (!paid || !isPaidBack(order, evidence, accounts)) return undefined;
  const running = order.refund ? await orders.refund(order.id, order.refund) : undefined;
  const known = Math.max(
    (order.refunded ?? 0) + (order.returned ?? 0) + (paid.returned ?? 0) + (running?.amount ?? 0),
    doubtedIn(order),
  );
  const { refunded } = evidence;
  const isKnown = refunded === undefined ? known > 0 : refunded <= known;
  if (isKnown) return undefined;
  if (order.state === "refunding") throw new GatewayError("payment_platform");
  const doubt = {
    ...{ fields: ["refund" as const], transaction: paid.transaction },
    ...{ amount: paid.amount, currency: paid.currency },
    ...(refunded !== undefined && { refunded }),
    ...{ at: now(), via },
  };
  return { trigger: "returned", facts: { doubt }, due_at: null };
}

/** Whether evidence says that something of an order's own payment went back. */
function isPaidBack(order: Order, evidence: Evidence, accounts: EvidenceOrigin["accounts"]): boolean {
  const { paid } = order;
  if (evidence.state !== "refunded" || !paid || evidence.transaction !== paid.transaction) return false;
  const { amount, currency } = paid;
  const others = differences(evidence, { ...order, amount, currency }, accounts);
  return others.every((field) => field === "state");
}

/** What went back by the doubt of a booked order in review. A platform that does not say how much may have paid back all. */
function doubtedIn({ state, doubt, paid }: Order): number {
  return state === "review" ? (doubt?.refunded ?? paid?.amount ?? 0) : 0;
}

function tell(
  { id, channel, doubt }: Order,
  trigger: Trigger,
  via: EvidenceSource,
  { log }: EvidenceDeps,
): void {
  const told = { order: id, channel };
  if (trigger === "paid") log("info", "order_paid", { ...told, via });
  else if (trigger === "returned") log("error", "order_refunded_elsewhere", { ...told, via });
  else log("error", "order_review", { ...told, why: doubt?.fields.join(" ") ?? "" });
}
