/**
 * How many shards a wallet should have (billing.md §2.9), as arithmetic. Amounts are 10⁻¹⁸ points. No call needs it, so it
 * is apart from shards.ts.
 */
import { limits } from "../../base/limits.ts";
import type { Meter } from "./meter.ts";
import type { Transfer } from "./shards.ts";

/** A shard's money and its calls in flight. */
export interface ShardLoad {
  avail: bigint;
  /** The holds of its calls in flight. */
  holds: bigint[];
  /**
   * How many of the holds stay on one shard, however many shards there are. They are those of the busiest key that has
   * limits and no budget.
   */
  together: number;
  /** How many counters of budgets are on it. */
  counters: number;
}

/** What a shard carries, by its item. */
export function loadOf({ avail, holds, budgets }: Pick<Meter, "avail" | "holds" | "budgets">): ShardLoad {
  const held = [...holds.values()];
  const byKey = Map.groupBy(
    held.filter(({ key, budgets }) => key !== undefined && budgets === undefined),
    ({ key }) => key,
  );
  const together = Math.max(0, ...[...byKey.values()].map(({ length }) => length));
  return { avail, holds: held.map(({ points }) => points), together, counters: budgets.size };
}

/** Bytes of a budget's counter on an item, and of an item that takes 250 calls a second. */
const [counterBytes, itemBytes] = [31, 2_048];

/**
 * A wallet of so many shards gets no more of them because they are throttled. A write takes a unit for each kilobyte of its
 * item. So items that are long by the counters of budgets take fewer calls, and as many more of them are needed.
 */
function throttledMost(loads: readonly Pick<ShardLoad, "counters">[]): number {
  const counters = Math.max(...loads.map((load) => load.counters));
  return limits.throttledShardsMax * (1 + (counters * counterBytes) / itemBytes);
}

/** How many of its holds other shards could have. */
function spreadable({ holds, together }: Pick<ShardLoad, "holds" | "together">): number {
  return holds.length - together;
}

/**
 * How many shards a wallet of `shards` should have. The number doubles until no shard has too many holds. It stops
 * earlier if all holds, spread evenly, would take half of the room: after a growth the first shard keeps its calls
 * until they end. If the first shard is throttled and the holds give no reason, calls are short, and the number doubles once. It
 * stays low where the balance is low, so that one item decides on the last points. A wallet without calls in flight that
 * is not throttled stays as it is, because nobody knows what its calls cost.
 */
export function wantedShards(shards: number, loads: ShardLoad[], isThrottled = false): number {
  const busiest = Math.max(...loads.map(spreadable));
  const all = loads.reduce((sum, load) => sum + spreadable(load), 0);
  let wanted = shards;
  for (let holds = busiest; holds > limits.shardHolds; holds /= 2) {
    if (all > (wanted * limits.shardHolds) / 2) wanted *= 2;
  }
  if (isThrottled && wanted === shards && shards < throttledMost(loads)) wanted *= 2;
  const held = loads.flatMap(({ holds }) => holds);
  const dearest = held.reduce((most, points) => (points > most ? points : most), 0n);
  const posted = loads.reduce((sum, { avail }) => sum + avail, 0n) + held.reduce((a, b) => a + b, 0n);
  const worth = dearest === 0n ? wanted : Number(posted / (BigInt(limits.shardHolds) * dearest));
  return Math.max(1, Math.min(wanted, worth, limits.shardsMax));
}

/**
 * Whether the hours of a wallet's calls should be spread (shared/edges/store/README.md "Spread hours"): it should have
 * several shards, or one of its items has many calls in flight.
 */
export function wantsSpread(shards: number, loads: Pick<ShardLoad, "holds">[]): boolean {
  return shards > 1 || loads.some(({ holds }) => holds.length > limits.spreadHolds);
}

/**
 * The transfers in groups that are each one transaction of at most so many shards. What one shard gives is one write on
 * it, so that a wallet whose only busy shard gives to all others needs that shard once.
 */
export function transactionsOf(transfers: Transfer[], shardsMax: number): Transfer[][] {
  const groups: Transfer[][] = [];
  for (const each of transfers.toSorted((a, b) => a.from - b.from)) {
    const group = groups.at(-1);
    if (group && group[0]?.from === each.from && group.length < shardsMax - 1) group.push(each);
    else groups.push([each]);
  }
  return groups;
}
