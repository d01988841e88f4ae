/** Signing up and in with an invitation, on the real stores: it brings in one person, and nobody without it. */
import { expect, test } from "vitest";
import { invitationsPort } from "#shared/edges/console/operations/organization-invitations.ts";
import { memberKey, membershipKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { openMembers } from "#test/support/members.ts";
import { codeOf, firstSecret, newPhone, openPeople, usersOf } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts } = useStores();

/** A console that takes invitations, whose registration may be closed, and an organization that invites. */
async function inviting({ isRegistrationOpen = true } = {}) {
  const desk = openMembers(db, { secret: firstSecret });
  const port = invitationsPort({ ...desk.deps, now: () => people.clock.now });
  const people = openPeople(db, { deps: { invitations: port, isRegistrationOpen } });
  desk.clock.now = people.clock.now;
  const host = await desk.newOrganization();
  const ann = await desk.newMember(host, "owner", "Ann");
  const invite = async (body: object = { role: "finance" }): Promise<string> => {
    desk.clock.now = people.clock.now;
    const { body: made } = await desk.ask([ann, host], "POST /api/v1/invitations", body);
    return made.token;
  };
  /** Somebody who was a member of the host, and has left every organization. */
  const homeless = async () => {
    const phone = newPhone();
    const told = { invitation: await invite(), own_organization: true };
    const user: string = (await people.signUp(phone, told)).body.user.id;
    const own = (await people.deps.users.read(user))?.user.organization ?? "";
    for (const Key of [own, host.id].flatMap((id) => [memberKey(id, user), membershipKey(user, id)]))
      await db.aws("dynamodb", "DeleteItem", { TableName: db.tables.accounts, Key });
    return { phone, user };
  };
  return { desk, people, host, ann, invite, homeless };
}

const bad = "A".repeat(43);

/** The organization that a browser is shown when its page is loaded anew. */
async function afterReload(
  people: Awaited<ReturnType<typeof inviting>>["people"],
  { cookie = "" }: { cookie: string | undefined },
): Promise<string> {
  return (await people.ask("POST /api/v1/auth/refresh", {}, { cookie })).body.organization.id;
}

test("leads a new user into its organization and into no other one", async () => {
  const { desk, people, host, invite } = await inviting({ isRegistrationOpen: false });
  const answer = await people.signUp(newPhone(), { invitation: await invite() });
  const { status, body } = answer;
  expect([status, body.organization.id, body.organization.role]).toEqual([201, host.id, "finance"]);
  expect(body.invitation_accepted).toBe(true);
  expect(await afterReload(people, answer)).toBe(host.id);
  const { user, memberships } = (await people.deps.users.read(body.user.id)) ?? {};
  expect(await accounts.organization(user?.organization ?? "")).toBeUndefined();
  expect(memberships?.map(({ role }) => role)).toEqual(["finance"]);
  expect((await desk.deps.auditLog.entries(host.id, { limit: 1 })).entries).toMatchObject([
    { kind: "member_joined", subject: body.user.id, ip: "203.0.113.7" },
  ]);
});

test("gives a new user who asks for it an organization of their own too", async () => {
  const { people, host, invite } = await inviting({ isRegistrationOpen: false });
  const answer = await people.signUp(newPhone(), { invitation: await invite(), own_organization: true });
  expect([answer.body.organization.id, await afterReload(people, answer)]).toEqual([host.id, host.id]);
  const { user, memberships } = (await people.deps.users.read(answer.body.user.id)) ?? {};
  expect((await accounts.organization(user?.organization ?? ""))?.subscription?.plan).toBe("free");
  expect(memberships?.map(({ role }) => role).toSorted()).toEqual(["finance", "owner"]);
});

test.each([true, false])(
  "of ten people with one invitation one gets an account (registration open: %s), and the others lose nothing",
  async (isRegistrationOpen) => {
    const { desk, people, host, invite } = await inviting({ isRegistrationOpen });
    const invitation = await invite();
    const phones = Array.from({ length: 10 }, newPhone);
    const bodies: { phone: string; code: string; invitation: string }[] = [];
    for (const phone of phones) {
      bodies.push({ phone, code: await people.codeFor(phone), invitation });
      people.clock.now -= 60_000;
    }
    people.clock.now += 60_000;
    const answers = await Promise.all(bodies.map((body) => people.ask("POST /api/v1/auth/sign-up", body)));
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === 201)).toHaveLength(1);
    expect(codes.filter((code) => code === 40400)).toHaveLength(9);
    const users = await Promise.all(phones.map((phone) => usersOf(db, phone)));
    expect(users.flat()).toEqual([answers[codes.indexOf(201)]?.body.user.id]);
    expect((await desk.deps.members.list(host.id, { limit: 50 })).members).toHaveLength(2);
    const loser = bodies[codes.indexOf(40400)];
    const next = { ...loser, invitation: await invite() };
    expect((await people.ask("POST /api/v1/auth/sign-up", next)).status).toBe(201);
  },
);

