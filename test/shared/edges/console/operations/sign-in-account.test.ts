/** How sessions end, what other sites may not do with them, how often they call, and what they see of the account. */
import { describe, expect, test } from "vitest";
import { accountBy, codeOf, host, openPeople, ownPage, refresh, signedUp } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

describe("signing out", () => {
  test("ends the session for the very next call, and takes the cookie away", async () => {
    const { people, cookie, token } = await signedUp(openPeople(db));
    const out = await people.ask("POST /api/v1/auth/sign-out", {}, { cookie });
    expect([out.status, out.cookie, out.body]).toEqual([204, "", undefined]);
    expect(await accountBy(people, token)).toBe(40103);
    expect(codeOf(await refresh(people, cookie))).toBe(40103);
    expect((await people.ask("POST /api/v1/auth/sign-out", {}, { cookie })).status).toBe(204);
    expect((await people.ask("POST /api/v1/auth/sign-out")).status).toBe(204);
  });

  test("in one browser leaves the others, and each can be ended from any", async () => {
    const { people, phone, token, cookie } = await signedUp(openPeople(db));
    const headers = { ...ownPage, "user-agent": "Second\u0007 browser ☎".padEnd(300, "x") };
    const code = await people.codeFor(phone);
    const body = { phone, code };
    const second = await people.ask("POST /api/v1/auth/sign-in", body, { headers, ip: "2001:db8::1" });
    const list = await people.ask("GET /api/v1/auth/sessions", undefined, { token });
    expect(list.body).toMatchObject({ object: "list", has_more: false });
    expect(list.body.data).toEqual([
      {
        id: second.cookie?.split(".")[1],
        label: "Second browser ☎".padEnd(120, "x"),
        ip: "2001:db8::1",
        created_at: new Date(people.clock.now).toISOString(),
        seen_at: new Date(people.clock.now).toISOString(),
        current: false,
      },
      expect.objectContaining({ id: cookie.split(".")[1], ip: "203.0.113.7", current: true }),
    ]);
    const path = `DELETE /api/v1/auth/sessions/${second.cookie?.split(".")[1]}`;
    expect((await people.ask(path, undefined, { token })).status).toBe(204);
    expect(codeOf(await people.ask(path, undefined, { token }))).toBe(40400);
    expect(await accountBy(people, second.body.access_token)).toBe(40103);
    expect(await accountBy(people, token)).toBe(200);
    expect((await people.ask("GET /api/v1/auth/sessions", undefined, { token })).body.data).toHaveLength(1);
  });

  test("a session of another user does not exist", async () => {
    const people = openPeople(db);
    const [one, other] = [await signedUp(people), await signedUp(people)];
    for (const id of [other.cookie.split(".")[1], "x", "-"]) {
      const path = `DELETE /api/v1/auth/sessions/${id}`;
      expect(codeOf(await people.ask(path, undefined, { token: one.token }))).toBe(40400);
    }
    expect(await accountBy(people, other.token)).toBe(200);
  });
});

describe("another site", () => {
  test.each([
    [{ host }, 40300],
    [{ host, "sec-fetch-site": "cross-site" }, 40300],
    [{ host, "sec-fetch-site": "same-site", origin: `https://${host}` }, 40300],
    [{ host, "sec-fetch-site": "none" }, 40300],
    [{ host, origin: "https://evil.example" }, 40300],
    [{ host, origin: `https://${host}.evil.example` }, 40300],
    [{ host, origin: "null" }, 40300],
    [{ origin: `https://${host}` }, 40300],
    [{ host, origin: `https://${host}` }, 200],
    [{ host, "sec-fetch-site": "same-origin" }, 200],
  ])("with %j a refresh is %i", async (headers, code) => {
    const { people, cookie } = await signedUp(openPeople(db));
    expect(codeOf(await refresh(people, cookie, undefined, headers))).toBe(code);
    const out = await people.ask("POST /api/v1/auth/sign-out", {}, { cookie, headers: headers });
    expect(codeOf(out)).toBe(code === 200 ? 204 : 40300);
  });
});

