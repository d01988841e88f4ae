/** What an operator sees and does of users: no whole phone, and a freeze that acts at once. */
import { describe, expect, test } from "vitest";
import { findUser, setUserStatus, showUser, type UserDeps } from "#shared/edges/operator/users.ts";
import { contactKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { putItem } from "#shared/edges/store/dynamodb/items.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { contactName } from "#shared/people/identity/contact.ts";
import { eachVersion, keysOf } from "#shared/people/identity/identity-keys.ts";
import { codeOf, openMembers, rotatedSecret } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts } = useStores();

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner", "Ann");
  const deps: UserDeps = {
    users: createUsers(db.aws, db.tables),
    statuses: createUserStatuses(db.aws, db.tables),
    sessions: createSessions(db.aws, db.tables),
    accounts,
    endKeys: async () => {},
    keys: desk.deps.keys,
    now: desk.deps.now,
  };
  return { desk, acme, ann, deps };
}

test("a user is shown with organizations, open sessions and four digits of the phone", async () => {
  const { acme, ann, deps } = await opened();
  const shown = await showUser(ann.user.id, deps);
  expect(shown).toEqual({
    id: ann.user.id,
    name: "Ann",
    status: "active",
    phone_last_four: ann.phone.slice(-4),
    email_shown: null,
    locale: "en",
    sessions: 1,
    created_at: "2026-11-21T12:30:00.000Z",
    organizations: [{ id: acme.id, name: "Acme", role: "owner", joined_at: "2026-11-21T12:30:00.000Z" }],
  });
  expect(JSON.stringify(shown)).not.toContain(ann.phone.slice(1, -4));
});

describe("a user is found", () => {
  test("by id, and by the phone under each version of the secret", async () => {
    const { desk, ann, deps } = await opened();
    expect(await findUser(ann.user.id, deps)).toBe(ann.user.id);
    const [, before] = eachVersion(keysOf(rotatedSecret));
    const claim = {
      ...contactKey(contactName({ kind: "phone", text: ann.phone }, before ?? keysOf(rotatedSecret).current)),
      ...toItem({ user: ann.user.id }),
    };
    await putItem(db.aws, db.tables.accounts, claim, []);
    expect(await findUser(ann.phone, deps)).toBe(ann.user.id);
    desk.secret.known = rotatedSecret;
    expect(await findUser(`${ann.phone.slice(0, 3)} ${ann.phone.slice(3)}`, deps)).toBe(ann.user.id);
  });

  test.each(["", "Ann", "13800000000", "+", "org_01JD6ZJ4M00000000000000000"])("not by %j", async (text) => {
    const { deps } = await opened();
    await expect(findUser(text, deps)).rejects.toThrow("Give the id of a user");
  });

  test("not by a phone that nobody has, nor by an id of nobody", async () => {
    const { deps } = await opened();
    await expect(findUser("+8613711111111", deps)).rejects.toThrow("Nobody has this phone.");
    await expect(showUser("usr_01JD6ZJ4M00000000000000000", deps)).rejects.toThrow("There is no user");
    await expect(setUserStatus("usr_01JD6ZJ4M00000000000000000", "frozen", deps)).rejects.toThrow(
      "There is no user",
    );
  });
});

test("a freeze acts on the next call and a thaw on the one after, with the same session", async () => {
  const { desk, acme, ann, deps } = await opened();
  await setUserStatus(ann.user.id, "frozen", deps);
  expect((await showUser(ann.user.id, deps)).status).toBe("frozen");
  expect(codeOf(await desk.ask([ann, acme], "GET /api/v1/keys"))).toBe(40110);
  await setUserStatus(ann.user.id, "active", deps);
  expect((await desk.ask([ann, acme], "GET /api/v1/keys")).status).toBe(200);
});
