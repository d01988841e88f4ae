/** Keys that members make: whose they see and revoke, what they may grant, and the lines that they leave. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { roles } from "#shared/people/identity/user.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts } = useStores();
const wanted = { name: "program", billing_mode: "payg" };

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const [ann, bob, eve] = [
    await desk.newMember(acme, "owner", "Ann"),
    await desk.newMember(acme, "member", "Bob"),
    await desk.newMember(acme, "member", "Eve"),
  ];
  return { desk, acme, ann, bob, eve };
}

describe("a key", () => {
  test("says who made it, is shown once, and leaves a line", async () => {
    const { desk, acme, bob } = await opened();
    const { status, body } = await desk.ask([bob, acme], "POST /api/v1/keys", wanted);
    expect([status, body.created_by]).toEqual([200, { id: bob.user.id, name: "Bob" }]);
    expect(body.key).toMatch(/^sk-payg-/);
    expect(await accounts.key(acme.id, body.id)).toMatchObject({ created_by: bob.user.id, mode: "payg" });
    const list = await desk.ask([bob, acme], "GET /api/v1/keys");
    const { key: _, ...shown } = body;
    expect(list.body).toEqual({ object: "list", data: [shown], has_more: false, last_id: body.id });
    desk.clock.now += 1;
    await desk.ask([bob, acme], `DELETE /api/v1/keys/${body.id}`);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    const line = { actor: bob.user.id, subject: body.id };
    expect(entries).toMatchObject([
      { ...line, kind: "key_revoked", before: { name: "program", last_four: body.last_four } },
      { ...line, kind: "key_created", after: { name: "program", billing_mode: "payg" } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(body.key);
    expect(desk.lines.map(({ event }) => event)).toEqual(["key_created", "key_revoked"]);
  });

  test("is managed by these roles", async () => {
    const desk = openMembers(db);
    const acme = await desk.newOrganization();
    const codes = [];
    for (const role of roles) {
      const person = await desk.newMember(acme, role);
      codes.push([role, (await desk.ask([person, acme], "POST /api/v1/keys", wanted)).status]);
    }
    expect(codes).toEqual([
      ["owner", 200],
      ["admin", 200],
      ["finance", 403],
      ["member", 200],
    ]);
  });

  test("of somebody else, of a program or of another organization is 40401 for a member, and nobody's is lost", async () => {
    const { desk, acme, bob, eve, ann } = await opened();
    const other = await desk.newOrganization();
    const zoe = await desk.newMember(other, "owner");
    const made = async (person: typeof ann, organization = acme) =>
      (await desk.ask([person, organization], "POST /api/v1/keys", wanted)).body.id as string;
    const program = newId("key", noon);
    await accounts.createKey({
      ...{ id: program, hash: program, organization: acme.id, project: "", name: "", mode: "payg" },
      ...{
        permissions: [],
        limits: null,
        status: "active",
        last_four: "abcd",
        created_at: noon,
        expires_at: null,
      },
    });
    const theirs = [
      await made(eve),
      await made(ann),
      await made(zoe, other),
      program,
      "key_x",
      newId("key", noon),
    ];
    for (const id of theirs) {
      expect(codeOf(await desk.ask([bob, acme], `DELETE /api/v1/keys/${id}`))).toBe(40401);
      expect((await accounts.key(acme.id, id))?.status ?? "active").toBe("active");
    }
    const own = await made(bob);
    expect((await desk.ask([bob, acme], "GET /api/v1/keys")).body.data).toMatchObject([{ id: own }]);
    const all = await desk.ask([ann, acme], "GET /api/v1/keys");
    expect(all.body.data).toHaveLength(4);
    expect(all.body.data.find(({ id }: { id: string }) => id === program).created_by).toBeNull();
    for (const id of [own, program])
      expect((await desk.ask([ann, acme], `DELETE /api/v1/keys/${id}`)).status).toBe(200);
    expect(codeOf(await desk.ask([ann, acme], `DELETE /api/v1/keys/${own}`))).toBe(40401);
  });

  test("that manages keys is made only by who manages all of them", async () => {
    const { desk, acme, ann, bob } = await opened();
    const body = { ...wanted, permissions: ["manage_keys"] };
    const refused = await desk.ask([bob, acme], "POST /api/v1/keys", body);
    expect(refused.body.error).toMatchObject({
      code: 40300,
      message: expect.stringContaining("Only who manages"),
    });
    expect((await desk.ask([ann, acme], "POST /api/v1/keys", body)).body.permissions).toEqual([
      "manage_keys",
    ]);
    const grant = { ...wanted, permissions: ["AVG_V2"] };
    expect(codeOf(await desk.ask([ann, acme], "POST /api/v1/keys", grant))).toBe(40300);
  });

  test("of a member who has left stays, and who manages all keys revokes it", async () => {
    const { desk, acme, ann, bob } = await opened();
    const { body } = await desk.ask([bob, acme], "POST /api/v1/keys", wanted);
    await desk.ask([ann, acme], `DELETE /api/v1/members/${bob.user.id}`);
    const list = await desk.ask([ann, acme], "GET /api/v1/keys");
    expect(list.body.data).toMatchObject([
      { id: body.id, status: "active", created_by: { id: bob.user.id } },
    ]);
    expect((await desk.ask([ann, acme], `DELETE /api/v1/keys/${body.id}`)).status).toBe(200);
  });
});

test("a frozen organization gets no new key, and can revoke", async () => {
  const { desk, acme, ann } = await opened();
  const { body } = await desk.ask([ann, acme], "POST /api/v1/keys", wanted);
  await accounts.setStatus(acme.id, "frozen");
  expect(codeOf(await desk.ask([ann, acme], "POST /api/v1/keys", wanted))).toBe(40102);
  expect((await desk.ask([ann, acme], `DELETE /api/v1/keys/${body.id}`)).status).toBe(200);
});

test.each([[{}], [{ ...wanted, created_by: "usr_1" }], [{ ...wanted, name: 1 }], ["{"]])(
  "%j is 40000",
  async (body) => {
    const { desk, acme, ann } = await opened();
    expect(codeOf(await desk.ask([ann, acme], "POST /api/v1/keys", body))).toBe(40000);
    expect((await desk.ask([ann, acme], "GET /api/v1/keys")).body.data).toEqual([]);
  },
);

describe("a key and its line in the audit log", () => {
  /** A desk whose process dies before or after its nth transaction. */
  function dyingDesk(transactions: number, when: "before" | "after") {
    let begun = 0;
    const dying: Aws = async (...call) => {
      if (call[1] !== "TransactWriteItems") return await db.aws(...call);
      begun += 1;
      const isLast = begun === transactions;
      if (isLast && when === "before") throw new Error("the process has died");
      const answer = await db.aws(...call);
      if (isLast) throw new Error("the process has died");
      return answer;
    };
    return openMembers(db, {
      accounts: createAccounts(dying, db.tables),
      auditedKeys: createAuditedKeys(dying, db.tables),
    });
  }

  /** The changes that the records tell, and those that the log tells. */
  async function changes({ desk, acme }: Awaited<ReturnType<typeof opened>>) {
    const { keys } = await accounts.keys(acme.id, { limit: 50 });
    const revoked = keys.filter(({ status }) => status === "revoked");
    const done = [
      ...keys.map(({ id }) => `key_created ${id}`),
      ...revoked.map(({ id }) => `key_revoked ${id}`),
    ];
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 50 });
    const told = entries.map(({ kind, subject }) => `${kind} ${subject}`);
    return { done: done.toSorted(), told: told.toSorted() };
  }

  // The first transaction of all fails and has the keys counted, so the second one stores the key.
  test.each([
    ["before", [500, 500, 200]],
    ["after", [200, 500, 200]],
  ] as const)(
    "are both written or neither, where the process dies %s a transaction",
    async (when, expected) => {
      const statuses: number[] = [];
      for (let transactions = 1; transactions <= 3; transactions++) {
        const place = await opened();
        const { desk, acme, bob } = place;
        const made = await dyingDesk(transactions, when).ask([bob, acme], "POST /api/v1/keys", wanted);
        statuses.push(made.status);
        const { body: kept } = await desk.ask([bob, acme], "POST /api/v1/keys", wanted);
        const ended = await dyingDesk(1, when).ask([bob, acme], `DELETE /api/v1/keys/${kept.id}`);
        expect(ended.status).toBe(500);
        const { done, told } = await changes(place);
        expect(told).toEqual(done);
        expect(told.filter((each) => each === `key_revoked ${kept.id}`)).toHaveLength(
          when === "after" ? 1 : 0,
        );
      }
      expect(statuses).toEqual(expected);
    },
  );
});

