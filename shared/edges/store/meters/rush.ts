/**
 * How an admission notices that more calls come to a wallet than its items should take. Calls are spread evenly, so the
 * first item stands for all. One call in 32 asks for more shards, or for spread hours where the wallet has none
 * (`looksForLeftovers`), so that few do it at a time.
 */
import { limits } from "../../../base/limits.ts";
import type { Rush } from "../../../books/meters/admission.ts";
import { shardsShared } from "../../../books/meters/budget-parts.ts";
import { budgetAsks, type Hold } from "../../../books/meters/hold.ts";
import { homeOf } from "../../../books/meters/shards.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { holdsOn, looksForLeftovers } from "./meter-item.ts";

/** What a call found that was throttled. */
export function rushOf(hold: Hold): { rush?: Rush } {
  if (!isOfMany(hold)) return {};
  return { rush: { throttled: true, asks: looksForLeftovers(hold.request) } };
}

/** What an admitted call found on its item, if it has read that. */
export function crowdOn(hold: Hold, item: Item | undefined): { rush?: Rush } {
  if (!item || !isOfMany(hold) || !looksForLeftovers(hold.request)) return {};
  const most = hold.spread ? limits.shardHolds : limits.spreadHolds;
  return holdsOn(item) > most ? { rush: { throttled: false, asks: true } } : {};
}

/**
 * Whether it is the first item of a wallet, for a call that could be on any. A plan bounds a subscription's calls, and a
 * small budget those of its key.
 */
function isOfMany(hold: Hold): boolean {
  const { planLimits, shard, at, key: id, limits: own = null, bounds } = hold;
  if (planLimits !== null || shard !== 0) return false;
  const bounding = { isBounded: bounds !== undefined, isFirst: false };
  if (homeOf({ id, limits: own }, at, bounding) !== null) return false;
  return shardsShared(budgetAsks(hold), limits.shardsMax) > 1;
}
