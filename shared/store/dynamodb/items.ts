/** Reads and conditional writes of single items, and reads of many. */
import type {
  PutItemCommandInput,
  QueryCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { type Aws, AwsError, type Delivery } from "../../platform/aws.ts";
import type { Item } from "./attributes.ts";
import { type Change, type Condition, putInput, updateInput } from "./expressions.ts";

/** What a conditional write came to: the item after it, or the item that failed its conditions. */
export type Written = { done: true; item: Item } | { done: false; item: Item | undefined };

/** The outcome of a write that does not give the item after it. */
export type Attempted = { done: true; item?: undefined } | { done: false; item: Item | undefined };

const images = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;

/** One item, strongly consistent. */
export async function getItem(aws: Aws, table: string, key: Item): Promise<Item | undefined> {
  const input = { TableName: table, Key: key, ConsistentRead: true };
  return (await aws("dynamodb", "GetItem", input)).Item;
}

/** Changes an item if its conditions hold, and gives all of it. */
export async function updateItem(aws: Aws, change: Change, delivery?: Delivery): Promise<Written> {
  const input: UpdateItemCommandInput = { ...updateInput(change), ...images, ReturnValues: "ALL_NEW" };
  return await written(aws("dynamodb", "UpdateItem", input, delivery));
}

/** As `updateItem`, but gives the item only if it fails the conditions: one with many attributes takes long to read. */
export async function attemptChange(aws: Aws, change: Change, delivery?: Delivery): Promise<Attempted> {
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

/** Every item of a partition whose sort key lies in [first, last], both inclusive, strongly consistent and in order. */
export async function itemsBetween(
  aws: Aws,
  table: string,
  pk: string,
  first: string,
  last: string,
): Promise<Item[]> {
  return await Array.fromAsync(eachBetween(aws, table, pk, first, last));
}

/** The same, one by one: no more than a page of them is in memory. */
export async function* eachBetween(
  aws: Aws,
  table: string,
  pk: string,
  first: string,
  last: string,
): AsyncGenerator<Item> {
  for await (const page of pages(aws, "Query", betweenInput(table, pk, first, last))) yield* page;
}

/** Such a range from its last item to its first, one by one, fetched so many at a time. */
export async function* eachBefore(
  aws: Aws,
  table: string,
  pk: string,
  { first, last }: { first: string; last: string },
  atOnce: number,
): AsyncGenerator<Item> {
  const input = { ...betweenInput(table, pk, first, last), ScanIndexForward: false, Limit: atOnce };
  for await (const page of pages(aws, "Query", input)) yield* page;
}

/** The last of such a range, at most so many, the last one first. */
export async function lastBetween(
  aws: Aws,
  table: string,
  pk: string,
  { first, last }: { first: string; last: string },
  most: number,
): Promise<Item[]> {
  const input = { ...betweenInput(table, pk, first, last), ScanIndexForward: false, Limit: most };
  const items: Item[] = [];
  for await (const page of pages(aws, "Query", input)) {
    items.push(...page);
    if (items.length >= most) break;
  }
  return items.slice(0, most);
}

function betweenInput(table: string, pk: string, first: string, last: string): QueryCommandInput {
  return {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: { ":pk": { S: pk }, ":first": { S: first }, ":last": { S: last } },
  };
}
