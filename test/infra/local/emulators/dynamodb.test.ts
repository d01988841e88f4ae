/** The embedded database of `npm start` and of the tests: its port and its tables. */
import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createTables, startDynamoDb } from "#infra/local/emulators/dynamodb.ts";
import { listen } from "#infra/local/emulators/listen.ts";
import { readResources } from "#infra/local/stack/resources.ts";
import { createReader } from "#infra/local/stack/template.ts";
import { awsAt, cleanUp, cleanups } from "#test/support/local/fixture.ts";
import { template } from "#test/support/local/template.ts";
import { unassignedPort } from "#test/support/unassigned-port.ts";

afterEach(cleanUp);

test("it gets the tables it does not have yet", async () => {
  const database = await startDynamoDb();
  cleanups.push(database.stop);
  const aws = awsAt({ dynamodb: database.endpoint });
  const { tables } = readResources(createReader(template), "/");
  await createTables(aws, tables);
  await createTables(aws, tables);
  expect(await aws("dynamodb", "ListTables", {})).toMatchObject({ TableNames: ["Table1"] });
});

test("it takes another port where another program took its port first", async () => {
  const taken = await listen(createServer(), 0);
  cleanups.push(taken.stop);
  const free = await unassignedPort();
  const places = [taken.port, free].map((port) => ({ host: "127.0.0.1", port }));
  const database = await startDynamoDb(
    undefined,
    () => {},
    async () => places.shift() ?? { host: "127.0.0.1", port: 0 },
  );
  cleanups.push(database.stop);
  expect(database.endpoint).toBe(`http://127.0.0.1:${free}`);
  expect(await awsAt({ dynamodb: database.endpoint })("dynamodb", "ListTables", {})).toEqual({
    TableNames: [],
  });
});
