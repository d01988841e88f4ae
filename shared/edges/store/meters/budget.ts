/** Budgets in the write that admits a call: the condition that protects them, and the refusal. */

import { timeOf } from "../../../base/platform/id.ts";
import type { Refusal } from "../../../books/meters/admission.ts";
import { type BudgetUse, budgetMessage, budgetOf, type Refused } from "../../../books/meters/budget.ts";
import { counterMost, hasRoom } from "../../../books/meters/budget-parts.ts";
import { type BudgetAsk, budgetAsks, type Hold } from "../../../books/meters/hold.ts";
import { budgetUses, type Meter } from "../../../books/meters/meter.ts";
import { absentOrAtMost, type Condition } from "../dynamodb/expressions.ts";

/** Seconds after which calls in flight may have ended and given back what they hold. */
export const heldRetryAfter = 5;

/** The budgets have room for all holds together. If a budget changed between two calls of its key, the lower counts. */
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

/** The refusal of a hold for which its key's whole budget has no room. Undefined where it has room. */
export function wholeBudgetRefusal(
  hold: Hold,
  uses: ReadonlyMap<string, BudgetUse>,
  what: Refused,
): BudgetRefusal | undefined {
  const [budget, [share]] = [budgetOf(hold.limits), budgetAsks(hold)];
  if (!budget || !share) return undefined;
  const use = uses.get(share.counter) ?? { spent: 0n, held: 0n };
  if (use.spent + use.held + share.points <= budget.points) return undefined;
  const isHeld = use.spent + share.points <= budget.points;
  const message = budgetMessage(budget, use, { what, needed: share.points }, timeOf(hold.request));
  const lack = { free: budget.points - use.spent - use.held };
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
