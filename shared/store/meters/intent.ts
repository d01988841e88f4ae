/** What a running call was meant to be, for the sweeper, or the mark that it must never run. */

import { limits } from "../../limits.ts";
import type { Intent } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import { fromAttribute, type Item, toItem } from "../dynamodb/attributes.ts";
import { absent, atMost, type Condition, either } from "../dynamodb/expressions.ts";
import { intentKey } from "../dynamodb/item-keys.ts";

/** The item of an intent, as a call's attempt to be held has it. */
export function newIntent(intent: Intent, attempt = 1): Item {
  const { request } = intent;
  return { ...intentKey(request), ...toItem({ intent, attempt, expires_at: expiry(request) }) };
}

/**
 * There is no intent of a later attempt, and none is barred: what an earlier one wrote, and what was to bar it, may
 * come late, and must not say how the call is held.
 */
export function upTo(attempt = 1): Condition {
  return either(absent("pk"), atMost("attempt", attempt));
}

/** What makes an intent one that no attempt comes after. */
export const lastAttempt: Item = toItem({ attempt: Number.MAX_SAFE_INTEGER });

/** The item that stands where an intent is, so that none can be written any more. */
export function closedIntent(request: string): Item {
  return { ...intentKey(request), ...toItem({ expires_at: expiry(request) }) };
}

/** The intent an item holds. */
export function readIntent(item: Item | undefined): Intent | undefined {
  return item?.["intent"] && (fromAttribute(item["intent"]) as Intent);
}

/** Unix seconds at which DynamoDB may forget it: days after any sweep has read it. */
function expiry(request: string): number {
  return Math.floor(timeOf(request) / 1000) + limits.intentLifetimeSeconds;
}
