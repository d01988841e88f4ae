/** Lists the meters on DynamoDB, all of them or those with a mark, and keeps how far the schedule's pass has come. */
import { type Aws, AwsError } from "../../../base/platform/aws.ts";
import type { ListedMeters, Meters } from "../../../books/meters/meter.ts";
import { type Item, readOrTell } from "../dynamodb/attributes.ts";
import { equals } from "../dynamodb/expressions.ts";
import { meterKey, meterKind, passKey, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, getItems, updateItem } from "../dynamodb/items.ts";
import { tableSchemas } from "../dynamodb/table-schema.ts";
import { isOldMark, markPartitions } from "./mark.ts";
import { readMeterItem } from "./meter-item.ts";

type MeterListing = Pick<Meters, "everyMeter" | "meterPages" | "unmark" | "passState" | "keepPassState">;

/** How many meters one request reads. An item may have 400 KB, and an answer 16 MB. */
const pageSize = 25;

/** The partitions of the index that has the meters of a list. */
const partitionsOf: Record<ListedMeters, readonly string[]> = { meters: [meterKind], marked: markPartitions };

/** Where a list goes on: in this partition of its index, behind this key or from its beginning. */
interface ListPlace {
  listed: ListedMeters;
  partition: string;
  start?: Item;
}

/** The lists of a table of counters. */
export function createMeterListing(
  aws: Aws,
  { counters: table }: Pick<TableNames, "counters">,
): MeterListing {
  const readKeys = async ({ listed, partition, start }: ListPlace) =>
    await aws("dynamodb", "Query", {
      TableName: table,
      IndexName: listed,
      KeyConditionExpression: "#partition = :partition",
      ExpressionAttributeNames: { "#partition": tableSchemas.counters.indexes[listed].partition },
      ExpressionAttributeValues: { ":partition": { S: partition } },
      Limit: pageSize,
      ...(start && { ExclusiveStartKey: start }),
    });

  const meterPages: MeterListing["meterPages"] = async function* (from, tell) {
    for (let place: ListPlace | undefined = placeOf(from); place; ) {
      const here: ListPlace = place;
      const keys = await readKeys(here).catch((error: unknown) => {
        if (here.listed === "marked" && isIndexMissing(error)) return undefined;
        throw error;
      });
      if (!keys) {
        yield* meterPages("meters", tell);
        return;
      }
      // The index may be a moment old, so the items themselves are read.
      const wanted = (keys.Items ?? []).flatMap(({ pk }) => (pk ? [{ table, key: { pk } }] : []));
      const items = await getItems(aws, wanted);
      place = placeAfter(here, keys.LastEvaluatedKey);
      yield {
        listed: here.listed,
        meters: items.flatMap((item) => (item && readOrTell(item, readMeterItem, tell)) ?? []),
        next: place && JSON.stringify(place),
      };
    }
  };

  return {
    meterPages,

    async *everyMeter(tell) {
      for await (const { meters } of meterPages("meters", tell)) yield* meters;
    },

    async unmark({ meter, shard, marked }, now) {
      if (marked === null || !isOldMark(meter, marked, now)) return;
      const when = [equals("marked", { S: marked })];
      await changeItem(aws, { table, key: meterKey(meter, shard), remove: ["mark", "marked"], when });
    },

    async passState() {
      const { every_at, next } = (await getItem(aws, table, passKey())) ?? {};
      return { every_at: Number(every_at?.N ?? 0), ...(next?.S !== undefined && { next: next.S }) };
    },

    async keepPassState({ every_at, next }) {
      const set = { every_at: { N: String(every_at) }, ...(next !== undefined && { next: { S: next } }) };
      await updateItem(aws, { table, key: passKey(), set, ...(next === undefined && { remove: ["next"] }) });
    },
  };
}

function placeOf(from: string): ListPlace {
  if (from !== "meters" && from !== "marked") return JSON.parse(from) as ListPlace;
  return { listed: from, partition: partitionsOf[from][0] ?? "" };
}

function placeAfter({ listed, partition }: ListPlace, start: Item | undefined): ListPlace | undefined {
  if (start) return { listed, partition, start };
  const partitions = partitionsOf[listed];
  const next = partitions[partitions.indexOf(partition) + 1];
  return next === undefined ? undefined : { listed, partition: next };
}

/** A table of an earlier version that was given by name has no index of marks. Then every meter is read. */
function isIndexMissing(error: unknown): boolean {
  return error instanceof AwsError && error.code === "ValidationException";
}
