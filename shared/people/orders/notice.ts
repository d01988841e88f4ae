/** Takes a call of a platform, whose signature was checked. */
import { GatewayError } from "../../base/errors.ts";
import type { Order } from "../payments/order.ts";
import type { Evidence } from "../payments/platform.ts";
import { bookOrder } from "./book.ts";
import type { OrderDeps } from "./deps.ts";
import { takeEvidence } from "./evidence.ts";

/** Takes a call's evidence and books. Throws `payment_signature` for an unknown order, so that the call is repeated. */
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
