/** Budgets in the write that admits a call: the condition that protects them, and the refusal. */

import { limits } from "../../../base/limits.ts";
import { timeOf } from "../../../base/platform/id.ts";
import type { Refusal } from "../../../books/meters/admission.ts";
import { type BudgetUse, budgetEnd, budgetMessage, type Refused } from "../../../books/meters/budget.ts";
import { counterMost, hasRoom } from "../../../books/meters/budget-parts.ts";
import { type BudgetAsk, budgetAsks, type Hold } from "../../../books/meters/hold.ts";
import { isOfCustomer } from "../../../books/meters/levels.ts";
import { budgetUses, type Meter } from "../../../books/meters/meter.ts";
import { absentOrAtMost, type Condition } from "../dynamodb/expressions.ts";

/** Seconds after which calls in flight may have ended and given back what they hold. */
export const heldRetryAfter = 5;

/** The budgets have room for all holds together. If a budget changed between two calls, the lower counts. */
export function budgetConditions(holds: Hold[]): Condition[] {
  const asked = new Map<string, BudgetAsk>();
  for (const ask of holds.flatMap(budgetAsks)) {
    const { counter, most, points } = ask;
    const other = asked.get(counter);
    const lower = other && other.most < most ? other.most : most;
    asked.set(counter, { counter, most: lower, points: (other?.points ?? 0n) + points });
  }
  const shard = holds[0]?.shard ?? 0;
  return [...asked.values()].map((ask) => roomCondition(shard, ask));
}

/** The budget has room on the shard for what is asked. */
export function roomCondition(shard: number, { counter, most, points }: BudgetAsk): Condition {
  return absentOrAtMost(counter, counterMost(shard, most) - points);
}

/** Why a hold's budgets refuse it: where other shards may have room, only that they may. */
type BudgetRefusal = Refusal & { error: "insufficient_balance" | "quota_exhausted" };

/** The refusal of a hold for which a budget has no room on this item. Undefined where it has room. */
export function budgetRefusal(
  hold: Hold,
  item: Meter,
  what: Refused = "the call",
): BudgetRefusal | undefined {
  if (hasRoom(item, budgetAsks(hold))) return undefined;
  if (isShared(item)) {
    return { admitted: false, error: "insufficient_balance", limitStatus: {}, tryOtherShard: true };
  }
  return wholeBudgetRefusal(hold, budgetUses([item]), what);
}

/** Whether other shards may have parts of the budgets that this item counts. */
export function isShared({ shard, moves }: Pick<Meter, "shard" | "moves">): boolean {
  return shard > 0 || moves > 0;
}

/** A call that would be the first of one end customer too many in a period. */
export interface OneCustomerMore {
  /** The customer's counter. */
  counter: string;
  message: string;
  /** When the period ends, Unix milliseconds. */
  until: number;
}

/**
 * The refusal of a hold whose end customer has no place among the `counters` of an item, which may have the customer's
 * own. Undefined where it has, and for a call without such a budget.
 */
export function oneCustomerMore(hold: Hold, counters: readonly string[]): OneCustomerMore | undefined {
  const ask = budgetAsks(hold).find(({ level }) => level === "customer");
  if (!ask) return undefined;
  const { counter, period } = ask;
  const running = counter.slice(counter.indexOf(":"));
  const others = counters.filter((name) => isOfCustomer(name) && name.endsWith(running) && name !== counter);
  if (others.length < limits.customersMax) return undefined;
  const until = budgetEnd(period, timeOf(hold.request)) ?? Infinity;
  const message = `The budgets of ${limits.customersMax} end customers are counted at once, and in this ${period} (UTC) so many have called. A further customer has room at ${new Date(until).toISOString()}.`;
  return { counter, message, until };
}

/** The refusal of a hold for which one of its whole budgets has no room: the tightest. Undefined where all have room. */
export function wholeBudgetRefusal(
  hold: Hold,
  uses: ReadonlyMap<string, BudgetUse>,
  what: Refused,
): BudgetRefusal | undefined {
  const refusing = budgetAsks(hold)
    .map((ask) => {
      const use = uses.get(ask.counter) ?? { spent: 0n, held: 0n };
      return { ask, use, free: ask.most - use.spent - use.held };
    })
    .filter(({ ask, free }) => ask.points > free);
  const [tightest] = refusing.toSorted((a, b) => (a.free < b.free ? -1 : 1));
  if (!tightest) return undefined;
  const { ask, use, free } = tightest;
  const { level, period, most, points: needed } = ask;
  // It is worth waiting only if no other budget is spent.
  const isHeld = refusing.every((each) => each.use.spent + needed <= each.ask.most);
  const message = budgetMessage({ level, period, points: most }, use, { what, needed }, timeOf(hold.request));
  const lack = { free };
  if (hold.mode === "subscription") {
    return { admitted: false, error: "quota_exhausted", message, lack, limitStatus: {} };
  }
  return {
    admitted: false,
    error: "insufficient_balance",
    message,
    lack,
    ...(isHeld && { retryAfterSeconds: heldRetryAfter }),
    limitStatus: {},
  };
}
