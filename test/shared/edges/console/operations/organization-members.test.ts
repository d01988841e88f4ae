/** Members: who sees, changes and removes whom, and that an organization keeps an owner whatever happens at once. */
import { describe, expect, test } from "vitest";
import type { Organization } from "#shared/books/accounts/account.ts";
import { memberKey, membershipKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { type Role, roles } from "#shared/people/identity/user.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const open = () => openMembers(db);

const rolesIn = async (desk: ReturnType<typeof open>, { id }: Organization): Promise<Role[]> => {
  const { members } = await desk.deps.members.list(id, { limit: 50 });
  return members.map(({ role }) => role).toSorted((one, other) => roles.indexOf(one) - roles.indexOf(other));
};

describe("the list", () => {
  test("shows names, roles and the last four digits, a page at a time, and nobody of another organization", async () => {
    const desk = open();
    const [acme, other] = [await desk.newOrganization(), await desk.newOrganization()];
    const ann = await desk.newMember(acme, "owner", "Ann");
    desk.clock.now += 1;
    const bob = await desk.newMember(acme, "finance", "Bob");
    await desk.newMember(other, "owner", "Eve");
    const first = await desk.ask([ann, acme], "GET /api/v1/members?limit=1");
    expect(first.body).toEqual({
      object: "list",
      data: [
        {
          id: ann.user.id,
          object: "member",
          name: "Ann",
          phone_last_four: ann.phone.slice(-4),
          email_shown: null,
          role: "owner",
          group_projects: [],
          status: "active",
          joined_at: "2026-11-21T12:30:00.000Z",
        },
      ],
      has_more: true,
      last_id: ann.user.id,
    });
    const second = await desk.ask([ann, acme], `GET /api/v1/members?limit=1&after=${first.body.last_id}`);
    expect([second.body.data[0].name, second.body.has_more]).toEqual(["Bob", false]);
    expect(codeOf(await desk.ask([ann, acme], "GET /api/v1/members?after=nobody"))).toBe(40000);
    expect(codeOf(await desk.ask([bob, acme], "GET /api/v1/members"))).toBe(40300);
  });
});

describe("another role", () => {
  test("counts from the next call on, and the log tells who gave it", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner", "Ann");
    const bob = await desk.newMember(acme, "member");
    expect(codeOf(await desk.ask([bob, acme], "GET /api/v1/members"))).toBe(40300);
    const changed = await desk.ask([ann, acme], `PATCH /api/v1/members/${bob.user.id}`, {
      role: "admin",
    });
    expect([changed.status, changed.body.role]).toEqual([200, "admin"]);
    expect((await desk.ask([bob, acme], "GET /api/v1/members")).status).toBe(200);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries).toMatchObject([
      {
        kind: "member_role_changed",
        actor: ann.user.id,
        actor_name: "Ann",
        subject: bob.user.id,
        ip: "203.0.113.7",
        before: { role: "member" },
        after: { role: "admin" },
      },
    ]);
    const again = await desk.ask([ann, acme], `PATCH /api/v1/members/${bob.user.id}`, { role: "admin" });
    expect(again.status).toBe(200);
    expect((await desk.deps.auditLog.entries(acme.id, { limit: 10 })).entries).toHaveLength(1);
  });

  test("follows the table: who may make whom what", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    await desk.newMember(acme, "owner");
    const seen: string[] = [];
    for (const actor of roles)
      for (const before of roles)
        for (const after of roles) {
          const [one, other] = [await desk.newMember(acme, actor), await desk.newMember(acme, before)];
          const { status } = await desk.ask([one, acme], `PATCH /api/v1/members/${other.user.id}`, {
            role: after,
          });
          if (status === 200) seen.push(`${actor}: ${before} → ${after}`);
          else expect([actor, before, after, status]).toEqual([actor, before, after, 403]);
        }
    const admin = ["admin", "finance", "member"].flatMap((before) =>
      ["admin", "member"].map((after) => `admin: ${before} → ${after}`),
    );
    const owner = roles.flatMap((before) => roles.map((after) => `owner: ${before} → ${after}`));
    expect(seen.toSorted()).toEqual([...owner, ...admin].toSorted());
  });

  test.each([
    ["no role", {}],
    ["an unknown role", { role: "root" }],
    ["another field", { role: "admin", organization: "org_1" }],
    ["a role twice", '{"role": "member", "role": "owner"}'],
  ])("%s is 40000", async (_, body) => {
    const desk = open();
    const acme = await desk.newOrganization();
    const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "member")];
    expect(codeOf(await desk.ask([ann, acme], `PATCH /api/v1/members/${bob.user.id}`, body))).toBe(40000);
    expect(await rolesIn(desk, acme)).toEqual(["owner", "member"]);
  });

  test("of somebody in another organization is 40400, as of nobody", async () => {
    const desk = open();
    const [acme, other] = [await desk.newOrganization(), await desk.newOrganization()];
    const [ann, eve] = [await desk.newMember(acme, "owner"), await desk.newMember(other, "member")];
    for (const id of [eve.user.id, "usr_01JD6ZJ4M00000000000000000", "nobody"]) {
      const answers = [
        await desk.ask([ann, acme], `PATCH /api/v1/members/${id}`, { role: "admin" }),
        await desk.ask([ann, acme], `DELETE /api/v1/members/${id}`),
      ];
      expect(answers.map(codeOf)).toEqual([40400, 40400]);
    }
    expect(await rolesIn(desk, other)).toEqual(["member"]);
  });
});

