/**
 * Revisions of a key (README.md "Revisions of keys"). A change or a revocation ends the one that is there: in both records
 * of the key, and by a mark on each item of its meter. So a process that knows an older record is refused by the meter.
 */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import type { ChangedKey, KeyChange, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import type { Change } from "./dynamodb/expressions.ts";
import { keyByHash, keyOfOrganization, type TableNames } from "./dynamodb/item-keys.ts";
import { spreadAgain, withChangedBudget } from "./key-budgets.ts";
import { asRead } from "./key-conditions.ts";
import { rotationWrites } from "./key-hashes.ts";
import { names } from "./meters/meter-item.ts";
import { findOrganization } from "./organizations.ts";
import { ownKey } from "./own-keys.ts";
import {
  changeWithMeters,
  type MeterChanges,
  onMeters,
  onRecord,
  revisionsToEnd,
  subscriptionMeter,
  walletMeter,
} from "./with-meters.ts";

type KeyTables = Pick<TableNames, "keys" | "counters">;

/** Changes a key (`Accounts.changeKey`), with the writes of `also`. Begins anew where others changed it meanwhile. */
export async function changeKey(
  aws: Aws,
  tables: KeyTables,
  { organization, id, change }: { organization: string; id: string; change: KeyChange },
  also: (changed: ChangedKey) => TransactWriteItem[] = () => [],
): Promise<ChangedKey | undefined> {
  const find = (owner: string) => findOrganization(aws, tables.keys, owner);
  const done = await changeWithMeters(aws, find, organization, async (owner) => {
    const before = await ownKey(aws, tables.keys, organization, id);
    if (!before || before.status === "revoked") return undefined;
    const wanted = { ...change.of(before), revision: (before.revision ?? 0) + 1 };
    const after = withChangedBudget({ before, after: wanted }, owner, change.at);
    const changed = { before, after };
    const rotation = after.hash === before.hash ? [] : rotationWrites(tables.keys, changed, change);
    return {
      records: [onRecord(tables.keys, owner, {}), ...recordChanges(tables.keys, changed)],
      others: marksOf(tables.counters, owner, unmarked(before, owner), change.at),
      also: [...rotation, ...also(changed)],
      changed: { ...changed, owner },
      recordsFirst: true,
    };
  });
  if (!done) return undefined;
  const { before, after, owner } = done;
  return { before, after: await spreadAgain(aws, tables, owner, after, change.at) };
}

/** What makes both records of a key say what it is after a change. Its record at another hash is put there. */
function recordChanges(table: string, { before, after }: ChangedKey): Change[] {
  const is = toItem(after);
  const was = toItem(before);
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(was[name]) !== JSON.stringify(value);
  const set = Object.fromEntries(Object.entries(is).filter(differs));
  const remove = Object.keys(was).filter((name) => !(name in is));
  const own = keyOfOrganization(before.organization, before.id);
  const records = after.hash === before.hash ? [keyByHash(before.hash), own] : [own];
  return records.map((key) => ({ table, key, set, remove, when: asRead(before) }));
}

/** A key as it is in each of the revisions that a change ends. */
function unmarked(key: KeyRecord, { wallet }: Organization): KeyRecord[] {
  const revisions = revisionsToEnd(key.revision ?? 0, key.mode === "payg" ? wallet : null);
  return revisions.map((revision) => ({ ...key, revision }));
}

/** The marks that end the revisions of these keys of an organization, on each item of their meters. */
function marksOf(table: string, owner: Organization, keys: KeyRecord[], at: number): Change[] {
  const marks = (mode: KeyRecord["mode"], meters: Parameters<typeof onMeters>[1]) => {
    const ended = keys
      .filter((key) => key.mode === mode)
      .map(({ id, revision }) => names.ended(id, revision));
    if (ended.length === 0) return [];
    return onMeters(table, meters, { set: Object.fromEntries(ended.map((name) => [name, toAttribute(at)])) });
  };
  return [...marks("payg", walletMeter(owner)), ...marks("subscription", subscriptionMeter(owner))];
}

/** How many keys one transaction ends, with a line for each: 3 actions a key, and room for meters. */
const endedAtOnceMax = 25;

/** Revokes keys, each with the writes of `also`. Gives those revoked: others were so before, or are unknown. */
export async function endKeys(
  aws: Aws,
  tables: KeyTables,
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
  { tables, also }: { tables: KeyTables; also: (key: KeyRecord) => TransactWriteItem[] },
): MeterChanges<KeyRecord[]> {
  const set = toItem({ status: "revoked" });
  const records = living.flatMap((read) =>
    [keyByHash(read.hash), keyOfOrganization(owner.id, read.id)].map((key) => ({
      ...{ table: tables.keys, key, set },
      when: asRead(read),
    })),
  );
  return {
    records: [onRecord(tables.keys, owner, {}), ...records],
    others: marksOf(tables.counters, owner, living, at),
    also: living.flatMap(also),
    changed: living.map((key) => ({ ...key, status: "revoked" as const })),
  };
}
