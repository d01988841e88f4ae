/**
 * Calls and commands on keys while the pepper is rotated, over the real store (calls/access/README.md "Peppers"). No
 * key is refused in between, each moves once, and a revocation stays.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { HttpRequest } from "#shared/base/http/message.ts";
import type { Route } from "#shared/base/http/routes.ts";
import { hashApiKey } from "#shared/base/platform/api-key.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type Peppers, readPeppers, writePeppers } from "#shared/base/platform/pepper.ts";
import type { KeyRecord, Principal } from "#shared/books/accounts/account.ts";
import { authenticate, PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { rotated } from "#shared/edges/operator/secret-versions.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { everyOrder } from "#test/shared/calls/access/interleavings.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";

const noon = Date.parse("2026-11-23T12:00:00Z");
/** The secret before a rotation, between its two steps, and after. */
const before = readPeppers("the first");
const between = rotated(before, { value: "the second" });
const after = readPeppers(writePeppers({ ...between, previous: undefined } as unknown as Peppers));

let db: MemoryDynamoDb;
let logs: string[];
beforeEach(() => {
  db = createMemoryDynamoDb();
  logs = [];
});

/** What a process with this copy of the secret needs. */
function depsOf(peppers: Peppers, aws: Aws = awsOverMemory(db)) {
  return {
    accounts: createAccounts(aws, db.tables),
    secrets: { peppers: async () => peppers },
    peppers: async () => peppers,
    log: (_: string, event: string) => void logs.push(event),
    now: () => noon,
  };
}

/** An organization with a wallet, and a key that a process with this copy of the secret has made. */
async function customer(peppers = before): Promise<{ key: KeyRecord; secret: string }> {
  const deps = depsOf(peppers);
  const meter = newId("meter", noon);
  const organization = {
    id: newId("organization", noon),
    name: "Acme",
    status: "active" as const,
    subscription: null,
    wallet: { meter, shards: 1 },
    permissions: [],
    created_at: noon,
  };
  await createMeters(awsOverMemory(db), db.tables).open(meter, 0, "payg");
  await deps.accounts.createOrganization(organization);
  const wanted = {
    name: "n",
    project: "p",
    permissions: [],
    limits: { max_concurrency: 3 },
    expires_at: null,
  };
  return await issueKey(organization, { ...wanted, mode: "payg" }, deps);
}

/** A call with a key on a process that has read no key yet. */
function callWith(
  secret: string,
  deps: ReturnType<typeof depsOf>,
  cache = new PrincipalCache(),
): Promise<Principal> {
  const request = {
    headers: { "x-api-key": secret },
    query: new URLSearchParams(),
  } as unknown as HttpRequest;
  return authenticate(
    request,
    { operation: "infer", style: "openai" } as unknown as Route,
    { keys: cache },
    deps,
  );
}

/** Every record of keys as it is stored. */
const records = () => db.items("keys").filter(({ pk }) => pk?.S?.startsWith("K#"));

/** What the two records of a moved key must be. */
async function expectMoved({ key, secret }: { key: KeyRecord; secret: string }): Promise<void> {
  const moved = { ...key, hash: hashApiKey("the second", secret), hash_version: 2 };
  const { accounts } = depsOf(between);
  expect((await accounts.findPrincipal(moved.hash))?.key).toEqual(moved);
  expect((await accounts.findPrincipal(key.hash))?.key).toEqual(moved);
  expect((await accounts.keys(key.organization, { limit: 9 })).keys).toEqual([moved]);
  expect(records()).toHaveLength(2);
}

const refused = expect.objectContaining({ key: "invalid_key" });

