/** Takes what a platform says of an order: it is paid, or a person has to look (payments/README.md "Evidence"). */
import { differences } from "../../payments/evidence.ts";
import type { EvidenceSource, Order } from "../../payments/order.ts";
import type { Evidence } from "../../payments/platform.ts";
import { nextCheck, nextTry } from "../../payments/schedule.ts";
import { stateAfter, type Trigger } from "../../payments/states.ts";
import type { OrderDeps } from "./deps.ts";

/**
 * Moves an order by evidence, and gives it as it is then. Evidence of a payment counts in every state before the
 * booking, also of a closed order. What says nothing of money changes nothing.
 */
export async function takeEvidence(
  order: Order,
  evidence: Evidence,
  via: EvidenceSource,
  deps: Pick<OrderDeps, "orders" | "platforms" | "log" | "now">,
): Promise<Order> {
  if (evidence.state !== "paid" && evidence.state !== "refunded") return order;
  const { accounts } = await deps.platforms.platform(order.channel);
  const fields = differences(evidence, order, accounts);
  const trigger: Trigger = fields.length === 0 ? "paid" : "doubted";
  for (let current: Order | undefined = order; current; current = await deps.orders.find(order.id)) {
    const state = stateAfter(current.state, trigger);
    if (!state) return current;
    const now = deps.now();
    const { transaction = "", amount = 0, currency = "", paid_at = now } = evidence;
    const facts =
      trigger === "paid"
        ? { paid: { transaction, amount, currency, at: paid_at, via }, doubt: null }
        : { doubt: { fields, transaction, amount, currency, at: paid_at, via } };
    // A doubted order may still be paid rightly, so it stays due until its time is over.
    const due_at =
      trigger === "paid" ? now : (nextTry({ ...current, state, tries: 0 }, now) ?? nextCheck(current, now));
    const moved = await deps.orders.move(current, trigger, facts, due_at);
    if (!moved) continue;
    const told = { order: order.id, channel: order.channel };
    if (trigger === "paid") deps.log("info", "order_paid", { ...told, via });
    else deps.log("error", "order_review", { ...told, why: fields.join(" ") });
    return moved;
  }
  throw new Error(`the order ${order.id} is gone`);
}
