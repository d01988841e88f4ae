/** What the DynamoDB in memory reads: items, batches, and pages of queries and scans (memory-dynamodb.ts). */
import { AwsError } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import {
  type TableIndex,
  type TableName,
  type TableSchema,
  tableSchemas,
} from "#shared/edges/store/dynamodb/table-schema.ts";
import { meets, type Placeholders } from "./dynamodb-expressions.ts";

/** The items of each table, by their places. */
export type Stored = Record<TableName, Map<string, Item>>;

/** A read of one item. */
interface KeyInput {
  TableName: TableName;
  Key?: Item;
}

export interface ReadInput extends Placeholders {
  TableName: TableName;
  IndexName?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ExclusiveStartKey?: Item;
  ScanIndexForward?: boolean;
  Limit?: number;
}

export interface BatchInput {
  RequestItems: Record<string, { Keys: Item[] }>;
}

export function readItem(tables: Stored, input: KeyInput): object {
  const table = tableOf(input.TableName);
  const item = tables[table].get(placeOf(table, input.Key ?? {}));
  return item ? { Item: item } : {};
}

/** The items of these keys that are there. */
export function readBatch(tables: Stored, { RequestItems }: BatchInput): object {
  const found = Object.entries(RequestItems).map(([name, { Keys }]) => {
    const table = tableOf(name);
    const items = Keys.map((key) => tables[table].get(placeOf(table, key)));
    return [name, items.filter((item) => item !== undefined)];
  });
  return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
}

/** A page of what a query or a scan finds, in the table's order. */
export function readPage(tables: Stored, input: ReadInput, pageItems: number): object {
  const table = tableOf(input.TableName);
  const schema: TableSchema = tableSchemas[table];
  const index = input.IndexName === undefined ? null : indexOf(schema, input.IndexName);
  const found = [...tables[table].values()].filter((item) => !index || index.partition in item);
  const met = found.filter((item) => guarded(() => meets(input.KeyConditionExpression, item, input)));
  const sort = index ? index.sort : schema.sort;
  const isScan = input.KeyConditionExpression === undefined && !index && sort !== null;
  const wanted = isScan ? inPartitions(met, schema.partition, sort) : met;
  // In an index many items have one sort key: they are in the order of their places.
  const place = (item: Item) => (index ? `\0${placeOf(table, item)}` : "");
  const isSorted = input.KeyConditionExpression !== undefined && sort !== null;
  const orderOf = isSorted ? (item: Item) => text(item, sort) + place(item) : null;
  if (orderOf) wanted.sort(by(orderOf));
  if (input.ScanIndexForward === false) wanted.reverse();
  const from = input.ExclusiveStartKey ? firstAfter(wanted, table, orderOf, input) : 0;
  const size = Math.min(input.Limit ?? Infinity, pageItems);
  const page = wanted.slice(from, from + size);
  // A page that is as long as was asked for names its end, also where nothing follows.
  const last = page.length === input.Limit || from + size < wanted.length ? page.at(-1) : undefined;
  const kept = page.filter((item) => guarded(() => meets(input.FilterExpression, item, input)));
  // An index of keys alone has those of the table and its own.
  const names = [index?.partition, index?.sort, schema.partition, schema.sort].filter((name) => name != null);
  const shown = index ? kept.map((item) => only(item, names)) : kept;
  return { Items: shown, Count: shown.length, ...(last && { LastEvaluatedKey: only(last, names) }) };
}

/** As DynamoDB refuses an index that a table does not have. */
function indexOf({ indexes }: TableSchema, name: string): TableIndex {
  const index = indexes[name];
  if (!index) throw failure("ValidationException", { message: `no index ${name}` });
  return index;
}

/** A scan gives each partition in one piece and in order. */
function inPartitions(items: Item[], partition: string, sort: string): Item[] {
  return [...Map.groupBy(items, (item) => item[partition]?.S).values()].flatMap((own) =>
    own.sort(by((item) => text(item, sort))),
  );
}

export function tableOf(name: string): TableName {
  if (!(name in tableSchemas)) throw failure("ResourceNotFoundException");
  return name as TableName;
}

export function keyOf(table: TableName, item: Item): Item {
  const { partition, sort }: TableSchema = tableSchemas[table];
  return only(item, sort === null ? [partition] : [partition, sort]);
}

function only(item: Item, names: string[]): Item {
  const some: Item = {};
  for (const name of names) {
    const value = item[name];
    if (value) some[name] = value;
  }
  return some;
}

/** Where the item of this key stands. `key` may have other attributes too. */
export function placeOf(table: TableName, key: Item): string {
  const { partition, sort }: TableSchema = tableSchemas[table];
  const first = text(key, partition);
  const second = sort === null ? undefined : text(key, sort);
  if (first === "" || second === "") throw failure("ValidationException");
  return second === undefined ? first : `${first}\0${second}`;
}

function text(item: Item, name: string): string {
  const attribute = item[name];
  return attribute && "S" in attribute ? attribute.S : "";
}

function by(orderOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (orderOf(a) < orderOf(b) ? -1 : 1);
}

/**
 * Where a page goes on: a query after the sort key it is told, whether or not that item is there; a
 * scan after the item.
 */
function firstAfter(
  items: Item[],
  table: TableName,
  orderOf: ((item: Item) => string) | null,
  input: ReadInput,
): number {
  const start = input.ExclusiveStartKey ?? {};
  if (!orderOf) {
    const place = placeOf(table, start);
    return items.findIndex((item) => placeOf(table, item) === place) + 1;
  }
  const from = orderOf(start);
  const backward = input.ScanIndexForward === false;
  const at = items.findIndex((item) => (backward ? orderOf(item) < from : orderOf(item) > from));
  return at < 0 ? items.length : at;
}

/** What an expression cannot do is the caller's fault. */
function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw failure("ValidationException", { message: String(error) });
  }
}

export function failure(code: string, body: Record<string, unknown> = {}): AwsError {
  return new AwsError(code, 400, body);
}
