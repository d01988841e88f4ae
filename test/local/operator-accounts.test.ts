/** The operator's commands on the secret of accounts, with people who sign in between them. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { contactKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { contactName, contactsOf, openContact } from "#shared/people/identity/contact.ts";
import { createIdentityKeys } from "#shared/people/identity/identity-keys.ts";
import { tables } from "#test/support/dynamodb.ts";
import { arns, useOperatedSecrets } from "#test/support/operated-secrets.ts";
import { accountBy, codeOf, newPhone, openPeople, type People, refresh } from "#test/support/people.ts";

const operated = useOperatedSecrets();

afterEach(() => void vi.useRealTimers());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  operated.writtenAt = Date.now() - 3_600_000;
  operated.values.set(arns.accounts, "generated when the stage was made");
  const { Items = [] } = await operated.aws("dynamodb", "Scan", { TableName: tables.accounts });
  for (const { pk, sk } of Items)
    await operated.aws("dynamodb", "DeleteItem", { TableName: tables.accounts, Key: { pk, sk } as never });
});

const versions = async () => readPeppers(await readSecret(operated.aws, arns.accounts));
const keys = createIdentityKeys(async () => await versions());

/** A process that has just started: it reads the secret as it is. Its clock goes on from where the last one's was. */
let clock = Date.parse("2026-11-23T12:00:00Z");
async function newProcess(): Promise<People> {
  const people = openPeople({ aws: operated.aws, tables }, { secret: await versions() });
  clock += 3_600_000;
  people.clock.now = clock;
  return people;
}

/** The names of all claims of phones. */
async function claims(): Promise<string[]> {
  const { Items = [] } = await operated.aws("dynamodb", "Scan", { TableName: tables.accounts });
  return Items.flatMap(({ pk }) => (pk?.S?.startsWith("P#") ? [pk.S] : []));
}

test("is rotated and dropped: every phone moves, none has two users, and who was there in between stays signed in", async () => {
  const phones = Array.from({ length: 30 }, newPhone);
  const before = await newProcess();
  const users: string[] = [];
  for (const phone of phones) users.push((await before.signUp(phone)).body.user.id);
  const [active = "", away = ""] = phones;
  const here = await before.signIn(active);
  const gone = await before.signIn(away);
  expect((await operated.operate("accounts status")).value).toMatchObject({
    current: { version: 1 },
    previous: null,
    drop_from: null,
    users: { all: 30, on_previous: 0, on_none: 0 },
  });

  expect(await operated.operate("accounts rotate")).toMatchObject({
    code: 0,
    value: { version: 2, previous: 1 },
  });
  expect((await operated.operate("accounts rotate")).error).toBe(
    "version 1 of the accounts' secret is still kept beside version 2; run accounts drop before you rotate again\n",
  );
  const between = await newProcess();
  between.clock.now = clock;
  expect((await between.signIn(active)).body.user.id).toBe(users[0]);
  const newest = newPhone();
  await between.signUp(newest);
  const kept = await refresh(between, here.cookie);
  expect(kept.status).toBe(200);
  expect((await operated.operate("accounts status")).value.users).toEqual({
    all: 31,
    on_previous: 29,
    on_none: 0,
  });
  // One has moved, and one is claimed under both.
  expect(await claims()).toHaveLength(33);

  expect(await operated.operate("accounts drop")).toMatchObject({
    code: 0,
    value: { dropped: 1, moved_users: 29, lost_users: 0 },
  });
  expect((await operated.operate("accounts status")).value).toMatchObject({
    current: { version: 2 },
    previous: null,
    users: { all: 31, on_previous: 0, on_none: 0 },
  });
  expect(await claims()).toHaveLength(31);
  const after = await newProcess();
  for (const [at, phone] of phones.entries()) {
    const found = (await after.deps.users.read(users[at] ?? ""))?.user;
    const [kept] = found ? contactsOf(found) : [];
    expect(kept && (await openContact(users[at] ?? "", kept, keys))).toEqual({ kind: "phone", text: phone });
  }
  expect((await after.signIn(away)).body.user.id).toBe(users[1]);
  expect(codeOf(await after.signUp(newest))).toBe(40001);
  // A page that was open in between has a token of the new version. One that was not signs in again.
  after.clock.now = between.clock.now;
  expect(await accountBy(after, kept.body.access_token)).toBe(200);
  expect(codeOf(await refresh(after, gone.cookie))).toBe(40103);
  expect(await operated.operate("accounts drop")).toMatchObject({
    code: 2,
    error: "there is no previous version of the accounts' secret to drop\n",
  });
  expect((await operated.operate("accounts rotate")).value).toMatchObject({ version: 3, previous: 2 });
});

test("is not dropped while a process may know nothing but the version before", async () => {
  operated.writtenAt = Date.now() - 2 * limits.secretCacheSeconds * 1000 + 60_000;
  await operated.operate("accounts rotate");
  const until = new Date(operated.writtenAt + 2 * limits.secretCacheSeconds * 1000).toISOString();
  expect(await operated.operate("accounts drop")).toEqual({
    code: 2,
    error: `a process may still know nothing but version 1 of the accounts' secret; try again after ${until}\n`,
    value: undefined,
  });
  expect((await versions()).previous?.version).toBe(1);
});

test("is not dropped if a phone has become another user's, which cannot happen by itself", async () => {
  const phone = newPhone();
  const people = await newProcess();
  const { body } = await people.signUp(phone);
  await operated.operate("accounts rotate");
  const key = contactKey(contactName({ kind: "phone", text: phone }, (await keys()).current));
  await operated.aws("dynamodb", "PutItem", {
    TableName: tables.accounts,
    Item: { ...key, user: { S: "usr_x" } },
  });
  expect((await operated.operate("accounts drop")).error).toBe(
    `another user has the phone of ${body.user.id}\n`,
  );
  expect((await versions()).previous?.version).toBe(1);
  expect((await getItem(operated.aws, tables.accounts, key))?.user?.S).toBe("usr_x");
});
