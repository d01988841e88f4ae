/**
 * The records of keys by their hashes. A key has one record by its hash and one by its organization. After a rotation of
 * the pepper it moves to another hash (calls/access/README.md "Peppers").
 */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { type Aws, isOverload } from "../../base/platform/aws.ts";
import type { ChangedKey, KeyChange, KeyRecord, KeyRefusal, NewKey } from "../../books/accounts/account.ts";
import type { KeyHashes } from "../../books/accounts/key-hashes.ts";
import { type Item, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, begins, either, equals, exists } from "./dynamodb/expressions.ts";
import { itemKey, keyByHash, keyOfOrganization, prefixes, readRecord, single } from "./dynamodb/item-keys.ts";
import { eachWhere, getItem } from "./dynamodb/items.ts";
import { isContention, put, remove, transact, update } from "./dynamodb/transaction.ts";
import { asRead } from "./key-conditions.ts";
import { countAnew, countWrites } from "./key-counts.ts";
import { ownKey } from "./own-keys.ts";

/**
 * The key with this hash. Where a key has moved to another hash, the key there. At the hash of an old secret, the key as
 * long as its record names that secret: it ends with it.
 */
export async function findByHash(aws: Aws, table: string, hash: string): Promise<KeyRecord | undefined> {
  const item = await getItem(aws, table, keyByHash(hash));
  if (item?.moved) return await findByHash(aws, table, readText(item.moved));
  if (!item?.rotated) return readRecord<KeyRecord>(item);
  const { rotated } = readRecord<Rotated>(item);
  const key = await ownKey(aws, table, rotated.organization, rotated.id);
  if (key?.old?.hash !== hash) return undefined;
  return { ...key, expires_at: Math.min(key.expires_at ?? key.old.until, key.old.until) };
}

/** What stands at the hash of a secret that was made anew: whose it was, and until when it may be in force. */
interface Rotated {
  rotated: Pick<KeyRecord, "organization" | "id">;
  until: number;
}

/**
 * The writes by which a key gets another secret, beside the change of its record by organization. The new hash gets the
 * key's record, and the old one keeps whose it was.
 */
export function rotationWrites(
  table: string,
  { before, after }: ChangedKey,
  { at, previous }: Pick<KeyChange, "at" | "previous">,
): TransactWriteItem[] {
  const { organization, id } = before;
  const left: Rotated = { rotated: { organization, id }, until: after.old?.until ?? at };
  const items = [{ ...keyByHash(after.hash), ...toItem(after) }];
  if (previous !== undefined) items.push(movedItem(previous, after.hash, at));
  return [
    ...items.map((item) => put(table, item, [absent("pk")])),
    put(table, { ...keyByHash(before.hash), ...toItem(left) }, asRead(before)),
  ];
}

/** How often a key is stored anew where others were stored at the same moment. */
const attemptsMax = 8;

/** What is written or must hold in the transaction that stores a key. */
interface KeyCompany {
  lines: TransactWriteItem[];
  /** Conditions on who makes the key. */
  checks: TransactWriteItem[];
}

/**
 * Stores a new key (`Accounts.createKey`). All keys of an organization write its count: if that takes too long, one
 * with a limit is `busy`. Without a limit DynamoDB's refusal is thrown, and an operator may repeat it.
 */
export async function storeKey(
  aws: Aws,
  table: string,
  record: KeyRecord,
  { previous, most }: NewKey = {},
  { lines, checks }: KeyCompany = { lines: [], checks: [] },
): Promise<KeyRefusal | undefined> {
  const items = [keyByHash(record.hash), keyOfOrganization(record.organization, record.id)].map((key) => ({
    ...key,
    ...toItem(record),
  }));
  if (previous !== undefined) items.push(movedItem(previous, record.hash, record.created_at));
  const counts = countWrites(table, record, most);
  const puts = items.map((item) => put(table, item, [absent("pk")]));
  const writes = [...checks, ...counts, ...puts, ...lines];
  try {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const outcomes = await transact(aws, writes);
      if (!outcomes) return undefined;
      if (outcomes.slice(0, checks.length).some(({ failed }) => failed)) return "maker";
      if (!most || outcomes.slice(checks.length + counts.length).some(({ failed }) => failed))
        throw new Error(`the key ${record.id} is there already`);
      const full = await countAnew(aws, table, record, most);
      if (full) return full;
    }
  } catch (error) {
    if (!most || !(isContention(error) || isOverload(error))) throw error;
  }
  return "busy";
}

/** Moves an active key to another hash, and says whether it did (`Accounts.rehashKey`). */
export async function rehashKey(
  aws: Aws,
  table: string,
  record: KeyRecord,
  to: Required<Pick<KeyRecord, "hash" | "hash_version">>,
  at: number,
): Promise<boolean> {
  const moved: Item = { ...keyByHash(to.hash), ...toItem({ ...record, ...to }) };
  const outcomes = await transact(aws, [
    put(table, moved, [absent("pk")]),
    // The copy would undo a change or a revocation that came since the record was read. What has moved has no status.
    put(table, movedItem(record.hash, to.hash, at), [
      equals("status", toAttribute("active")),
      ...asRead(record),
    ]),
    update({
      table,
      key: keyOfOrganization(record.organization, record.id),
      set: toItem(to),
      when: asRead(record),
    }),
  ]);
  return outcomes === null;
}

/** What stays at a hash that a key has left. */
function movedItem(from: string, to: string, moved_at: number): Item {
  return { ...keyByHash(from), ...toItem({ moved: to, moved_at }) };
}

/** The hashes of a table of keys. */
export function createKeyHashes(aws: Aws, { keys: table }: { keys: string }): KeyHashes {
  return {
    async *all() {
      const when = [begins("pk", prefixes.key), equals("sk", { S: single })];
      for await (const item of eachWhere(aws, table, when)) {
        const hash = readText(item.pk).slice(prefixes.key.length);
        yield item.moved
          ? { hash, left_at: Number(item.moved_at?.N) }
          : item.rotated
            ? { hash, left_at: readRecord<Rotated>(item).until }
            : { hash, key: readRecord<KeyRecord>(item) };
      }
    },

    async forget(hashes) {
      const isLeft = either(absent("pk"), either(exists("moved"), exists("rotated")));
      const outcomes = await transact(
        aws,
        hashes.map((hash) => remove(table, itemKey(`${prefixes.key}${hash}`, single), [isLeft])),
      );
      if (outcomes) throw new Error("a key's record is at a hash that it had left");
    },
  };
}