describe("leaving", () => {
  test("is free for everybody, and the next call with that session finds no member", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    await desk.newMember(acme, "owner");
    for (const role of roles) {
      const person = await desk.newMember(acme, role);
      const left = await desk.ask([person, acme], `DELETE /api/v1/members/${person.user.id}`);
      expect(left.body).toEqual({ id: person.user.id, object: "member", deleted: true, keys_ended: [] });
      expect(codeOf(await desk.ask([person, acme], "GET /api/v1/keys"))).toBe(40103);
    }
    expect(await rolesIn(desk, acme)).toEqual(["owner"]);
  });

  test("keeps a record without a role, which is no membership for any reader and gives way to a new one", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner");
    const bob = await desk.newMember(acme, "owner");
    const users = createUsers(db.aws, db.tables);
    await desk.ask([ann, acme], `DELETE /api/v1/members/${bob.user.id}`);
    for (const key of [memberKey(acme.id, bob.user.id), membershipKey(bob.user.id, acme.id)]) {
      const item = await getItem(db.aws, db.tables.accounts, key);
      expect([item?.role, item?.last_role]).toEqual([undefined, { S: "owner" }]);
      expect(Number(item?.expires_at?.N)).toBe(desk.clock.now / 1000 + 86_400);
    }
    expect((await users.read(bob.user.id))?.memberships).toEqual([]);
    expect(await desk.deps.members.count(bob.user.id)).toBe(0);
    expect((await desk.ask([ann, acme], "GET /api/v1/members")).body.data).toHaveLength(1);
    // He is no other owner any more.
    expect(codeOf(await desk.ask([ann, acme], `DELETE /api/v1/members/${ann.user.id}`))).toBe(40910);
    await desk.join(bob, acme.id, "member");
    expect((await users.read(bob.user.id))?.memberships).toMatchObject([{ role: "member" }]);
    expect(await getItem(db.aws, db.tables.accounts, memberKey(acme.id, bob.user.id))).not.toHaveProperty(
      "expires_at",
    );
  });

  test("of the last owner is 40910, and so is another role", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner");
    await desk.newMember(acme, "admin");
    const answers = [
      await desk.ask([ann, acme], `DELETE /api/v1/members/${ann.user.id}`),
      await desk.ask([ann, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "member" }),
    ];
    expect(answers.map(codeOf)).toEqual([40910, 40910]);
    expect(answers[0]?.body.error.message).toContain("The last owner stays");
    expect(answers.map(({ body }) => body.error.reason)).toEqual(["last_owner", "last_owner"]);
    expect(await rolesIn(desk, acme)).toEqual(["owner", "admin"]);
    expect((await desk.deps.auditLog.entries(acme.id, { limit: 10 })).entries).toEqual([]);
  });

  test("an admin removes nobody who is an owner, and a member removes nobody", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner");
    await desk.newMember(acme, "owner");
    for (const role of ["admin", "finance", "member"] as const) {
      const person = await desk.newMember(acme, role);
      expect(codeOf(await desk.ask([person, acme], `DELETE /api/v1/members/${ann.user.id}`))).toBe(40300);
    }
  });
});

