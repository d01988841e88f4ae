/** Invitations: one person by one token, for as long as it is good and the inviter may invite. */
import { describe, expect, test } from "vitest";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import {
  acceptInvitation,
  invitationsPort,
} from "#shared/edges/console/operations/organization-invitations.ts";
import { pages } from "#shared/edges/store/dynamodb/items.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { tokenHash } from "#shared/people/identity/invitation.ts";
import { roles } from "#shared/people/identity/user.ts";
import { codeOf, firstSecret, openMembers, type Person, rotatedSecret } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** An organization with an owner, and a token that the owner made. */
async function invited(desk = openMembers(db), body: object = { role: "member" }) {
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner", "Ann");
  const { body: invitation, status } = await desk.ask([ann, acme], "POST /api/v1/invitations", body);
  expect(status).toBe(201);
  const token: string = invitation.token;
  const eve = await desk.newPerson("Eve");
  // Eve calls as the owner of an organization of her own.
  const own = await desk.newOrganization();
  await desk.join(eve, own.id, "owner");
  const accept = async (person: Person = eve, at: Organization = own, given = token) => {
    desk.clock.now += 1;
    return await desk.ask([person, at], "POST /api/v1/invitations/accept", { token: given });
  };
  return { desk, acme, ann, eve, own, invitation, token, accept };
}

/** Every item of the table of accounts, as text. */
const everything = async () =>
  JSON.stringify(await Array.fromAsync(pages(db.aws, "Scan", { TableName: db.tables.accounts })));

describe("a token", () => {
  test("is shown once and stored nowhere", async () => {
    const { desk, acme, ann, invitation, token } = await invited();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(invitation).toEqual({
      id: expect.stringMatching(/^inv_/),
      object: "invitation",
      role: "member",
      ...{ phone_last_four: null, email_shown: null },
      created_by: { id: ann.user.id, name: "Ann" },
      created_at: "2026-11-21T12:30:00.000Z",
      expires_at: "2026-11-28T12:30:00.000Z",
      token,
    });
    const list = await desk.ask([ann, acme], "GET /api/v1/invitations");
    const { token: _, ...shown } = invitation;
    expect(list.body.data).toEqual([shown]);
    const stored = await everything();
    expect(stored).not.toContain(token);
    expect(stored).toContain(tokenHash(keysOf(firstSecret).current, token));
  });

  test("makes a member once, and the same answer again for who it made", async () => {
    const { desk, acme, eve, own, accept } = await invited();
    const answer = await accept();
    expect(answer).toEqual({
      status: 200,
      body: {
        object: "membership",
        organization: { id: acme.id, name: "Acme" },
        role: "member",
        joined_at: "2026-11-21T12:30:00.001Z",
      },
    });
    desk.clock.now += 5000;
    expect(await accept()).toEqual(answer);
    expect((await desk.ask([eve, acme], "GET /api/v1/keys")).status).toBe(200);
    const other = await desk.newPerson();
    await desk.join(other, own.id, "member");
    expect(codeOf(await accept(other))).toBe(40400);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries.map(({ kind, actor, subject }) => [kind, actor === eve.user.id, subject])).toEqual([
      ["member_joined", true, eve.user.id],
      ["invitation_made", false, expect.stringMatching(/^inv_/)],
    ]);
  });

  test("does not bring back who was removed", async () => {
    const { desk, acme, ann, eve, accept } = await invited();
    await accept();
    await desk.ask([ann, acme], `DELETE /api/v1/members/${eve.user.id}`);
    expect(codeOf(await accept())).toBe(40400);
  });

  test("changes no role of who is a member already, and stays good for somebody else", async () => {
    const { desk, acme, ann, own, eve, accept } = await invited();
    const answer = await accept(ann, acme);
    expect([answer.status, answer.body.role]).toEqual([200, "owner"]);
    expect((await desk.deps.members.membership(acme.id, ann.user.id))?.role).toBe("owner");
    expect((await accept(eve, own)).status).toBe(200);
  });

  test("is of no use when it is forged, cut, old or withdrawn, and nobody learns which", async () => {
    const { desk, acme, ann, token, invitation, accept } = await invited();
    const forged = [
      `${token}A`,
      token.slice(1),
      "x",
      "A".repeat(43),
      tokenHash(keysOf(firstSecret).current, token),
    ];
    const answers = await Promise.all(forged.map((each) => accept(undefined, undefined, each)));
    desk.clock.now += 7 * dayMs;
    // The sessions of the test are younger than this.
    const late = acceptInvitation(token, ann.user, "203.0.113.7", {
      ...desk.deps,
      members: { ...desk.deps.members, membership: async () => undefined },
    });
    await expect(late).rejects.toMatchObject({ key: "not_found", message: answers[0]?.body.error.message });
    desk.clock.now -= 7 * dayMs;
    await desk.ask([ann, acme], `DELETE /api/v1/invitations/${invitation.id}`);
    answers.push(await accept());
    expect(answers.map(codeOf)).toEqual(Array(6).fill(40400));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  });

  test.each([[{}], [{ token: "" }], [{ token: 1 }], [{ token: "a", role: "owner" }]])(
    "%j is 40000",
    async (body) => {
      const { desk, eve, own } = await invited();
      expect(codeOf(await desk.ask([eve, own], "POST /api/v1/invitations/accept", body))).toBe(40000);
    },
  );
});

