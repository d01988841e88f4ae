/** Programs that people sign in: the way of a code from the terminal to the page and back, and who may not go it. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { freezeUser, setUserStatus } from "#shared/edges/operator/users.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { codeOf } from "#test/support/members.ts";
import { client_id, openedPrograms } from "#test/support/programs.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, accounts } = stores;

const opened = async (changes?: Parameters<typeof openedPrograms>[1]) =>
  await openedPrograms(stores, changes);
type Opened = Awaited<ReturnType<typeof opened>>;

describe("a program that is signed in", () => {
  test("shows a code, waits, and gets a key of the person that ends in hours", async () => {
    const { desk, acme, ann, principal } = await opened();
    const asked = await desk.start();
    expect(asked).toEqual({
      device_code: expect.stringMatching(/^[A-Z]{8}\.[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: "https://console.example/device",
      verification_uri_complete: `https://console.example/device#${asked.user_code}`,
      ...{ expires_in: 600, interval: 5 },
    });
    expect(await desk.poll(asked.device_code)).toMatchObject({
      status: 400,
      body: { error: "authorization_pending" },
    });
    expect((await desk.approve([ann, acme], asked.user_code, { project_id: "docs" })).body).toMatchObject({
      approved: true,
    });
    const { status, body } = await desk.poll(asked.device_code);
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^sk-payg-/),
        ...{ token_type: "Bearer", expires_in: consoleLimits.programKeySeconds },
        refresh_token: expect.stringContaining(acme.id),
      },
    ]);
    expect((await principal(body.access_token))?.key).toMatchObject({
      ...{ created_by: ann.user.id, project: "docs", permissions: [], name: "gateway.mjs (anns-laptop)" },
      expires_at: desk.clock.now + consoleLimits.programKeySeconds * 1000,
    });
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries).toMatchObject([
      {
        ...{ kind: "key_created", actor: ann.user.id, credential: ann.session.id, ip: desk.home },
        after: { program: "gateway.mjs (anns-laptop)", asked_from: desk.home },
      },
    ]);
  });

  test("is a line of the person's programs and a key of theirs, and of nobody else's", async () => {
    const { desk, acme, olga, ann } = await opened();
    await desk.signIn([ann, acme]);
    const { body } = await desk.askPage([ann, acme], "GET /api/v1/auth/programs");
    expect(body.data).toMatchObject([{ client: client_id, machine: "anns-laptop", ip: desk.home }]);
    expect((await desk.askPage([olga, acme], "GET /api/v1/auth/programs")).body.data).toEqual([]);
    const keys = await desk.askPage([ann, acme], "GET /api/v1/keys");
    expect(keys.body.data).toMatchObject([{ id: body.data[0].id, program: "gateway.mjs (anns-laptop)" }]);
  });

  test("says where it signs in, and for which gateway", async () => {
    const { desk, acme, ann } = await opened();
    const { body } = await desk.askPage([ann, acme], "GET /.well-known/oauth-authorization-server");
    expect(body).toMatchObject({
      issuer: "https://console.example",
      token_endpoint: "https://console.example/api/v1/auth/device/token",
      gateway_url: "https://gateway.example",
    });
  });
});

describe("a refresh", () => {
  test("gives the same key another secret, and the one before works for a while", async () => {
    const { desk, acme, ann, principal, isGood } = await opened();
    const first = await desk.signIn([ann, acme]);
    desk.clock.now += 3_600_000;
    const { body: second } = await desk.refresh(first.refresh_token);
    expect(second).toMatchObject({ expires_in: consoleLimits.programKeySeconds });
    expect((await principal(second.access_token))?.key.id).toBe(
      (await principal(first.access_token))?.key.id,
    );
    expect([await isGood(first.access_token), await isGood(second.access_token)]).toEqual([true, true]);
    desk.clock.now += consoleLimits.programOverlapSeconds * 1000;
    expect([await isGood(first.access_token), await isGood(second.access_token)]).toEqual([false, true]);
    expect((await accounts.keys(acme.id, { limit: 10 })).keys).toHaveLength(1);
  });

  test("whose answer was lost gets the same answer for a minute", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const first = await desk.signIn([ann, acme]);
    const { body: second } = await desk.refresh(first.refresh_token);
    desk.clock.now += consoleLimits.programGraceSeconds * 1000 - 1;
    const { body: again } = await desk.refresh(first.refresh_token);
    expect(again).toMatchObject({ access_token: second.access_token, refresh_token: second.refresh_token });
    expect(await isGood(again.access_token)).toBe(true);
  });

  test("of two terminals at one moment gives both the same key", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const { refresh_token } = await desk.signIn([ann, acme]);
    const answers = await Promise.all([1, 2, 3].map(() => desk.refresh(refresh_token)));
    const [one, ...others] = answers.map(({ body }) => body.access_token as string);
    expect(others).toEqual([one, one]);
    expect(await isGood(one ?? "")).toBe(true);
  });

  test("with an old token ends the key: somebody has kept it", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const first = await desk.signIn([ann, acme]);
    const { body: second } = await desk.refresh(first.refresh_token);
    desk.clock.now += consoleLimits.programGraceSeconds * 1000;
    expect((await desk.refresh(first.refresh_token)).body.error).toBe("invalid_grant");
    expect(await isGood(second.access_token)).toBe(false);
    expect((await desk.refresh(second.refresh_token)).body.error).toBe("invalid_grant");
    expect(desk.lines).toContainEqual(expect.objectContaining({ event: "program_reused" }));
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 1 });
    expect(entries).toMatchObject([{ kind: "key_revoked", actor: ann.user.id }]);
  });

  test("wakes a key that has ended by its time, and an old secret stays dead", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const first = await desk.signIn([ann, acme]);
    desk.clock.now += 3 * 86_400_000;
    const { body: second } = await desk.refresh(first.refresh_token);
    expect([await isGood(first.access_token), await isGood(second.access_token)]).toEqual([false, true]);
  });

  test("is too late after 30 days without one", async () => {
    const { desk, acme, ann } = await opened();
    const { refresh_token } = await desk.signIn([ann, acme]);
    desk.clock.now += consoleLimits.sessionSeconds * 1000;
    expect((await desk.refresh(refresh_token)).body.error).toBe("invalid_grant");
  });

  test("by another client, or with a token that was changed, is refused and ends nothing", async () => {
    const { desk, acme, ann } = await opened();
    const { refresh_token } = await desk.signIn([ann, acme]);
    const [organization, key, , proof] = refresh_token.split(".");
    const texts = ["", "x", `${organization}.${key}.2.${proof}`, `${refresh_token}x`];
    for (const text of texts) expect([text, (await desk.refresh(text)).status]).toEqual([text, 400]);
    expect((await desk.refresh(refresh_token, { client_id: "other" })).body.error).toBe("invalid_grant");
    expect((await desk.refresh(refresh_token)).status).toBe(200);
  });

  test("happens so many times an hour, and then says how long to wait", async () => {
    const { desk, acme, ann } = await opened();
    let { refresh_token } = await desk.signIn([ann, acme]);
    for (let n = 0; n < consoleLimits.programRefreshesHourMax; n++)
      ({ refresh_token } = (await desk.refresh(refresh_token)).body);
    const { status, headers, body } = await desk.refresh(refresh_token);
    expect([status, body.error, Number(headers["retry-after"]) > 0]).toEqual([429, "slow_down", true]);
    desk.clock.now += 3_600_000;
    expect((await desk.refresh(refresh_token)).status).toBe(200);
  });
});

/** What ends a program, each with who does it. */
const ends: [string, (at: Opened, key: string) => Promise<unknown>][] = [
  [
    "its person is removed",
    ({ desk, acme, olga, ann }) => desk.askPage([olga, acme], `DELETE /api/v1/members/${ann.user.id}`),
  ],
  [
    "its person leaves",
    ({ desk, acme, ann }) => desk.askPage([ann, acme], `DELETE /api/v1/members/${ann.user.id}`),
  ],
  [
    "its person gets a role that manages no keys",
    ({ desk, acme, olga, ann }) =>
      desk.askPage([olga, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "finance" }),
  ],
  [
    "its person is frozen",
    async ({ desk, ann }) => {
      const { deps } = desk;
      await freezeUser(ann.user.id, {
        users: createUsers(db.aws, db.tables),
        statuses: createUserStatuses(db.aws, db.tables),
        sessions: createSessions(db.aws, db.tables),
        accounts,
        keys: deps.keys,
        now: deps.now,
        endKeys: (organization, ids) =>
          Promise.all(ids.map((id) => accounts.revokeKey(organization, id, deps.now()))),
      });
    },
  ],
  [
    "the person signs it out",
    ({ desk, acme, ann }, key) => desk.askPage([ann, acme], `DELETE /api/v1/keys/${key}`),
  ],
  [
    "somebody who manages all keys revokes it",
    ({ desk, acme, olga }, key) => desk.askPage([olga, acme], `DELETE /api/v1/keys/${key}`),
  ],
];

