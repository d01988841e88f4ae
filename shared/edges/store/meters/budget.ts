/** The budget of a key in the write that admits a call: the condition that protects it, and the refusal. */

import { timeOf } from "../../../base/platform/id.ts";
import type { Refusal } from "../../../books/meters/admission.ts";
import { budgetMessage, budgetOf } from "../../../books/meters/budget.ts";
import { budgetShare, type Hold } from "../../../books/meters/hold.ts";
import { budgetUses } from "../../../books/meters/meter.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { absentOrAtMost, type Condition } from "../dynamodb/expressions.ts";
import { readMeterItem } from "./meter-item.ts";

/** Seconds after which calls in flight may have ended and given back what they hold. */
export const heldRetryAfter = 5;

/** The budgets have room for all holds together. If a budget changed between two calls of its key, the lower counts. */
export function budgetConditions(holds: Hold[]): Condition[] {
  const asked = new Map<string, { most: bigint; points: bigint }>();
  for (const hold of holds) {
    const [budget, share] = [budgetOf(hold.limits), budgetShare(hold)];
    if (!budget || !share) continue;
    const other = asked.get(share.counter);
    const most = other && other.most < budget.points ? other.most : budget.points;
    asked.set(share.counter, { most, points: (other?.points ?? 0n) + share.points });
  }
  return [...asked].map(([counter, { most, points }]) => absentOrAtMost(counter, most - points));
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
