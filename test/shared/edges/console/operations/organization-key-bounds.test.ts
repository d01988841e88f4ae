/** What binds a key's calls beside its own limits, as who may manage the key sees it. */
import { expect, test } from "vitest";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
import { admit, openPlan, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();

async function opened() {
  const desk = openMembers(db);
  const plan = { plan: "pro", period: "monthly", started_at: desk.clock.now, ends_at: null } as const;
  const acme = await desk.newOrganization({
    wallet: { meter: await openWallet(db, "1000"), shards: 1 },
    subscription: { ...plan, meter: await openPlan(db) },
  });
  const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "member")];
  const by = async (person: Person, route: string, body?: object) =>
    await desk.ask([person, acme], route, body);
  const make = async (person: Person, body: object) =>
    (await by(person, "POST /api/v1/keys", { billing_mode: "payg", ...body })).body.id as string;
  const bounds = async (person: Person, key: string) =>
    (await by(person, `GET /api/v1/keys/${key}/bounds`)).body;
  return { acme, ann, bob, by, make, bounds };
}

test("a key that nothing binds has empty lists", async () => {
  const { bob, make, bounds } = await opened();
  const id = await make(bob, {});
  expect(await bounds(bob, id)).toEqual({ object: "key_bounds", budgets: [], policies: [] });
});

test("a member sees the budgets and policies of the levels of their key, and no others", async () => {
  const { acme, ann, bob, by, make, bounds } = await opened();
  const month = { budget_period: "month" };
  const given = [
    { level: "organization", budget_points: "10", ...month },
    { level: "project", id: "search", budget_points: "5", ...month },
    { level: "project", id: "else", budget_points: "4", ...month },
    { level: "member", id: ann.user.id, budget_points: "3", ...month },
    { level: "member", id: bob.user.id, budget_points: "2", ...month },
    { level: "customer", budget_points: "1", ...month },
  ];
  for (const body of given) expect((await by(ann, "PATCH /api/v1/budgets", body)).status).toBe(200);
  const policies = [
    { level: "project", id: "search", policy: { models: ["openai/*"] } },
    { level: "member", id: ann.user.id, policy: { max_output_tokens: 99 } },
  ];
  for (const body of policies) expect((await by(ann, "PATCH /api/v1/policies", body)).status).toBe(200);
  const id = await make(bob, { project_id: "search" });
  const organization = await createAccounts(db.aws, db.tables).organization(acme.id);
  const bound = {
    level: "organization" as const,
    account: "O",
    points: 10n ** 19n,
    period: "month" as const,
  };
  const { budgets_revision: boundsRevision = 0, wallet } = organization ?? {};
  await admit(meters, { ...walletHold(wallet?.meter ?? "", "0.25"), bounds: [bound], boundsRevision });
  const seen = await bounds(bob, id);
  expect(seen.budgets.map((row: { level: string; id: string | null }) => [row.level, row.id])).toEqual([
    ["organization", null],
    ["project", "search"],
    ["member", bob.user.id],
    ["customer", null],
  ]);
  expect(seen.budgets[0].used).toEqual([
    expect.objectContaining({ billing_mode: "payg", held_points: "0.25", left_points: "9.75" }),
  ]);
  expect(seen.policies).toEqual([{ object: "policy", ...policies[0] }]);
  expect(await bounds(ann, id)).toEqual(seen);
  const ofPlan = await make(bob, { billing_mode: "subscription" });
  const [first, ...others] = (await bounds(bob, ofPlan)).budgets;
  expect(first.used).toMatchObject([{ billing_mode: "subscription", left_points: "10" }]);
  expect(others.map(({ level }: { level: string }) => level)).toEqual(["member", "customer"]);
});

test("nobody sees it of a key that they do not manage, or that is not there", async () => {
  const { ann, bob, by, make } = await opened();
  const id = await make(ann, {});
  for (const key of [id, "key_01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"])
    expect(codeOf(await by(bob, `GET /api/v1/keys/${key}/bounds`))).toBe(40401);
});