describe("at once", () => {
  /** Runs the same thing for several people at the same time. */
  const together = async (people: Person[], act: (person: Person, at: number) => Promise<unknown>) =>
    await Promise.all(people.map(act));

  test("two owners who remove each other: one stays, twenty times", async () => {
    const desk = open();
    for (let time = 0; time < 20; time++) {
      const acme = await desk.newOrganization();
      const owners = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "owner")];
      await together(owners, (person, at) =>
        desk.ask([person, acme], `DELETE /api/v1/members/${owners[1 - at]?.user.id}`),
      );
      expect(await rolesIn(desk, acme)).toEqual(["owner"]);
    }
  });

  test("owners who all leave: one stays, and every line of the log is a change that was made", async () => {
    const desk = open();
    for (let time = 0; time < 5; time++) {
      const acme = await desk.newOrganization();
      const owners = await Promise.all(Array.from({ length: 6 }, () => desk.newMember(acme, "owner")));
      await together(owners, (person) =>
        desk.ask([person, acme], `DELETE /api/v1/members/${person.user.id}`),
      );
      const left = await rolesIn(desk, acme);
      expect(left.length).toBeGreaterThanOrEqual(1);
      const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 50 });
      expect(entries.filter(({ kind }) => kind === "member_left")).toHaveLength(6 - left.length);
    }
  });

  test("an owner who was made less meanwhile changes nobody", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "owner")];
    const eve = await desk.newMember(acme, "member");
    const { members } = desk.deps;
    const racing = openMembers(db, {
      members: {
        ...members,
        // Between reading and writing, Ann loses her role.
        async changeRole(change, role) {
          await desk.ask([bob, acme], `PATCH /api/v1/members/${ann.user.id}`, { role: "member" });
          return await members.changeRole(change, role);
        },
      },
    });
    const answer = await racing.ask([ann, acme], `PATCH /api/v1/members/${eve.user.id}`, { role: "owner" });
    expect(codeOf(answer)).toBe(40300);
    expect((await members.membership(acme.id, eve.user.id))?.role).toBe("member");
  });
});

describe("the organization's name", () => {
  test("is changed by owners and admins, and the log has both names", async () => {
    const desk = open();
    const acme = await desk.newOrganization();
    const admin = await desk.newMember(acme, "admin");
    const answer = await desk.ask([admin, acme], "PATCH /api/v1/organization", {
      name: " 新名 <b>&amp; ",
    });
    expect(answer.body).toEqual({
      id: acme.id,
      object: "organization",
      name: "新名 <b>&amp;",
      keys_make_managers: false,
    });
    expect((await desk.deps.accounts.organization(acme.id))?.name).toBe("新名 <b>&amp;");
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries).toMatchObject([{ before: { name: "Acme" }, after: { name: "新名 <b>&amp;" } }]);
  });

  test.each([
    [{}],
    [{ name: "" }],
    [{ name: "  " }],
    [{ name: "a\u0000b" }],
    [{ name: "x".repeat(65) }],
    [{ name: 1 }],
  ])("%j is 40000", async (body) => {
    const desk = open();
    const acme = await desk.newOrganization();
    const ann = await desk.newMember(acme, "owner");
    expect(codeOf(await desk.ask([ann, acme], "PATCH /api/v1/organization", body))).toBe(40000);
    expect((await desk.deps.accounts.organization(acme.id))?.name).toBe("Acme");
  });
});
