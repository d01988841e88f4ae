/** The index of what is due in the table of accounts: orders, ends of plans, invoices. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { IndexKind } from "./account-keys.ts";
import type { Item } from "./attributes.ts";

/** An instant (Unix ms) as the index sorts it. */
export function dueText(at: number): string {
  return String(at).padStart(15, "0");
}

/** An item without its place in the index. */
export function unmarked({ due_kind: _kind, due_at: _at, ...item }: Item): Item {
  return item;
}

/**
 * The keys of what is due, the earliest first. `from`, `now`: between these instants (Unix ms), or up to `now`, or all.
 * `start`: from behind it.
 */
export async function dueItems(
  aws: Aws,
  table: string,
  {
    kind,
    from,
    now,
    limit,
    newestFirst = false,
    start,
  }: { kind: IndexKind; from?: number; now?: number; limit: number; newestFirst?: boolean; start?: Item },
): Promise<Item[]> {
  const { Items = [] } = await aws("dynamodb", "Query", {
    TableName: table,
    IndexName: "due",
    KeyConditionExpression: `due_kind = :kind${spanOf(from, now)}`,
    ExpressionAttributeValues: {
      ":kind": { S: kind },
      ...(from !== undefined && { ":from": { S: dueText(from) } }),
      ...(now !== undefined && { ":now": { S: dueText(now) } }),
    },
    ScanIndexForward: !newestFirst,
    Limit: limit,
    ...(start && { ExclusiveStartKey: start }),
  });
  return Items;
}

function spanOf(from: number | undefined, now: number | undefined): string {
  if (now === undefined) return "";
  return from === undefined ? " AND due_at <= :now" : " AND due_at BETWEEN :from AND :now";
}
