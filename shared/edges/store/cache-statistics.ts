/** The cache's sums of a month on DynamoDB: one item for each project, which everything is added to without a condition. */

import type { Aws } from "../../base/platform/aws.ts";
import {
  type CacheAddition,
  type CacheMonth,
  type CacheStatistics,
  emptyMonth,
  monthOf,
} from "../../calls/cache/statistics.ts";
import { type Item, readBigint, toAttribute } from "./dynamodb/attributes.ts";
import { cachePartition, monthKey, monthSort } from "./dynamodb/cache-keys.ts";
import type { Change } from "./dynamodb/expressions.ts";
import type { TableNames } from "./dynamodb/item-keys.ts";
import { changeItem, pages } from "./dynamodb/items.ts";

/** A month is kept for a year after it. */
const keptMs = 400 * 86_400_000;

/** The sums in a table. Give a client that asks once: a repetition would count twice. */
export function createCacheStatistics(
  aws: Aws,
  { cache: table }: Pick<TableNames, "cache">,
): CacheStatistics {
  return {
    async add(addition) {
      await changeItem(aws, monthChange(table, addition));
    },

    async read(organization, project, at) {
      const sums = { ...emptyMonth };
      const sort = project === undefined ? monthSort(monthOf(at)) : `${monthSort(monthOf(at))}${project}`;
      const input = {
        TableName: table,
        ConsistentRead: false,
        KeyConditionExpression:
          project === undefined ? "pk = :pk AND begins_with(sk, :sk)" : "pk = :pk AND sk = :sk",
        ExpressionAttributeValues: { ":pk": { S: cachePartition(organization) }, ":sk": { S: sort } },
      };
      for await (const page of pages(aws, "Query", input)) for (const item of page) addTo(sums, item);
      return sums;
    },
  };
}

/** What adds to the sums of the month of an instant. */
export function monthChange(table: string, { owner, added, at }: CacheAddition): Change {
  const { organization, project } = owner;
  return {
    table,
    key: monthKey(organization, monthOf(at), project),
    set: { expires_at: toAttribute(Math.ceil((at + keptMs) / 1000)) },
    add: added,
  };
}

function addTo(sums: CacheMonth, item: Item): void {
  const { saved_points: _, ...counts } = emptyMonth;
  sums.saved_points += readBigint(item.saved_points);
  for (const name of Object.keys(counts) as (keyof typeof counts)[])
    sums[name] += Number(readBigint(item[name]));
}
