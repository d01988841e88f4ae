/** What the demo of `npm start` keeps from one run to the next: its keys, and a token that opens the operators' API. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedDemo } from "#infra/local/start/seed.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { listAdminTokens, revokeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { opens, readAdminToken } from "#shared/people/admin/token.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { startDynamoDb, type TestDynamoDb } from "#test/support/dynamodb.ts";

let database: TestDynamoDb;
const folder = mkdtempSync(join(tmpdir(), "seed-"));
const file = join(folder, "demo.json");
beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true });
});

const seed = () => {
  const { plans } = parseCatalog(catalogFile);
  return seedDemo({ ...database, peppers: readPeppers("pepper"), plans, file });
};

test("a run goes on with the token of the last one, and makes another one where that is not in force", async () => {
  const tokens = createAdminTokens(database.aws, database.tables);
  const first = await seed();
  const id = readAdminToken(first.operator_token) ?? "";
  const token = await tokens.read(id);
  expect(token && opens(token, first.operator_token, Date.now())).toBe(true);
  expect(token).toMatchObject({ scopes: ["support", "finance"] });
  expect(await seed()).toEqual(first);

  await revokeAdminToken(id, "a test", { tokens, now: Date.now });
  const second = await seed();
  expect(second).toEqual({ ...first, operator_token: second.operator_token });
  expect(second.operator_token).not.toBe(first.operator_token);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(second);

  // A file of an earlier version has no token.
  const { operator_token: _, ...before } = second;
  writeFileSync(file, JSON.stringify(before));
  expect(await seed()).toMatchObject(before);
  const made = await listAdminTokens({ tokens, now: Date.now });
  expect(made.map(({ state }) => state).toSorted()).toEqual(["in force", "in force", "revoked"]);
});
