/** Organizations and API keys on DynamoDB. What stops a call at once also stands on the meter it is admitted by. */
import type { Accounts, KeyRecord, Organization, Wallet } from "../billing/account.ts";
import { GatewayError } from "../errors.ts";
import type { Aws } from "../platform/aws.ts";
import { fromItem, type Item, toAttribute, toItem } from "./attributes.ts";
import { absent, type Change, equals, exists } from "./expressions.ts";
import { getItem, pages, putItem, updateItem } from "./items.ts";
import { names } from "./meter-item.ts";
import {
  keyByHash,
  keyOfOrganization,
  meterKey,
  organizationKey,
  organizationPartition,
  prefixes,
  single,
  type Tables,
} from "./table.ts";
import { put, transact, update } from "./transaction.ts";

/** Anything else given as a key's id by a client is no key of ours, and need not be looked for. */
const keyId = /^key_[0-9A-HJKMNP-TV-Z]{26}$/;

type AccountTables = Pick<Tables, "keys" | "counters">;

/** The accounts of a table of keys, and their meters in a table of counters. */
export function createAccounts(aws: Aws, tables: AccountTables): Accounts {
  return { ...createOrganizations(aws, tables), ...createKeys(aws, tables) };
}

function createOrganizations(
  aws: Aws,
  { keys, counters }: AccountTables,
): Omit<Accounts, "findPrincipal" | "createKey" | "keys" | "revokeKey"> {
  const organization = (id: string) => findOrganization(aws, keys, id);

  return {
    organization,

    async *organizations() {
      const input = {
        TableName: keys,
        ConsistentRead: true,
        FilterExpression: "begins_with(pk, :organization) AND sk = :single",
        ExpressionAttributeValues: {
          ":organization": { S: prefixes.organization },
          ":single": { S: single },
        },
      };
      for await (const page of pages(aws, "Scan", input)) {
        yield* page.map((item) => fromRecord<Organization>(item));
      }
    },

    async createOrganization(record) {
      // Ids are random: one that is there already is this very record, whose first answer was lost.
      await putItem(aws, keys, recordItem(organizationKey(record.id), record), [absent("pk")]);
    },

    async setStatus(id, status) {
      const before = await organization(id);
      if (!before) return undefined;
      const change = { table: keys, key: organizationKey(id), set: toItem({ status }), when: [exists("pk")] };
      const mark =
        status === "frozen" ? { set: { [names.frozen]: toAttribute(true) } } : { remove: [names.frozen] };
      const meters = [...subscriptionMeter(before), ...walletMeter(before)];
      await changeAll(aws, [change, ...onMeters(counters, meters, mark)]);
      return { ...before, status };
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

    async setSubscription(id, before, subscription) {
      const when = [equals("subscription", toAttribute(before))];
      const change = { table: keys, key: organizationKey(id), set: toItem({ subscription }), when };
      const { done, item } = await updateItem(aws, change);
      return done ? readRecord<Organization>(item) : undefined;
    },
  };
}

function createKeys(
  aws: Aws,
  { keys, counters }: AccountTables,
): Pick<Accounts, "findPrincipal" | "createKey" | "keys" | "revokeKey"> {
  const ownKey = async (owner: string, id: string): Promise<KeyRecord | undefined> =>
    keyId.test(id)
      ? readRecord<KeyRecord>(await getItem(aws, keys, keyOfOrganization(owner, id)))
      : undefined;

  return {
    async findPrincipal(hash) {
      const key = readRecord<KeyRecord>(await getItem(aws, keys, keyByHash(hash)));
      const owner = key && (await findOrganization(aws, keys, key.organization));
      return owner && { key, organization: owner };
    },

    async createKey(record) {
      const records = [keyByHash(record.hash), keyOfOrganization(record.organization, record.id)];
      const verdicts = await transact(
        aws,
        records.map((key) => put(keys, recordItem(key, record), [absent("pk")])),
      );
      if (verdicts) throw new Error(`the key ${record.id} is there already`);
    },

    async keys(id, { limit, after }) {
      if (after !== undefined && !keyId.test(after)) {
        throw new GatewayError("invalid_request", {
          message: "`after` must be the id of a key.",
          param: "after",
        });
      }
      const { Items } = await aws<{ Items: Item[] }>("dynamodb", "Query", {
        TableName: keys,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :organization AND begins_with(sk, :key)",
        ExpressionAttributeValues: {
          ":organization": { S: organizationPartition(id) },
          ":key": { S: prefixes.key },
        },
        Limit: limit + 1,
        ...(after !== undefined && { ExclusiveStartKey: keyOfOrganization(id, after) }),
      });
      const records = Items.map((item) => fromRecord<KeyRecord>(item));
      return { keys: records.slice(0, limit), more: records.length > limit };
    },

    async revokeKey(organizationId, id, at) {
      const [key, owner] = await Promise.all([
        ownKey(organizationId, id),
        findOrganization(aws, keys, organizationId),
      ]);
      if (!key || !owner || key.status === "revoked") return undefined;
      const set = toItem({ status: "revoked" });
      const records = [keyByHash(key.hash), keyOfOrganization(organizationId, id)];
      const changes = records.map((record) => ({ table: keys, key: record, set, when: [exists("pk")] }));
      const meters = key.mode === "payg" ? walletMeter(owner) : subscriptionMeter(owner);
      const mark = { set: { [names.revoked(id)]: toAttribute(at) } };
      await changeAll(aws, [...changes, ...onMeters(counters, meters, mark)]);
      return { ...key, status: "revoked" };
    },
  };
}

async function findOrganization(aws: Aws, table: string, id: string): Promise<Organization | undefined> {
  return readRecord<Organization>(await getItem(aws, table, organizationKey(id)));
}

/** All changes or none. Throws when a record or a meter is not there. */
async function changeAll(aws: Aws, changes: Change[]): Promise<void> {
  const verdicts = await transact(aws, changes.map(update));
  if (verdicts) throw new Error("a record or its meter is missing");
}

/** The same change on every item of the meters. */
function onMeters(table: string, meters: Wallet[], change: Pick<Change, "set" | "remove">): Change[] {
  const shards = meters.flatMap(({ meter, shards }) =>
    Array.from({ length: shards }, (_, i) => meterKey(meter, i)),
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

function fromRecord<Record>(item: Item): Record {
  const { pk: _partition, sk: _sort, ...fields } = item;
  return fromItem(fields) as Record;
}

function readRecord<Record>(item: Item | undefined): Record | undefined {
  return item && fromRecord<Record>(item);
}
