/**
 * Asks the platforms about the orders that are due, once a minute. It finds payments whose notice was lost, ends orders
 * whose time is over, and finishes what a process that died has left.
 */
import { consoleLimits } from "../../console-limits.ts";
import type { Order } from "../../payments/order.ts";
import { isBooked } from "../../payments/states.ts";
import { describeError } from "../../platform/log.ts";
import type { OrderDeps } from "../orders/deps.ts";
import { isSilence, lookAt } from "../orders/tend.ts";

/** What a run came to. `left`: orders that were due and not looked at. */
export interface Reconciled {
  due: number;
  asked: number;
  credited: number;
  closed: number;
  left: number;
}

/** One run. It is bounded in orders and in time; the next one goes on. What fails for one order stops no other. */
export async function reconcile(deps: OrderDeps): Promise<Reconciled> {
  const { reconcileOrdersMax, reconcileAtOnceMax, reconcileMs } = consoleLimits;
  const until = deps.now() + reconcileMs;
  const ids = await deps.orders.due(deps.now(), reconcileOrdersMax);
  const result: Reconciled = { due: ids.length, asked: 0, credited: 0, closed: 0, left: 0 };
  const waiting = [...ids];
  while (waiting.length > 0 && deps.now() < until) {
    const batch = waiting.splice(0, reconcileAtOnceMax);
    await Promise.all(batch.map((id) => lookOnce(id, result, deps)));
  }
  result.left = waiting.length;
  deps.log("info", "reconciled", { ...result });
  return result;
}

async function lookOnce(id: string, result: Reconciled, deps: OrderDeps): Promise<void> {
  try {
    const order = await deps.orders.find(id);
    if (!order) return;
    tellOverdue(order, deps);
    result.asked += 1;
    const after = await lookAt(order, "reconciler", deps);
    if (isBooked(after.state) && !isBooked(order.state)) result.credited += 1;
    if (after.state === "closed" && order.state !== "closed") result.closed += 1;
  } catch (error) {
    if (isSilence(error)) return;
    deps.log("error", "reconcile_failed", { order: id, error: describeError(error) });
  }
}

function tellOverdue({ id, channel, state, paid }: Order, { log, now }: OrderDeps): void {
  const waited = paid && state === "paid" ? now() - paid.at : 0;
  if (waited < consoleLimits.orderOverdueMs) return;
  log("error", "order_overdue", { order: id, channel, state, seconds: Math.round(waited / 1000) });
}
