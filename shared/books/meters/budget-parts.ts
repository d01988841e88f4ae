/**
 * How a wallet's shards share a budget (README.md "Budgets on several shards"), as arithmetic. Amounts are 10⁻¹⁸ points.
 */
import { limits } from "../../base/limits.ts";
import type { BudgetAsk } from "./hold.ts";
import type { Meter } from "./meter.ts";
import { type Available, evenOut, gatherAt, type Transfer } from "./shards.ts";

/** What a budget's counter may come to on a shard: the whole budget on the first one, and nothing beyond its part on another. */
export function counterMost(shard: number, most: bigint): bigint {
  return shard === 0 ? most : 0n;
}

/** What a budget has left on a shard. It is below 0 where calls took more than they held. */
export function roomOn(
  { shard, budgets }: Pick<Meter, "shard" | "budgets">,
  { counter, most }: Pick<BudgetAsk, "counter" | "most">,
): bigint {
  return counterMost(shard, most) - (budgets.get(counter) ?? 0n);
}

/** Whether every budget has room on this shard for what is asked of it. */
export function hasRoom(item: Pick<Meter, "shard" | "budgets">, asks: readonly BudgetAsk[]): boolean {
  return asks.every((ask) => roomOn(item, ask) >= ask.points);
}

/**
 * On how many of a wallet's first shards such calls are held: all, unless a part of the budget would be worth fewer than
 * 64 of them. The smallest budget decides.
 */
export function shardsShared(asks: readonly BudgetAsk[], shards: number): number {
  return asks.reduce((fewest, { most, points }) => {
    if (points === 0n) return fewest;
    const worth = most / (BigInt(limits.partCallsMin) * points);
    return worth < BigInt(fewest) ? Math.max(1, Number(worth)) : fewest;
  }, shards);
}

/**
 * The transfers that give the shard `to` room for what is asked, those to it first. While more than half of the budget is
 * left, all the `sharing` shards get even parts, because each of them will be asked. Later this shard alone gets its even
 * part, or more if the call needs that. None where it has room. Undefined where those that have something left have too little.
 */
export function partsAt(
  to: number,
  { counter, most, points }: BudgetAsk,
  items: readonly Pick<Meter, "shard" | "budgets">[],
  sharing: ReadonlySet<number>,
): Transfer[] | undefined {
  const rooms: Available = items.map((item) => ({
    shard: item.shard,
    avail: roomOn(item, { counter, most }),
  }));
  const own = rooms.find(({ shard }) => shard === to);
  if (own && own.avail >= points) return [];
  const left = rooms.reduce((sum, { avail }) => sum + avail, 0n);
  const part = left / BigInt(Math.max(1, sharing.size));
  const evened =
    left * 2n > most
      ? evenOut(
          toFirst(
            to,
            rooms.filter(({ shard }) => sharing.has(shard)),
          ),
        )
      : [];
  const isServed = evened.some((each) => each.to === to) && part >= points;
  const transfers = isServed ? evened : gatherAt(to, part > points ? part : points, rooms);
  return transfers?.map((each) => ({ ...each, budget: { counter, most } }));
}

function toFirst(to: number, rooms: Available): Available {
  return rooms.toSorted((a, b) => Number(b.shard === to) - Number(a.shard === to));
}
