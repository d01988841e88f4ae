/** Sessions on the real store: the chain of refresh tokens, and the organization that a session works in. */
import { describe, expect, test } from "vitest";
import { membershipKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import type { User } from "#shared/people/identity/user.ts";
import {
  type Answer,
  accountBy,
  bothSecrets,
  codeOf,
  newPhone,
  openPeople,
  refresh,
  secondSecret,
  signedUp,
} from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

describe("the cookie", () => {
  test("is for the browser alone, this host, TLS and own pages, for 30 days", async () => {
    const people = openPeople(db);
    const { headers, cookie } = await people.signUp(newPhone());
    expect(headers["set-cookie"]).toBe(
      `__Host-session=${cookie}; Max-Age=2592000; Path=/; Secure; HttpOnly; SameSite=Strict`,
    );
    expect(headers["cache-control"]).toBe("no-store");
  });
});

describe("a refresh", () => {
  test("gives the next token, which gives the next", async () => {
    const { people, cookie } = await signedUp(openPeople(db));
    const second = await refresh(people, cookie);
    expect([second.status, Object.keys(second.body).sort()]).toEqual([
      200,
      ["access_token", "expires_in", "organization", "token_type", "user"],
    ]);
    expect(second.cookie).not.toBe(cookie);
    people.clock.now += 11_000;
    const third = await refresh(people, second.cookie);
    expect(third.status).toBe(200);
    expect(await accountBy(people, third.body.access_token)).toBe(200);
  });

  test("of twenty tabs at once gives one successor to all", async () => {
    const { people, cookie } = await signedUp(openPeople(db));
    const asked = Array.from({ length: 20 }, () => refresh(people, cookie));
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(codeOf))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.cookie)).size).toBe(1);
    people.clock.now += 60_000;
    expect((await refresh(people, answers[0]?.cookie)).status).toBe(200);
  });

  test("with the token before the last is good for ten seconds, and for the immediate one only", async () => {
    const { people, cookie } = await signedUp(openPeople(db));
    const second = await refresh(people, cookie);
    people.clock.now += 9_999;
    const again = await refresh(people, cookie);
    expect([again.status, again.cookie]).toEqual([200, second.cookie]);
    await refresh(people, second.cookie);
    expect(codeOf(await refresh(people, cookie))).toBe(40103);
  });

  test("with an old token ends the session for everybody, and says so", async () => {
    const { people, cookie, user, token } = await signedUp(openPeople(db));
    const second = await refresh(people, cookie);
    people.clock.now += 10_000;
    const reused = await refresh(people, cookie);
    expect([reused.status, codeOf(reused), reused.cookie]).toEqual([401, 40103, ""]);
    expect(people.lines).toContainEqual({
      event: "session_reused",
      fields: { user, session: cookie.split(".")[1] },
    });
    expect(codeOf(await refresh(people, second.cookie))).toBe(40103);
    expect(await accountBy(people, token)).toBe(40103);
    expect(await accountBy(people, second.body.access_token)).toBe(40103);
  });

  test("with what is no token of ours is 40103, and ends nobody's session", async () => {
    const { people, cookie } = await signedUp(openPeople(db));
    const [user = "", session = "", , proof = ""] = cookie.split(".");
    const other = (await signedUp(people)).cookie.split(".");
    const forged = [
      "",
      "x",
      `${user}.${session}.2.${proof}`,
      `${user}.${session}.0.${proof}`,
      `${user}.${session}.1.${"A".repeat(43)}`,
      `${user}.${session}.1.${other[3]}`,
      `${other[0]}.${session}.1.${proof}`,
      `${cookie}.x`,
      `${user}.${session}.01.${proof}`,
      `${user}.${session}.1e0.${proof}`,
    ];
    for (const each of forged) expect(codeOf(await refresh(people, each))).toBe(40103);
    expect(codeOf(await refresh(people, undefined))).toBe(40103);
    expect((await refresh(people, cookie)).status).toBe(200);
  });

  test("goes on for 30 days without another one, and for 90 in all", async () => {
    const day = 86_400_000;
    const idle = await signedUp(openPeople(db));
    idle.people.clock.now += 30 * day;
    expect(codeOf(await refresh(idle.people, idle.cookie))).toBe(40103);
    const busy = await signedUp(openPeople(db));
    let cookie: string | undefined = busy.cookie;
    for (let days = 29; days < 90; days += 29) {
      busy.people.clock.now += 29 * day;
      const answer: Answer = await refresh(busy.people, cookie);
      expect(answer.status).toBe(200);
      cookie = answer.cookie;
    }
    busy.people.clock.now += 3 * day;
    expect(codeOf(await refresh(busy.people, cookie))).toBe(40103);
  });

  test("of a frozen user is 40110, and the session is still there when they are unfrozen", async () => {
    const { people, cookie, user, token } = await signedUp(openPeople(db));
    await people.deps.users.change(user, { status: "frozen" } as Partial<User>);
    expect(codeOf(await refresh(people, cookie))).toBe(40110);
    expect(await accountBy(people, token)).toBe(40110);
    await people.deps.users.change(user, { status: "active" } as Partial<User>);
    expect((await refresh(people, cookie)).status).toBe(200);
  });

  test("survives a rotation of the secret, also on processes with an older copy", async () => {
    const { people: older, cookie, token } = await signedUp(openPeople(db));
    const newer = openPeople(db, { secret: bothSecrets });
    newer.clock.now = older.clock.now;
    expect(await accountBy(newer, token)).toBe(200);
    const second = await refresh(newer, cookie);
    expect(second.status).toBe(200);
    // The older process does not know the version yet, and reads the secret again.
    older.secret.fresh = bothSecrets;
    expect(await accountBy(older, second.body.access_token)).toBe(200);
    const after = openPeople(db, { secret: secondSecret });
    after.clock.now = older.clock.now;
    expect((await refresh(after, second.cookie)).status).toBe(200);
    expect(codeOf(await refresh(after, cookie))).toBe(40103);
  });
});

