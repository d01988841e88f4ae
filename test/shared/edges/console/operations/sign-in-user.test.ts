/** Signing up and in on the real stores: what is made, what is refused, and one account a phone. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { createGuessGuard } from "#shared/people/identity/guess-guard.ts";
import { inRounds } from "#test/shared/edges/console/operations/rounds.ts";
import { codeOf, newPhone, openPeople, usersOf } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts, meters } = useStores();

describe("signing up", () => {
  test("makes a user, and an organization with the Free plan, an empty wallet and its owner", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const { status, body, cookie } = await people.signUp(phone, { name: " 林 Lin ", locale: "zh" });
    expect(status).toBe(201);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: "Bearer",
      expires_in: 600,
      user: {
        id: expect.stringMatching(/^usr_/),
        name: "林 Lin",
        locale: "zh",
        phone_last_four: phone.slice(-4),
        email_shown: null,
        created_at: new Date(people.clock.now).toISOString(),
      },
      organization: {
        id: expect.stringMatching(/^org_/),
        name: "林 Lin",
        status: "active",
        role: "owner",
      },
    });
    expect(cookie).toMatch(new RegExp(`^${body.user.id}\\.ses_[0-9A-Z]{26}\\.1\\.[\\w-]{43}$`));
    const organization = await accounts.organization(body.organization.id);
    expect(organization?.subscription?.plan).toBe("free");
    expect(await meters.balance(organization?.wallet?.meter ?? "")).toBe(0n);
    expect(await meters.readMeter(organization?.subscription?.meter ?? "", 0)).toBeDefined();
    const account = await people.ask("GET /api/v1/account", undefined, { token: body.access_token });
    expect(account.body.role).toBe("owner");
    expect(people.lines).toContainEqual({
      event: "console_signed_up",
      fields: { organization: body.organization.id },
    });
  });

  test("without a name it calls the organization in the reader's language", async () => {
    const people = openPeople(db);
    expect((await people.signUp(newPhone(), { locale: "zh" })).body.organization.name).toBe("我的组织");
    expect((await people.signUp(newPhone())).body.organization.name).toBe("My organization");
  });

  test("where the catalog has no Free plan, the organization has its wallet alone", async () => {
    const people = openPeople(db, { deps: { plan: () => undefined, plans: () => [] } });
    const { status, body } = await people.signUp(newPhone());
    expect(status).toBe(201);
    expect(await accounts.organization(body.organization.id)).toMatchObject({
      subscription: null,
      wallet: { shards: 1 },
    });
    const account = await people.ask("GET /api/v1/account", undefined, { token: body.access_token });
    expect([account.body.plan, account.body.wallet]).toEqual([null, { balance_points: "0" }]);
  });

  test("twenty at once with one phone make one account", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const body = { phone, code: await people.codeFor(phone) };
    const asked = Array.from({ length: 20 }, () => people.ask("POST /api/v1/auth/sign-up", body));
    const codes = (await Promise.all(asked)).map(codeOf);
    expect(codes.filter((code) => code === 201)).toHaveLength(1);
    expect(codes.filter((code) => code === 40001 || code === 40112)).toHaveLength(19);
    expect(await usersOf(db, phone)).toHaveLength(1);
  });

  test.each([
    ["", "`name`"],
    ["x".repeat(65), "`name`"],
    ["a\u0000b", "`name`"],
    ["a\u202eb", "`name`"],
  ])("the name %j is refused, and the code is still good", async (name, told) => {
    const people = openPeople(db);
    const phone = newPhone();
    const code = await people.codeFor(phone);
    const { body } = await people.ask("POST /api/v1/auth/sign-up", { phone, code, name });
    expect([body.error.code, body.error.message]).toEqual([40000, expect.stringContaining(told)]);
    expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code, name: "A" })).status).toBe(201);
  });

  test("while registration is closed nobody signs up, and nothing is asked of the store", async () => {
    const open = openPeople(db);
    const phone = newPhone();
    const code = await open.codeFor(phone);
    const silent: Aws = () => Promise.reject(new Error("the store was asked"));
    const closed = openPeople(db, { aws: silent, deps: { isRegistrationOpen: false } });
    const { status, body } = await closed.ask("POST /api/v1/auth/sign-up", { phone, code });
    expect([status, body.error.code]).toEqual([400, 40001]);
  });

  test("a browser on another site may neither sign up nor in, and a program may", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const code = await people.codeFor(phone);
    for (const route of ["sign-up", "sign-in"]) {
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { host: "console.example", origin: "https://evil.example" },
      ]) {
        const refused = await people.ask(`POST /api/v1/auth/${route}`, { phone, code }, { headers });
        expect(codeOf(refused)).toBe(40300);
      }
    }
    const answer = await people.ask("POST /api/v1/auth/sign-up", { phone, code }, { headers: {} });
    expect(answer.status).toBe(201);
  });
});

describe("signing in", () => {
  test("gives the same user another session, and a frozen one none", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const first = await people.signUp(phone);
    const second = await people.signIn(phone);
    expect(second.status).toBe(200);
    expect(second.body.user).toEqual(first.body.user);
    expect(second.body.organization).toEqual(first.body.organization);
    expect(second.cookie).not.toBe(first.cookie);
    await people.deps.users.change(first.body.user.id, { status: "frozen" } as object);
    const frozen = await people.signIn(phone);
    expect([frozen.status, frozen.body.error.code, frozen.cookie]).toEqual([401, 40110, undefined]);
  });

  test("has at most four round trips to the store in sequence", async () => {
    const phone = newPhone();
    await openPeople(db).signUp(phone);
    const rounds = inRounds(db.aws);
    const velocity = createVelocity(rounds.aws, db.tables);
    const guesses = createGuessGuard({ velocity, log: () => {}, now: () => people.clock.now });
    const people = openPeople(db, { aws: rounds.aws, deps: { guesses } });
    people.clock.now += 3_600_000;
    const code = await people.codeFor(phone);
    rounds.begin();
    expect((await people.ask("POST /api/v1/auth/sign-in", { phone, code })).status).toBe(200);
    expect(rounds.taken()).toEqual([
      ["BatchGetItem", "UpdateItem", "UpdateItem"],
      ["Query", "UpdateItem"],
      ["TransactWriteItems"],
      ["GetItem", "UpdateItem", "UpdateItem"],
    ]);
  });

  test("a guard that cannot be told leaves the sign-in as it is", async () => {
    const admit = async () => ({ isSent: true, scarce_until: undefined });
    const guard = { admit, completed: () => Promise.reject(new Error("no")) };
    const people = openPeople(db, { deps: { guard } });
    expect((await people.signUp(newPhone())).status).toBe(201);
    expect(people.lines.map(({ event }) => event)).toContain("sms_completion_not_counted");
  });
});
