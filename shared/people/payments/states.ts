/** The states of an order, and every move between them (people/payments/README.md "States"). */
import type { Order, OrderMoney, OrderState, PaidFacts } from "./order.ts";

/** A move: the states that it may leave, and the one that it leads to. */
interface Move {
  from: readonly OrderState[];
  to: OrderState;
}

const unpaid = ["created", "pending", "closing", "closed"] as const;

export const moves = {
  /** The platform gave what is shown to pay. */
  opened: { from: ["created"], to: "pending" },
  /** Its time is over, or the customer gave it up. The platform is asked to close it, and has not answered yet. */
  ended: { from: ["created", "pending"], to: "closing" },
  /** It can no longer be paid: the platform says so, or its QR code is dead. */
  closed: { from: ["closing"], to: "closed" },
  /** Evidence that agrees in every field. A late one counts too: the money has come. */
  paid: { from: [...unpaid, "review"], to: "paid" },
  /** Evidence of money that does not agree. A person decides. */
  doubted: { from: unpaid, to: "review" },
  /** A person decided that nothing is to be credited. */
  dismissed: { from: ["review"], to: "closed" },
  /** The platform has paid it back, and not because we asked. Only of an order that is booked. More may follow in review. */
  returned: { from: ["credited", "partly_refunded", "review"], to: "review" },
  /** A person has seen that: the order is again what it was. */
  seen: { from: ["review"], to: "credited" },
  seen_in_part: { from: ["review"], to: "partly_refunded" },
  /** What it bought is booked. */
  credited: { from: ["paid"], to: "credited" },
  refund_taken: { from: ["credited", "partly_refunded"], to: "refunding" },
  refunded_in_part: { from: ["refunding"], to: "partly_refunded" },
  refunded: { from: ["refunding"], to: "refunded" },
  /** A plan that points have paid for: they are back in the wallet, and no platform is asked. */
  points_back: { from: ["credited"], to: "refunded" },
  points_back_in_part: { from: ["credited"], to: "partly_refunded" },
  /** The platform refused its first refund. */
  refund_refused: { from: ["refunding"], to: "credited" },
} as const satisfies Record<string, Move>;

export type Trigger = keyof typeof moves;

/** The state after a move, or undefined where the state may not be left by it. */
export function stateAfter(state: OrderState, trigger: Trigger): OrderState | undefined {
  const { from, to }: Move = moves[trigger];
  return from.includes(state) ? to : undefined;
}

/** Whether an order waits for its customer. An organization has only so many of these. */
export function isOpen(state: OrderState): boolean {
  return state === "created" || state === "pending";
}

/** Whether somebody waits for what becomes of an order: it may be paid, or what was paid is not booked. */
export function isAwaited(state: OrderState): boolean {
  return isOpen(state) || state === "closing" || state === "paid" || state === "refunding";
}

/** Whether what an order bought is booked, whatever was paid back of it since. */
export function isBooked({ credited_at }: Pick<Order, "credited_at">): boolean {
  return credited_at !== undefined;
}

/** What of a payment was still ours when it was booked, in minor units. */
export function keptOf({ amount, returned = 0 }: Pick<PaidFacts, "amount" | "returned">): number {
  return amount - returned;
}

/** What is left of an order's payment, in minor units: neither we nor anybody at the platform has paid it back. */
export function leftOf({ paid, refunded = 0, returned = 0 }: OrderMoney): number {
  return Math.max(0, (paid ? keptOf(paid) : 0) - refunded - returned);
}

/** How points that come back for a plan, worth `amount` minor units, move its order. */
export function pointsBackTrigger(order: OrderMoney, amount: number): Trigger {
  return amount < leftOf(order) ? "points_back_in_part" : "points_back";
}

/** How the end of a refund of `amount` minor units moves its order. */
export function refundTrigger(order: OrderMoney, amount: number, outcome: "done" | "refused"): Trigger {
  const isPart = (order.refunded ?? 0) > 0;
  if (outcome === "refused") return isPart ? "refunded_in_part" : "refund_refused";
  return amount < leftOf(order) ? "refunded_in_part" : "refunded";
}
