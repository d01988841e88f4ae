/** Starts a database, tells where it is, and waits to be killed. */
import { startDynamoDb } from "#infra/local/emulators/dynamodb.ts";

console.log((await startDynamoDb()).endpoint);
