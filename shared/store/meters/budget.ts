/** The budget of a key in the write that admits a call: the condition that protects it, and the refusal. */
import type { Refusal } from "../../meters/admission.ts";
import { budgetMessage, budgetOf } from "../../meters/budget.ts";
import { budgetShare, type Hold } from "../../meters/hold.ts";
import { budgetUses } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { absentOrAtMost, type Condition } from "../dynamodb/expressions.ts";
import { readMeterItem } from "./meter-item.ts";

/** Seconds after which calls in flight may have ended and given back what they hold. */
export const heldRetryAfter = 5;

/** The condition that the budget of the hold's key has room for the hold. None where the key has no budget. */
export function budgetCondition(hold: Hold): Condition[] {
  const [budget, share] = [budgetOf(hold.limits), budgetShare(hold)];
  return budget && share ? [absentOrAtMost(share.counter, budget.points - share.points)] : [];
}

/** The refusal of a hold for which its key's budget has no room on this item. Undefined where it has room. */
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
