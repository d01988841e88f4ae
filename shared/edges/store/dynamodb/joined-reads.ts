/** Eventually consistent reads, joined: a request costs more than an item (shared/calls/cache/decisions.md). */
import type { Aws } from "../../../base/platform/aws.ts";
import { joining, type Tick, type Waiting } from "../joining.ts";
import type { Item } from "./attributes.ts";

/** So many items are asked for at once. DynamoDB gives up to 100, but then one answer would take long to read. */
const batchMax = 25;

/** Reads an item by its key. What was put a moment ago may be missing. Rejects where DynamoDB did not read it. */
export function createJoinedRead(
  aws: Aws,
  table: string,
  tick: Tick,
): (key: Item) => Promise<Item | undefined> {
  const read = joining<{ key: Item }, Item | undefined>((askings) => {
    for (const batch of batchesOf(askings)) void readBatch(aws, table, batch);
  }, tick);
  return (key) => read({ key });
}

/** Who asks for a key, by the text of it: DynamoDB takes no key twice in a request. */
type Batch = Map<string, WaitingRead[]>;
type WaitingRead = { key: Item } & Waiting<Item | undefined>;

function batchesOf(askings: WaitingRead[]): Batch[] {
  const batches: Batch[] = [];
  const places = new Map<string, WaitingRead[]>();
  for (const asking of askings) {
    const place = placeOf(asking.key);
    const same = places.get(place);
    if (same) {
      same.push(asking);
      continue;
    }
    const own = [asking];
    places.set(place, own);
    const last = batches.at(-1);
    if (last && last.size < batchMax) last.set(place, own);
    else batches.push(new Map([[place, own]]));
  }
  return batches;
}

/** A text that no other key of the table has. */
function placeOf({ pk, sk }: Item): string {
  return JSON.stringify([pk?.S, sk?.S]);
}

/** Reads a batch, and answers everybody in it. */
async function readBatch(aws: Aws, table: string, batch: Batch): Promise<void> {
  try {
    const found = await itemsOf(aws, table, batch);
    for (const [place, askings] of batch) {
      const item = found.items.get(place);
      for (const { resolve, reject } of askings) {
        if (found.unread.has(place)) reject(new Error("DynamoDB left the item out of a batch"));
        else resolve(item);
      }
    }
  } catch (error) {
    for (const askings of batch.values()) for (const { reject } of askings) reject(error);
  }
}

/** The items of a batch that are there, and what DynamoDB left out under load. */
async function itemsOf(
  aws: Aws,
  table: string,
  batch: Batch,
): Promise<{ items: Map<string, Item>; unread: Set<string> }> {
  const keys = [...batch.values()].flatMap(([first]) => (first ? [first.key] : []));
  const [only] = keys;
  if (only && keys.length === 1) {
    const { Item: item } = await aws("dynamodb", "GetItem", {
      TableName: table,
      Key: only,
      ConsistentRead: false,
    });
    return { items: placed(item ? [item] : []), unread: new Set() };
  }
  const { Responses, UnprocessedKeys } = await aws("dynamodb", "BatchGetItem", {
    RequestItems: { [table]: { Keys: keys, ConsistentRead: false } },
  });
  const unread = UnprocessedKeys?.[table]?.Keys ?? [];
  return { items: placed(Responses?.[table] ?? []), unread: new Set(unread.map(placeOf)) };
}

function placed(items: Item[]): Map<string, Item> {
  return new Map(items.map((item) => [placeOf(item), item]));
}
