/** Changes of records that must stand on the meters too, in one transaction where the wallet is not a very large one. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import type { Organization, Wallet } from "../../books/accounts/account.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { type Change, equals, exists } from "./dynamodb/expressions.ts";
import { meterKey, organizationKey } from "./dynamodb/item-keys.ts";
import { actionsMax, transact, update } from "./dynamodb/transaction.ts";

/** A wallet changes its shards once in minutes. */
const attemptsMax = 5;

/** What follows from an organization as it is. */
export interface MeterChanges<Changed> {
  /** Changes of records, each on the condition that the record is as it was read. */
  records: Change[];
  others: Change[];
  /** Further writes of the transaction with the records. */
  also?: TransactWriteItem[];
  /** What the records say then. */
  changed: Changed;
  /**
   * Of a very large wallet the records and the first shards come before the last shards, and not after them. So a change
   * that dies leaves no mark of a revision that is still the last.
   */
  recordsFirst?: true;
}

/**
 * Makes the changes that follow from an organization as it is; undefined where nothing follows. If a record changes
 * meanwhile, it begins anew, as the wallet may get another shard. A very large wallet needs more than one transaction:
 * its last shards come first, so that a repetition does all again, or last where the records come first. Throws when a
 * record or meter is missing.
 */
export async function changeWithMeters<Changed>(
  aws: Aws,
  find: (id: string) => Promise<Organization | undefined>,
  id: string,
  changesOf: (before: Organization) => Promise<MeterChanges<Changed> | undefined>,
): Promise<Changed | undefined> {
  for (let attempt = 1; ; attempt++) {
    const before = await find(id);
    if (!before) return undefined;
    const following = await changesOf(before);
    if (!following) return undefined;
    const { records, others, also = [], changed, recordsFirst } = following;
    const changes = [...records, ...others];
    const first = actionsMax - also.length;
    const rest = async () => {
      for (let from = first; from < changes.length; from += actionsMax) {
        const outcomes = await transact(aws, changes.slice(from, from + actionsMax).map(update));
        if (outcomes) throw new Error("a meter is missing");
      }
    };
    if (!recordsFirst) await rest();
    const outcomes = await transact(aws, [...changes.slice(0, first).map(update), ...also]);
    if (!outcomes && recordsFirst) await rest();
    if (!outcomes) return changed;
    const isStale = outcomes.slice(0, records.length).some(({ failed }) => failed);
    if (!isStale || attempt >= attemptsMax) throw new Error("a record or its meter is missing");
  }
}

/** A change of an organization's record that needs its wallet to be as it was read. */
export function onRecord(table: string, { id, wallet }: Organization, fields: Partial<Organization>): Change {
  const set = toItem({ wallet, ...fields });
  return { table, key: organizationKey(id), set, when: [equals("wallet", toAttribute(wallet))] };
}

/** The same change on every item of the meters, also those that are out of use. */
export function onMeters(table: string, meters: Wallet[], change: Pick<Change, "set" | "remove">): Change[] {
  const shards = meters.flatMap((wallet) =>
    Array.from({ length: openedShards(wallet) }, (_, i) => meterKey(wallet.meter, i)),
  );
  return shards.map((key) => ({ table, key, ...change, when: [exists("kind")] }));
}

/** So many shards are marked by the transaction of the records. */
const shardsAtOnce = 80;
/** How many changes of a record may die one after another, within the time that a process knows a record. */
const deadChangesMax = 3;

/**
 * The revisions of a record that a change ends: the last one, and the one before, which a release may have ended on the first
 * shard alone. On a very large wallet the changes before may have died before all shards had their marks, so that their
 * revisions are ended once more. A change and its release are two.
 */
export function revisionsToEnd(last: number, wallet: Wallet | null): number[] {
  const isLarge = wallet !== null && openedShards(wallet) > shardsAtOnce;
  const first = Math.max(0, last - (isLarge ? 2 * deadChangesMax : 1));
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

export function subscriptionMeter({ subscription }: Organization): Wallet[] {
  return subscription ? [{ meter: subscription.meter, shards: 1 }] : [];
}

export function walletMeter({ wallet }: Organization): Wallet[] {
  return wallet ? [wallet] : [];
}