describe("at once", () => {
  test("twenty times the same person: one membership, one line, twenty good answers", async () => {
    const { desk, acme, accept } = await invited();
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept()));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await desk.deps.members.list(acme.id, { limit: 50 })).members).toHaveLength(2);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 50 });
    expect(entries.filter(({ kind }) => kind === "member_joined")).toHaveLength(1);
  });

  test("twenty people with one token: one of them", async () => {
    const { desk, acme, own, accept } = await invited();
    const people = await Promise.all(Array.from({ length: 20 }, () => desk.newPerson()));
    await Promise.all(people.map((person) => desk.join(person, own.id, "member")));
    const answers = await Promise.all(people.map((person) => accept(person)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => codeOf(answer) === 40400)).toHaveLength(19);
    expect((await desk.deps.members.list(acme.id, { limit: 50 })).members).toHaveLength(2);
  });

  test("accepted and withdrawn: never both", async () => {
    const desk = openMembers(db);
    for (let time = 0; time < 10; time++) {
      const { acme, ann, invitation, accept } = await invited(desk);
      const [accepted, withdrawn] = await Promise.all([
        accept(),
        desk.ask([ann, acme], `DELETE /api/v1/invitations/${invitation.id}`),
      ]);
      expect([accepted.status, withdrawn.status].toSorted()).toEqual([200, 404]);
    }
  });
});

describe("the inviter", () => {
  test("gives no role with a right of more than their own", async () => {
    const desk = openMembers(db);
    const acme = await desk.newOrganization();
    const given = [];
    for (const actor of roles) {
      const person = await desk.newMember(acme, actor);
      for (const role of roles) {
        const answer = await desk.ask([person, acme], "POST /api/v1/invitations", { role });
        if (answer.status === 201) given.push([actor, role]);
        else expect(codeOf(answer)).toBe(40300);
      }
    }
    expect(given).toEqual([...roles.map((role) => ["owner", role]), ["admin", "admin"], ["admin", "member"]]);
  });

  test.each(["removed", "made less"])("who was %s has invited nobody", async (what) => {
    const { desk, acme, ann, accept, token } = await invited(undefined, { role: "admin" });
    const bob = await desk.newMember(acme, "owner");
    const member = `/api/v1/members/${ann.user.id}`;
    if (what === "removed") await desk.ask([bob, acme], `DELETE ${member}`);
    else await desk.ask([bob, acme], `PATCH ${member}`, { role: "finance" });
    expect(codeOf(await accept())).toBe(40400);
    const { user } = await desk.newPerson();
    const prepared = invitationsPort(desk.deps).prepare(token, user, "203.0.113.7");
    await expect(prepared).rejects.toMatchObject({ key: "not_found" });
  });

  test("who is frozen has invited nobody, and has again when they are not", async () => {
    const { ann, accept } = await invited();
    const statuses = createUserStatuses(db.aws, db.tables);
    await statuses.set(ann.user.id, "frozen");
    expect(codeOf(await accept())).toBe(40400);
    await statuses.set(ann.user.id, "active");
    expect((await accept()).status).toBe(200);
  });

  test.each(["made less", "frozen"])(
    "who is %s between reading and writing has invited nobody",
    async (what) => {
      const { desk, acme, ann, eve, token } = await invited();
      const bob = await desk.newMember(acme, "owner");
      const { invitations } = desk.deps;
      const racing = acceptInvitation(token, eve.user, "203.0.113.7", {
        ...desk.deps,
        invitations: {
          ...invitations,
          async accept(...given) {
            if (what === "frozen") await createUserStatuses(db.aws, db.tables).set(ann.user.id, "frozen");
            else await desk.ask([bob, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "member" });
            return await invitations.accept(...given);
          },
        },
      });
      await expect(racing).rejects.toMatchObject({ key: "not_found" });
      expect(await desk.deps.members.membership(acme.id, eve.user.id)).toBeUndefined();
    },
  );

  test("withdraws what they may touch, once, and nothing of another organization", async () => {
    const { desk, acme, eve, own, invitation, ann } = await invited(undefined, { role: "owner" });
    const admin = await desk.newMember(acme, "admin");
    const path = `DELETE /api/v1/invitations/${invitation.id}`;
    expect(codeOf(await desk.ask([admin, acme], path))).toBe(40300);
    expect(codeOf(await desk.ask([eve, own], path))).toBe(40400);
    const withdrawn = { id: invitation.id, object: "invitation", deleted: true };
    expect((await desk.ask([ann, acme], path)).body).toEqual(withdrawn);
    expect(codeOf(await desk.ask([ann, acme], path))).toBe(40400);
    expect((await desk.ask([ann, acme], "GET /api/v1/invitations")).body.data).toEqual([]);
  });
});

