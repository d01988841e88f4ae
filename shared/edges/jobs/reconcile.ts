/** Once a minute: finds payments whose notice was lost, ends orders, and finishes what a dead process has left. */
import { consoleLimits } from "../../base/console-limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { pause } from "../../base/platform/pause.ts";
import type { OrderDeps } from "../../people/orders/deps.ts";
import { isSilence, lookAt } from "../../people/orders/tend.ts";
import type { Order } from "../../people/payments/order.ts";
import type { PaymentPlatforms } from "../../people/payments/platform.ts";
import { isBooked } from "../../people/payments/states.ts";
import { impatient } from "./impatient.ts";

/** What a run came to. `left`: orders that were due and not looked at. */
interface Reconciled {
  due: number;
  asked: number;
  credited: number;
  closed: number;
  left: number;
}

/** One run, bounded in orders, time and questions a second (people/payments/README.md "When an order is looked at"). */
export async function reconcile(deps: OrderDeps): Promise<Reconciled> {
  const { reconcileAtOnceMax, reconcileGapMs, reconcileMs } = consoleLimits;
  const until = deps.now() + reconcileMs;
  const lines = await linesOf(deps);
  const waiting = () => lines.reduce((sum, { length }) => sum + length, 0);
  const result: Reconciled = { due: waiting(), asked: 0, credited: 0, closed: 0, left: 0 };
  const platforms: PaymentPlatforms = impatient(deps.platforms, deps);
  const next = (own: number): { id: string; isNew: boolean } | undefined => {
    // Whoever has come to the end of the own line helps with the others.
    for (const line of [own, 0, 1, 2]) {
      const id = lines[line]?.shift();
      if (id !== undefined) return { id, isNew: line === newest };
    }
    return undefined;
  };
  const worker = async (own: number): Promise<void> => {
    while (deps.now() < until) {
      const began = deps.now();
      const found = next(own);
      if (!found) return;
      if (!(await lookOnce(found, result, { ...deps, platforms }))) continue;
      const rest = began + reconcileGapMs - deps.now();
      if (waiting() > 0 && rest > 0) await pause(rest);
    }
  };
  await Promise.all(Array.from({ length: reconcileAtOnceMax }, (_, at) => worker(lineOf(at))));
  result.left = result.due - result.asked;
  deps.log("info", "reconciled", { ...result });
  return result;
}

/** The line of orders that somebody waits for, the shortest due first. Only those that no run has looked at yet count. */
const newest = 1;

/**
 * The orders that are due, in three lines. In the first are those that somebody waits for, the longest due first. If there
 * are more than a run reads, the newest are in the second. In the third are those that are over.
 */
async function linesOf({ orders, now }: OrderDeps): Promise<string[][]> {
  const limit = consoleLimits.reconcileOrdersMax;
  const at = now();
  const [longest, over] = await Promise.all([
    orders.due({ kind: "awaited", now: at, limit }),
    orders.due({ kind: "rechecked", now: at, limit }),
  ]);
  if (longest.length < limit) return [longest, [], over];
  // Those that the last run has looked at are due as shortly as the new ones.
  const shortest = await orders.due({ kind: "awaited", now: at, limit: 2 * limit, newestFirst: true });
  // No order is in two lines: it would count twice, and take two turns.
  const taken = new Set(longest);
  return [longest, shortest.filter((id) => !taken.has(id)), over];
}

/** The line that a worker begins with: of ten, five have the first, three the second and two the third. */
function lineOf(worker: number): number {
  if (worker % 5 === 4) return 2;
  return worker % 2;
}

/** Looks at an order. False where it was passed over, because it is not new and has its turn in another line. */
async function lookOnce(
  { id, isNew }: { id: string; isNew: boolean },
  result: Reconciled,
  deps: OrderDeps,
): Promise<boolean> {
  try {
    const order = await deps.orders.find(id);
    if (!order || (isNew && order.tries)) return false;
    tellOverdue(order, deps);
    result.asked += 1;
    const after = await lookAt(order, "reconciler", deps);
    if (isBooked(after) && !isBooked(order)) result.credited += 1;
    if (after.state === "closed" && order.state !== "closed") result.closed += 1;
  } catch (error) {
    if (!isSilence(error)) deps.log("error", "reconcile_failed", { order: id, error: describeError(error) });
  }
  return true;
}

function tellOverdue({ id, channel, state, paid }: Order, { log, now }: OrderDeps): void {
  const waited = paid && state === "paid" ? now() - paid.at : 0;
  if (waited < consoleLimits.orderOverdueMs) return;
  log("error", "order_overdue", { order: id, channel, state, seconds: Math.round(waited / 1000) });
}
