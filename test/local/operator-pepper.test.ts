/**
 * The operator's commands on the pepper, with calls that read the same secret and the same table in between.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HttpRequest } from "#shared/base/http/message.ts";
import type { Route } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { createSecretStore } from "#shared/base/platform/secret-text.ts";
import { createSecrets, readSecret } from "#shared/base/platform/secrets.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { authenticate, PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { tables } from "#test/support/dynamodb.ts";
import { arns, useOperatedSecrets } from "#test/support/operated-secrets.ts";

const secrets = useOperatedSecrets();

afterEach(() => void vi.useRealTimers());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  secrets.writtenAt = Date.now() - 3_600_000;
  secrets.values.set(arns.pepper, "generated when the stage was made");
  const { Items = [] } = await secrets.aws("dynamodb", "Scan", { TableName: tables.keys });
  for (const { pk, sk } of Items)
    await secrets.aws("dynamodb", "DeleteItem", { TableName: tables.keys, Key: { pk, sk } as never });
});

const accounts = () => createAccounts(secrets.aws, tables);
const peppers = async () => readPeppers(await readSecret(secrets.aws, arns.pepper));

async function newOrganization(): Promise<Organization> {
  const meter = newId("meter", Date.now());
  const organization: Organization = {
    ...{ id: newId("organization", Date.now()), name: "Acme", status: "active", created_at: Date.now() },
    ...{ subscription: null, wallet: { meter, shards: 1 }, permissions: [] },
  };
  await createMeters(secrets.aws, tables).open(meter, 0, "payg");
  await accounts().createOrganization(organization);
  return organization;
}

const newKey = (organization: Organization, expires_at: number | null = null) =>
  issueKey(
    organization,
    { name: "n", mode: "payg", project: "", permissions: [], limits: null, expires_at },
    { accounts: accounts(), peppers, now: Date.now },
  );

/** A call on a process that has just started. */
const call = async (secret: string) => {
  const request = { headers: { "x-api-key": secret }, query: new URLSearchParams() };
  const held = createSecrets(secrets.aws, arns, () => {});
  const deps = { accounts: accounts(), secrets: held, log: () => {}, now: Date.now };
  const route = { operation: "infer", style: "openai" } as unknown as Route;
  return await authenticate(request as unknown as HttpRequest, route, { keys: new PrincipalCache() }, deps);
};

test("is rotated step by step, while every key goes on and none is lost", async () => {
  const acme = await newOrganization();
  const [used, idle, revoked, expired] = [
    await newKey(acme),
    await newKey(acme),
    await newKey(acme),
    await newKey(acme, Date.now() - 1),
  ];
  await accounts().revokeKey(acme.id, revoked.key.id, Date.now());
  expect((await secrets.operate("pepper status")).value).toMatchObject({
    current: { version: 1, made_at: new Date(secrets.writtenAt).toISOString() },
    previous: null,
    drop_from: null,
    keys: { living: 2, on_previous: 0, on_none: 0 },
  });
  const born = new Date(secrets.writtenAt).toISOString();

  const rotated = await secrets.operate("pepper rotate");
  expect(rotated).toMatchObject({ code: 0, value: { version: 2, previous: 1 } });
  expect(await secrets.operate("pepper rotate")).toMatchObject({
    code: 2,
    error:
      "version 1 of the pepper is still kept beside version 2; run pepper drop before you rotate again\n",
  });
  const made = await newKey(acme);
  expect(made.key.hash_version).toBe(2);
  expect((await secrets.operate("pepper status")).value).toMatchObject({
    current: { version: 2 },
    previous: { version: 1, made_at: born },
    keys: { living: 3, on_previous: 2, on_none: 0 },
  });

  for (const { secret } of [used, made]) expect((await call(secret)).key.organization).toBe(acme.id);
  await expect(call(revoked.secret)).rejects.toMatchObject({ key: "invalid_key" });
  await expect(call(expired.secret)).rejects.toMatchObject({ key: "invalid_key" });
  expect((await secrets.operate("pepper status")).value.keys).toEqual({
    living: 3,
    on_previous: 1,
    on_none: 0,
  });

  const refused = await secrets.operate("pepper drop");
  expect(refused).toMatchObject({ code: 1, value: { needed_by: [{ id: idle.key.id }] } });
  expect((await call(idle.secret)).key.id).toBe(idle.key.id);
  expect(await secrets.operate("pepper drop")).toMatchObject({
    code: 0,
    value: { dropped: 1, removed_hashes: 0, kept_hashes: 3 },
  });
  for (const { secret } of [used, idle, made]) expect((await call(secret)).key.hash_version).toBe(2);
  expect((await secrets.operate("pepper status")).value).toMatchObject({
    previous: null,
    keys: { living: 3 },
  });
  // A call that runs may still look for the hash that its key has left.
  vi.setSystemTime(Date.now() + limits.holdExpirySeconds * 1000 - 60_000);
  expect((await secrets.operate("pepper drop")).value).toEqual({
    dropped: null,
    removed_hashes: 0,
    kept_hashes: 3,
  });
  vi.setSystemTime(Date.now() + 60_000);
  expect((await secrets.operate("pepper drop")).value).toMatchObject({ removed_hashes: 3, kept_hashes: 0 });
  expect(await secrets.operate("pepper drop")).toMatchObject({
    code: 2,
    error: "there is no previous version of the pepper to drop\n",
  });
  expect((await secrets.operate("pepper rotate")).value).toMatchObject({ version: 3, previous: 2 });
});