describe("with a phone", () => {
  test("it is for that phone alone, which is stored as a hash and four digits", async () => {
    const desk = openMembers(db);
    const bob = await desk.newPerson("Bob");
    const { acme, invitation, token, accept } = await invited(desk, { role: "admin", phone: bob.phone });
    expect(invitation.phone_last_four).toBe(bob.phone.slice(-4));
    expect(codeOf(await accept())).toBe(40400);
    const port = invitationsPort(desk.deps);
    const { user } = await desk.newPerson();
    const strangers = port.prepare(token, user, "203.0.113.7");
    await expect(strangers).rejects.toMatchObject({ key: "not_found" });
    await port.prepare(token, bob.user, "203.0.113.7");
    expect(await acceptInvitation(token, bob.user, "203.0.113.7", desk.deps)).toMatchObject({
      organization: acme.id,
      role: "admin",
    });
    expect(await everything()).not.toContain(bob.phone.slice(3));
  });

  test.each(["13800000000", "+1", "+85291234567", "+86123", 7])("%s is 40000", async (phone) => {
    const desk = openMembers(db);
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner");
    const answer = await desk.ask([ann, acme], "POST /api/v1/invitations", { role: "member", phone });
    expect(codeOf(answer)).toBe(40000);
  });
});

describe("versions of the secret", () => {
  test("an invitation from before a rotation is good after it, also one with a phone", async () => {
    const desk = openMembers(db);
    const bob = await desk.newPerson();
    const plain = await invited(desk);
    const bound = await invited(desk, { role: "member", phone: bob.phone });
    desk.secret.known = rotatedSecret;
    await acceptInvitation(plain.token, plain.eve.user, "203.0.113.7", desk.deps);
    await acceptInvitation(bound.token, bob.user, "203.0.113.7", desk.deps);
    // With the version before, its tokens are gone too.
    const last = await invited(desk);
    desk.secret.known = peppersOf({ version: 3, value: "the third one" });
    await expect(acceptInvitation(last.token, last.eve.user, "203.0.113.7", desk.deps)).rejects.toMatchObject(
      {
        key: "not_found",
      },
    );
  });

  test("one that a newer process made is found, because the secret is read again", async () => {
    const newer = await invited(openMembers(db, { secret: rotatedSecret }));
    const older = openMembers(db);
    let reads = 0;
    const keys = async (stale?: unknown) => {
      if (stale) reads += 1;
      return keysOf(stale ? rotatedSecret : firstSecret);
    };
    await acceptInvitation(newer.token, newer.eve.user, "203.0.113.7", { ...older.deps, keys });
    expect(reads).toBeGreaterThan(0);
  });
});
