/** What people see while others write the same items again and again: it is done, or they may do it again. */
import { describe, expect, test } from "vitest";
import { invitationsPort } from "#shared/edges/console/operations/organization-invitations.ts";
import { createInvitations } from "#shared/edges/store/identity/invitations.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { codeName } from "#shared/people/identity/code.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { contended } from "#test/support/contended.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { firstSecret, newPhone, openPeople, codeOf as peopleCodeOf, usersOf } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** More cancellations than one transaction waits out, and fewer than all attempts together do. */
const long = 6;

/** An organization that two owners and a member are in, and desks whose transactions meet other writers. */
async function opened() {
  const desk = openMembers(db, { secret: firstSecret });
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner", "Ann");
  const slowed = (times?: number) => {
    const aws = contended(db.aws, times);
    const invitations = createInvitations(aws, db.tables);
    return openMembers(db, { secret: firstSecret, members: createMembers(aws, db.tables), invitations });
  };
  const invite = async () =>
    (await desk.ask([ann, acme], "POST /api/v1/invitations", { role: "member" })).body;
  const open = async () => (await desk.deps.invitations.open(acme.id, desk.clock.now)).map(({ id }) => id);
  return { desk, acme, ann, slowed, invite, open };
}

describe("an invitation", () => {
  test("is made, or the answer is 40910 and there is none", async () => {
    const { acme, ann, slowed, open } = await opened();
    const make = async (times?: number) =>
      await slowed(times).ask([ann, acme], "POST /api/v1/invitations", { role: "member" });
    expect(codeOf(await make())).toBe(40910);
    expect(await open()).toEqual([]);
    const made = await make(long);
    expect([made.status, await open()]).toEqual([201, [made.body.id]]);
  });

  test("is accepted, or the answer is 40910 and it stays good", async () => {
    const { desk, acme, slowed, invite } = await opened();
    const { token } = await invite();
    const own = await desk.newOrganization();
    const eve = await desk.newMember(own, "owner", "Eve");
    const accept = async (times?: number) =>
      await slowed(times).ask([eve, own], "POST /api/v1/invitations/accept", { token });
    expect(codeOf(await accept())).toBe(40910);
    expect(await desk.deps.members.membership(acme.id, eve.user.id)).toBeUndefined();
    expect((await accept(long)).status).toBe(200);
    expect((await desk.deps.members.membership(acme.id, eve.user.id))?.role).toBe("member");
  });

  test("is withdrawn, or the answer is 40910 and it is still there", async () => {
    const { acme, ann, slowed, invite, open } = await opened();
    const { id } = await invite();
    const withdraw = async (times?: number) =>
      await slowed(times).ask([ann, acme], `DELETE /api/v1/invitations/${id}`);
    expect(codeOf(await withdraw())).toBe(40910);
    expect(await open()).toEqual([id]);
    expect((await withdraw(long)).status).toBe(200);
    expect(await open()).toEqual([]);
  });
});

test("an organization gets another name, or the answer is 40910 and it has its old one", async () => {
  const { desk, acme, ann, slowed } = await opened();
  const rename = async (times?: number) =>
    await slowed(times).ask([ann, acme], "PATCH /api/v1/organization", { name: "Acme Two" });
  const name = async () => (await desk.deps.accounts.organization(acme.id))?.name;
  expect([codeOf(await rename()), await name()]).toEqual([40910, acme.name]);
  expect([(await rename(long)).status, await name()]).toEqual([200, "Acme Two"]);
});

test("another role is given, or the answer is 40910 and the role is as it was", async () => {
  const { desk, acme, ann, slowed } = await opened();
  const { user } = await desk.newMember(acme, "member");
  const change = async (times?: number) =>
    await slowed(times).ask([ann, acme], `PATCH /api/v1/members/${user.id}`, { role: "admin" });
  const role = async () => (await desk.deps.members.membership(acme.id, user.id))?.role;
  expect([codeOf(await change()), await role()]).toEqual([40910, "member"]);
  expect([(await change(long)).status, await role()]).toEqual([200, "admin"]);
});

describe("a right code", () => {
  /** People whose transactions meet other writers so often, and what was given back to an address. */
  async function slowedPeople(times?: number) {
    const { desk, invite } = await opened();
    const given: string[] = [];
    const people = openPeople(db, {
      deps: {
        users: createUsers(contended(db.aws, times), db.tables),
        guesses: { admit: async () => [], giveBack: async () => void given.push("guess") },
        invitations: invitationsPort({ ...desk.deps, now: () => people.clock.now }),
      },
    });
    people.clock.now = desk.clock.now;
    const tries = async (phone: string) =>
      (await people.deps.codes.read(codeName({ kind: "phone", text: phone }, keysOf(firstSecret).current)))
        ?.tries;
    return { people, invite, given, tries };
  }

  test.each([true, false])("signs up (invited: %s), or has lost no guess", async (isInvited) => {
    const { people, invite, given, tries } = await slowedPeople();
    const phone = newPhone();
    const body = { phone, code: await people.codeFor(phone), ...(isInvited && (await tokenOf(invite))) };
    const refused = await people.ask("POST /api/v1/auth/sign-up", body);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.objectContaining({
        code: 40910,
        message: "Others changed the same at this moment. Try again: your code is still good.",
      }),
    ]);
    expect([await tries(phone), given.length, await usersOf(db, phone)]).toEqual([0, 1, []]);
    expect(people.lines.map(({ event }) => event)).not.toContain("internal");
    const patient = openPeople(db, {
      deps: { ...people.deps, users: createUsers(contended(db.aws, long), db.tables) },
    });
    const { status, body: made } = await patient.ask("POST /api/v1/auth/sign-up", body);
    expect([status, made.invitation_accepted]).toEqual([201, isInvited ? true : undefined]);
    expect(await usersOf(db, phone)).toEqual([made.user.id]);
  });

  test("signs in, or has lost no guess", async () => {
    const { people, given, tries } = await slowedPeople();
    const phone = newPhone();
    const ready = openPeople(db, { deps: { now: () => people.clock.now } });
    expect((await ready.signUp(phone)).status).toBe(201);
    people.clock.now += 60_000;
    const body = { phone, code: await people.codeFor(phone) };
    expect(peopleCodeOf(await people.ask("POST /api/v1/auth/sign-in", body))).toBe(40910);
    expect([await tries(phone), given.length]).toEqual([0, 1]);
    const patient = openPeople(db, {
      deps: { ...people.deps, users: createUsers(contended(db.aws, long), db.tables) },
    });
    expect((await patient.ask("POST /api/v1/auth/sign-in", body)).status).toBe(200);
  });
});

async function tokenOf(invite: () => Promise<{ token: string }>): Promise<{ invitation: string }> {
  return { invitation: (await invite()).token };
}
