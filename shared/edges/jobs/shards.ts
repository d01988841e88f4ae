/**
 * Shards of a wallet (billing.md §2.9), by the sweep, by hand or by a gateway in a rush. If a pass dies, the next one
 * goes on from there.
 */
import type { Accounts, Wallet } from "../../books/accounts/account.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import { loadOf, type ShardLoad, wantedShards, wantsSpread } from "../../books/meters/growth.ts";
import type { Meter, Meters } from "../../books/meters/meter.ts";
import { evenOut, openedShards } from "../../books/meters/shards.ts";

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
  const loads = (await deps.meters.shardsOf(wallet.meter)).map(loadOf);
  await setShards(organization, wallet, wantedOf(count ?? wantedShards(wallet.shards, loads), loads), deps);
}

/** What a gateway knew of a wallet when it met a rush, and whether the first shard was throttled. */
export interface FoundRush {
  shards: number;
  throttled: boolean;
}

/**
 * Gives a wallet more shards in a rush, and never fewer: the sweep sees to that. Does nothing if the wallet has other
 * shards than the gateway knew. Then others were quicker, and the gateway has to learn of them first.
 */
export async function growWallet(
  organization: string,
  { shards, throttled }: FoundRush,
  deps: ShardDeps,
): Promise<void> {
  const { wallet } = (await deps.accounts.organization(organization)) ?? {};
  if (wallet?.shards !== shards) return;
  const items = await deps.meters.shardsOf(wallet.meter);
  const loads = items.map(loadOf);
  const wanted = wantedOf(Math.max(shards, wantedShards(shards, loads, throttled)), loads);
  // In a long rush many processes ask, and most find nothing to do.
  const named = namedBy(wallet, items);
  const isDone = isSo(wallet, wanted) && !named.some(isUnused) && evenOut(named).length === 0;
  if (!isDone) await setShards(organization, wallet, wanted, deps);
}

/** What a wallet should be. Its hours stay spread, whatever it has. */
type Wanted = Pick<Wallet, "shards" | "spread">;

function wantedOf(shards: number, loads: ShardLoad[]): Wanted {
  return { shards, ...(wantsSpread(shards, loads) && { spread: true }) };
}

function isSo(wallet: Wallet, { shards, spread }: Wanted): boolean {
  return wallet.shards === shards && (wallet.spread || !spread);
}

async function setShards(
  organization: string,
  before: Wallet,
  wanted: Wanted,
  deps: ShardDeps,
): Promise<void> {
  const wallet = isSo(before, wanted) ? before : await resize(organization, before, wanted, deps);
  if (!wallet) return;
  await emptyRetired(wallet, deps);
  if (wallet.shards > 1) await spreadAndUse(wallet, deps);
}

/** The wallet as it should be. Undefined where somebody else changed its record. New shards take no calls yet. */
async function resize(
  organization: string,
  before: Wallet,
  { shards: count, spread }: Wanted,
  { accounts, meters, ledger }: ShardDeps,
): Promise<Wallet | undefined> {
  const isSpread = before.spread || spread;
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

/** Takes the shards that the record no longer names out of use, and moves what they have to the first. */
async function emptyRetired({ meter, shards }: Wallet, { meters }: ShardDeps): Promise<void> {
  for (const { shard, shardsAtRetirement, avail, budgets } of await meters.shardsOf(meter)) {
    const isEmpty = shardsAtRetirement === shards && avail === 0n && budgets.size === 0;
    if (shard >= shards && !isEmpty) await meters.emptyShard(meter, shard, shards);
  }
}

/**
 * Evens out the points of the shards, and then lets new ones take calls, so that they have points for the first of them.
 * Earlier revocations are on the first shard. Later ones reach all that the record names.
 */
async function spreadAndUse(wallet: Wallet, { meters }: ShardDeps): Promise<void> {
  const named = namedBy(wallet, await meters.shardsOf(wallet.meter));
  // Calls may spend points before they are moved. The next pass sees what is left.
  await meters.move(wallet.meter, evenOut(named));
  const [first] = named;
  if (!first || first.frozen) return;
  for (const { shard } of named.filter(isUnused)) await meters.useShard(wallet.meter, shard, first.ended);
}

/** The shards that the record names. */
function namedBy({ shards }: Wallet, items: Meter[]): Meter[] {
  return items.filter(({ shard }) => shard < shards);
}

/** Whether a shard takes no calls yet. */
function isUnused({ shardsAtRetirement }: Pick<Meter, "shardsAtRetirement">): boolean {
  return shardsAtRetirement !== null;
}