test("that is not good makes nothing, and the code stays good, however often", async () => {
  const { people } = await inviting();
  const phone = newPhone();
  const code = await people.codeFor(phone);
  for (let time = 1; time <= 6; time++) {
    const answer = await people.ask("POST /api/v1/auth/sign-up", { phone, code, invitation: bad });
    expect(codeOf(answer)).toBe(40400);
  }
  expect(await usersOf(db, phone)).toEqual([]);
  expect(codeOf(await people.ask("POST /api/v1/auth/sign-up", { phone, code }))).toBe(201);
});

test("of an inviter who is frozen while the sign-up is written makes nothing", async () => {
  const { desk, people, host, ann, invite } = await inviting({ isRegistrationOpen: false });
  const { users } = people.deps;
  const phone = newPhone();
  const racing = openPeople(db, {
    deps: {
      ...people.deps,
      users: {
        ...users,
        async signUp(...given) {
          await users.change(ann.user.id, { status: "frozen" } as object);
          return await users.signUp(...given);
        },
      },
    },
  });
  const invitation = await invite();
  const code = await people.codeFor(phone);
  const answer = await racing.ask("POST /api/v1/auth/sign-up", { phone, code, invitation });
  expect(codeOf(answer)).toBe(40400);
  expect(await usersOf(db, phone)).toEqual([]);
  expect((await desk.deps.members.list(host.id, { limit: 50 })).members).toHaveLength(1);
});

test("leads a known user there too, and one that is not good leaves them where they are", async () => {
  const { people, host, invite } = await inviting();
  const phone = newPhone();
  const own = (await people.signUp(phone)).body.organization.id;
  const answer = await people.signIn(phone, { invitation: await invite() });
  const led = answer.body;
  expect([led.organization.id, led.invitation_accepted]).toEqual([host.id, true]);
  expect(await afterReload(people, answer)).toBe(host.id);
  const left = (await people.signIn(phone, { invitation: bad })).body;
  expect([left.organization.id, left.invitation_accepted]).toEqual([own, false]);
  expect(people.lines.map(({ event }) => event)).toContain("invitation_not_accepted");
});

test("is what somebody needs who has left every organization", async () => {
  const { people, host, invite, homeless } = await inviting();
  const { phone } = await homeless();
  const body = { phone, code: await people.codeFor(phone) };
  expect(codeOf(await people.ask("POST /api/v1/auth/sign-in", body))).toBe(40300);
  expect(codeOf(await people.ask("POST /api/v1/auth/sign-in", { ...body, invitation: bad }))).toBe(40400);
  const led = await people.ask("POST /api/v1/auth/sign-in", { ...body, invitation: await invite() });
  expect([led.status, led.body.organization.id, led.body.invitation_accepted]).toEqual([200, host.id, true]);
});

test("is not needed by somebody who was invited and is in no organization any more: they get their own, once", async () => {
  const { people, host, invite } = await inviting();
  const phone = newPhone();
  const user: string = (await people.signUp(phone, { invitation: await invite() })).body.user.id;
  const leave = async (organization: string) => {
    for (const Key of [memberKey(organization, user), membershipKey(user, organization)])
      await db.aws("dynamodb", "DeleteItem", { TableName: db.tables.accounts, Key });
  };
  await leave(host.id);
  const closed = openPeople(db, { deps: { ...people.deps, isRegistrationOpen: false } });
  const body = { phone, code: await people.codeFor(phone) };
  expect(codeOf(await closed.ask("POST /api/v1/auth/sign-in", body))).toBe(40300);
  const { status, body: own } = await people.ask("POST /api/v1/auth/sign-in", body);
  expect([status, own.organization.role]).toEqual([200, "owner"]);
  expect((await accounts.organization(own.organization.id))?.subscription?.plan).toBe("free");
  // Whoever has left their own does not get it back.
  await leave(own.organization.id);
  people.clock.now += 60_000;
  const again = { phone, code: await people.codeFor(phone) };
  expect(codeOf(await people.ask("POST /api/v1/auth/sign-in", again))).toBe(40300);
});

test("of two such people with one invitation one is let in, and the other gets no session", async () => {
  const { people, invite, homeless } = await inviting();
  const two = [await homeless(), await homeless()];
  const invitation = await invite();
  const bodies: object[] = [];
  for (const { phone } of two) bodies.push({ phone, code: await people.codeFor(phone), invitation });
  const sessions = async () =>
    (await Promise.all(two.map(({ user }) => people.deps.sessions.list(user, 10)))).map(
      ({ length }) => length,
    );
  const before = await sessions();
  const answers = await Promise.all(bodies.map((body) => people.ask("POST /api/v1/auth/sign-in", body)));
  expect(answers.map(codeOf).toSorted()).toEqual([200, 40400]);
  const more = answers.map(({ status }) => (status === 200 ? 1 : 0));
  expect(await sessions()).toEqual(before.map((count, at) => count + (more[at] ?? 0)));
});

test("is refused where there are none", async () => {
  const people = openPeople(db);
  expect(codeOf(await people.signUp(newPhone(), { invitation: bad }))).toBe(40000);
});
