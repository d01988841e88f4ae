/** The item of a running call's intent, or the mark in its place that the call must never run. */

import { limits } from "../../../base/limits.ts";
import { timeOf } from "../../../base/platform/id.ts";
import type { Intent } from "../../../books/meters/intent.ts";
import { fromAttribute, type Item, toItem } from "../dynamodb/attributes.ts";
import { absent, atMost, type Condition, either } from "../dynamodb/expressions.ts";
import { intentKey } from "../dynamodb/item-keys.ts";

/** The item of an intent, as one attempt to hold the call writes it. */
export function newIntent(intent: Intent, attempt = 1): Item {
  const { request } = intent;
  return { ...intentKey(request), ...toItem({ intent, attempt, expires_at: expiry(request) }) };
}

/** No later attempt has written an intent, and none was barred: writes of an earlier attempt may arrive late. */
export function upTo(attempt = 1): Condition {
  return either(absent("pk"), atMost("attempt", attempt));
}

/** The attribute that makes an intent final: no attempt has a higher number. */
export const lastAttempt: Item = toItem({ attempt: Number.MAX_SAFE_INTEGER });

/** The item in the place of an intent that must never be written. */
export function closedIntent(request: string): Item {
  return { ...intentKey(request), ...toItem({ expires_at: expiry(request) }) };
}

/** The intent on an item; undefined where the intent was barred or never written. */
export function readIntent(item: Item | undefined): Intent | undefined {
  return item?.intent && (fromAttribute(item.intent) as Intent);
}

/** When DynamoDB may delete an intent, Unix seconds: days after the last sweep that reads it. */
function expiry(request: string): number {
  return Math.floor(timeOf(request) / 1000) + limits.intentLifetimeSeconds;
}
