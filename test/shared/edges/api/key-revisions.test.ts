/** What a change of a key does to the next call of a process that knows the key as it was before. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
import { chatBody } from "#test/support/scenario.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";
import { after, newWallet } from "#test/support/wallets.ts";

const stores = useStores();
const { db, accounts, ledger, meters } = stores;
const infer = { method: "POST", path: "/v1/chat/completions" } as const;

/** An organization with points, whose people change keys over the console, and gateways that know the keys from before. */
async function opened(shards = 1) {
  const desk = openMembers(db);
  const acme = shards > 1 ? await newWallet(db, "100", shards) : await desk.newOrganization();
  const credit = { organization: acme.id, meter: acme.wallet?.meter ?? "", at: desk.clock.now };
  if (shards === 1) await ledger.credit({ ...credit, reference: "opening", points: parsePoints("100") });
  const owner = await desk.newMember(acme, "owner", "Olga");
  const bob = await desk.newMember(acme, "member", "Bob");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const by = async (person: Person, route: string, body?: object) =>
    await desk.ask([person, acme], route.replace("/keys", "/api/v1/keys"), body);
  const make = async (person: Person, body: object = {}) =>
    (await by(person, "POST /keys", { billing_mode: "payg", ...body })).body as { id: string; key: string };
  /** What a call gets: its code, or `admitted`. The provider is not there, so an admitted call fails after its admission. */
  const call = async (key: string, body: object = { max_tokens: 1 }) => {
    const reply = await gateway.ask(infer, { "x-api-key": key }, { ...chatBody, ...body });
    const { error } = reply.json() as { error: { code: string; message: string } };
    return reply.status >= 500 ? "admitted" : `${error.code} ${error.message}`;
  };
  const asKey = async (key: string, route: string, body: object | string = "") => {
    const [method = "", path = ""] = route.split(" ");
    const reply = await gateway.ask({ method, path: `/api/v1${path}` } as never, { "x-api-key": key }, body);
    return { status: reply.status, body: reply.json() as never as { key: string; error: { code: number } } };
  };
  const lines = async () => (await desk.deps.auditLog.entries(acme.id, { limit: 100 })).entries;
  return { desk, acme, owner, bob, by, make, call, asKey, lines };
}

const wrong = /^40101 .*(?:not valid|invalid)/i;

describe("the next call of a process that knows the key", () => {
  test("goes by a lower budget, and by none once it is taken away", async () => {
    const { bob, by, make, call } = await opened();
    const { id, key } = await make(bob, { limits: { budget_points: "50", budget_period: "total" } });
    expect(await call(key)).toBe("admitted");
    const low = await by(bob, `PATCH /keys/${id}`, { limits: { budget_points: "0.000000000000000001" } });
    expect(low.body.limits).toEqual({ budget_period: "total", budget_points: "0.000000000000000001" });
    expect(await call(key)).toMatch(/^40201 .*budget of 0\.000000000000000001 points in total/);
    await by(bob, `PATCH /keys/${id}`, { limits: null });
    expect(await call(key)).toBe("admitted");
  });

  test("goes by a later end, although the process has the end as past", async () => {
    const { desk, bob, by, make, call } = await opened();
    const soon = new Date(desk.clock.now + 10_000).toISOString();
    const { id, key } = await make(bob, { expires_at: soon });
    expect(await call(key)).toBe("admitted");
    const later = new Date(desk.clock.now + 20_000).toISOString();
    expect((await by(bob, `PATCH /keys/${id}`, { expires_at: later })).body.expires_at).toBe(later);
    desk.clock.now += 15_000;
    expect(await call(key)).toBe("admitted");
    desk.clock.now += 10_000;
    expect(await call(key)).toMatch(wrong);
    const dead = await by(bob, `PATCH /keys/${id}`, { expires_at: null });
    expect(dead.body.error.message).toContain("expired for good");
    expect((await by(bob, `PATCH /keys/${id}`, { name: "old" })).body.name).toBe("old");
  });

  test("is refused while the key is disabled, and is told who may enable it", async () => {
    const { owner, bob, by, make, call, lines } = await opened();
    const { id, key } = await make(bob);
    expect(await call(key)).toBe("admitted");
    expect((await by(bob, `POST /keys/${id}/disable`)).body.status).toBe("disabled");
    expect(await call(key)).toBe(
      "40101 The API key is disabled. Who made it, or who manages the organization's keys, can enable it again.",
    );
    expect((await by(bob, `POST /keys/${id}/enable`)).body.status).toBe("active");
    expect(await call(key)).toBe("admitted");
    await by(owner, `POST /keys/${id}/disable`);
    await by(bob, `POST /keys/${id}/disable`);
    expect(await call(key)).toBe(
      "40101 The API key is disabled. Who manages the organization's keys can enable it again.",
    );
    const denied = await by(bob, `POST /keys/${id}/enable`);
    expect([codeOf(denied), denied.body.error.message]).toEqual([
      40300,
      expect.stringContaining("manages all"),
    ]);
    await by(owner, `POST /keys/${id}/enable`);
    expect(await call(key)).toBe("admitted");
    const told = (await lines()).filter(({ subject }) => subject === id).map(({ kind }) => kind);
    expect(told.toSorted()).toEqual(
      ["key_created", ...Array(3).fill("key_disabled"), ...Array(2).fill("key_enabled")].toSorted(),
    );
  });

  test("of the old secret is refused after a rotation, or at the end of the overlap", async () => {
    const { desk, bob, by, make, call, lines } = await opened();
    const { id, key: first } = await make(bob);
    expect(await call(first)).toBe("admitted");
    const rotate = async (body?: object) => (await by(bob, `POST /keys/${id}/rotate`, body)).body;
    const second = await rotate();
    expect([second.id, second.last_four, second.old_secret_expires_at]).toEqual([
      id,
      second.key.slice(-4),
      null,
    ]);
    expect([await call(first), await call(second.key)]).toEqual([expect.stringMatching(wrong), "admitted"]);
    desk.clock.now += 20_000;
    const third = await rotate({ overlap_seconds: 60 });
    expect(third.old_secret_expires_at).toBe(new Date(desk.clock.now + 60_000).toISOString());
    for (const secret of [second.key, third.key]) expect(await call(secret)).toBe("admitted");
    desk.clock.now += 59_999;
    expect(await call(second.key)).toBe("admitted");
    desk.clock.now += 1;
    expect([await call(second.key), await call(third.key)]).toEqual([
      expect.stringMatching(wrong),
      "admitted",
    ]);
    const told = (await lines()).filter(({ kind }) => kind === "key_rotated");
    expect(told).toHaveLength(2);
    const [{ before, after: now }] = told as [(typeof told)[0]];
    expect([before?.last_four, now?.last_four]).toEqual([second.key.slice(-4), third.key.slice(-4)]);
    expect(JSON.stringify(told)).not.toMatch(/[0-9a-f]{64}/);
  });

  test("of the old secret is refused once another rotation or a revocation ends it", async () => {
    const { bob, by, make, call } = await opened();
    const { id, key: first } = await make(bob);
    const rotate = async () => (await by(bob, `POST /keys/${id}/rotate`, { overlap_seconds: 3600 })).body.key;
    const second = await rotate();
    expect(await call(first)).toBe("admitted");
    const third = await rotate();
    expect(await call(first)).toMatch(wrong);
    for (const secret of [second, third]) expect(await call(secret)).toBe("admitted");
    await by(bob, `DELETE /keys/${id}`);
    for (const secret of [first, second, third]) expect(await call(secret)).toMatch(wrong);
  });
});

