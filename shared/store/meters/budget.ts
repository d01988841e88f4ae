/** The budget of a key in the admitting write: the condition that keeps it, and what is said where it is not met. */
import { budgetMessage, budgetOf } from "../../meters/budget.ts";
import { budgetShare, type Hold, type Refusal } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { absentOrAtMost, type Condition } from "../dynamodb/expressions.ts";
import { budgetUses, readMeterItem } from "./meter-item.ts";

/** How long the holds of calls in flight are worth waiting for: calls take seconds. */
export const heldRetryAfter = 5;

/** That the budget of the hold's key has room for what the hold takes; nothing where the key has none. */
export function budgetCondition(hold: Hold): Condition[] {
  const [budget, share] = [budgetOf(hold.limits), budgetShare(hold)];
  return budget && share ? [absentOrAtMost(share.counter, budget.points - share.points)] : [];
}

/** The refusal of a hold that its key's budget has no room for on this item; undefined where it has. */
export function budgetRefusal(
  hold: Hold,
  item: Item,
  what: "the call" | "the next part of the answer" = "the call",
): (Refusal & { message: string; error: "insufficient_balance" | "quota_exhausted" }) | undefined {
  const [budget, share] = [budgetOf(hold.limits), budgetShare(hold)];
  if (!budget || !share) return undefined;
  const use = budgetUses(readMeterItem(item)).get(share.counter) ?? { spent: 0n, held: 0n };
  if (use.spent + use.held + share.points <= budget.points) return undefined;
  const isHeld = use.spent + share.points <= budget.points;
  const message = budgetMessage(budget, use, { what, needed: share.points }, timeOf(hold.request));
  const lack = { free: budget.points - use.spent - use.held };
  if (hold.mode === "subscription") {
    return { admitted: false, error: "quota_exhausted", message, lack, standing: {} };
  }
  return {
    admitted: false,
    error: "insufficient_balance",
    message,
    lack,
    ...(isHeld && { retry_after_seconds: heldRetryAfter }),
    standing: {},
  };
}
