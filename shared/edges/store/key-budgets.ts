/**
 * A budget of a wallet's key that is changed (shared/books/meters/README.md "A budget that is changed"). Until the first
 * shard has no more parts out than the new budget covers, the key's calls are held there alone.
 */
import type { Aws } from "../../base/platform/aws.ts";
import type { ChangedKey, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { type Budget, budgetCounter, budgetOf, changedUntil } from "../../books/meters/budget.ts";
import { budgetName } from "../../books/meters/hold.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { keyByHash, keyOfOrganization, type TableNames } from "./dynamodb/item-keys.ts";
import { transact, update } from "./dynamodb/transaction.ts";
import { asRead } from "./key-conditions.ts";
import { names } from "./meters/meter-item.ts";
import { takePartsBack } from "./meters/parts-back.ts";

/**
 * The key after a change at `at` (Unix milliseconds). It says since when its budget counts. Where other shards may have
 * parts of the budget, it also says that the key stays on the first one.
 */
export function withChangedBudget(
  { before, after }: ChangedKey,
  { wallet }: Organization,
  at: number,
): KeyRecord {
  const [was, budget] = [budgetOf(before.limits), budgetOf(after.limits)];
  if (was?.points === budget?.points && was?.period === budget?.period) return after;
  const { first_until: _until, budget_from: from, ...key } = after;
  if (!budget) return key;
  const counts = was?.period === budget.period ? from : at;
  const isShared = after.mode === "payg" && wallet !== null && openedShards(wallet) > 1;
  return {
    ...key,
    ...(counts !== undefined && { budget_from: counts }),
    ...(isShared && { first_until: changedUntil(budget.period, at) }),
  };
}

/**
 * Takes parts back to the first shard until the new budget covers what it counts, and then lets all shards take calls
 * again. If it fails or dies, or the budget is overdrawn, the key stays on the first shard. That is right too, and slower.
 */
export async function spreadAgain(
  aws: Aws,
  tables: Pick<TableNames, "keys" | "counters">,
  { wallet }: Organization,
  key: KeyRecord,
  at: number,
): Promise<KeyRecord> {
  const budget = budgetOf(key.limits);
  if (!wallet || !budget || key.first_until === undefined) return key;
  try {
    return await takenBack(aws, tables, { meter: wallet.meter, budget, at }, key);
  } catch {
    return key;
  }
}

async function takenBack(
  aws: Aws,
  tables: Pick<TableNames, "keys" | "counters">,
  { meter, budget, at }: { meter: string; budget: Budget; at: number },
  key: KeyRecord,
): Promise<KeyRecord> {
  const ask = { counter: budgetName(key.id, budgetCounter(budget.period, at)), most: budget.points };
  const marks = [names.ended(key.id, key.revision)];
  const over = await takePartsBack(aws, tables, { meter, asksOf: () => [ask], marks });
  return over.length === 0 ? await released(aws, tables.keys, key) : key;
}

/** The key without its place on the first shard, unless somebody has changed it since. No call needs to know at once. */
async function released(aws: Aws, table: string, held: KeyRecord): Promise<KeyRecord> {
  const { first_until: _, ...key } = held;
  const records = [keyByHash(key.hash), keyOfOrganization(key.organization, key.id)];
  const remove = ["first_until"];
  const writes = records.map((item) => update({ table, key: item, remove, when: asRead(held) }));
  return (await transact(aws, writes)) === null ? key : held;
}