describe("a key changes", () => {
  test("only in what a request names, and its line tells no more", async () => {
    const { desk, bob, by, make, lines } = await opened();
    const limits = { max_concurrency: 3, budget_points: "5", budget_period: "day" };
    const { id } = await make(bob, { name: "agent", project_id: "web", limits });
    desk.clock.now += 1;
    const changed = await by(bob, `PATCH /keys/${id}`, { name: "desk", limits: { max_concurrency: null } });
    expect(changed.body).toMatchObject({
      ...{ name: "desk", project_id: "web", limits: { budget_points: "5", budget_period: "day" } },
    });
    const [line] = await lines();
    expect(line).toMatchObject({ kind: "key_changed", subject: id });
    const last_four = changed.body.last_four;
    expect([line?.before, line?.after]).toEqual([
      { name: "agent", last_four, max_concurrency: 3 },
      { name: "desk", last_four, max_concurrency: null },
    ]);
  });

  test("at once for two who change it, each in what it names", async () => {
    const { acme, bob, make } = await opened();
    const { id } = await make(bob);
    const naming = (name: string) => ({
      kind: "key_changed" as const,
      at: Date.now(),
      of: (key: Awaited<ReturnType<typeof accounts.key>> & object) =>
        name === "b" ? { ...key, project: "p" } : { ...key, name },
    });
    await Promise.all(["a", "b"].map((name) => accounts.changeKey(acme.id, id, naming(name))));
    const [own, found] = [
      await accounts.key(acme.id, id),
      (await accounts.findPrincipal((await accounts.key(acme.id, id))?.hash ?? ""))?.key,
    ];
    expect(own).toMatchObject({ name: "a", project: "p", revision: 2 });
    expect(found).toEqual(own);
  });

  test("and what a rotation or a move of its hash copies is never older than a change", async () => {
    const { acme, bob, make } = await opened();
    const { id } = await make(bob);
    const key = await accounts.key(acme.id, id);
    if (!key) throw new Error("the key is missing");
    const change = {
      kind: "key_changed",
      at: 0,
      of: (was: typeof key) => ({ ...was, name: "new" }),
    } as const;
    await accounts.changeKey(acme.id, id, change);
    expect(await accounts.rehashKey(key, { hash: `${key.hash}2`, hash_version: 2 }, 0)).toBe(false);
    expect((await accounts.findPrincipal(key.hash))?.key.name).toBe("new");
  });

  test("wholly or not at all where its process dies, and a repetition completes it", async () => {
    const { acme, bob, by, make, call, lines } = await opened(128);
    const { id, key } = await make(bob);
    expect(await call(key)).toBe("admitted");
    let transactions = 0;
    const second = (action: string) => action === "TransactWriteItems" && ++transactions === 2;
    const dying = createAccounts(
      after(db.aws, second, () => Promise.reject(new Error("crash"))),
      db.tables,
    );
    const off = { kind: "key_disabled", at: 0, of: (was: object) => ({ ...was, status: "disabled" }) };
    await expect(dying.changeKey(acme.id, id, off as never)).rejects.toThrow("crash");
    const hold = async (shard: number, revision = 0) =>
      (await meters.admit({ ...holdOf(acme.wallet?.meter ?? "", id, revision), shard })).admitted;
    expect(await hold(127)).toBe(true);
    await by(bob, `POST /keys/${id}/disable`);
    expect([await hold(127), await hold(127, 1), await hold(0)]).toEqual([false, false, false]);
    expect((await lines()).filter(({ kind }) => kind === "key_disabled")).toHaveLength(1);
  });
});