describe("the list of one's own keys", () => {
  /** A process whose organization has so many keys, of which Bob has made every tenth. */
  async function crowded(count: number) {
    const { acme, bob } = await opened();
    const ids = Array.from({ length: count }, (_, at) => newId("key", noon + at));
    const keys = ids.map((id, at) => ({
      ...{
        id,
        hash: id,
        organization: acme.id,
        project: "",
        name: "",
        mode: "payg" as const,
        permissions: [],
      },
      ...{
        limits: null,
        status: "active" as const,
        last_four: "abcd",
        created_at: noon + at,
        expires_at: null,
      },
      ...(at % 10 === 0 && { created_by: bob.user.id }),
    }));
    let reads = 0;
    const desk = openMembers(db, {
      accounts: {
        ...accounts,
        async keys(_, { limit, after }) {
          reads += 1;
          const from = after === undefined ? 0 : ids.indexOf(after) + 1;
          return { keys: keys.slice(from, from + limit), more: from + limit < count };
        },
      },
    });
    const list = async (query: string) => (await desk.ask([bob, acme], `GET /api/v1/keys${query}`)).body;
    return { list, own: ids.filter((_, at) => at % 10 === 0), reads: () => reads };
  }

  test("pages through all of them, and none twice", async () => {
    const { list, own } = await crowded(250);
    const found: string[] = [];
    let page = await list("?limit=7");
    for (;;) {
      expect(page.data.length).toBeLessThanOrEqual(7);
      found.push(...page.data.map(({ id }: { id: string }) => id));
      if (!page.has_more) break;
      page = await list(`?limit=7&after=${page.last_id}`);
    }
    expect(found).toEqual(own);
  });

  test("reads a bounded number of keys for a page", async () => {
    const { list, reads } = await crowded(2500);
    const page = await list("");
    expect([page.data.length, page.has_more, reads()]).toEqual([100, true, 10]);
  });
});
