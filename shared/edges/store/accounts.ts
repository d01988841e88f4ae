/** Organizations and API keys on DynamoDB. What stops a call at once also stands on the meter it is admitted by. */
import { GatewayError } from "../../base/errors.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { isId } from "../../base/platform/id.ts";
import type { Accounts, CallAccounts, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { type Item, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, begins, type Change, equals, exists } from "./dynamodb/expressions.ts";
import {
  keyOfOrganization,
  organizationKey,
  organizationPartition,
  prefixes,
  readRecord,
  single,
  type TableNames,
} from "./dynamodb/item-keys.ts";
import { beginningWith, changeItem, eachWhere, putItem, updateItem } from "./dynamodb/items.ts";
import { findByHash, rehashKey, storeKey } from "./key-hashes.ts";
import { changeBudgets } from "./level-budgets.ts";
import { names } from "./meters/meter-item.ts";
import { findOrganization, rowsChange } from "./organizations.ts";
import { ownKey } from "./own-keys.ts";
import { createProjects } from "./projects.ts";
import { createWalletRecords } from "./wallet-records.ts";
import { changeWithMeters, onMeters, onRecord, subscriptionMeter, walletMeter } from "./with-meters.ts";

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

    setRows: (id, name, change) => changeItem(aws, rowsChange(keys, id, name, change)),
    changeBudgets: (id, change) => changeBudgets(aws, { keys, counters }, id, change),

    async setSubscription(id, before, subscription) {
      const when = [equals("subscription", toAttribute(before))];
      const change = { table: keys, key: organizationKey(id), set: toItem({ subscription }), when };
      const { done, item } = await updateItem(aws, change);
      return done ? readRecord<Organization>(item) : undefined;
    },
  };
}

/** Few processes ever change or end a key. */
const revisions = () => import("./key-revisions.ts");

/** The accounts as a gateway needs them. The code of the other methods is not in its bundle. */
export function createCallAccounts(aws: Aws, { keys, counters }: AccountTables): CallAccounts {
  return {
    async findPrincipal(hash, ownerOf) {
      const key = await findByHash(aws, keys, hash);
      const owner = key && (ownerOf?.(key) ?? (await findOrganization(aws, keys, key.organization)));
      return owner && { key, organization: owner };
    },

    async emptyCache(id) {
      if (!(await changeItem(aws, emptying(keys, id)))) throw new Error(`the organization ${id} is missing`);
    },

    ...createProjects(aws, keys),
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

    async changeKey(organization, id, change) {
      const { changeKey } = await revisions();
      return await changeKey(aws, { keys, counters }, { organization, id, change });
    },

    async revokeKey(organization, id, at) {
      const { endKeys } = await revisions();
      const [ended] = await endKeys(aws, { keys, counters }, { organization, ids: [id], at });
      return ended;
    },
  };
}

/** The change that empties the cache of an organization. */
export function emptying(table: string, organization: string): Change {
  return { table, key: organizationKey(organization), add: { cache_epoch: 1 }, when: [exists("pk")] };
}

function recordItem(key: Item, record: object): Item {
  return { ...key, ...toItem(record) };
}
