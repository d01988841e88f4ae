/**
 * A wallet's shards as arithmetic (billing.md §2.9): which shard a call is held on, and which points move to it. Amounts
 * are 10⁻¹⁸ points.
 */
import { createHash } from "node:crypto";
import type { KeyRecord, Wallet } from "../accounts/account.ts";
import { budgetOf } from "./budget.ts";
import type { BudgetAsk } from "./hold.ts";
import type { Bounding } from "./levels.ts";

/** How many items a wallet has: its shards in use, and retired ones that may still have holds. */
export function openedShards({ shards, opened }: Wallet): number {
  return opened ?? shards;
}

/** Where the calls of a key must be held: on this shard, on the one that the id selects, or anywhere (null). */
export type Home = number | string | null;

/** The first shard. A wallet always has it, so what is counted there never has to move. */
const firstShard = 0;

/**
 * The home of a key with limits of its own that are counted in one place. The shard that its id selects changes with the
 * number of shards. A budget alone needs no home: every shard may have a part of it. A key that has other limits besides
 * stays on the first shard, which begins with the whole budget. `isBounded`: a budget of another level may bound its calls.
 * So does one whose own budget or another that may bound its calls was changed, as long as the record says so at `at` (Unix
 * milliseconds).
 */
export function homeOf(
  { id, limits: own, first_until = 0 }: Pick<KeyRecord, "id" | "limits" | "first_until">,
  at: number,
  { isBounded, isFirst }: Bounding = { isBounded: false, isFirst: false },
): Home {
  if (isFirst) return firstShard;
  if (own === null) return null;
  if (!budgetOf(own) && !isBounded) return id;
  if (budgetOf(own) && at < first_until) return firstShard;
  const { budget_points: _points, budget_period: _period, ...others } = own;
  return Object.keys(others).length === 0 ? null : firstShard;
}

/**
 * A shard to try, in [0, shards), that is not among the `tried`; undefined where none is left. A call with a `home` has
 * one shard only. Other calls take any shard with the same chance. `random` gives numbers in [0, 1).
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

/** Points that move from one shard to another: of the wallet or, where it says so, of what a budget has left. */
export interface Transfer {
  from: number;
  to: number;
  points: bigint;
  budget?: Pick<BudgetAsk, "counter" | "most">;
}

/** The free points of each shard. */
export type Available = { shard: number; avail: bigint }[];

/**
 * The transfers that give the shard `to` so many free `points`, from the richest shard first. Undefined where all
 * shards together have too few.
 */
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

/**
 * The transfers that leave every shard the same number of points, but for a remainder. None while every shard has
 * between half and twice its part.
 */
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