describe("a key from before the rotation", () => {
  test("is the same key to its call, and moves with all that its record says", async () => {
    const made = await customer();
    const principal = await callWith(made.secret, depsOf(between));
    expect(principal.key).toMatchObject({ id: made.key.id, organization: made.key.organization });
    await expectMoved(made);
    expect((await callWith(made.secret, depsOf(after))).key.id).toBe(made.key.id);
  });

  test("is refused once the version is dropped under which it is stored", async () => {
    const { secret } = await customer();
    await expect(callWith(secret, depsOf(after))).rejects.toEqual(refused);
  });

  test("moves once, and no call of it is refused, in whatever order two calls come", async () => {
    let made: Awaited<ReturnType<typeof customer>>;
    let moves = 0;
    const orders = await everyOrder(async () => {
      moves = 0;
      db = createMemoryDynamoDb({
        onWrite({ after: item }) {
          if (item?.moved) moves += 1;
        },
      });
      made = await customer();
      const agent = (aws: Aws) => callWith(made.secret, depsOf(between, aws));
      return {
        db,
        agents: [agent, agent],
        async check() {
          expect(moves).toBe(1);
          await expectMoved(made);
        },
      };
    });
    expect(orders).toBeGreaterThan(20);
    expect(logs).toEqual([]);
  });

  test("is found by a process whose copy of the secret is older, in whatever order the two come", async () => {
    const orders = await everyOrder(async () => {
      db = createMemoryDynamoDb();
      const made = await customer();
      return {
        db,
        agents: [between, before, before].map(
          (peppers) => (aws: Aws) => callWith(made.secret, depsOf(peppers, aws)),
        ),
        check: () => expectMoved(made),
      };
    });
    expect(orders).toBeGreaterThan(100);
  });

  test("stays revoked when it is revoked while it moves", async () => {
    const orders = await everyOrder(async () => {
      db = createMemoryDynamoDb();
      const { key, secret } = await customer();
      return {
        db,
        agents: [
          (aws) => callWith(secret, depsOf(between, aws)).catch((error) => expect(error).toEqual(refused)),
          async (aws) => {
            const revoked = await depsOf(before, aws).accounts.revokeKey(key.organization, key.id, noon);
            expect(revoked).toMatchObject({ id: key.id, status: "revoked" });
          },
        ],
        async check() {
          for (const peppers of [before, between])
            await expect(callWith(secret, depsOf(peppers))).rejects.toEqual(refused);
          const { keys } = await depsOf(between).accounts.keys(key.organization, { limit: 9 });
          expect(keys.map(({ status }) => status)).toEqual(["revoked"]);
        },
      };
    });
    expect(orders).toBeGreaterThan(20);
  });

  test("calls on when it cannot be moved, and moves with a later call", async () => {
    const made = await customer();
    const broken = awsOverMemory(db, (act, action) => {
      if (action === "TransactWriteItems") throw new Error("the table is busy");
      return act();
    });
    expect((await callWith(made.secret, depsOf(between, broken))).key.id).toBe(made.key.id);
    expect(logs).toEqual(["key_not_rehashed"]);
    await callWith(made.secret, depsOf(between));
    await expectMoved(made);
  });

  test("does not move where it is revoked or expired", async () => {
    const [revoked, expired] = [await customer(), await customer()];
    await depsOf(before).accounts.revokeKey(revoked.key.organization, revoked.key.id, noon);
    const late = { ...depsOf(between), now: () => noon + 1 };
    db.act("UpdateItem", {
      TableName: "keys",
      Key: { pk: { S: `K#${expired.key.hash}` }, sk: { S: "-" } },
      UpdateExpression: "SET expires_at = :at",
      ExpressionAttributeValues: { ":at": { N: String(noon + 1) } },
    });
    for (const { secret } of [revoked, expired])
      await expect(callWith(secret, late)).rejects.toEqual(refused);
    expect(records()).toHaveLength(2);
  });
});

describe("a key", () => {
  test("made during a rotation is found by a process whose copy of the secret is older", async () => {
    const { key, secret } = await customer(between);
    expect(key).toMatchObject({ hash: hashApiKey("the second", secret), hash_version: 2 });
    expect((await callWith(secret, depsOf(before))).key).toEqual(key);
  });

  test("that such a process makes is found by all others", async () => {
    const made = await customer(before);
    expect(made.key).not.toHaveProperty("hash_version");
    await callWith(made.secret, depsOf(between));
    await expectMoved(made);
  });
});

describe("what a call reads", () => {
  const reads = async (secret: string, peppers: Peppers, cache?: PrincipalCache) => {
    const actions: string[] = [];
    const aws = awsOverMemory(db, (act, action) => {
      actions.push(action);
      return act();
    });
    await callWith(secret, depsOf(peppers, aws), cache).catch((error) => expect(error).toEqual(refused));
    return actions;
  };

  const unknown = `sk-payg-${"u".repeat(43)}`;

  test("is what it was for a key under the current version, and for an unknown key without a version before", async () => {
    const [old, fresh] = [await customer(before), await customer(between)];
    expect(await reads(old.secret, before)).toEqual(["GetItem", "GetItem"]);
    expect(await reads(fresh.secret, between)).toEqual(["GetItem", "GetItem"]);
    expect(await reads(unknown, before)).toEqual(["GetItem"]);
    expect(await reads(unknown, after)).toEqual(["GetItem"]);
  });

  test("is one item more for an unknown key during a rotation", async () => {
    expect(await reads(unknown, between)).toEqual(["GetItem", "GetItem"]);
  });

  test("is nothing for a key that this process has just moved", async () => {
    const { secret } = await customer();
    const cache = new PrincipalCache();
    expect(await reads(secret, between, cache)).toEqual([
      "GetItem",
      "GetItem",
      "GetItem",
      "TransactWriteItems",
    ]);
    expect(await reads(secret, between, cache)).toEqual([]);
  });
});
