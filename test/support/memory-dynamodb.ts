/**
 * DynamoDB in memory, as far as the store uses it: conditions, transactions with their reasons and tokens,
 * pages, the sparse index. It acts at once and never fails by itself; `model.test.ts` holds it to the embedded
 * server's answers.
 */
import { AwsError } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { type TableName, type TableSchema, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { meets, normalItem, type Placeholders, updated } from "./dynamodb-expressions.ts";
import { type Inserts, insertEach } from "./memory-inserts.ts";

/** A write that happened: undefined where no item was, or is. */
export interface Written {
  table: TableName;
  before: Item | undefined;
  after: Item | undefined;
}

export interface MemoryDynamoDb {
  /** Names of the tables, which are those of the schema. */
  tables: Record<TableName, TableName>;
  /** Does one action. Throws `AwsError`. */
  act(action: string, input: object): object;
  items(table: TableName): Item[];
  /** Loses all items of a table, as if it had been made anew. */
  forget(table: TableName): void;
}

interface MemoryOptions {
  /** Items of one page of a query or scan; DynamoDB has pages of 1 MB. */
  pageItems?: number;
  /** Unix milliseconds, by which the tokens of transactions are forgotten. */
  now?: () => number;
  /** Told of every write, after it. */
  onWrite?: (written: Written) => void;
}

const tokenLifetimeMs = 600_000;
const actionsMax = 100;

interface WriteInput extends Placeholders {
  TableName: TableName;
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
}

interface ReadInput extends Placeholders {
  TableName: TableName;
  IndexName?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ExclusiveStartKey?: Item;
  ScanIndexForward?: boolean;
  Limit?: number;
}

interface BatchInput {
  RequestItems: Record<string, { Keys: Item[] }>;
}

type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck";
type TransactItem = Partial<Record<WriteKind, WriteInput>>;

/** A write that is checked and not yet done. */
interface Pending {
  table: TableName;
  place: string;
  before: Item | undefined;
  after: Item | undefined;
  met: boolean;
  /** What the write asks for cannot be done on this item. */
  fault?: string;
}

/** The items of each table, by their places. */
type Stored = Record<TableName, Map<string, Item>>;

/** An empty database with the product's tables. */
export function createMemoryDynamoDb(options: MemoryOptions = {}): MemoryDynamoDb {
  const { pageItems = Infinity, now = Date.now, onWrite } = options;
  const names = Object.keys(tableSchemas) as TableName[];
  const tables = Object.fromEntries(names.map((name) => [name, new Map<string, Item>()])) as Stored;
  const tokens = new Map<string, { items: string; at: number }>();

  const prepare = (kind: WriteKind, input: WriteInput) => prepared(tables, kind, input);

  const commit = ({ table, place, before, after }: Pending): void => {
    if (after) tables[table].set(place, after);
    else tables[table].delete(place);
    if (after !== before) onWrite?.({ table, before, after });
  };

  const write = (kind: WriteKind, input: WriteInput): object => {
    const pending = prepare(kind, input);
    if (pending.fault !== undefined) throw failure("ValidationException", { message: pending.fault });
    if (!pending.met) {
      const shown = input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && pending.before;
      throw failure("ConditionalCheckFailedException", shown ? { Item: pending.before } : {});
    }
    commit(pending);
    if (input.ReturnValues === "ALL_NEW") return { Attributes: pending.after };
    if (input.ReturnValues === "ALL_OLD" && pending.before) return { Attributes: pending.before };
    return {};
  };

  const transact = (input: { TransactItems: TransactItem[]; ClientRequestToken?: string }): object => {
    const token = input.ClientRequestToken;
    const items = token === undefined ? "" : JSON.stringify(input.TransactItems);
    const known = token === undefined ? undefined : tokens.get(token);
    if (known && known.at + tokenLifetimeMs > now()) {
      if (known.items !== items) throw failure("IdempotentParameterMismatchException");
      return {};
    }
    const writes = input.TransactItems.map((item) => Object.entries(item)[0] as [WriteKind, WriteInput]);
    const pending = writes.map(([kind, each]) => prepare(kind, each));
    const places = new Set(pending.map(({ table, place }) => `${table} ${place}`));
    if (writes.length > actionsMax || places.size < writes.length) throw failure("ValidationException");
    if (pending.some(({ met, fault }) => !met || fault)) {
      const CancellationReasons = pending.map((each, i) => reasonOf(each, writes[i]?.[1]));
      throw failure("TransactionCanceledException", { CancellationReasons });
    }
    pending.forEach(commit);
    if (token !== undefined) tokens.set(token, { items, at: now() });
    return {};
  };

  const read = (input: ReadInput): object => readPage(tables, input, pageItems);

  const actions: Record<string, (input: never) => object> = {
    GetItem: (input: WriteInput) => readItem(tables, input),
    BatchGetItem: (input: BatchInput) => readBatch(tables, input),
    PutItem: (input: WriteInput) => write("Put", input),
    UpdateItem: (input: WriteInput) => write("Update", input),
    DeleteItem: (input: WriteInput) => write("Delete", input),
    TransactWriteItems: transact,
    BatchExecuteStatement: (input: Inserts) => insertEach(input, (put) => write("Put", put as WriteInput)),
    Query: read,
    Scan: read,
  };

  return {
    tables: Object.fromEntries(names.map((name) => [name, name])) as Record<TableName, TableName>,
    act(action, input) {
      const act = actions[action];
      if (!act) throw failure("UnknownOperationException");
      return act(input as never);
    },
    items: (table) => [...tables[table].values()],
    forget: (table) => tables[table].clear(),
  };
}

/** Checks a write, and does not do it yet. */
function prepared(tables: Stored, kind: WriteKind, input: WriteInput): Pending {
  const table = tableOf(input.TableName);
  const place = placeOf(table, input.Key ?? input.Item ?? {});
  const before = tables[table].get(place);
  try {
    const met = meets(input.ConditionExpression, before ?? {}, input);
    return { table, place, before, met, after: met ? afterOf(kind, input, before) : before };
  } catch (error) {
    return { table, place, before, after: before, met: false, fault: String(error) };
  }
}

function readItem(tables: Stored, input: WriteInput): object {
  const table = tableOf(input.TableName);
  const item = tables[table].get(placeOf(table, input.Key ?? {}));
  return item ? { Item: item } : {};
}

/** The items of these keys that are there. */
function readBatch(tables: Stored, { RequestItems }: BatchInput): object {
  const found = Object.entries(RequestItems).map(([name, { Keys }]) => {
    const table = tableOf(name);
    const items = Keys.map((key) => tables[table].get(placeOf(table, key)));
    return [name, items.filter((item) => item !== undefined)];
  });
  return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
}

/** A page of what a query or a scan finds, in the table's order. */
function readPage(tables: Stored, input: ReadInput, pageItems: number): object {
  const table = tableOf(input.TableName);
  const schema: TableSchema = tableSchemas[table];
  const index = input.IndexName === undefined ? null : schema.index;
  const found = [...tables[table].values()].filter((item) => !index || index.partition in item);
  const met = found.filter((item) => guarded(() => meets(input.KeyConditionExpression, item, input)));
  const sort = index ? index.sort : schema.sort;
  const isScan = input.KeyConditionExpression === undefined && !index && sort !== null;
  const wanted = isScan ? inPartitions(met, schema.partition, sort) : met;
  if (input.KeyConditionExpression !== undefined && sort !== null) wanted.sort(by(sort));
  if (input.ScanIndexForward === false) wanted.reverse();
  const start = input.ExclusiveStartKey && placeOf(table, input.ExclusiveStartKey);
  const from = start === undefined ? 0 : firstAfter(wanted, table, start, sort, input);
  const size = Math.min(input.Limit ?? Infinity, pageItems);
  const page = wanted.slice(from, from + size);
  // A page that is as long as was asked for names its end, also where nothing follows.
  const last = page.length === input.Limit || from + size < wanted.length ? page.at(-1) : undefined;
  const kept = page.filter((item) => guarded(() => meets(input.FilterExpression, item, input)));
  // An index of keys alone has those of the table and its own.
  const names = [index?.partition, index?.sort, schema.partition, schema.sort].filter((name) => name != null);
  const shown = index ? kept.map((item) => only(item, names)) : kept;
  return { Items: shown, Count: shown.length, ...(last && { LastEvaluatedKey: keyOf(table, last) }) };
}

/** A scan gives each partition in one piece and in order. */
function inPartitions(items: Item[], partition: string, sort: string): Item[] {
  return [...Map.groupBy(items, (item) => item[partition]?.S).values()].flatMap((own) => own.sort(by(sort)));
}

function tableOf(name: string): TableName {
  if (!(name in tableSchemas)) throw failure("ResourceNotFoundException");
  return name as TableName;
}

function keyOf(table: TableName, item: Item): Item {
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
function placeOf(table: TableName, key: Item): string {
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

function by(sort: string): (a: Item, b: Item) => number {
  return (a, b) => (text(a, sort) < text(b, sort) ? -1 : 1);
}

/**
 * Where a page goes on: a query after the sort key it is told, whether or not that item is there; a
 * scan after the item.
 */
function firstAfter(
  items: Item[],
  table: TableName,
  start: string,
  sort: string | null,
  input: ReadInput,
): number {
  if (input.KeyConditionExpression === undefined || sort === null) {
    return items.findIndex((item) => placeOf(table, item) === start) + 1;
  }
  const from = text(input.ExclusiveStartKey ?? {}, sort);
  const backward = input.ScanIndexForward === false;
  const at = items.findIndex((item) => (backward ? text(item, sort) < from : text(item, sort) > from));
  return at < 0 ? items.length : at;
}

function afterOf(kind: WriteKind, input: WriteInput, before: Item | undefined): Item | undefined {
  if (kind === "Put") return normalItem(input.Item ?? {});
  if (kind === "Update") {
    const begun = before ?? keyOf(tableOf(input.TableName), input.Key ?? {});
    return updated(input.UpdateExpression ?? "", begun, input);
  }
  return kind === "Delete" ? undefined : before;
}

function reasonOf({ met, fault, before }: Pending, input: WriteInput | undefined): object {
  if (fault !== undefined) return { Code: "ValidationError", Message: fault };
  if (met) return { Code: "None" };
  const shown = input?.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before;
  return { Code: "ConditionalCheckFailed", ...(shown && { Item: before }) };
}

/** What an expression cannot do is the caller's fault. */
function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw failure("ValidationException", { message: String(error) });
  }
}

function failure(code: string, body: Record<string, unknown> = {}): AwsError {
  return new AwsError(code, 400, body);
}
