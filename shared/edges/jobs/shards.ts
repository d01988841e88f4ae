/** Shards of a wallet (billing.md §2.9), by the sweep or by hand. If a pass dies, the next one goes on from there. */
import type { Accounts, Wallet } from "../../books/accounts/account.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { Meter, Meters } from "../../books/meters/meter.ts";
import { evenOut, openedShards, type ShardLoad, wantedShards } from "../../books/meters/shards.ts";

export interface ShardDeps {
  accounts: Pick<Accounts, "organization" | "setWallet">;
  meters: Pick<Meters, "shardsOf" | "openShard" | "useShard" | "emptyShard" | "move">;
  ledger: Pick<Ledger, "spreadHours">;
}

/**
 * Gives a wallet `count` shards, by default as many as calls need and balance allows. Does nothing without a wallet.
 */
export async function tendWallet(
  organization: string,
  count: number | undefined,
  deps: ShardDeps,
): Promise<void> {
  const { wallet } = (await deps.accounts.organization(organization)) ?? {};
  if (!wallet) return;
  const wanted = count ?? wantedShards(wallet.shards, (await deps.meters.shardsOf(wallet.meter)).map(loadOf));
  const isRight = wanted === wallet.shards && (wanted === 1 || wallet.spread === true);
  const resized = isRight ? wallet : await resize(organization, wallet, wanted, deps);
  if (!resized) return;
  await useAndEmpty(resized, deps);
  if (resized.shards > 1) await rebalance(resized, deps);
}

function loadOf({ avail, holds }: Pick<Meter, "avail" | "holds">): ShardLoad {
  const held = [...holds.values()];
  const budgeted = held.filter(({ budget }) => budget !== undefined);
  const byKey = Map.groupBy(
    held.filter(({ key, budget }) => key !== undefined && budget === undefined),
    ({ key }) => key,
  );
  const together = budgeted.length + Math.max(0, ...[...byKey.values()].map(({ length }) => length));
  return { avail, holds: held.map(({ points }) => points), together };
}

/**
 * The wallet with so many shards. Undefined where somebody else changed its record. New shards take no calls yet. A
 * wallet that needs several has more calls than one partition of the ledger takes, so its hours are spread.
 */
async function resize(
  organization: string,
  before: Wallet,
  count: number,
  { accounts, meters, ledger }: ShardDeps,
): Promise<Wallet | undefined> {
  const isSpread = before.spread || count > 1;
  // Readers know first.
  if (isSpread && !before.spread) await ledger.spreadHours(organization);
  const opened = openedShards(before);
  for (let shard = opened; shard < count; shard++) {
    await meters.openShard(before.meter, shard, before.shards);
  }
  const after: Wallet = {
    ...before,
    shards: count,
    opened: Math.max(opened, count),
    ...(isSpread && { spread: true }),
  };
  return (await accounts.setWallet(organization, before, after)) ? after : undefined;
}

/**
 * Lets new shards take calls. Earlier revocations are on the first shard. Later ones reach all that the record names.
 */
async function useAndEmpty({ meter, shards }: Wallet, { meters }: ShardDeps): Promise<void> {
  const [first, ...others] = await meters.shardsOf(meter);
  if (!first) return;
  for (const { shard, shardsAtRetirement, avail } of others) {
    const isEmpty = shardsAtRetirement === shards && avail === 0n;
    if (shard >= shards && !isEmpty) await meters.emptyShard(meter, shard, shards);
    else if (shard < shards && shardsAtRetirement !== null && !first.frozen)
      await meters.useShard(meter, shard, first.revoked);
  }
}

async function rebalance({ meter, shards }: Wallet, { meters }: ShardDeps): Promise<void> {
  const items = await meters.shardsOf(meter);
  const used = items.filter(({ shard, shardsAtRetirement }) => shard < shards && shardsAtRetirement === null);
  // Calls may spend points before they are moved. The next pass sees what is left.
  for (const transfer of evenOut(used)) await meters.move(meter, transfer);
}