function holdOf(meter: string, key: string, revision: number) {
  return {
    ...{ request: newId("request", Date.now()), at: Date.now(), key, mode: "payg" as const, meter, shard: 0 },
    ...{ points: 1n, tokens: 0, planLimits: null, ...(revision > 0 && { revision }) },
  };
}

describe("nobody gets more by a change than by making a key", () => {
  test("a key that may make no managers rotates, enables and prolongs none, but for itself", async () => {
    const { owner, by, make, asKey } = await opened();
    const manager = await make(owner, { permissions: ["manage_keys"], name: "one" });
    const other = await make(owner, { permissions: ["manage_keys"], name: "two" });
    await by(owner, `POST /keys/${other.id}/disable`);
    for (const [route, body] of [
      [`POST /keys/${other.id}/rotate`, ""],
      [`POST /keys/${other.id}/enable`, ""],
      [`PATCH /keys/${other.id}`, { expires_at: null }],
      [`PATCH /keys/${manager.id}`, { expires_at: null }],
    ] as const) {
      const reply = await asKey(manager.key, route, body);
      expect([route, reply.status, reply.body.error?.code]).toEqual([route, 403, 40300]);
    }
    expect((await asKey(manager.key, `PATCH /keys/${other.id}`, { name: "three" })).status).toBe(200);
    const rotated = await asKey(manager.key, `POST /keys/${manager.id}/rotate`);
    expect(rotated.status).toBe(200);
    expect((await asKey(rotated.body.key, "GET /keys")).status).toBe(200);
    expect((await asKey(manager.key, "GET /keys")).status).toBe(401);
  });

  test("a manager's key is shown to nobody but whom it descends from", async () => {
    const { desk, acme, owner, by, make } = await opened();
    const admin = await desk.newMember(acme, "admin", "Adam");
    const { id } = await make(owner, { permissions: ["manage_keys"] });
    expect(codeOf(await by(admin, `POST /keys/${id}/rotate`))).toBe(40300);
    expect((await by(owner, `POST /keys/${id}/rotate`)).status).toBe(200);
  });

  test("whoever was shown a secret loses the key with their membership", async () => {
    const { desk, acme, owner, bob, by, make, call } = await opened();
    const admin = await desk.newMember(acme, "admin", "Adam");
    const { id } = await make(bob);
    const { key } = (await by(admin, `POST /keys/${id}/rotate`)).body;
    expect(await call(key)).toBe("admitted");
    expect(
      (await desk.ask([owner, acme], `GET /api/v1/members/${admin.user.id}/keys`)).body.data,
    ).toMatchObject([{ id }]);
    await desk.ask([owner, acme], `DELETE /api/v1/members/${admin.user.id}?keys=end`);
    expect(await call(key)).toMatch(wrong);
  });

  test.each([
    [{ overlap_seconds: -1 }, "overlap_seconds"],
    [{ overlap_seconds: 604_801 }, "overlap_seconds"],
    [{ overlap_seconds: "60" }, "overlap_seconds"],
    [{ until: 5 }, "until"],
  ])("a rotation with %j is refused, and names `%s`", async (body, param) => {
    const { bob, by, make, call } = await opened();
    const { id, key } = await make(bob);
    const reply = await by(bob, `POST /keys/${id}/rotate`, body);
    expect([codeOf(reply), reply.body.error.message]).toEqual([
      40000,
      expect.stringContaining(`\`${param}\``),
    ]);
    expect(await call(key)).toBe("admitted");
  });

  test.each(["rotate", "disable", "enable"])(
    "%s of somebody else's or a revoked key is 40401",
    async (what) => {
      const { owner, bob, by, make } = await opened();
      const [theirs, own] = [await make(owner), await make(bob)];
      await by(bob, `DELETE /keys/${own.id}`);
      for (const id of [theirs.id, own.id, "key_1"])
        expect(codeOf(await by(bob, `POST /keys/${id}/${what}`)), id).toBe(40401);
    },
  );
});
