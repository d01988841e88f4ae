/** Reads and conditional writes of single items, and reads of many. */
import type {
  PutItemCommandInput,
  QueryCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { type Aws, AwsError, type Delivery } from "../../../base/platform/aws.ts";
import { pause } from "../../../base/platform/pause.ts";
import type { Item } from "./attributes.ts";
import {
  type Change,
  type Condition,
  insertStatement,
  putInput,
  scanInput,
  updateInput,
} from "./expressions.ts";
import type { KeyRange } from "./item-keys.ts";

/** What a conditional write came to: the item after it, or the item that failed its conditions. */
export type Written = { done: true; item: Item } | { done: false; item: Item | undefined };

/** The outcome of a write that does not give the item after it. */
export type WriteOutcome = { done: true; item?: undefined } | { done: false; item: Item | undefined };

const images = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;

/** One item, strongly consistent. */
export async function getItem(aws: Aws, table: string, key: Item): Promise<Item | undefined> {
  const input = { TableName: table, Key: key, ConsistentRead: true };
  return (await aws("dynamodb", "GetItem", input)).Item;
}

/** How many items one request reads at most, and how often those that it left out are asked for. */
const batchMax = 100;
const batchAttemptsMax = 6;

/**
 * Items by their keys, in this order and strongly consistent, at most 100 and none twice. Undefined where there is
 * none. Under load DynamoDB leaves some out, and these are asked for again. Throws where that does not end.
 */
export async function getItems(
  aws: Aws,
  wanted: readonly { table: string; key: Item }[],
): Promise<(Item | undefined)[]> {
  if (wanted.length > batchMax) throw new RangeError(`one read has at most ${batchMax} items`);
  const found = new Map<string, Item>();
  let left = wanted;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > batchAttemptsMax) throw new Error("DynamoDB leaves items out again and again");
    if (attempt > 1) await pause(Math.random() * 10 * 2 ** attempt);
    const RequestItems: Record<string, { Keys: Item[]; ConsistentRead: true }> = {};
    for (const { table, key } of left) {
      const asked = RequestItems[table] ?? { Keys: [], ConsistentRead: true };
      RequestItems[table] = { ...asked, Keys: [...asked.Keys, key] };
    }
    const { Responses = {}, UnprocessedKeys = {} } = await aws("dynamodb", "BatchGetItem", { RequestItems });
    for (const [table, items] of Object.entries(Responses))
      for (const item of items) found.set(placeOf(table, item), item);
    const unread = new Set(
      Object.entries(UnprocessedKeys).flatMap(([table, { Keys = [] }]) =>
        Keys.map((key) => placeOf(table, key)),
      ),
    );
    left = left.filter(({ table, key }) => unread.has(placeOf(table, key)));
  }
  return wanted.map(({ table, key }) => found.get(placeOf(table, key)));
}

/** A text that only this item has, by its key. */
function placeOf(table: string, { pk, sk }: Item): string {
  return JSON.stringify([table, pk?.S, sk?.S]);
}

/** Changes an item if its conditions hold, and gives all of it. */
export async function updateItem(aws: Aws, change: Change, delivery?: Delivery): Promise<Written> {
  const input: UpdateItemCommandInput = { ...updateInput(change), ...images, ReturnValues: "ALL_NEW" };
  return await written(aws("dynamodb", "UpdateItem", input, delivery));
}

/** As `updateItem`, but gives the item only if it fails the conditions: one with many attributes takes long to read. */
export async function attemptChange(aws: Aws, change: Change, delivery?: Delivery): Promise<WriteOutcome> {
  const input: UpdateItemCommandInput = { ...updateInput(change), ...images };
  const { done, item } = await written(aws("dynamodb", "UpdateItem", input, delivery));
  return done ? { done } : { done, item };
}

/** Changes an item if its conditions hold, and gives whether they did; nobody asks what the item then is. */
export async function changeItem(aws: Aws, change: Change): Promise<boolean> {
  return (await written(aws("dynamodb", "UpdateItem", updateInput(change)))).done;
}

/** Puts an item if its conditions hold on the one that is there. */
export async function putItem(aws: Aws, table: string, item: Item, when: Condition[]): Promise<Written> {
  const input: PutItemCommandInput = { ...putInput(table, item, when), ...images };
  return await written(aws("dynamodb", "PutItem", input));
}

/** Items that `insertItems` takes at most. */
export const insertsMax = 25;

/**
 * Puts each item where none has its key, by one request, and gives which were put. The others met an item, or load. No
 * key may be there twice. A batch would replace what is there. A transaction would cost twice as much.
 */
