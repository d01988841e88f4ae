/** When a member goes: which keys descend from them, which of those end, and that none is forgotten whatever happens at once. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
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

/** Adam, an admin, with keys of both kinds, and with keys that his keys made; Olga, the owner, with one of her own. */
async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization({ permissions: ["manage_keys"] });
  const olga = await desk.newMember(acme, "owner", "Olga");
  const adam = await desk.newMember(acme, "admin", "Adam");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const byPerson = async (person: Person, body: object): Promise<Made> => {
    desk.clock.now += 1;
    return (await desk.ask([person, acme], "POST /api/v1/keys", body)).body;
  };
  const byKey = async ({ key }: Made, body: object): Promise<Made> => {
    desk.clock.now += 1;
    const path = { method: "POST", path: "/api/v1/keys" } as const;
    return (await gateway.ask(path, { "x-api-key": key }, body)).json() as unknown as Made;
  };
  const root = await byPerson(adam, manager);
  const made = {
    root,
    plain: await byPerson(adam, payg),
    child: await byKey(root, payg),
    childManager: await byKey(root, manager),
  };
  const grandchild = await byKey(made.childManager, payg);
  const hers = await byPerson(olga, manager);
  const living = async () => {
    const { keys } = await accounts.keys(acme.id, { limit: 100 });
    return keys.filter(({ status }) => status === "active").map(({ id }) => id);
  };
  const path = `/api/v1/members/${adam.user.id}`;
  return { desk, acme, olga, adam, gateway, byPerson, byKey, ...made, grandchild, hers, living, path };
}

describe("the keys that descend from a member", () => {
  test("are those they made and those that their keys made, and say which end with them", async () => {
    const { desk, acme, olga, adam, path, ...made } = await opened();
    const { body } = await desk.ask([olga, acme], `GET ${path}/keys`);
    expect(body.data.map((key: Record<string, unknown>) => [key.id, key.ends_with_member])).toEqual([
      [made.root.id, true],
      [made.plain.id, false],
      [made.child.id, false],
      [made.childManager.id, true],
      [made.grandchild.id, false],
    ]);
    expect((await desk.ask([adam, acme], `GET ${path}/keys?limit=2`)).body).toMatchObject({
      has_more: true,
      last_id: made.plain.id,
    });
    await desk.ask([olga, acme], `DELETE /api/v1/keys/${made.plain.id}`);
    expect((await desk.ask([olga, acme], `GET ${path}/keys`)).body.data).toHaveLength(4);
  });

  test("are shown to them and to who manages members, and to nobody else", async () => {
    const { desk, acme, adam, olga, path } = await opened();
    const eve = await desk.newMember(acme, "finance");
    expect(codeOf(await desk.ask([eve, acme], `GET ${path}/keys`))).toBe(40300);
    expect((await desk.ask([adam, acme], `GET ${path}/keys`)).status).toBe(200);
    expect((await desk.ask([adam, acme], `GET /api/v1/members/${olga.user.id}/keys`)).status).toBe(200);
  });
});

