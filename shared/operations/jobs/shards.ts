/**
 * How many shards a wallet has, and where its money lies (billing.md §2.9): done by the sweep as need shows,
 * and by operators. Every step may be the last: whatever it leaves, the next pass goes on from there.
 */
import type { Accounts, Wallet } from "../../accounts/account.ts";
import { evenOut, openedShards, type ShardLoad, type Transfer, wantedShards } from "../../meters/shards.ts";

/** A shard as this pass reads it. */
interface Shard {
  shard: number;
  avail: bigint;
  /** The `key` is one with limits of its own, and `budget` says that a budget is one of them. */
  holds: Map<string, { points: bigint; key?: string; budget?: object }>;
  gone: number;
  frozen: boolean;
  /** When keys were revoked of late, Unix milliseconds. */
  revoked: Map<string, bigint>;
}

export interface ShardDeps {
  accounts: Pick<Accounts, "organization" | "setWallet">;
  meters: {
    shardsOf(meter: string): Promise<Shard[]>;
    openShard(meter: string, shard: number, shards: number): Promise<void>;
    useShard(meter: string, shard: number, revoked: Map<string, bigint>): Promise<void>;
    emptyShard(meter: string, shard: number, shards: number): Promise<void>;
    move(meter: string, transfer: Transfer): Promise<boolean>;
  };
}

/**
 * Gives a wallet `count` shards, by default as many as its calls need and its money is worth; empties those
 * out of use and evens out the others. An organization without a wallet is left alone.
 */
export async function tendWallet(deps: ShardDeps, organization: string, count?: number): Promise<void> {
  const { wallet } = (await deps.accounts.organization(organization)) ?? {};
  if (!wallet) return;
  const wanted = count ?? wantedShards(wallet.shards, (await deps.meters.shardsOf(wallet.meter)).map(loadOf));
  const resized = wanted === wallet.shards ? wallet : await resize(deps, organization, wallet, wanted);
  if (!resized) return;
  await useAndEmpty(deps, resized);
  if (resized.shards > 1) await rebalance(deps, resized);
}

function loadOf({ avail, holds }: Shard): ShardLoad {
  const held = [...holds.values()];
  const budgeted = held.filter(({ budget }) => budget !== undefined);
  const byKey = Map.groupBy(
    held.filter(({ key, budget }) => key !== undefined && budget === undefined),
    ({ key }) => key,
  );
  const together = budgeted.length + Math.max(0, ...[...byKey.values()].map(({ length }) => length));
  return { avail, holds: held.map(({ points }) => points), together };
}

/** The wallet with so many shards; undefined when its record was changed by someone else. New shards take no calls yet. */
async function resize(
  { accounts, meters }: ShardDeps,
  organization: string,
  before: Wallet,
  count: number,
): Promise<Wallet | undefined> {
  const opened = openedShards(before);
  for (let shard = opened; shard < count; shard++) {
    await meters.openShard(before.meter, shard, before.shards);
  }
  const after = { ...before, shards: count, opened: Math.max(opened, count) };
  return (await accounts.setWallet(organization, before, after)) ? after : undefined;
}

/**
 * A new shard takes calls from here on. The wallet's record has it by now, so every later freeze and
 * revocation reaches it; what was revoked before stands on the first shard, which is read now.
 */
async function useAndEmpty({ meters }: ShardDeps, { meter, shards }: Wallet): Promise<void> {
  const [first, ...others] = await meters.shardsOf(meter);
  if (!first) return;
  for (const { shard, gone, avail } of others) {
    const isEmpty = gone === shards && avail === 0n;
    if (shard >= shards && !isEmpty) await meters.emptyShard(meter, shard, shards);
    else if (shard < shards && gone > 0 && !first.frozen) await meters.useShard(meter, shard, first.revoked);
  }
}

async function rebalance({ meters }: ShardDeps, { meter, shards }: Wallet): Promise<void> {
  const used = (await meters.shardsOf(meter)).filter(({ shard, gone }) => shard < shards && gone === 0);
  // What is gone when it shall be moved was spent; the next pass sees what is left.
  for (const transfer of evenOut(used)) await meters.move(meter, transfer);
}
