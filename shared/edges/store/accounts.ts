/** Organizations and API keys on DynamoDB. What stops a call at once also stands on the meter it is admitted by. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { GatewayError } from "../../base/errors.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { isId } from "../../base/platform/id.ts";
import type {
  Accounts,
  CallAccounts,
  KeyRecord,
  Organization,
  Wallet,
} from "../../books/accounts/account.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { type Item, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, begins, type Change, equals, exists } from "./dynamodb/expressions.ts";
import {
  keyByHash,
  keyOfOrganization,
  meterKey,
  organizationKey,
  organizationPartition,
  prefixes,
  readRecord,
  single,
  type TableNames,
} from "./dynamodb/item-keys.ts";
import { beginningWith, changeItem, eachWhere, putItem, updateItem } from "./dynamodb/items.ts";
import { actionsMax, transact, update } from "./dynamodb/transaction.ts";
import { findByHash, rehashKey, storeKey } from "./key-hashes.ts";
import { names } from "./meters/meter-item.ts";
import { budgetsChange, findOrganization } from "./organizations.ts";
import { changeKey, ownKey } from "./own-keys.ts";
import { createWalletRecords } from "./wallet-records.ts";

/** A wallet changes its shards once in minutes. */
const attemptsMax = 5;

type AccountTables = Pick<TableNames, "keys" | "counters">;

/** The accounts of a table of keys, and their meters in a table of counters. */
export function createAccounts(aws: Aws, tables: AccountTables): Accounts {
  return { ...createOrganizations(aws, tables), ...createCallAccounts(aws, tables) };
}

function createOrganizations(
  aws: Aws,
  { keys, counters }: AccountTables,
): Omit<Accounts, keyof CallAccounts> {
  const wallets = createWalletRecords(aws, { keys, counters });
  const { organization } = wallets;

  return {
    ...wallets,

    async *organizations() {
      const when = [begins("pk", prefixes.organization), equals("sk", { S: single })];
      for await (const item of eachWhere(aws, keys, when)) yield readRecord<Organization>(item);
    },

    async createOrganization(record) {
      // Ids are random: one that is there already is this very record, whose first answer was lost.
      await putItem(aws, keys, recordItem(organizationKey(record.id), record), [absent("pk")]);
    },

    async setStatus(id, status) {
      const mark =
        status === "frozen" ? { set: { [names.frozen]: toAttribute(true) } } : { remove: [names.frozen] };
      return await changeWithMeters(aws, organization, id, async (before) => {
        const meters = [...subscriptionMeter(before), ...walletMeter(before)];
        return {
          records: [onRecord(keys, before, { status })],
          others: onMeters(counters, meters, mark),
          changed: { ...before, status },
        };
      });
    },

    async setPermissions(id, permissions) {
      const change = {
        table: keys,
        key: organizationKey(id),
        set: toItem({ permissions }),
        when: [exists("pk")],
      };
      const { done, item } = await updateItem(aws, change);
      return done ? readRecord<Organization>(item) : undefined;
    },

    setBudgets: (id, before, after) => changeItem(aws, budgetsChange(keys, id, before, after)),

    async setSubscription(id, before, subscription) {
      const when = [equals("subscription", toAttribute(before))];
      const change = { table: keys, key: organizationKey(id), set: toItem({ subscription }), when };
      const { done, item } = await updateItem(aws, change);
      return done ? readRecord<Organization>(item) : undefined;
    },
  };
}

/** The accounts as a gateway needs them. The code of the other methods is not in its bundle. */
export function createCallAccounts(aws: Aws, { keys, counters }: AccountTables): CallAccounts {
  return {
    async findPrincipal(hash, ownerOf) {
      const key = readRecord<KeyRecord>(await findByHash(aws, keys, hash));
      const owner = key && (ownerOf?.(key) ?? (await findOrganization(aws, keys, key.organization)));
      return owner && { key, organization: owner };
    },

    async emptyCache(id) {
      if (!(await changeItem(aws, emptying(keys, id)))) throw new Error(`the organization ${id} is missing`);
    },

    key: (owner, id) => ownKey(aws, keys, owner, id),
    createKey: (record, more) => storeKey(aws, keys, record, more),
    rehashKey: (record, to, at) => rehashKey(aws, keys, record, to, at),

    async keys(id, { limit, after }) {
      if (after !== undefined && !isId(after, "key")) {
        throw new GatewayError("invalid_request", {
          message: "`after` must be the id of a key.",
          param: "after",
        });
      }
      const { Items = [] } = await aws("dynamodb", "Query", {
        TableName: keys,
        ConsistentRead: true,
        ...beginningWith(organizationPartition(id), prefixes.key),
        Limit: limit + 1,
        ...(after !== undefined && { ExclusiveStartKey: keyOfOrganization(id, after) }),
      });
      const records = Items.map((item) => readRecord<KeyRecord>(item));
      return { keys: records.slice(0, limit), more: records.length > limit };
    },

    changeKey: (organization, id, defaults) => changeKey(aws, keys, { organization, id, defaults }),

    async revokeKey(organization, id, at) {
      const [ended] = await endKeys(aws, { keys, counters }, { organization, ids: [id], at });
      return ended;
    },
  };
}