describe("calls", () => {
  test("a session makes 120 a minute, and then waits for the next minute", async () => {
    const { people, token, cookie } = await signedUp(openPeople(db));
    people.clock.now = Date.parse("2026-11-23T13:00:10Z");
    const fresh = await refresh(people, cookie);
    const asked = Array.from({ length: 130 }, () => accountBy(people, fresh.body.access_token));
    const codes = await Promise.all(asked);
    // The refresh was one of them.
    expect(codes.filter((code) => code === 200)).toHaveLength(119);
    expect(codes.filter((code) => code === 42901)).toHaveLength(11);
    const refused = await people.ask("GET /api/v1/account", undefined, { token: fresh.body.access_token });
    expect(refused.headers["retry-after"]).toBe("50");
    expect(codeOf(await refresh(people, fresh.cookie))).toBe(42901);
    people.clock.now += 50_000;
    expect(await accountBy(people, fresh.body.access_token)).toBe(200);
    expect(await accountBy(people, token)).toBe(40103);
  });

  test("without a session are 40100", async () => {
    const people = openPeople(db);
    for (const authorization of [undefined, "", "Bearer", "Basic dXNlcjpwYXNz", "Bearer a b"]) {
      const headers = { ...ownPage, ...(authorization !== undefined && { authorization }) };
      expect(codeOf(await people.ask("GET /api/v1/account", undefined, { headers }))).toBe(40100);
    }
    expect(codeOf(await people.ask("GET /api/v1/account", undefined, { token: "sk-payg-x" }))).toBe(40103);
  });
});

describe("what is logged", () => {
  test("of a whole story names no phone, no code and no token", async () => {
    const people = openPeople(db);
    const { phone, cookie, token, user } = await signedUp(people);
    await people.ask("POST /api/v1/auth/code", { phone });
    await people.ask("POST /api/v1/auth/sign-in", { phone, code: "000000" });
    await people.signIn(phone);
    const next = await refresh(people, cookie);
    people.clock.now += 60_000;
    await refresh(people, cookie);
    await people.ask("GET /api/v1/account", undefined, { token });
    await people.ask("DELETE /api/v1/auth/sessions/x", undefined, { token: next.body.access_token });
    const text = JSON.stringify(people.lines);
    expect(text).toContain("session_reused");
    expect(text).toContain("refused");
    const codes = people.sent.map(({ code }) => `"${code}"`);
    const proofs = [cookie, next.cookie ?? ""].map((each) => each.split(".")[3] ?? "");
    for (const secret of [phone, phone.slice(3), token, next.body.access_token, ...codes, ...proofs])
      expect(text).not.toContain(secret);
    expect(text).toContain(user);
  });
});

describe("the account", () => {
  test("shows the user, the organizations, the rights, the plan and the wallet", async () => {
    const { people, token, user, organization, phone } = await signedUp(openPeople(db));
    const { body } = await people.ask("GET /api/v1/account", undefined, { token });
    expect(body).toEqual({
      user: {
        id: user,
        name: "",
        locale: "en",
        phone_last_four: phone.slice(-4),
        email_shown: null,
        created_at: new Date(people.clock.now).toISOString(),
      },
      organization: {
        id: organization,
        name: "My organization",
        status: "active",
        keys_make_managers: false,
      },
      organizations: [{ id: organization, name: "My organization", role: "owner" }],
      role: "owner",
      rights: expect.arrayContaining(["manage_billing", "manage_members"]),
      plan: { plan: "free", period: "monthly", ends_at: null, next: null },
      wallet: { balance_points: "0" },
    });
  });

  // An open page asks every 20 seconds, and console/README.md says what that costs.
  test("costs one write and three reads of the database", async () => {
    const actions: string[] = [];
    const aws: typeof db.aws = (service, action, input) => {
      actions.push(action);
      return db.aws(service, action, input);
    };
    const { people, token } = await signedUp(openPeople(db, { aws }));
    actions.length = 0;
    await people.ask("GET /api/v1/account", undefined, { token });
    expect(actions.toSorted()).toEqual(["BatchGetItem", "GetItem", "Query", "UpdateItem"]);
  });

  test("takes another name and language, and nothing else", async () => {
    const { people, token } = await signedUp(openPeople(db));
    const change = (body: object) => people.ask("PATCH /api/v1/account", body, { token });
    const { body } = await change({ name: " Ada ", locale: "zh" });
    expect([body.user.name, body.user.locale]).toEqual(["Ada", "zh"]);
    expect((await change({ locale: "en" })).body.user).toMatchObject({ name: "Ada", locale: "en" });
    for (const wrong of [{}, { name: "" }, { locale: "fr" }, { status: "active" }, { phone: "+1" }])
      expect(codeOf(await change(wrong))).toBe(40000);
    expect((await people.ask("GET /api/v1/account", undefined, { token })).body.user.name).toBe("Ada");
  });

  test("of a frozen organization can still be read", async () => {
    const { people, token, organization } = await signedUp(openPeople(db));
    await people.deps.accounts.setStatus(organization, "frozen");
    const { status, body } = await people.ask("GET /api/v1/account", undefined, { token });
    expect([status, body.organization.status]).toEqual([200, "frozen"]);
  });
});