describe("a program ends at once when", () => {
  test.each(ends)("%s", async (_, end) => {
    const at = await opened();
    const { desk, acme, ann, isGood, principal } = at;
    const tokens = await desk.signIn([ann, acme]);
    await end(at, (await principal(tokens.access_token))?.key.id ?? "");
    expect(await isGood(tokens.access_token)).toBe(false);
    expect((await desk.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  test.each(ends.slice(0, 4))(
    "%s, also while it sleeps, and does not wake when all is well again",
    async (_, end) => {
      const at = await opened();
      const { desk, acme, ann } = at;
      const tokens = await desk.signIn([ann, acme]);
      desk.clock.now += 86_400_000;
      await end(at, "");
      await setUserStatus(ann.user.id, "active", { statuses: createUserStatuses(db.aws, db.tables) });
      const { keys } = await accounts.keys(acme.id, { limit: 10 });
      expect(keys.map(({ status }) => status)).toEqual(["revoked"]);
      expect((await desk.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    },
  );

  test("it signs itself out, by any of its tokens; another text does nothing", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const tokens = await desk.signIn([ann, acme]);
    for (const token of ["x", tokens.access_token])
      expect((await desk.post("revoke", { token })).status).toBe(200);
    expect(await isGood(tokens.access_token)).toBe(true);
    expect(await desk.post("revoke", { token: tokens.refresh_token })).toMatchObject({ status: 200 });
    expect(await isGood(tokens.access_token)).toBe(false);
    expect((await desk.post("revoke", { token: tokens.refresh_token })).status).toBe(200);
  });

  test("a refresh finds its person gone whose keys nobody has ended yet", async () => {
    const { desk, acme, ann, isGood } = await opened();
    const tokens = await desk.signIn([ann, acme]);
    await setUserStatus(ann.user.id, "frozen", { statuses: createUserStatuses(db.aws, db.tables) });
    expect((await desk.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await isGood(tokens.access_token)).toBe(false);
  });
});

describe("its key", () => {
  test("keeps its end and its secret to itself, and takes limits like any other", async () => {
    const { desk, acme, ann, principal } = await opened();
    const { access_token } = await desk.signIn([ann, acme]);
    const path = `/api/v1/keys/${(await principal(access_token))?.key.id}`;
    const end = await desk.askPage([ann, acme], `PATCH ${path}`, { expires_at: null });
    expect([codeOf(end), end.body.error.reason]).toEqual([40000, "expires_at"]);
    expect(codeOf(await desk.askPage([ann, acme], `POST ${path}/rotate`))).toBe(40000);
    const limits = { budget_points: "5", budget_period: "day" };
    expect((await desk.askPage([ann, acme], `PATCH ${path}`, { limits })).body.limits).toEqual(limits);
  });

  test("goes on where its person becomes somebody who still manages keys", async () => {
    const { desk, acme, olga, ann, isGood } = await opened();
    const { access_token } = await desk.signIn([ann, acme]);
    await desk.askPage([olga, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "admin" });
    await desk.askPage([olga, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "member" });
    expect(await isGood(access_token)).toBe(true);
  });
});
