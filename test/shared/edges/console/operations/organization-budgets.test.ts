/** Budgets of an organization's levels: who gives them, what is left of them, and what the audit log says. */
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { boundsOf } from "#shared/books/meters/levels.ts";
import { withBudget } from "#shared/edges/api/level-budgets.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { admit, openWallet, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization({ wallet: { meter: await openWallet(db, "1000"), shards: 1 } });
  const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "member")];
  const give = async (body: object, by = ann) => await desk.ask([by, acme], "PATCH /api/v1/budgets", body);
  const list = async (query = "") => (await desk.ask([ann, acme], `GET /api/v1/budgets${query}`)).body.data;
  return { desk, acme, ann, bob, give, list };
}

test("each level is given a budget, another one, and none; the list says what is left", async () => {
  const { desk, acme, ann, bob, give, list } = await opened();
  expect(await list()).toEqual([]);
  const wanted = [
    { level: "customer", budget_points: "1", budget_period: "day" },
    { level: "member", id: bob.user.id, budget_points: "5", budget_period: "total" },
    { level: "project", id: "search", budget_points: "3", budget_period: "day" },
    { level: "organization", budget_points: "9.50", budget_period: "day" },
  ];
  for (const body of wanted) expect((await give(body)).status).toBe(200);
  const organization = await createAccounts(db.aws, db.tables).organization(acme.id);
  const call = { key: { project: "search", created_by: bob.user.id }, user: "carl" };
  const meter = organization?.wallet?.meter ?? "";
  const at = desk.clock.now;
  const bounds = boundsOf(organization ?? {}, call);
  const { budgets_revision: boundsRevision = 0 } = organization ?? {};
  const first = { ...walletHold(meter, "0.5", at), bounds, boundsRevision };
  const ticket = await admit(meters, first);
  await meters.settle(ticket, settlement({ points: 3n * 10n ** 17n, at }));
  await admit(meters, { ...walletHold(meter, "0.1", at), bounds, boundsRevision });
  const used = (left: string) => [
    expect.objectContaining({
      billing_mode: "payg",
      spent_points: "0.3",
      held_points: "0.1",
      left_points: left,
    }),
  ];
  expect(await list("?user=carl")).toEqual([
    expect.objectContaining({ level: "organization", id: null, budget_points: "9.5", used: used("9.1") }),
    expect.objectContaining({ level: "project", id: "search", budget_period: "day", used: used("2.6") }),
    expect.objectContaining({ level: "member", id: bob.user.id, budget_period: "total", used: used("4.6") }),
    expect.objectContaining({ level: "customer", id: null, used: used("0.6") }),
  ]);
  expect((await list()).at(-1)).toMatchObject({ level: "customer", used: [] });
  await give({ level: "project", id: "search", budget_points: "2", budget_period: "month" });
  const { body } = await give({ level: "organization", budget_points: null });
  expect(body.data.map(({ level }: { level: string }) => level)).toEqual(["project", "member", "customer"]);
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
  const lines = entries.filter(({ kind }) => kind === "budget_changed");
  expect(lines).toHaveLength(6);
  const ofLevel = (level: string, points: string | null) =>
    lines.find(({ after }) => after?.level === level && after.budget_points === points);
  expect(ofLevel("organization", null)).toMatchObject({
    ...{ actor: ann.user.id, subject: acme.id },
    before: { level: "organization", budget_points: "9.5", budget_period: "day" },
    after: { level: "organization", budget_points: null, budget_period: null },
  });
  expect(ofLevel("project", "2")).toMatchObject({
    subject: "search",
    after: { budget_points: "2", budget_period: "month" },
  });
});

test("a member without the right gives and sees none", async () => {
  const { desk, acme, bob, give } = await opened();
  const body = { level: "organization", budget_points: "1", budget_period: "day" };
  expect(codeOf(await give(body, bob))).toBe(40300);
  expect(codeOf(await desk.ask([bob, acme], "GET /api/v1/budgets"))).toBe(40300);
});

test.each([
  [{ level: "team", budget_points: "1", budget_period: "day" }, "level"],
  [{ level: "organization", id: "x", budget_points: "1", budget_period: "day" }, "id"],
  [{ level: "project", budget_points: "1", budget_period: "day" }, "id"],
  [{ level: "project", id: "a#b", budget_points: "1", budget_period: "day" }, "id"],
  [{ level: "member", id: "bob", budget_points: "1", budget_period: "day" }, "id"],
  [{ level: "organization" }, "budget_points"],
  [{ level: "organization", budget_points: 1, budget_period: "day" }, "budget_points"],
  [{ level: "organization", budget_points: "0", budget_period: "day" }, "budget_points"],
  [{ level: "organization", budget_points: "1" }, "budget_period"],
  [{ level: "organization", budget_points: "1", budget_period: "year" }, "budget_period"],
  [{ level: "organization", budget_points: null, budget_period: "day" }, "budget_period"],
  [{ level: "customer", budget_points: "1", budget_period: "total" }, "budget_period"],
  [{ level: "organization", budget_points: "1", budget_period: "day", more: 1 }, "more"],
])("%j is refused for its %s, and changes nothing", async (body, param) => {
  const { give, list } = await opened();
  expect((await give(body)).body.error).toMatchObject({
    code: 40000,
    message: expect.stringContaining(`\`${param}\``),
  });
  expect(await list()).toEqual([]);
});

test("somebody who is no member is given none, and one who has left can be relieved of it", async () => {
  const { desk, acme, ann, bob, give } = await opened();
  const body = { level: "member", id: bob.user.id, budget_points: "1", budget_period: "day" };
  await give(body);
  await desk.ask([ann, acme], `DELETE /api/v1/members/${bob.user.id}`);
  expect((await give(body)).status).toBe(404);
  const { body: left } = await give({ level: "member", id: bob.user.id, budget_points: null });
  expect(left.data).toEqual([]);
});

test("of changes of the same moment none is lost", async () => {
  const { give, list } = await opened();
  const ids = ["a", "b", "c", "d"];
  const answers = await Promise.all(
    ids.map((id) => give({ level: "project", id, budget_points: "1", budget_period: "day" })),
  );
  const done = answers.flatMap(({ status }, at) => (status === 200 ? [ids[at]] : []));
  expect(done.length).toBeGreaterThan(0);
  expect((await list()).map(({ id }: { id: string }) => id).sort()).toEqual(done);
});

test("an organization has so many at most, and a change of one takes no more", () => {
  const limit = { points: "1", period: "day" } as const;
  const row = (at: number) => ({ level: "project" as const, id: `p${at}` });
  const full = Array.from({ length: limits.levelBudgetsMax }, (_, at) => ({ ...row(at), ...limit }));
  expect(() => withBudget(full, { ...row(1000), limit })).toThrow(/has 100 budgets/);
  expect(withBudget(full, { ...row(3), limit: { ...limit, points: "2" } })).toHaveLength(100);
  expect(withBudget(full, row(3))).toHaveLength(99);
});
