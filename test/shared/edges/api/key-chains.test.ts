/**
 * Keys that keys make: whom they descend from, and the lines that they leave. No person who was removed or made less, and
 * no revoked key, leaves a key behind (people/identity/members.md "Who made a key").
 */
import { describe, expect, test } from "vitest";
import type { Organization, Permission } from "#shared/books/accounts/account.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { endWrites, roleWrites } from "#shared/edges/store/identity/membership.ts";
import type { Role } from "#shared/people/identity/user.ts";
import { openMembers, type Person } from "#test/support/members.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, accounts } = stores;
const payg = { billing_mode: "payg" };
const manager = { ...payg, permissions: ["manage_keys"] };

interface Made {
  id: string;
  key: string;
}

/** An organization with an admin, whose manager key the tests attack, and with an owner. */
async function opened(fields: Partial<Organization> = {}) {
  const desk = openMembers(db);
  const acme = await desk.newOrganization(fields);
  const owner = await desk.newMember(acme, "owner", "Olga");
  const admin = await desk.newMember(acme, "admin", "Adam");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const asKey = async (secret: string, route: string, body?: object) => {
    const [method = "", path = ""] = route.split(" ");
    const headers = { "x-api-key": secret, "x-forwarded-for": "198.51.100.7" };
    const reply = await gateway.ask({ method, path } as never, headers, body);
    return { status: reply.status, body: reply.json() as unknown as Made };
  };
  const make = async (person: Person, body: object): Promise<Made> =>
    (await desk.ask([person, acme], "POST /api/v1/keys", body)).body;
  const root = await make(admin, { ...manager, name: "root" });
  const lines = async () => (await desk.deps.auditLog.entries(acme.id, { limit: 100 })).entries;
  const membership = async () => {
    const found = await desk.deps.members.membership(acme.id, admin.user.id);
    if (!found) throw new Error("the admin is no member");
    return found;
  };
  // Only the membership changes here, as where the process dies right after that. The console also ends keys.
  const setRole = async (role: Role) =>
    await transact(db.aws, roleWrites(db.tables, await membership(), role));
  const remove = async () => await transact(db.aws, endWrites(db.tables, await membership(), desk.clock.now));
  return { desk, acme, owner, admin, asKey, make, root, lines, setRole, remove };
}

describe("a key that a key made", () => {
  test("knows the key and the person at the root, and leaves lines with the credential and the address", async () => {
    const { desk, acme, admin, owner, asKey, root, lines } = await opened();
    desk.clock.now += 1;
    const made = await asKey(root.key, "POST /api/v1/keys", { ...payg, name: "child" });
    expect(made.status).toBe(200);
    const { id } = made.body;
    expect(await accounts.key(acme.id, id)).toMatchObject({ parent: root.id, root: admin.user.id });
    expect((await accounts.key(acme.id, id))?.created_by).toBeUndefined();
    desk.clock.now += 1;
    expect((await asKey(root.key, `DELETE /api/v1/keys/${id}`)).status).toBe(200);
    const by = { actor: root.id, actor_name: "root", credential: root.id, subject: id };
    expect(await lines()).toMatchObject([
      { ...by, kind: "key_revoked", before: { name: "child" }, forwarded_for: "198.51.100.7" },
      { ...by, kind: "key_created", after: { name: "child", descends_from: admin.user.id } },
      { actor: admin.user.id, credential: admin.session.id, ip: "203.0.113.7", subject: root.id },
    ]);
    const list = await desk.ask([owner, acme], "GET /api/v1/keys");
    expect(list.body.data).toMatchObject([
      { id: root.id, created_by: { name: "Adam" }, created_by_key: null, descends_from: { name: "Adam" } },
      { id, created_by: null, created_by_key: root.id, descends_from: { name: "Adam" } },
    ]);
    const shown = await desk.ask([owner, acme], "GET /api/v1/audit-log?limit=1");
    expect(shown.body.data).toMatchObject([{ actor: { id: root.id, name: "root" }, credential: root.id }]);
  });

  test("manages keys only where the organization allows it, at any length of the chain", async () => {
    const { desk, acme, asKey, root } = await opened();
    const refused = await asKey(root.key, "POST /api/v1/keys", manager);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 40300 } } });
    await accounts.setPermissions(acme.id, ["manage_keys"]);
    const chain = [root];
    for (let length = 1; length <= 4; length++) {
      desk.clock.now += 1;
      const made = await asKey(chain.at(-1)?.key ?? "", "POST /api/v1/keys", manager);
      expect(made.status).toBe(200);
      chain.push(made.body);
    }
    const { keys } = await accounts.keys(acme.id, { limit: 10 });
    const adam = keys[0]?.created_by;
    expect(keys.slice(1).map(({ parent, root: person }) => [parent, person])).toEqual(
      chain.slice(0, -1).map(({ id }) => [id, adam]),
    );
    await accounts.setPermissions(acme.id, []);
    expect((await asKey(chain.at(-1)?.key ?? "", "POST /api/v1/keys", manager)).status).toBe(403);
    expect((await asKey(chain.at(-1)?.key ?? "", "POST /api/v1/keys", payg)).status).toBe(200);
  });

  test("of an operator's key descends from nobody, and still leaves its line", async () => {
    const { desk, acme, asKey, lines } = await opened();
    const permissions: Permission[] = ["manage_keys"];
    const { secret, id } = await operatorsKey(desk, acme, permissions);
    const made = await asKey(secret, "POST /api/v1/keys", payg);
    expect(made.status).toBe(200);
    const stored = await accounts.key(acme.id, made.body.id);
    expect([stored?.parent, stored?.root]).toEqual([id, undefined]);
    const line = (await lines()).find(({ subject }) => subject === made.body.id);
    expect(line).toMatchObject({ kind: "key_created", credential: id });
  });
});

