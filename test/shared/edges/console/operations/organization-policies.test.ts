/** Policies of an organization's levels: who gives them, what becomes of single rules, and what the audit log says. */
import { expect, test } from "vitest";
import { policyBounds } from "#shared/books/accounts/bounds.ts";
import type { LevelPolicy } from "#shared/books/accounts/policy.ts";
import { withPolicy } from "#shared/edges/api/level-policies.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "member")];
  const give = async (body: object, by = ann) => await desk.ask([by, acme], "PATCH /api/v1/policies", body);
  const list = async () => (await desk.ask([ann, acme], "GET /api/v1/policies")).body.data;
  const record = async () => (await createAccounts(db.aws, db.tables).organization(acme.id))?.policies;
  return { desk, acme, ann, bob, give, list, record };
}

test("each level is given rules, other ones, and none; the audit log has a line of each", async () => {
  const { desk, acme, ann, bob, give, list, record } = await opened();
  expect([await list(), await record()]).toEqual([[], undefined]);
  await give({ level: "member", id: bob.user.id, policy: { max_output_tokens: 4_096 } });
  await give({ level: "project", id: "search", policy: { models: ["openai/*"], switches: [] } });
  const { body } = await give({ level: "organization", policy: { addresses: ["2001:DB8::/32"] } });
  const all = [
    { object: "policy", level: "organization", id: null, policy: { addresses: ["2001:db8::/32"] } },
    { object: "policy", level: "project", id: "search", policy: { models: ["openai/*"], switches: [] } },
    { object: "policy", level: "member", id: bob.user.id, policy: { max_output_tokens: 4_096 } },
  ];
  expect([body.data, await list()]).toEqual([all, all]);
  expect(await record()).toEqual(all.map(({ level, id, policy }) => ({ level, id: id ?? "", policy })));
  await give({ level: "project", id: "search", policy: { models: null, providers: ["openai"] } });
  expect((await list())[1].policy).toEqual({ providers: ["openai"], switches: [] });
  await give({ level: "member", id: bob.user.id, policy: null });
  await give({ level: "organization", policy: { addresses: null } });
  expect((await list()).map(({ level }: { level: string }) => level)).toEqual(["project"]);
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
  const lines = entries.filter(({ kind }) => kind === "policy_changed");
  expect(lines).toHaveLength(6);
  expect(lines).toContainEqual(
    expect.objectContaining({
      ...{ actor: ann.user.id, subject: "search" },
      before: { level: "project", policy: "models=openai/* switches=none" },
      after: { level: "project", policy: "providers=openai switches=none" },
    }),
  );
});

test("a member without the right gives and sees none", async () => {
  const { desk, acme, bob, give } = await opened();
  expect(codeOf(await give({ level: "organization", policy: { models: ["a"] } }, bob))).toBe(40300);
  expect(codeOf(await desk.ask([bob, acme], "GET /api/v1/policies"))).toBe(40300);
});

test.each([
  [{ level: "customer", policy: null }, "level"],
  [{ level: "key", id: "key_1", policy: null }, "level"],
  [{ level: "organization", id: "x", policy: null }, "id"],
  [{ level: "project", policy: null }, "id"],
  [{ level: "member", id: "bob", policy: null }, "id"],
  [{ level: "organization" }, "policy"],
  [{ level: "organization", policy: { models: [] } }, "policy.models"],
  [{ level: "organization", policy: { addresses: ["10.0.0.1/8"] } }, "policy.addresses[0]"],
  [{ level: "organization", policy: {}, more: 1 }, "more"],
])("%j is refused for its %s, and changes nothing", async (body, param) => {
  const { give, record } = await opened();
  expect((await give(body)).body.error).toMatchObject({
    code: 40000,
    message: expect.stringContaining(`\`${param}\``),
  });
  expect(await record()).toBeUndefined();
});

test("somebody who is no member is given none, and one who has left can be relieved of it", async () => {
  const { desk, acme, ann, bob, give } = await opened();
  const body = { level: "member", id: bob.user.id, policy: { models: ["a"] } };
  await give(body);
  await desk.ask([ann, acme], `DELETE /api/v1/members/${bob.user.id}`);
  expect((await give(body)).status).toBe(404);
  expect((await give({ level: "member", id: bob.user.id, policy: null })).body.data).toEqual([]);
});

test("of changes of the same moment none is lost, of budgets neither", async () => {
  const { desk, acme, ann, give, record } = await opened();
  const ids = ["a", "b", "c"];
  const budget = { level: "organization", budget_points: "1", budget_period: "day" };
  const answers = await Promise.all([
    ...ids.map((id) => give({ level: "project", id, policy: { models: [id] } })),
    desk.ask([ann, acme], "PATCH /api/v1/budgets", budget),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await record())?.map(({ id }) => id).sort()).toEqual(ids);
  expect((await createAccounts(db.aws, db.tables).organization(acme.id))?.budgets).toHaveLength(1);
});

test("an organization has so many policies and bytes of them at most", () => {
  const row = (at: number, policy: LevelPolicy["policy"]): LevelPolicy => ({
    level: "project",
    id: `p${at}`,
    policy,
  });
  const full = Array.from({ length: policyBounds.levelPoliciesMax }, (_, at) =>
    row(at, { max_output_tokens: 16 }),
  );
  const more = { level: "project" as const, id: "more", policy: { max_output_tokens: 16 } };
  expect(() => withPolicy(full, more)).toThrow("The organization has 100 policies. Take one away first.");
  expect(withPolicy(full, { ...more, id: "p0" })).toHaveLength(100);
  const large = Array.from({ length: 30 }, (_, at) => `${at}`.padEnd(60, "m"));
  const wide = Array.from({ length: 16 }, (_, at) => row(at, { models: large }));
  expect(() => withPolicy(wide, { ...more, policy: { models: large } })).toThrow("more than 32768 bytes");
});
