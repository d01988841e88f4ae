/** The defaults of a key, as they are made and changed: by a key, by a member, with their lines, and by whom they are not. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { keyByHash } from "#shared/edges/store/dynamodb/item-keys.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, accounts } = stores;
const both = { allow_drop: ["tools"], cache_points: "off" };

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const owner = await desk.newMember(acme, "owner", "Olga");
  const bob = await desk.newMember(acme, "member", "Bob");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const make = async (person: Person, body: object = {}) =>
    (await desk.ask([person, acme], "POST /api/v1/keys", { billing_mode: "payg", ...body })).body;
  const manager = await make(owner, { permissions: ["manage_keys"] });
  const change = async (id: string, body: object | string) =>
    await gateway.ask(
      { method: "PATCH", path: `/api/v1/keys/${id}` },
      { "x-api-key": manager.key, "content-type": "application/json" },
      body,
    );
  const lines = async () => {
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 20 });
    return entries.filter(({ kind }) => kind === "key_changed");
  };
  /** What both of its records say. */
  const records = async (id: string) => {
    const own = await accounts.key(acme.id, id);
    const found = await accounts.findPrincipal(own?.hash ?? "");
    return [own?.defaults, found?.key.defaults];
  };
  return { desk, acme, owner, bob, gateway, make, manager, change, lines, records };
}

describe("a key", () => {
  test("is made with defaults, and its line tells them", async () => {
    const { desk, acme, bob, make, records } = await opened();
    const made = await make(bob, { defaults: both });
    expect(made.defaults).toEqual(both);
    expect(await records(made.id)).toEqual([both, both]);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 20 });
    expect(entries.find(({ subject }) => subject === made.id)).toMatchObject({
      kind: "key_created",
      after: { defaults: "allow_drop=tools cache_points=off" },
    });
    expect((await make(bob)).defaults).toBeNull();
  });

  test("is changed by a key in both of its records, with a line, and loses them by null", async () => {
    const { bob, make, manager, change, lines, records, desk } = await opened();
    const { id, last_four, name } = await make(bob, { name: "agent", limits: { max_concurrency: 3 } });
    const changed = await change(id, { defaults: { cache_points: "auto" } });
    expect(changed.status).toBe(200);
    expect(changed.json()).toMatchObject({ id, defaults: { cache_points: "auto" }, status: "active" });
    expect(changed.json()).not.toHaveProperty("key");
    expect(await records(id)).toEqual([{ cache_points: "auto" }, { cache_points: "auto" }]);
    desk.clock.now += 1;
    expect((await change(id, { defaults: null })).json()).toMatchObject({
      defaults: null,
      limits: { max_concurrency: 3 },
    });
    expect(await records(id)).toEqual([undefined, undefined]);
    const by = { actor: manager.id, subject: id };
    const named = { name, last_four };
    expect(await lines()).toMatchObject([
      {
        ...by,
        before: { ...named, defaults: "cache_points=auto" },
        after: { ...named, defaults: "" },
      },
      { ...by, before: { ...named, defaults: "" }, after: { ...named, defaults: "cache_points=auto" } },
    ]);
  });

  test("is changed by who made it and by who manages all keys, with a session, and by nobody else", async () => {
    const { desk, acme, owner, bob, gateway, make, lines } = await opened();
    const [own, others] = [await make(bob), await make(owner)];
    const eve = await desk.newMember(acme, "member", "Eve");
    const body = { defaults: { allow_drop: ["tools"] } };
    const by = (person: Person, id: string) => desk.ask([person, acme], `PATCH /api/v1/keys/${id}`, body);
    expect(codeOf(await by(eve, own.id))).toBe(40401);
    expect(codeOf(await by(bob, others.id))).toBe(40401);
    expect(await lines()).toEqual([]);
    const { status, body: shown } = await by(bob, own.id);
    expect([status, shown.created_by.name, shown.defaults]).toEqual([200, "Bob", body.defaults]);
    expect((await by(owner, own.id)).status).toBe(200);
    const headers = { authorization: `Bearer ${await bob.token(acme)}`, "content-type": "application/json" };
    const path = { method: "PATCH", path: `/api/v1/keys/${own.id}` } as const;
    expect((await gateway.ask(path, headers, body)).status).toBe(200);
    expect((await lines()).map(({ actor }) => actor).toSorted()).toEqual(
      [bob, bob, owner].map(({ user }) => user.id).toSorted(),
    );
  });

  test("that is revoked, unknown or another organization's is 40401 and gets no line", async () => {
    const { desk, acme, owner, make, change, lines } = await opened();
    const { id } = await make(owner);
    await desk.ask([owner, acme], `DELETE /api/v1/keys/${id}`);
    const other = await opened();
    const foreign = await other.make(other.owner);
    for (const each of [id, "key_1", foreign.id]) {
      const reply = await change(each, { defaults: both });
      expect(reply.json(), each).toMatchObject({ error: { code: 40401 } });
    }
    expect(await lines()).toEqual([]);
  });

  test.each([
    [{}, "defaults"],
    [{ defaults: both, billing_mode: "payg" }, "billing_mode"],
    [{ permissions: [] }, "permissions"],
    [{ limits: { rpm: 5 } }, "limits.rpm"],
    [{ limits: { budget_points: "5" } }, "limits.budget_period"],
    [{ limits: [] }, "limits"],
    [{ cache: "exact" }, "cache"],
    [{ name: "a\u0000b" }, "name"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ defaults: [] }, "defaults"],
    [{ defaults: { allow_drop: "tools" } }, "defaults.allow_drop"],
    [{ defaults: { allow_drop: ["cookies"] } }, "defaults.allow_drop"],
    [{ defaults: { cache_points: "on" } }, "defaults.cache_points"],
    [{ defaults: { route: "latency" } }, "defaults.route"],
  ])("is not changed by %j, which names `%s`", async (body, param) => {
    const { bob, make, change, lines } = await opened();
    const { id } = await make(bob);
    const { error } = (await change(id, body)).json() as { error: { code: number; message: string } };
    expect([error.code, error.message]).toEqual([40000, expect.stringContaining(`\`${param}\``)]);
    expect(await lines()).toEqual([]);
  });
});

test("a change begins anew where the key moves to another hash meanwhile", async () => {
  const { acme, bob, make, records } = await opened();
  const { id } = await make(bob);
  const key = await accounts.key(acme.id, id);
  if (!key) throw new Error("the key is missing");
  const moved = `${key.hash.slice(0, -4)}beef`;
  let reads = 0;
  const moving: Aws = async (...call) => {
    const answer = await db.aws(...call);
    if (call[1] === "GetItem" && JSON.stringify(call[2]).includes(id) && reads++ === 0)
      await accounts.rehashKey(key, { hash: moved, hash_version: 2 }, Date.now());
    return answer;
  };
  const changed = await createAccounts(moving, db.tables).changeKey(acme.id, id, {
    kind: "key_changed",
    at: Date.now(),
    of: (before) => ({ ...before, defaults: { cache_points: "auto" } }),
  });
  expect([changed?.after.hash, changed?.after.revision]).toEqual([moved, 1]);
  expect(await records(id)).toEqual([{ cache_points: "auto" }, { cache_points: "auto" }]);
  const left = await db.aws("dynamodb", "GetItem", { TableName: db.tables.keys, Key: keyByHash(key.hash) });
  expect(left.Item).not.toHaveProperty("defaults");
});
