/** The index of what is due in the table of accounts: orders, ends of plans, invoices. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { IndexKind } from "./account-keys.ts";
import type { Item } from "./attributes.ts";

/** An instant (Unix ms) as the index sorts it. */
export function dueText(at: number): string {
  return String(at).padStart(15, "0");
}

/** The keys of what is due by `now` (Unix ms), or of all where there is none, the earliest first, from behind `start`. */
export async function dueItems(
  aws: Aws,
  table: string,
  {
    kind,
    now,
    limit,
    newestFirst = false,
    start,
  }: { kind: IndexKind; now?: number; limit: number; newestFirst?: boolean; start?: Item },
): Promise<Item[]> {
  const { Items = [] } = await aws("dynamodb", "Query", {
    TableName: table,
    IndexName: "due",
    KeyConditionExpression: `due_kind = :kind${now === undefined ? "" : " AND due_at <= :now"}`,
    ExpressionAttributeValues: {
      ":kind": { S: kind },
      ...(now !== undefined && { ":now": { S: dueText(now) } }),
    },
    ScanIndexForward: !newestFirst,
    Limit: limit,
    ...(start && { ExclusiveStartKey: start }),
  });
  return Items;
}
