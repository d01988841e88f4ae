/**
 * A wallet's shards as arithmetic (billing.md §2.9): which one a call is held on, how many there should be,
 * and what moves between them. Amounts are 10⁻¹⁸ points.
 */
import { createHash } from "node:crypto";
import type { KeyRecord, Wallet } from "../accounts/account.ts";
import { limits } from "../limits.ts";
import { budgetOf } from "./budget.ts";

/** How many shards a wallet has items for: those in use, and those that were and may still have holds. */
export function openedShards({ shards, opened }: Wallet): number {
  return opened ?? shards;
}

/** Where the calls of a key must be: on this shard, on the one that its id picks, or anywhere (null). */
export type Home = number | string | null;

/** The first shard. It is there for as long as the wallet, so a count on it needs no other shard's. */
const firstShard = 0;

/**
 * The home of a key. Its own limits are counted in one place. That of a key id moves when the number of shards
 * changes; a budget counts for months, so a key that has one stays on the first shard.
 */
export function homeOf({ id, limits: own }: Pick<KeyRecord, "id" | "limits">): Home {
  if (budgetOf(own)) return firstShard;
  return own === null ? null : id;
}

/**
 * A shard to try, in [0, shards), that was not tried yet; undefined when there is none. A call with a `home` has
 * one shard only; others take any, each as likely. `random` gives numbers in [0, 1).
 */
export function pickShard(
  shards: number,
  home: Home,
  tried: ReadonlySet<number>,
  random: () => number = Math.random,
): number | undefined {
  if (typeof home === "number") return tried.has(home) ? undefined : home;
  if (home !== null && shards > 1) {
    const shard = createHash("sha256").update(home).digest().readUInt32BE() % shards;
    return tried.has(shard) ? undefined : shard;
  }
  const taken = [...tried].filter((shard) => shard < shards).sort((a, b) => a - b);
  if (taken.length >= shards) return undefined;
  let shard = Math.floor(random() * (shards - taken.length));
  for (const each of taken) if (each <= shard) shard += 1;
  return shard;
}

/** A shard's money and its calls in flight. */
export interface ShardLoad {
  avail: bigint;
  /** What each call in flight holds. */
  holds: bigint[];
  /**
   * How many of them stay together, however many shards there are. Those of all keys with budgets do, and those of
   * any other key with limits, of which the busiest counts.
   */
  together: number;
}

/**
 * How many shards a wallet of `shards` should have: doubled until none would carry too many holds, and no
 * more than its money is worth, so that the last of it is decided by one item. A wallet without calls in
 * flight stays as it is: what its calls cost is not known.
 */
export function wantedShards(shards: number, loads: ShardLoad[]): number {
  const busiest = Math.max(...loads.map(({ holds, together }) => holds.length - together));
  let wanted = shards;
  for (let holds = busiest; holds > limits.shardHolds; holds /= 2) wanted *= 2;
  const held = loads.flatMap(({ holds }) => holds);
  const dearest = held.reduce((most, points) => (points > most ? points : most), 0n);
  const posted = loads.reduce((sum, { avail }) => sum + avail, 0n) + held.reduce((a, b) => a + b, 0n);
  const worth = dearest === 0n ? wanted : Number(posted / (BigInt(limits.shardHolds) * dearest));
  return Math.max(1, Math.min(wanted, worth, limits.shardsMax));
}

/** Money on its way from one shard to another. */
export interface Transfer {
  from: number;
  to: number;
  points: bigint;
}

/** What each shard has free, by its number. */
export type Available = { shard: number; avail: bigint }[];

/** The transfers that leave every shard the same, to a remainder; none while no shard is far from its part. */
export function evenOut(shards: Available): Transfer[] {
  const total = shards.reduce((sum, { avail }) => sum + avail, 0n);
  const part = total / BigInt(shards.length);
  const isFar = ({ avail }: { avail: bigint }) => avail * 2n < part || avail > part * 2n;
  if (part <= 0n || !shards.some(isFar)) return [];
  const rich = shards
    .map(({ shard, avail }) => ({ shard, left: avail - part }))
    .filter(({ left }) => left > 0n);
  const transfers: Transfer[] = [];
  for (const { shard, avail } of shards) {
    for (let missing = part - avail; missing > 0n; ) {
      const giver = rich.at(-1);
      if (!giver) return transfers;
      const points = giver.left < missing ? giver.left : missing;
      transfers.push({ from: giver.shard, to: shard, points });
      giver.left -= points;
      missing -= points;
      if (giver.left === 0n) rich.pop();
    }
  }
  return transfers;
}

/** The transfers after which the shard `to` has `points` free: from the richest first. Undefined when all have not. */
export function gatherAt(to: number, points: bigint, shards: Available): Transfer[] | undefined {
  let missing = points - (shards.find(({ shard }) => shard === to)?.avail ?? 0n);
  const transfers: Transfer[] = [];
  for (const { shard, avail } of shards.toSorted((a, b) => (a.avail > b.avail ? -1 : 1))) {
    if (missing <= 0n) break;
    if (shard === to || avail <= 0n) continue;
    const part = avail < missing ? avail : missing;
    transfers.push({ from: shard, to, points: part });
    missing -= part;
  }
  return missing > 0n ? undefined : transfers;
}
