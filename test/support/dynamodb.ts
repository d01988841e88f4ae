/** The embedded DynamoDB with the product's tables, for tests of the real stores. */
import type { CreateTableCommandInput, KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { startDynamoDb as startServer } from "#infra/local/emulators/dynamodb.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type TableName, type TableSchema, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";

import { type TransportName, transports } from "./transports.ts";

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
  board: "test-board",
  accounts: "test-accounts",
  cache: "test-cache",
};

let transport: TransportName = "lean";

/** Has every server of this process reached over this transport from now on. */
export function useTransport(name: TransportName): void {
  transport = name;
}

/** Starts a server with empty tables, in memory or in a file. */
export async function startDynamoDb(file?: string): Promise<TestDynamoDb> {
  const { endpoint, stop } = await startServer(file);
  const lean = transports.lean({ dynamodb: endpoint });
  for (const [name, schema] of Object.entries(tableSchemas)) {
    await lean("dynamodb", "CreateTable", createTableInput(tables[name as TableName], schema));
  }
  const aws = transport === "lean" ? lean : transports[transport]({ dynamodb: endpoint });
  return { aws, tables, endpoint, stop };
}

function createTableInput(name: string, { partition, sort, indexes }: TableSchema): CreateTableCommandInput {
  const made = Object.entries(indexes);
  const ofIndexes = made.flatMap(([, index]) => [index.partition, index.sort]);
  const attributes = new Set([partition, sort, ...ofIndexes].filter((each) => each != null));
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [...attributes].map((each) => ({
      AttributeName: each,
      AttributeType: "S" as const,
    })),
    KeySchema: keySchema(partition, sort),
    ...(made.length > 0 && {
      GlobalSecondaryIndexes: made.map(([IndexName, index]) => ({
        IndexName,
        KeySchema: keySchema(index.partition, index.sort),
        Projection: { ProjectionType: index.projection },
      })),
    }),
  };
}

function keySchema(hash: string, range: string | null): KeySchemaElement[] {
  const parts: KeySchemaElement[] = [{ AttributeName: hash, KeyType: "HASH" }];
  return range === null ? parts : [...parts, { AttributeName: range, KeyType: "RANGE" }];
}
