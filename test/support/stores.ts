/** The real stores on an embedded DynamoDB of their own, for the tests of one file or of one `describe`. */
import { afterAll, beforeAll } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createRefusedCalls } from "#shared/edges/store/refused-calls.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { type Database, startDynamoDb, type TestDynamoDb, tables } from "./dynamodb.ts";

/** Registers a server with empty tables. What it gives can be named at once, and works once a test runs. */
export function useStores() {
  let server: TestDynamoDb | undefined;
  beforeAll(async () => {
    server = await startDynamoDb();
  });
  afterAll(() => server?.stop());
  const aws: Aws = (...request) => {
    if (!server) throw new Error("the stores are not there before a test runs");
    return server.aws(...request);
  };
  const db: Database = { aws, tables };
  return {
    db,
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables),
    meters: createMeters(aws, tables),
    replays: createReplays(aws, tables),
    refusedCalls: async () => createRefusedCalls(aws, tables),
    tasks: createTasks(aws, tables),
  };
}