describe("another organization", () => {
  /** Makes somebody a member of an organization. */
  async function join(user: string, organization: string, role: string): Promise<void> {
    const fields = { user, organization, role };
    const item = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { S: value }]));
    const Item = { ...membershipKey(user, organization), ...item, since: { N: "0" } };
    await db.aws("dynamodb", "PutItem", { TableName: db.tables.accounts, Item });
  }

  test("is where a refresh leads that asks for it, and where the next one stays", async () => {
    const people = openPeople(db);
    const [one, other] = [await signedUp(people), await signedUp(people)];
    await join(one.user, other.organization, "finance");
    const switched = await refresh(people, one.cookie, { organization: other.organization });
    expect(switched.status).toBe(200);
    const account = await people.ask("GET /api/v1/account", undefined, { token: switched.body.access_token });
    expect([account.body.organization.id, account.body.role]).toEqual([other.organization, "finance"]);
    // The answer names whom and what its token is for.
    const { user, organization } = switched.body;
    expect([user.id, organization.id]).toEqual([one.user, other.organization]);
    expect(account.body.organizations.map(({ id }: { id: string }) => id).sort()).toEqual(
      [one.organization, other.organization].sort(),
    );
    people.clock.now += 60_000;
    const next = await refresh(people, switched.cookie);
    const stayed = await people.ask("GET /api/v1/account", undefined, { token: next.body.access_token });
    expect(stayed.body.organization.id).toBe(other.organization);
  });

  test("of others is refused, and the token is as good as before", async () => {
    const people = openPeople(db);
    const [one, other] = [await signedUp(people), await signedUp(people)];
    for (const organization of [other.organization, "org_x", ""])
      expect(codeOf(await refresh(people, one.cookie, { organization }))).toBe(40300);
    expect(codeOf(await refresh(people, one.cookie, { organization: 1 }))).toBe(40000);
    people.clock.now += 60_000;
    expect((await refresh(people, one.cookie)).status).toBe(200);
  });

  test("that the user was removed from ends the access token at once, and a refresh leads home", async () => {
    const people = openPeople(db);
    const [one, other] = [await signedUp(people), await signedUp(people)];
    await join(one.user, other.organization, "member");
    const switched = await refresh(people, one.cookie, { organization: other.organization });
    const Key = membershipKey(one.user, other.organization);
    await db.aws("dynamodb", "DeleteItem", { TableName: db.tables.accounts, Key });
    expect(await accountBy(people, switched.body.access_token)).toBe(40103);
    const home = await refresh(people, switched.cookie);
    const account = await people.ask("GET /api/v1/account", undefined, { token: home.body.access_token });
    expect(account.body.organization.id).toBe(one.organization);
  });

  test("with another role acts on the next call", async () => {
    const people = openPeople(db);
    const { user, organization, token } = await signedUp(people);
    await join(user, organization, "member");
    const account = await people.ask("GET /api/v1/account", undefined, { token });
    expect([account.body.role, account.body.rights]).toEqual(["member", ["manage_own_keys"]]);
  });
});
