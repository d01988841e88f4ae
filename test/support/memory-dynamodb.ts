/**
 * DynamoDB in memory, as far as the store uses it: conditions, transactions with their reasons and tokens,
 * pages, the sparse index. It acts at once and never fails by itself; `model.test.ts` holds it to the embedded
 * server's answers.
 */
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { type TableName, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { meets, normalItem, type Placeholders, updated } from "./dynamodb-expressions.ts";
import { type Inserts, insertEach } from "./memory-inserts.ts";
import {
  type BatchInput,
  failure,
  keyOf,
  placeOf,
  type ReadInput,
  readBatch,
  readItem,
  readPage,
  type Stored,
  tableOf,
} from "./memory-reads.ts";

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
