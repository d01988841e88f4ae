/** What is bought and paid, as the console's routes show it. */

import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { audit, type OrderDeps } from "../../../people/orders/deps.ts";
import { isRefundable, refundableOf } from "../../../people/orders/refundable.ts";
import { showOrder, showPlan } from "../../../people/orders/show.ts";
import { endUnwanted, isOutOfReach, lookAt } from "../../../people/orders/tend.ts";
import type { Order } from "../../../people/payments/order.ts";
import { methodsOf, pricesOf, ratesOf } from "../../../people/payments/recharge.ts";
import type { AnswersTo } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { paymentRoutes } from "../routes/payments.ts";
import { addCard, setAutoTopUp, showAutoTopUp, takeCard } from "./auto-top-up.ts";
import { takeCall } from "./notices.ts";
import { listOrders } from "./order-list.ts";
import type { PaymentAnswerDeps } from "./payment-requests.ts";
import { createPlanOrder, quotePlanOrder } from "./plan-orders.ts";
import { createRecharge } from "./recharges.ts";

/** The operations of `edges/console/routes/payments.ts`. */
export function paymentAnswers(deps: PaymentAnswerDeps): AnswersTo<typeof paymentRoutes> {
  return {
    list_payment_methods: async () => {
      const data = methodsOf(deps.catalog.recharge(), await deps.platforms.channels());
      return jsonReply({ object: "list", data });
    },
    list_plans: async () => {
      const rates = ratesOf(deps.catalog.recharge(), await deps.platforms.channels());
      const data = Object.entries(deps.catalog.plans()).map(([name, plan]) => ({
        ...showPlan(name, plan),
        prices: pricesOf(plan, rates),
      }));
      return jsonReply({ object: "list", data });
    },
    create_recharge: (call) => createRecharge(call, deps),
    list_recharges: (call) => listOrders(call, deps),
    show_recharge: (call) => showRecharge(call, deps),
    close_recharge: (call) => closeRecharge(call, deps),
    quote_plan: (call) => quotePlanOrder(call, deps),
    create_plan_order: (call) => createPlanOrder(call, deps),
    show_auto_top_up: (call) => showAutoTopUp(call, deps),
    set_auto_top_up: (call) => setAutoTopUp(call, deps),
    open_card_page: (call) => addCard(call, deps),
    remove_card: (call) => takeCard(call, deps),
    take_notice: (call) => takeCall(call, deps),
  };
}

/** The caller's order of a call's path. Throws `order_not_found`, also for an order of another organization. */
async function ownOrder(call: ConsoleCall, { orders }: Pick<OrderDeps, "orders">): Promise<Order> {
  const order = await orders.find(call.parameters.id ?? "");
  if (order?.organization !== callerOf(call).organization.id) throw new GatewayError("order_not_found");
  return order;
}

/** `GET /api/v1/recharges/{id}`: asks the platform too. If that does not answer, shows the order as it is known. */
async function showRecharge(call: ConsoleCall, deps: PaymentAnswerDeps) {
  const order = await ownOrder(call, deps);
  const after = await lookAt(order, "page", deps).catch((error: unknown) => {
    if (isOutOfReach(error)) return order;
    throw error;
  });
  return jsonReply(showOrder(after, isRefundable(after) ? await refundableOf(after, deps) : undefined));
}

/**
 * `POST /api/v1/recharges/{id}/close`. Stays `closing` if the platform cannot be asked. Throws `invalid_state` if paid.
 */
async function closeRecharge(call: ConsoleCall, deps: OrderDeps) {
  const order = await ownOrder(call, deps);
  if (order.state === "closing" || order.state === "closed") return jsonReply(showOrder(order));
  if (order.state !== "created" && order.state !== "pending") {
    throw new GatewayError("invalid_state", {
      message: `The order is ${order.state}, and cannot be closed.`,
      reason: "changed",
    });
  }
  const after = await endUnwanted(order, "page", deps).catch(async (error: unknown) => {
    if (!isOutOfReach(error)) throw error;
    return (await deps.orders.find(order.id)) ?? order;
  });
  // It may turn out to be paid: then it was not closed.
  if (after.state !== "closing" && after.state !== "closed") return jsonReply(showOrder(after));
  const { user } = callerOf(call);
  const actor = { id: user.id, name: user.name, ip: call.request.ip };
  await audit(order, { kind: "order_closed", after: { state: after.state } }, actor, deps);
  return jsonReply(showOrder(after));
}
