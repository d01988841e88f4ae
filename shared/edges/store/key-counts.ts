/**
 * How many keys an organization and a member have (people/identity/members.md "How many keys"). `keys` is never below
 * the truth: it counts also those that ended. When it is full or absent, all are counted anew; `changes` shows a key
 * stored meanwhile.
 */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import type { KeyCounts, KeyRecord } from "../../books/accounts/account.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { type Item, toItem } from "./dynamodb/attributes.ts";
import { absent, below, equals } from "./dynamodb/expressions.ts";
import { keyCountKey, organizationPartition, prefixes, readRecord } from "./dynamodb/item-keys.ts";
import { beginningWith, changeItem, getItems, pages } from "./dynamodb/items.ts";
import { update } from "./dynamodb/transaction.ts";

/** Whose keys are counted. */
type Counted = Pick<KeyRecord, "organization" | "created_by">;

interface Count {
  of: keyof KeyCounts;
  key: Item;
}

/** The counts that a key belongs to. Only members' keys have a member. */
function countsOf({ organization, created_by }: Counted): Count[] {
  const all: Count = { of: "organization", key: keyCountKey(organization) };
  if (created_by === undefined) return [all];
  return [all, { of: "member", key: keyCountKey(organization, created_by) }];
}

/**
 * Writes that count a new key, and fail without room. With no limit they never fail; the next limit counts all anew.
 */
export function countWrites(table: string, key: Counted, most: KeyCounts | undefined): TransactWriteItem[] {
  return countsOf(key).map(({ of, key: item }) =>
    update(
      most
        ? { table, key: item, add: { keys: 1, changes: 1 }, when: [below("keys", most[of])] }
        : { table, key: item, add: { changes: 1 }, remove: ["keys"] },
    ),
  );
}

/** Counts the keys in use when this one is made. Gives what has no room for it, or undefined. */
export async function countAnew(
  aws: Aws,
  table: string,
  record: KeyRecord,
  most: KeyCounts,
): Promise<keyof KeyCounts | undefined> {
  const counts = countsOf(record);
  // What is stored after this read raises `changes`.
  const before = await getItems(
    aws,
    counts.map(({ key }) => ({ table, key })),
  );
  const found: KeyCounts = { organization: 0, member: 0 };
  for await (const { status, expires_at, created_by } of keysOf(aws, table, record.organization)) {
    if (!isKept({ status, expires_at }, record.created_at)) continue;
    found.organization += 1;
    if (created_by === record.created_by) found.member += 1;
  }
  await Promise.all(
    counts.map(({ of, key }, at) => {
      const changes = before[at]?.changes;
      return changeItem(aws, {
        table,
        key,
        set: toItem({ keys: found[of] }),
        add: { changes: 1 },
        when: [changes ? equals("changes", changes) : absent("changes")],
      });
    }),
  );
  return counts.find(({ of }) => found[of] >= most[of])?.of;
}

/** What decides whether a key is in use, and whose it is. */
async function* keysOf(
  aws: Aws,
  table: string,
  organization: string,
): AsyncGenerator<Pick<KeyRecord, "status" | "expires_at" | "created_by">> {
  const input = {
    TableName: table,
    ConsistentRead: true,
    ...beginningWith(organizationPartition(organization), prefixes.key),
    ProjectionExpression: "#status, expires_at, created_by",
    ExpressionAttributeNames: { "#status": "status" },
  };
  for await (const page of pages(aws, "Query", input)) yield* page.map((item) => readRecord<KeyRecord>(item));
}