describe("a member who is removed", () => {
  test("takes the keys along that manage keys, each with its line, and the owner chooses for the rest", async () => {
    const { desk, acme, olga, adam, living, path, ...made } = await opened();
    const { body } = await desk.ask([olga, acme], `DELETE ${path}`);
    expect(body).toEqual({
      ...{ id: adam.user.id, object: "member", deleted: true },
      keys_ended: [made.root.id, made.childManager.id],
    });
    expect(await living()).toEqual([made.plain.id, made.child.id, made.grandchild.id, made.hers.id]);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 20 });
    const line = { actor: olga.user.id, credential: olga.session.id, kind: "key_revoked" };
    expect(entries.filter(({ kind }) => kind === "key_revoked")).toMatchObject([line, line]);
    const rest = await desk.ask([olga, acme], `DELETE ${path}?keys=end`);
    expect(rest.body.keys_ended).toEqual([made.plain.id, made.child.id, made.grandchild.id]);
    expect(await living()).toEqual([made.hers.id]);
    expect(codeOf(await desk.ask([olga, acme], `DELETE ${path}?keys=end`))).toBe(40400);
  });

  test("leaves nothing where all keys end at once, however many there are", async () => {
    const { desk, acme, olga, byPerson, adam, living, path, hers } = await opened();
    for (let more = 1; more <= 50; more++) await byPerson(adam, payg);
    const { body } = await desk.ask([olga, acme], `DELETE ${path}?keys=end`);
    expect(body.keys_ended).toHaveLength(55);
    expect(await living()).toEqual([hers.id]);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 200 });
    const revoked = entries.filter(({ kind }) => kind === "key_revoked").map(({ subject }) => subject);
    expect(revoked.toSorted()).toEqual([...body.keys_ended].toSorted());
  });

  test("may not choose for the keys when leaving, and takes those along that manage keys", async () => {
    const { desk, acme, adam, living, path, ...made } = await opened();
    expect(codeOf(await desk.ask([adam, acme], `DELETE ${path}?keys=end`))).toBe(40000);
    expect(codeOf(await desk.ask([adam, acme], `DELETE ${path}?keys=some`))).toBe(40000);
    expect((await desk.ask([adam, acme], `DELETE ${path}`)).body.keys_ended).toEqual([
      made.root.id,
      made.childManager.id,
    ]);
    expect(await living()).toContain(made.plain.id);
  });

  test("who only gets a role that manages none loses the same keys, and the others go on", async () => {
    const { desk, acme, olga, living, path, ...made } = await opened();
    await desk.ask([olga, acme], `PATCH ${path}`, { role: "owner" });
    expect(await living()).toContain(made.root.id);
    await desk.ask([olga, acme], `PATCH ${path}`, { role: "member" });
    expect(await living()).toEqual([made.plain.id, made.child.id, made.grandchild.id, made.hers.id]);
  });

  test("where the process dies in between, a repetition ends the rest, and no program of ours depends on it", async () => {
    const { desk, acme, olga, adam, gateway, root, childManager, living, path } = await opened();
    const dying: Aws = async (...call) => {
      const [, action, input] = call;
      const isRevocation = action === "TransactWriteItems" && JSON.stringify(input).includes("key_revoked");
      if (isRevocation) throw new Error("the process has died");
      return await db.aws(...call);
    };
    const dead = openMembers(db, { auditedKeys: createAuditedKeys(dying, db.tables) });
    dead.clock.now = desk.clock.now;
    expect((await dead.ask([olga, acme], `DELETE ${path}`)).status).toBe(500);
    expect(await desk.deps.members.membership(acme.id, adam.user.id)).toBeUndefined();
    const make = { method: "POST", path: "/api/v1/keys" } as const;
    for (const { key } of [root, childManager])
      expect((await gateway.ask(make, { "x-api-key": key }, payg)).status).toBe(403);
    const { body } = await desk.ask([olga, acme], `DELETE ${path}`);
    expect(body.keys_ended).toEqual([root.id, childManager.id]);
    expect(await living()).not.toContain(root.id);
  });

  test("while all of their keys make keys as fast as they can: none that manages keys is left, twenty times", async () => {
    for (let round = 0; round < 20; round++) {
      const { desk, acme, olga, adam, byKey, byPerson, root, childManager, path } = await opened();
      const making = [
        ...[root, childManager, root].map((key) => byKey(key, manager)),
        byPerson(adam, manager),
        byPerson(adam, payg),
      ];
      const [removed] = await Promise.all([desk.ask([olga, acme], `DELETE ${path}`), ...making]);
      expect(removed.status).toBe(200);
      const { keys } = await accounts.keys(acme.id, { limit: 100 });
      const left = keys.filter(
        (key) =>
          key.status === "active" &&
          key.permissions.includes("manage_keys") &&
          (key.created_by ?? key.root) === adam.user.id,
      );
      expect(left).toEqual([]);
    }
  });
});

describe("an organization whose keys may make keys that manage keys", () => {
  test("is made so by an owner alone, with a line, and without losing its other permissions", async () => {
    const desk = openMembers(db);
    const acme = await desk.newOrganization({ permissions: ["AVG_V2"] });
    const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "admin")];
    const set = (person: Person, keys_make_managers: unknown) =>
      desk.ask([person, acme], "PATCH /api/v1/organization", { keys_make_managers });
    expect(codeOf(await set(bob, true))).toBe(40300);
    expect(codeOf(await set(ann, "yes"))).toBe(40000);
    expect(codeOf(await desk.ask([ann, acme], "PATCH /api/v1/organization", {}))).toBe(40000);
    expect((await set(ann, true)).body).toMatchObject({ name: "Acme", keys_make_managers: true });
    expect((await accounts.organization(acme.id))?.permissions).toEqual(["AVG_V2", "manage_keys"]);
    expect((await set(ann, true)).status).toBe(200);
    desk.clock.now += 1;
    expect((await set(ann, false)).body.keys_make_managers).toBe(false);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    const [plain, both] = [{ permissions: "AVG_V2" }, { permissions: "AVG_V2 manage_keys" }];
    expect(entries).toMatchObject([
      { kind: "permissions_changed", actor: ann.user.id, before: both, after: plain },
      { kind: "permissions_changed", before: plain, after: both },
    ]);
  });
});
