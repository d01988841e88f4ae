/** The embedded DynamoDB with the product's tables, for tests of the real stores. */
import { startDynamoDb as startServer } from "#infra/local/dynamodb.ts";
import { type Aws, createAws } from "#shared/platform/aws.ts";
import { type TableName, type TableSchema, tableSchemas } from "#shared/store/dynamodb/table-schema.ts";

/** What a store is opened on. */
export interface Database {
  aws: Aws;
  tables: Record<TableName, string>;
}

export interface TestDynamoDb extends Database {
  endpoint: string;
  stop(): Promise<void>;
}

/** The tables' names on every server. */
export const tables = {
  keys: "test-keys",
  counters: "test-counters",
  ledger: "test-ledger",
  tasks: "test-tasks",
};

/** Starts a server in memory with empty tables. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const { endpoint, stop } = await startServer();
  const aws = createAws({
    region: "us-east-1",
    credentials: () => ({ accessKeyId: "test", secretAccessKey: "test" }),
    endpoints: { dynamodb: endpoint },
    attemptsMax: 4,
    timeoutMs: 10_000,
  });
  for (const [name, schema] of Object.entries(tableSchemas)) {
    await aws("dynamodb", "CreateTable", createTableInput(tables[name as TableName], schema));
  }
  return { aws, tables, endpoint, stop };
}

function createTableInput(name: string, { partition, sort, index }: TableSchema): object {
  const attributes = new Set([partition, sort, index?.partition, index?.sort].filter((each) => each != null));
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [...attributes].map((each) => ({ AttributeName: each, AttributeType: "S" })),
    KeySchema: keySchema(partition, sort),
    ...(index && {
      GlobalSecondaryIndexes: [
        {
          IndexName: index.name,
          KeySchema: keySchema(index.partition, index.sort),
          Projection: { ProjectionType: index.projection },
        },
      ],
    }),
  };
}

function keySchema(hash: string, range: string | null): object[] {
  const parts = [{ AttributeName: hash, KeyType: "HASH" }];
  return range === null ? parts : [...parts, { AttributeName: range, KeyType: "RANGE" }];
}