/** A key from before there were chains and lines: its record says nothing of who made it. */
async function operatorsKey(
  desk: ReturnType<typeof openMembers>,
  organization: Organization,
  permissions: Permission[],
) {
  const { issueKey } = await import("#shared/edges/api/keys.ts");
  const wanted = { ...{ name: "old", mode: "payg" as const, project: "" }, permissions };
  const { key, secret } = await issueKey(
    organization,
    { ...wanted, limits: null, expires_at: null },
    { accounts, peppers: desk.deps.peppers, now: desk.deps.now },
  );
  return { id: key.id, secret };
}

describe("whoever is removed or made less", () => {
  test.each<[string, (place: Awaited<ReturnType<typeof opened>>) => Promise<unknown>]>([
    ["removed", ({ remove }) => remove()],
    ["made a member", ({ setRole }) => setRole("member")],
    ["put into finance", ({ setRole }) => setRole("finance")],
  ])("has no key left that manages keys or the cache: %s", async (_, happen) => {
    const place = await opened({ permissions: ["manage_keys"] });
    const { asKey, root } = place;
    const child = (await asKey(root.key, "POST /api/v1/keys", manager)).body;
    const before = await place.lines();
    await happen(place);
    for (const { key } of [root, child])
      for (const route of [
        "POST /api/v1/keys",
        "GET /api/v1/keys",
        `DELETE /api/v1/keys/${child.id}`,
        "DELETE /api/v1/cache",
      ])
        expect((await asKey(key, route, payg)).status).toBe(403);
    const after = (await place.lines()).filter(({ kind }) => kind === "key_created");
    expect(after).toHaveLength(before.filter(({ kind }) => kind === "key_created").length);
  });

  test("has the keys that are left in the organization's hands: an owner's manager key goes on", async () => {
    const { acme, owner, asKey, make, remove } = await opened();
    const own = await make(owner, manager);
    await remove();
    expect((await asKey(own.key, "POST /api/v1/keys", payg)).status).toBe(200);
    expect(acme.status).toBe("active");
  });
});

describe("a key is not stored where, between reading and writing,", () => {
  /** The same place, in which something happens right before the transaction that stores a key. */
  async function racing(happen: (place: Awaited<ReturnType<typeof opened>>) => Promise<unknown>) {
    const place = await opened({ permissions: ["manage_keys"] });
    const real = createAuditedKeys(db.aws, db.tables);
    let happened = false;
    const desk = openMembers(db, {
      auditedKeys: {
        ...real,
        async create(...given) {
          if (!happened) await happen(place);
          happened = true;
          return await real.create(...given);
        },
      },
    });
    const gateway = openSessionGateway(desk, stores, { real: true });
    return { ...place, racingDesk: desk, gateway };
  }

  test.each<[string, (place: Awaited<ReturnType<typeof opened>>) => Promise<unknown>]>([
    [
      "the key that makes it is revoked",
      ({ acme, root, desk }) => accounts.revokeKey(acme.id, root.id, desk.clock.now),
    ],
    ["the person at the root is removed", ({ remove }) => remove()],
    ["the person at the root is made less", ({ setRole }) => setRole("member")],
  ])("%s", async (_, happen) => {
    const { gateway, root, lines } = await racing(happen);
    const path = { method: "POST", path: "/api/v1/keys" } as const;
    const reply = await gateway.ask(path, { "x-api-key": root.key }, payg);
    expect(reply.json()).toMatchObject({
      error: { message: "Who makes this key has lost the right to at this moment." },
    });
    expect(reply.status).toBe(403);
    expect((await lines()).filter(({ actor }) => actor === root.id)).toEqual([]);
  });

  test("the member who makes it is removed, or loses the right to make this one", async () => {
    const gone = await racing(({ remove }) => remove());
    const refused = await gone.racingDesk.ask([gone.admin, gone.acme], "POST /api/v1/keys", payg);
    expect(refused.status).toBe(403);
    const less = await racing(({ setRole }) => setRole("member"));
    const asks = async (body: object) =>
      (await less.racingDesk.ask([less.admin, less.acme], "POST /api/v1/keys", body)).status;
    expect([await asks(manager), await asks(payg)]).toEqual([403, 200]);
  });
});