export async function insertItems(aws: Aws, table: string, items: readonly Item[]): Promise<boolean[]> {
  const Statements = items.map((item) => insertStatement(table, item));
  const { Responses = [] } = await aws("dynamodb", "BatchExecuteStatement", { Statements });
  return items.map((_, at) => Responses[at] !== undefined && Responses[at].Error === undefined);
}

async function written(answer: Promise<{ Attributes?: Item | undefined }>): Promise<Written> {
  try {
    const { Attributes } = await answer;
    return { done: true, item: Attributes ?? {} };
  } catch (error) {
    if (!(error instanceof AwsError) || error.code !== "ConditionalCheckFailedException") throw error;
    return { done: false, item: error.body.Item as Item | undefined };
  }
}

/** The pages of a query or scan, each fetched when the one before has been used. */
export async function* pages(
  aws: Aws,
  action: "Query" | "Scan",
  input: QueryCommandInput,
): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const from = start ? { ...input, ExclusiveStartKey: start } : input;
    const page = await aws("dynamodb", action, from);
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

/** The same pages, each fetched while the one before is used: for those who read all of them. */
export async function* pagesAhead(
  aws: Aws,
  action: "Query" | "Scan",
  input: QueryCommandInput,
): AsyncGenerator<Item[]> {
  const own = pages(aws, action, input);
  for (let next = own.next(); ; ) {
    const { done, value } = await next;
    if (done) return;
    next = own.next();
    // Whoever stops early hears nothing of a page that fails.
    next.catch(() => {});
    yield value;
  }
}

/** Every item of a table for which the conditions hold, strongly consistent. It reads the whole table by pages. */
export async function* eachWhere(aws: Aws, table: string, when: Condition[]): AsyncGenerator<Item> {
  for await (const page of pages(aws, "Scan", scanInput(table, when))) yield* page;
}

/** Every item of a partition whose sort key lies in the range, strongly consistent and in order. */
export async function itemsBetween(aws: Aws, table: string, pk: string, range: KeyRange): Promise<Item[]> {
  return await Array.fromAsync(eachBetween(aws, table, pk, range));
}

/** The same, one by one: no more than a page of them is in memory. `projection` names the attributes to read. */
export async function* eachBetween(
  aws: Aws,
  table: string,
  pk: string,
  range: KeyRange,
  projection: Pick<QueryCommandInput, "ProjectionExpression" | "ExpressionAttributeNames"> = {},
): AsyncGenerator<Item> {
  const input = { ...betweenInput(table, pk, range), ...projection };
  for await (const page of pages(aws, "Query", input)) yield* page;
}

/** Such a range from its last item to its first, one by one, fetched so many at a time. */
export async function* eachBefore(
  aws: Aws,
  table: string,
  pk: string,
  range: KeyRange,
  atOnce: number,
): AsyncGenerator<Item> {
  const input = { ...betweenInput(table, pk, range), ScanIndexForward: false, Limit: atOnce };
  for await (const page of pages(aws, "Query", input)) yield* page;
}

/** As `getItems`, for any number of keys: so many at a time as one read may have. */
export async function getAllItems(
  aws: Aws,
  wanted: readonly { table: string; key: Item }[],
): Promise<(Item | undefined)[]> {
  const found: (Item | undefined)[] = [];
  for (let at = 0; at < wanted.length; at += batchMax)
    found.push(...(await getItems(aws, wanted.slice(at, at + batchMax))));
  return found;
}

/** The last of such a range, at most so many, the last one first. */
export async function lastBetween(
  aws: Aws,
  table: string,
  pk: string,
  range: KeyRange,
  most: number,
): Promise<Item[]> {
  const items: Item[] = [];
  if (range.first > range.last) return items;
  const input = { ...betweenInput(table, pk, range), ScanIndexForward: false, Limit: most };
  for await (const page of pages(aws, "Query", input)) {
    items.push(...page);
    if (items.length >= most) break;
  }
  return items.slice(0, most);
}

/** What a query says to get the items of a partition whose sort key begins so. */
export function beginningWith(pk: string, sort: string) {
  return {
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
    ExpressionAttributeValues: { ":pk": { S: pk }, ":sk": { S: sort } } as Item,
  };
}

function betweenInput(table: string, pk: string, { first, last }: KeyRange): QueryCommandInput {
  return {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: { ":pk": { S: pk }, ":first": { S: first }, ":last": { S: last } },
  };
}
