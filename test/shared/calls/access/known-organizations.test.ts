/** What a process reads of keys and their organization: each record once while it is known, over the real store. */
import { beforeEach, expect, test } from "vitest";
import type { HttpRequest } from "#shared/base/http/message.ts";
import type { Route } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import { hashApiKey } from "#shared/base/platform/api-key.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { authenticate, PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";

const noon = Date.parse("2026-11-29T12:00:00Z");
const peppers = peppersOf({ version: 1, value: "pepper" });
const knownMs = limits.keyCacheSeconds * 1000;

let organization: Organization;
let keys: string[];
/** The ids of `keys`. */
let ids: string[];
let cache: PrincipalCache;
let clock: { now: number };
/** The records that were read: of the organization, or of a key by its place in `keys`. */
let reads: (number | "organization")[];
let deps: ReturnType<typeof depsOn>;

beforeEach(async () => {
  const db = createMemoryDynamoDb();
  const memory = awsOverMemory(db);
  [cache, clock, keys, ids, reads] = [new PrincipalCache(), { now: noon }, [], [], []];
  const watched: Aws = (service, action, input) => {
    const partition = String((input as { Key?: { pk?: { S?: string } } }).Key?.pk?.S);
    if (action === "GetItem" && partition.startsWith("O#")) reads.push("organization");
    if (action === "GetItem" && partition.startsWith("K#"))
      reads.push(keys.findIndex((key) => partition === `K#${hashApiKey("pepper", key)}`));
    return memory(service, action, input);
  };
  deps = depsOn(watched, db.tables);
  const meter = newId("meter", noon);
  organization = {
    ...{ id: newId("organization", noon), name: "Acme", status: "active" },
    ...{ subscription: null, wallet: { meter, shards: 1 }, permissions: [], created_at: noon },
  };
  await createMeters(memory, db.tables).open(meter, 0, "payg");
  await deps.accounts.createOrganization(organization);
  for (let made = 0; made < 3; made++) await makeKey();
  clock.now += 1;
  reads = [];
});

function depsOn(aws: Aws, tables: Parameters<typeof createAccounts>[1]) {
  return {
    accounts: createAccounts(aws, tables),
    secrets: { peppers: async () => peppers },
    peppers: async () => peppers,
    log: () => {},
    now: () => clock.now,
  };
}

async function makeKey(): Promise<void> {
  const wanted = { name: "n", project: "", permissions: [], limits: null, expires_at: null };
  const { key, secret } = await issueKey(organization, { ...wanted, mode: "payg" }, deps);
  keys.push(secret);
  ids.push(key.id);
}

/** A call with the key of this place. Gives what was read for it. */
async function readsOf(at: number, operation: Route["operation"] = "infer"): Promise<typeof reads> {
  reads = [];
  const request = { headers: { "x-api-key": keys[at] }, query: new URLSearchParams() };
  const route = { operation, style: "openai" } as Route;
  const found = await authenticate(request as unknown as HttpRequest, route, { keys: cache }, deps);
  expect(found.organization.id).toBe(organization.id);
  return reads;
}

test("an organization is read for the first of its keys alone, and each key once", async () => {
  expect(await readsOf(0)).toEqual([0, "organization"]);
  expect(await readsOf(1)).toEqual([1]);
  for (const at of [0, 1]) expect(await readsOf(at)).toEqual([]);
});

test("what a key finds known is no younger by it: the organization is read anew 30 seconds after it was read", async () => {
  await readsOf(0);
  clock.now += knownMs - 1;
  expect(await readsOf(1)).toEqual([1]);
  clock.now += 1;
  expect(await readsOf(1)).toEqual([1, "organization"]);
  expect(await readsOf(2)).toEqual([2]);
});

test("a key that was made after the organization was read has it read again, with what it was made for", async () => {
  await readsOf(0);
  clock.now += 1_000;
  await makeKey();
  clock.now += 1;
  expect(await readsOf(3)).toEqual([3, "organization"]);
  expect(await readsOf(0)).toEqual([]);
});

test("after a rush, and on any route but those of calls, both records are read", async () => {
  await readsOf(0);
  cache.forget(organization.id);
  expect(await readsOf(1)).toEqual([1, "organization"]);
  expect(await readsOf(1, "balance" as Route["operation"])).toEqual([1, "organization"]);
});

test("where the organization was changed, it is read anew for the next call of each of its keys", async () => {
  for (const at of [0, 1]) await readsOf(at);
  cache.forgetOwner(ids[0] ?? "");
  expect(await readsOf(1)).toEqual([1, "organization"]);
  expect(await readsOf(0)).toEqual([]);
});

test("a frozen organization is not remembered", async () => {
  await deps.accounts.setStatus(organization.id, "frozen");
  await expect(readsOf(0)).rejects.toMatchObject({ key: "account_frozen" });
  await deps.accounts.setStatus(organization.id, "active");
  expect(await readsOf(0)).toEqual([0, "organization"]);
});