test("is not dropped while a process may still make keys under the version before", async () => {
  secrets.writtenAt = Date.now() - 2 * limits.secretCacheSeconds * 1000 + 60_000;
  await secrets.operate("pepper rotate");
  const until = new Date(secrets.writtenAt + 2 * limits.secretCacheSeconds * 1000).toISOString();
  expect(await secrets.operate("pepper drop")).toEqual({
    code: 2,
    error: `a process may still make keys under version 1 of the pepper; try again after ${until}\n`,
    value: undefined,
  });
  expect((await peppers()).previous?.version).toBe(1);
});

test("keeps the version before for keys of a frozen organization, and says whose they are", async () => {
  const frozen = await newOrganization();
  await accounts().setStatus(frozen.id, "frozen");
  const keys: KeyRecord[] = [];
  for (let n = 0; n < 21; n++) keys.push((await newKey(frozen)).key);
  await secrets.operate("pepper rotate");
  const { code, out } = await secrets.look("pepper drop");
  expect(code).toBe(1);
  expect(out).toContain("living_keys: 21\n");
  expect(out).toContain(frozen.id);
  expect(out).toContain("more: 1 more: --json names them all");
  for (const key of keys) await accounts().revokeKey(frozen.id, key.id, Date.now());
  expect(await secrets.operate("pepper drop")).toMatchObject({ code: 0 });
});

test("counts keys of a version that is gone, and removes on repetition what an interrupted drop has left", async () => {
  const acme = await newOrganization();
  const { secret } = await newKey(acme);
  await secrets.operate("pepper rotate");
  await call(secret);
  // As if the drop had ended after its first write, and somebody had made a secret of another version by hand.
  const { current } = await peppers();
  const store = createSecretStore(secrets.aws, arns.pepper);
  const alone = (version: number) => JSON.stringify({ current: { version, pepper: current.value } });
  expect(await store.replace(await store.read(), alone(2))).toBe(true);
  vi.setSystemTime(Date.now() + limits.holdExpirySeconds * 1000);
  expect((await secrets.operate("pepper drop")).value).toEqual({
    dropped: null,
    removed_hashes: 1,
    kept_hashes: 0,
  });
  expect(await store.replace(await store.read(), alone(3))).toBe(true);
  expect((await secrets.operate("pepper status")).value.keys).toEqual({
    living: 1,
    on_previous: 0,
    on_none: 1,
  });
});

test("is changed by one of two who change it at once", async () => {
  const store = createSecretStore(secrets.aws, arns.pepper);
  const read = await store.read();
  expect(await Promise.all([store.replace(read, "a"), store.replace(read, "b")])).toEqual(
    expect.arrayContaining([true, false]),
  );
  const [one, two] = await Promise.all([secrets.operate("pepper rotate"), secrets.operate("pepper rotate")]);
  expect([one.code, two.code].sort()).toEqual([0, 2]);
  expect((await peppers()).current.version).toBe(2);
});
