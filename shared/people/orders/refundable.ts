/** What of orders can be paid back now (people/payments/README.md "Refunds"). Amounts are whole minor units. */

import { GatewayError } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { Order } from "../payments/order.ts";
import { leftOf, stateAfter } from "../payments/states.ts";
import type { OrderDeps } from "./deps.ts";
import { type PlanLeftDeps, planLeft } from "./plan-left.ts";
import { type PointsLeftDeps, pointsLeftIn } from "./points-left.ts";

export type RefundableDeps = Pick<OrderDeps, "accounts"> & PointsLeftDeps & PlanLeftDeps;

/** Whether an order may be paid back in its state. */
export function isRefundable({ state }: Pick<Order, "state">): boolean {
  return stateAfter(state, "refund_taken") !== undefined;
}

/** What of an order can be paid back now; 0 where nothing can. */
export async function refundableOf(order: Order, deps: RefundableDeps): Promise<number> {
  if (!isRefundable(order)) return 0;
  const organization = await deps.accounts.organization(order.organization);
  return organization ? await refundableIn(organization, deps)(order) : 0;
}

/** The same for all orders of an organization. What is left of its points is read once, for the first order that asks. */
export function refundableIn(
  organization: Organization,
  deps: PointsLeftDeps & PlanLeftDeps,
): (order: Order) => Promise<number> {
  let points: ReturnType<typeof pointsLeftIn> | undefined;
  return async (order) => {
    if (!isRefundable(order)) return 0;
    if (order.booked_as !== "plan") {
      points ??= pointsLeftIn(organization, deps);
      return moneyLeft(order, (await points)(order));
    }
    try {
      return (await planLeft(order, organization, deps)).money;
    } catch (error) {
      if (error instanceof GatewayError && error.key === "invalid_state") return 0;
      throw error;
    }
  };
}

/** What so many of an order's points are in minor units, and not more than is left of its payment. */
export function moneyLeft(order: Order, points: bigint): number {
  const worth = (points * BigInt(order.amount)) / parsePoints(order.points);
  return Math.min(leftOf(order), Number(worth));
}
