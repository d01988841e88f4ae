/** What a running call was meant to be, for the sweeper, or the mark that it must never run. */
import type { Intent } from "../billing/meter.ts";
import { limits } from "../limits.ts";
import { timeOf } from "../platform/id.ts";
import { fromAttribute, type Item, toItem } from "./attributes.ts";
import { intentKey } from "./table.ts";

/** The item of an intent, as a call's attempt to be held has it. */
export function newIntent(intent: Intent, attempt: number): Item {
  const { request } = intent;
  return { ...intentKey(request), ...toItem({ intent, attempt, expires_at: expiry(request) }) };
}

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
