/** A batch of PartiQL inserts on DynamoDB in memory: the only statements that the store uses. */
import { AwsError } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";

export interface Inserts {
  Statements: { Statement: string; Parameters: Item[string][] }[];
}

/** A put of an item where none has its key yet. */
interface Insert {
  TableName: string;
  Item: Item;
  ConditionExpression: string;
}

/** Does each statement by itself, and answers each in its place. `put` throws `AwsError` where it is refused. */
export function insertEach({ Statements }: Inserts, put: (insert: Insert) => object): object {
  const Responses = Statements.map((statement) => {
    try {
      put(readInsert(statement));
      return {};
    } catch (error) {
      if (!(error instanceof AwsError) || error.code !== "ConditionalCheckFailedException") throw error;
      return { Error: { Code: "DuplicateItem" } };
    }
  });
  return { Responses };
}

/** Throws on any statement but an insert. */
function readInsert({ Statement, Parameters }: Inserts["Statements"][number]): Insert {
  const [, table, members] = /^INSERT INTO "(\w+)" VALUE \{((?:'\w+': \?(?:, )?)+)\}$/.exec(Statement) ?? [];
  const names = members?.match(/\w+/g) ?? [];
  if (table === undefined || names.length !== Parameters.length)
    throw new AwsError("ValidationException", 400, { message: Statement });
  const entries = names.map((name, at): [string, Item[string] | undefined] => [name, Parameters[at]]);
  return {
    TableName: table,
    Item: Object.fromEntries(entries) as Item,
    ConditionExpression: "attribute_not_exists(pk)",
  };
}
