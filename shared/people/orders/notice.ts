/** Takes a call of a platform, whose signature was checked. */
import { GatewayError } from "../../base/errors.ts";
import type { Order } from "../payments/order.ts";
import type { Evidence } from "../payments/platform.ts";
import { bookOrder } from "./book.ts";
import type { OrderDeps } from "./deps.ts";
import { takeEvidence } from "./evidence.ts";

/**
 * Takes the evidence of a call, and books the order if that pays it. Throws `payment_signature` for an order that is not
 * ours, so that the platform repeats the call: the order may only be late.
 */
export async function takeNotice(evidence: Evidence, deps: OrderDeps): Promise<Order> {
  const order = await deps.orders.find(evidence.order);
  if (!order) {
    throw new GatewayError("payment_signature", {
      message: "The payment callback is about no order of ours.",
    });
  }
  const taken = await takeEvidence(order, evidence, "notice", deps);
  return taken.state === "paid" ? await bookOrder(taken, deps) : taken;
}
