/** Policies of keys: who gives them, what a key may make of them, and that no key brings a freer one into its hands. */
import { describe, expect, test } from "vitest";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { Policy } from "#shared/books/accounts/policy.ts";
import { openMembers } from "#test/support/members.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, accounts } = stores;
const payg = { billing_mode: "payg" };
const manager = { ...payg, permissions: ["manage_keys"] };

interface Answer {
  status: number;
  body: { id: string; key: string; policy: Policy | null; error: { code: number; message: string } };
}

/** An organization with an admin, and a key of theirs that manages keys and has this policy. */
async function opened(policy: object | null, fields: Partial<Organization> = {}) {
  const desk = openMembers(db);
  const acme = await desk.newOrganization(fields);
  const admin = await desk.newMember(acme, "admin", "Adam");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const asKey = async (secret: string, route: string, body?: object): Promise<Answer> => {
    const [method = "", path = ""] = route.split(" ");
    const reply = await gateway.ask({ method, path } as never, { "x-api-key": secret }, body);
    return { status: reply.status, body: reply.json() as unknown as Answer["body"] };
  };
  const asAdmin = async (route: string, body?: object) =>
    (await desk.ask([admin, acme], route as never, body)) as unknown as Answer;
  const { body: root } = await asAdmin("POST /api/v1/keys", { ...manager, policy });
  const stored = async (id: string) => (await accounts.key(acme.id, id))?.policy;
  const lines = async () => (await desk.deps.auditLog.entries(acme.id, { limit: 100 })).entries;
  return { desk, acme, admin, asKey, asAdmin, root, stored, lines };
}

const policy: Policy = { models: ["test/*"], max_output_tokens: 1_000, aliases: ["mine=test/a"] };

describe("a person", () => {
  test("gives a key a policy, changes single rules, and takes it away; the audit log tells each", async () => {
    const { asAdmin, root, stored, lines } = await opened(policy);
    expect(root.policy).toEqual(policy);
    const change = async (body: object) => await asAdmin(`PATCH /api/v1/keys/${root.id}`, body);
    const { body } = await change({
      policy: { models: null, addresses: ["10.0.0.0/8"], max_output_tokens: 9_000 },
    });
    const after = { addresses: ["10.0.0.0/8"], max_output_tokens: 9_000, aliases: ["mine=test/a"] };
    expect([body.policy, await stored(root.id)]).toEqual([after, after]);
    const line = (await lines()).find(({ kind }) => kind === "key_changed");
    expect(line).toMatchObject({
      kind: "key_changed",
      before: { policy: "models=test/* max_output_tokens=1000 aliases=mine=test/a" },
      after: { policy: "addresses=10.0.0.0/8 max_output_tokens=9000 aliases=mine=test/a" },
    });
    await change({ name: "renamed" });
    expect(await stored(root.id)).toEqual(after);
    expect((await change({ policy: null })).body.policy).toBeNull();
    expect(await stored(root.id)).toBeUndefined();
    for (const wrong of [{ models: [] }, { colour: 1 }, "models"]) {
      const refused = await change({ policy: wrong });
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("`policy")]);
    }
  });
});

describe("a key with a policy", () => {
  test("hands it on to each key that it makes, which may be tighter and nothing else", async () => {
    const { asKey, root, stored, acme } = await opened(policy, { permissions: ["manage_keys"] });
    const make = async (body: object, by = root.key) =>
      await asKey(by, "POST /api/v1/keys", { ...payg, ...body });
    expect((await make({})).body.policy).toEqual(policy);
    const tighter = { models: ["test/a"], max_output_tokens: 16, switches: [] };
    expect((await make({ policy: tighter })).body.policy).toEqual({ ...policy, ...tighter });
    for (const wider of [{ models: ["*"] }, { models: ["test/a", "other"] }, { max_output_tokens: 1_001 }]) {
      const refused = await make({ policy: wider });
      expect([refused.status, refused.body.error.code], JSON.stringify(wider)).toEqual([403, 40300]);
    }
    // A null is a rule that is not given, and so the maker's.
    expect((await make({ policy: { models: null } })).body.policy).toEqual(policy);
    const child = await make({ permissions: ["manage_keys"], policy: tighter });
    const grandchild = await make({}, child.body.key);
    expect(await stored(grandchild.body.id)).toEqual({ ...policy, ...tighter });
    expect((await make({ policy: { models: ["test/*"] } }, child.body.key)).status).toBe(403);
    expect((await accounts.keys(acme.id, { limit: 100 })).keys).toHaveLength(6);
  });

  test("tightens its own policy and that of others, and loosens none", async () => {
    const { asKey, root, asAdmin, stored } = await opened(policy);
    const other = (await asAdmin("POST /api/v1/keys", { ...payg, policy: { providers: ["a", "b"] } })).body;
    const change = async (id: string, given: unknown) =>
      (await asKey(root.key, `PATCH /api/v1/keys/${id}`, { policy: given })).status;
    expect(await change(other.id, { providers: ["a"], models: ["x"] })).toBe(200);
    for (const looser of [null, { providers: null }, { providers: ["*"] }, { models: ["x", "y"] }])
      expect(await change(other.id, looser), JSON.stringify(looser)).toBe(403);
    expect(await stored(other.id)).toEqual({ providers: ["a"], models: ["x"] });
    for (const looser of [null, { max_output_tokens: null }, { models: ["*"] }])
      expect(await change(root.id, looser), JSON.stringify(looser)).toBe(403);
    // What forbids nothing is its own to change.
    expect(await change(root.id, { max_output_tokens: 500, aliases: null })).toBe(200);
    expect(await stored(root.id)).toEqual({ models: ["test/*"], max_output_tokens: 500 });
  });

  test("learns no secret of a freer key, and puts off the end of none", async () => {
    const { asKey, root, asAdmin } = await opened(policy);
    const make = async (given: object | null) =>
      (await asAdmin("POST /api/v1/keys", { ...payg, policy: given })).body.id;
    const [free, looser, within] = [
      await make(null),
      await make({ ...policy, models: ["*"] }),
      await make(policy),
    ];
    const ways = (id: string) => [
      [`POST /api/v1/keys/${id}/rotate`, {}] as const,
      [`PATCH /api/v1/keys/${id}`, { expires_at: "2099-01-01T00:00:00Z" }] as const,
      [`POST /api/v1/keys/${id}/enable`, undefined] as const,
    ];
    for (const id of [free, looser]) {
      expect((await asKey(root.key, `POST /api/v1/keys/${id}/disable`)).status).toBe(200);
      for (const [route, body] of ways(id)) {
        const refused = await asKey(root.key, route, body);
        expect([route, refused.status]).toEqual([route, 403]);
      }
    }
    for (const [route, body] of ways(within))
      expect([route, (await asKey(root.key, route, body)).status]).toEqual([route, 200]);
    const rotated = await asKey(root.key, `POST /api/v1/keys/${root.id}/rotate`, {});
    expect([rotated.status, rotated.body.policy]).toEqual([200, policy]);
  });

  test("whose rules and those that are asked for are too large together makes none", async () => {
    const long = (letter: string) =>
      Array.from({ length: 20 }, (_, at) => `${letter}${at}`.padEnd(60, letter));
    const { asKey, root } = await opened({ models: long("m") });
    const { status, body } = await asKey(root.key, "POST /api/v1/keys", {
      ...payg,
      policy: { aliases: long("a").map((name) => `${name}=b`) },
    });
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringContaining("`policy` must be at most 2048 bytes"),
    ]);
  });
});
