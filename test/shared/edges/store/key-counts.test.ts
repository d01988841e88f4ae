/** The counts of keys in use, on the real store: never too low, whoever makes, revokes and counts at one moment. */
import { describe, expect, test } from "vitest";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyCounts, KeyRecord } from "#shared/books/accounts/account.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { keyCountKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { contended } from "#test/support/contended.ts";
import { openMembers } from "#test/support/members.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts } = useStores();
const most: KeyCounts = { organization: 6, member: 3 };
const [ann, bob, eve] = ["usr_ann", "usr_bob", "usr_eve"];

const newOrganization = async () => (await openMembers(db).newOrganization()).id;

function keyOf(organization: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  const id = newId("key", noon);
  return {
    ...{ id, hash: id, organization, project: "", name: "", mode: "payg", permissions: [], limits: null },
    ...{ status: "active", last_four: "abcd", created_at: noon, expires_at: null },
    ...fields,
  };
}

const make = async (organization: string, created_by?: string, fields: Partial<KeyRecord> = {}) => {
  const key = keyOf(organization, { ...(created_by && { created_by }), ...fields });
  return [await accounts.createKey(key, { most }), key.id] as const;
};

/** What an organization has in use, from its records. */
const inUse = async (organization: string) =>
  (await accounts.keys(organization, { limit: 100 })).keys.filter(({ status }) => status === "active").length;

test("the first key that has a limit counts those from before", async () => {
  const organization = await newOrganization();
  for (let old = 1; old <= 4; old++) await accounts.createKey(keyOf(organization));
  expect((await make(organization, ann))[0]).toBeUndefined();
  expect((await make(organization, bob))[0]).toBeUndefined();
  expect((await make(organization, eve))[0]).toBe("organization");
  expect(await inUse(organization)).toBe(6);
});

test("a key of an operator's is counted too, and has no limit itself", async () => {
  const organization = await newOrganization();
  for (let made = 1; made <= 5; made++) await make(organization);
  expect(await accounts.createKey(keyOf(organization))).toBeUndefined();
  expect((await make(organization))[0]).toBe("organization");
  expect(await accounts.createKey(keyOf(organization))).toBeUndefined();
  expect(await inUse(organization)).toBe(7);
});

test("what is revoked or has expired makes room, and what was refused is not stored", async () => {
  const organization = await newOrganization();
  const [, first] = await make(organization, ann);
  await make(organization, ann);
  await make(organization, ann, { expires_at: noon + 1 });
  const [refusal, refused] = await make(organization, ann);
  expect([refusal, await accounts.key(organization, refused)]).toEqual(["member", undefined]);
  expect((await make(organization, ann, { created_at: noon + 1 }))[0]).toBeUndefined();
  expect((await make(organization, ann, { created_at: noon + 1 }))[0]).toBe("member");
  await accounts.revokeKey(organization, first, noon);
  expect((await make(organization, ann, { created_at: noon + 1 }))[0]).toBeUndefined();
});

test("forty of one moment, by four people and by programs: as many as there may be, and no more", async () => {
  for (let round = 1; round <= 5; round++) {
    const organization = await newOrganization();
    const makers = [ann, bob, eve, undefined];
    const asked = Array.from({ length: 40 }, (_, at) => make(organization, makers[at % 4]));
    const made = (await Promise.all(asked)).filter(([refusal]) => refusal === undefined);
    expect([made.length, await inUse(organization)]).toEqual([6, 6]);
  }
});

describe("a key that is stored while all are counted", () => {
  /** Accounts whose nth query first lets something happen. */
  const interrupted = (happens: () => Promise<unknown>, before: boolean) => {
    let isDone = false;
    const aws: Aws = async (...call) => {
      if (call[1] !== "Query" || isDone) return await db.aws(...call);
      isDone = true;
      if (before) await happens();
      const answer = await db.aws(...call);
      if (!before) await happens();
      return answer;
    };
    return createAccounts(aws, db.tables);
  };

  test.each([
    ["with a limit, before the records are read", true, true],
    ["with a limit, after they were read", false, true],
    ["of an operator's, before the records are read", true, false],
    ["of an operator's, after they were read", false, false],
  ])("%s, is not missed", async (_, before, isLimited) => {
    const organization = await newOrganization();
    for (let made = 1; made <= 4; made++) await accounts.createKey(keyOf(organization));
    const happens = () => accounts.createKey(keyOf(organization), isLimited ? { most } : {});
    const racing = interrupted(happens, before);
    expect(await racing.createKey(keyOf(organization), { most })).toBeUndefined();
    expect((await make(organization))[0]).toBe("organization");
    expect(await inUse(organization)).toBe(6);
  });
});

test("a count that is not full reads no keys", async () => {
  const organization = await newOrganization();
  await make(organization, ann);
  const actions: string[] = [];
  const aws: Aws = async (...call) => {
    actions.push(call[1]);
    return await db.aws(...call);
  };
  await createAccounts(aws, db.tables).createKey(keyOf(organization, { created_by: ann }), { most });
  expect(actions).toEqual(["TransactWriteItems"]);
  const count = await getItem(db.aws, db.tables.keys, keyCountKey(organization, ann));
  expect(count?.keys).toEqual({ N: "2" });
});

describe("while others write the counts again and again", () => {
  /** As DynamoDB answers a plain write to an item that a transaction is writing, when the port has repeated it. */
  const countsWritten: Aws = async (...call) => {
    if (call[1] !== "UpdateItem") return await db.aws(...call);
    throw new AwsError("TransactionConflictException", 400, {});
  };

  test.each([
    ["when it is stored", contended(db.aws)],
    ["when all are counted anew", countsWritten],
  ])("a key with a limit is busy, and not stored: %s", async (_, aws) => {
    const organization = await newOrganization();
    await accounts.createKey(keyOf(organization));
    const key = keyOf(organization, { created_by: ann });
    expect(await createAccounts(aws, db.tables).createKey(key, { most })).toBe("busy");
    expect(await accounts.key(organization, key.id)).toBeUndefined();
    expect(await accounts.createKey(key, { most })).toBeUndefined();
  });

  test("an operator's key is stored, or the command fails", async () => {
    const busy = createAccounts(contended(db.aws), db.tables);
    await expect(busy.createKey(keyOf(await newOrganization()))).rejects.toThrow(
      "TransactionCanceledException",
    );
  });

  test("another fault is not taken for that", async () => {
    const broken: Aws = async () => {
      throw new AwsError("AccessDeniedException", 400, {});
    };
    const stored = createAccounts(broken, db.tables).createKey(keyOf(await newOrganization()), { most });
    await expect(stored).rejects.toThrow("AccessDeniedException");
  });
});