/** The change that empties the cache of an organization. */
export function emptying(table: string, organization: string): Change {
  return { table, key: organizationKey(organization), add: { cache_epoch: 1 }, when: [exists("pk")] };
}

/** How many keys one transaction ends, with a line for each: 3 actions a key, and room for meters. */
const endedAtOnceMax = 25;

/** Revokes keys, each with the writes of `also`. Gives those revoked: others were so before, or are unknown. */
export async function endKeys(
  aws: Aws,
  tables: AccountTables,
  { organization, ids, at }: { organization: string; ids: string[]; at: number },
  also: (key: KeyRecord) => TransactWriteItem[] = () => [],
): Promise<KeyRecord[]> {
  const ended: KeyRecord[] = [];
  const find = (owner: string) => findOrganization(aws, tables.keys, owner);
  for (let from = 0; from < ids.length; from += endedAtOnceMax) {
    const some = ids.slice(from, from + endedAtOnceMax);
    const changesOf = async (owner: Organization) => {
      // A key may move to another hash meanwhile, and then all of this begins anew.
      const found = await Promise.all(some.map((id) => ownKey(aws, tables.keys, organization, id)));
      const living = found.filter((key) => key !== undefined && key.status !== "revoked") as KeyRecord[];
      return living.length === 0 ? undefined : endOf(owner, living, at, { tables, also });
    };
    ended.push(...((await changeWithMeters(aws, find, organization, changesOf)) ?? []));
  }
  return ended;
}

/** The changes that revoke these keys of an organization: both records of each, and a mark on each meter. */
function endOf(
  owner: Organization,
  living: KeyRecord[],
  at: number,
  { tables, also }: { tables: AccountTables; also: (key: KeyRecord) => TransactWriteItem[] },
): MeterChanges<KeyRecord[]> {
  const set = toItem({ status: "revoked" });
  const records = living.flatMap(({ id, hash }) =>
    [keyByHash(hash), keyOfOrganization(owner.id, id)].map((key) => ({
      ...{ table: tables.keys, key, set },
      when: [equals("hash", toAttribute(hash))],
    })),
  );
  const marks = (mode: KeyRecord["mode"], meters: Wallet[]) => {
    const ids = living.filter((key) => key.mode === mode).map(({ id }) => id);
    if (ids.length === 0) return [];
    const marked = Object.fromEntries(ids.map((id) => [names.revoked(id), toAttribute(at)]));
    return onMeters(tables.counters, meters, { set: marked });
  };
  return {
    records: [onRecord(tables.keys, owner, {}), ...records],
    others: [...marks("payg", walletMeter(owner)), ...marks("subscription", subscriptionMeter(owner))],
    also: living.flatMap(also),
    changed: living.map((key) => ({ ...key, status: "revoked" as const })),
  };
}

/** What follows from an organization as it is. */
interface MeterChanges<Changed> {
  /** Changes of records, each on the condition that the record is as it was read. */
  records: Change[];
  others: Change[];
  /** Further writes of the transaction with the records. */
  also?: TransactWriteItem[];
  /** What the records say then. */
  changed: Changed;
}

/**
 * Makes the changes that follow from an organization as it is; undefined where nothing follows. If a record changes
 * meanwhile, it begins anew, as the wallet may get another shard. A very large wallet needs more than one transaction:
 * its last shards come first, so that a repetition does all again. Throws when a record or meter is missing.
 */
async function changeWithMeters<Changed>(
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
    const { records, others, also = [], changed } = following;
    const changes = [...records, ...others];
    const first = actionsMax - also.length;
    for (let from = first; from < changes.length; from += actionsMax) {
      const outcomes = await transact(aws, changes.slice(from, from + actionsMax).map(update));
      if (outcomes) throw new Error("a meter is missing");
    }
    const outcomes = await transact(aws, [...changes.slice(0, first).map(update), ...also]);
    if (!outcomes) return changed;
    const isStale = outcomes.slice(0, records.length).some(({ failed }) => failed);
    if (!isStale || attempt >= attemptsMax) throw new Error("a record or its meter is missing");
  }
}

/** A change of an organization's record that needs its wallet to be as it was read. */
function onRecord(table: string, { id, wallet }: Organization, fields: Partial<Organization>): Change {
  const set = toItem({ wallet, ...fields });
  return { table, key: organizationKey(id), set, when: [equals("wallet", toAttribute(wallet))] };
}

/** The same change on every item of the meters, also those that are out of use. */
function onMeters(table: string, meters: Wallet[], change: Pick<Change, "set" | "remove">): Change[] {
  const shards = meters.flatMap((wallet) =>
    Array.from({ length: openedShards(wallet) }, (_, i) => meterKey(wallet.meter, i)),
  );
  return shards.map((key) => ({ table, key, ...change, when: [exists("kind")] }));
}

function subscriptionMeter({ subscription }: Organization): Wallet[] {
  return subscription ? [{ meter: subscription.meter, shards: 1 }] : [];
}

function walletMeter({ wallet }: Organization): Wallet[] {
  return wallet ? [wallet] : [];
}

function recordItem(key: Item, record: object): Item {
  return { ...key, ...toItem(record) };
}
