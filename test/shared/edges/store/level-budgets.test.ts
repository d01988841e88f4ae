/** Budgets of levels that are changed while processes know the old ones and shards have parts of them. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { LevelBudget, Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { accountCounter } from "#shared/books/meters/budget.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { accountOf, boundingOf, boundsOf } from "#shared/books/meters/levels.ts";
import { homeOf } from "#shared/books/meters/shards.ts";
import { holdFor, pointsHeld } from "#shared/calls/access/hold.ts";
import { take } from "#shared/calls/access/take.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { intentOf, noon, openPlan, planLimits, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { keyOf, newWallet, storesOn, after as whenFirst } from "#test/support/wallets.ts";

const { db, accounts, meters } = useStores();
const total = "total" as const;
const whole = (points: string): LevelBudget => ({ level: "organization", id: "", points, period: total });
const search = (points: string): LevelBudget => ({ level: "project", id: "search", points, period: total });
const customers = (points: string): LevelBudget => ({ level: "customer", id: "", points, period: "day" });

/** Gives an organization these budgets, by this client, and reads it then. */
async function give(before: Organization, budgets: LevelBudget[], aws: Aws = db.aws): Promise<Organization> {
  const change = { before: before.budgets, after: budgets, at: noon };
  expect(await createAccounts(aws, db.tables).changeBudgets(before.id, change)).toBe(true);
  return await read(before);
}
const read = async ({ id }: Organization) => (await accounts.organization(id)) as Organization;

/** A wallet of so many shards, with these budgets. */
async function opened(shards: number, budgets: LevelBudget[]): Promise<Organization> {
  return await give(await newWallet(db, "10000", shards), budgets);
}

/** A call for a customer, of a key of the project, by the record of the organization that its process knows. */
async function taken(organization: Organization, points: string, user = "ann") {
  const key = { ...keyOf(organization), project: "search" };
  const meter = { meter: organization.wallet?.meter ?? "", planLimits: null };
  const { request, at, tokens } = walletHold(meter.meter, points);
  const bounds = boundsOf(organization, { key, user });
  const asked = pointsHeld(key, null, () => parsePoints(points), bounds);
  const hold = holdFor({ key, organization }, meter, { request, at, tokens, ...asked });
  const home = homeOf(key, at, boundingOf(organization, key, at));
  const choice = { shards: organization.wallet?.shards ?? 1, home };
  return await take(hold, intentOf(hold, organization.id), { choice }, { meters, rushes: { note() {} } });
}

/** What so many calls hold, all of which are let in. */
async function hold(organization: Organization, count: number, points: string): Promise<Hold[]> {
  const calls = await Array.fromAsync(Array(count), async () => await taken(organization, points));
  expect(calls.every(({ admission }) => admission.admitted)).toBe(true);
  return calls.map((each) => each.hold);
}

/** As many calls of so many points as are let in. */
async function spendAll(organization: Organization, points: string, user?: string): Promise<number> {
  for (let count = 0; ; count++)
    if (!(await taken(organization, points, user)).admission.admitted) return count;
}

/** What a budget counts on each shard. */
async function counted({ wallet }: Organization, { level, id, period }: LevelBudget, whose = id) {
  const counter = accountCounter(accountOf(level, whose), period, noon);
  const items = await meters.shardsOf(wallet?.meter ?? "");
  return items.map(({ budgets }) => budgets.get(counter) ?? 0n);
}

const ended = { admission: { admitted: false, error: "invalid_key", isOfOrganization: true } };

describe("a lower budget of a level", () => {
  test.each([
    ["organization", whole],
    ["project", search],
  ] as const)("of the %s binds the next call, and ends the calls by the old record", async (_, row) => {
    const before = await opened(1, [row("100")]);
    await hold(before, 10, "1");
    const now = await give(before, [row("15")]);
    expect(await taken(before, "1")).toMatchObject(ended);
    expect(await spendAll(now, "1")).toBe(5);
  });

  test("takes parts back, and lets in what is left of it and no more, on any shard", async () => {
    const before = await opened(8, [whole("800")]);
    await hold(before, 40, "0.5");
    expect((await counted(before, whole(""))).filter((each) => each < 0n)).toHaveLength(7);
    const now = await give(before, [whole("30")]);
    expect(now.budgets).toEqual([whole("30")]);
    expect(await taken(before, "0.5")).toMatchObject(ended);
    // 40 calls hold 20 points, so that 10 are left.
    expect(await spendAll(now, "0.5")).toBe(20);
  });

  test("of end customers takes back the parts of each", async () => {
    const row = customers("800");
    const before = await opened(8, [row]);
    for (const user of ["ann", "bob"]) {
      for (let calls = 0; calls < 20; calls++) await taken(before, "0.5", user);
      expect((await counted(before, row, user)).filter((each) => each < 0n)).toHaveLength(7);
    }
    const now = await give(before, [customers("15")]);
    for (const user of ["ann", "bob"]) expect(await spendAll(now, "0.5", user)).toBe(10);
    expect(await spendAll(now, "0.5", "carl")).toBe(30);
  });

  test("that is below what is spent lets nothing in, also when calls give back", async () => {
    const before = await opened(8, [search("800"), customers("800")]);
    const held = await hold(before, 40, "0.5");
    const now = await give(before, [search("5"), customers("800")]);
    expect(now.budgets?.map(({ first_until }) => first_until)).toEqual([Number.MAX_SAFE_INTEGER, undefined]);
    for (const each of held.slice(0, 35))
      await meters.settle(ticketOf(each), settlement({ points: parsePoints("0.1") }));
    // 3.5 points are spent and 2.5 held.
    expect((await taken(now, "0.5")).admission).toMatchObject({ error: "insufficient_balance" });
    for (const each of held.slice(35)) await meters.settle(ticketOf(each), settlement());
    expect(await spendAll(now, "0.5")).toBe(3);
    const raised = await give(now, [search("800"), customers("800")]);
    expect(raised.budgets).toEqual([search("800"), customers("800")]);
    expect((await taken(raised, "700")).admission).toMatchObject({ admitted: true });
  });

  test("of end customers holds nobody's calls for the one who has spent more", async () => {
    const before = await opened(4, [customers("800")]);
    for (let calls = 0; calls < 40; calls++) await taken(before, "0.5", "ann");
    const now = await give(before, [customers("15")]);
    expect(now.budgets).toEqual([customers("15")]);
    expect(await spendAll(now, "0.5", "ann")).toBe(0);
    expect(await spendAll(now, "0.5", "bob")).toBe(30);
  });

  test("lets all shards take calls again by a revision that ends the one before on the first shard", async () => {
    const before = await opened(8, [whole("800")]);
    await hold(before, 40, "0.5");
    let known: Organization | undefined;
    let transactions = 0;
    // One transaction changes the record, and seven take parts back.
    const release = (action: string) => action === "TransactWriteItems" && ++transactions === 9;
    const watching = whenFirst(db.aws, release, async () => {
      known = await read(before);
    });
    const now = await give(before, [whole("30")], watching);
    expect(known?.budgets).toEqual([{ ...whole("30"), first_until: Number.MAX_SAFE_INTEGER }]);
    expect(await taken(known as Organization, "0.5")).toMatchObject({ hold: { shard: 0 }, ...ended });
    expect((await taken(now, "0.5")).admission).toMatchObject({ admitted: true });
  });

  test("ends what a process knows of between the last change and its release, on every shard", async () => {
    const before = await opened(4, [whole("800"), search("800")]);
    await hold(before, 24, "0.5");
    const now = await give(before, [whole("800"), search("400")]);
    const [from, to] = [before.budgets_revision ?? 0, now.budgets_revision ?? 0];
    // The change is one revision and the release another one.
    expect(to).toBe(from + 2);
    await give(now, [whole("20"), search("400")]);
    for (const known of [to - 1, to])
      for (let call = 0; call < 12; call++)
        expect(await taken({ ...now, budgets_revision: known }, "0.5")).toMatchObject(ended);
  });

  test("is not given to other shards by a process that knows the higher one", async () => {
    const before = await opened(4, [whole("800")]);
    const [late] = await hold(before, 1, "60");
    await give(before, [whole("70")]);
    const counters = await counted(before, whole(""));
    const again = { ...late, request: walletHold("mtr_1", "60").request } as Hold;
    expect(await meters.gather(again, 3)).toMatchObject({ error: "global_rate_limited" });
    expect(await counted(before, whole(""))).toEqual(counters);
  });

  test("leaves the calls in flight to end as they were admitted", async () => {
    const before = await opened(1, [whole("100")]);
    const [first] = await hold(before, 1, "10");
    const now = await give(before, [whole("12")]);
    await meters.settle(ticketOf(first as Hold), settlement({ points: parsePoints("1") }));
    expect((await counted(now, whole(""))).map(formatPoints)).toEqual(["1"]);
    expect(await spendAll(now, "1")).toBe(11);
  });

  test("is exact where its process dies before it has taken anything back, and repeating it spreads the calls", async () => {
    const before = await opened(8, [whole("800")]);
    await hold(before, 40, "0.5");
    let transactions = 0;
    const second = (action: string) => action === "TransactWriteItems" && ++transactions === 2;
    const dying = whenFirst(db.aws, second, () => Promise.reject(new Error("crash")));
    const died = await give(before, [whole("30")], dying);
    expect(await taken(before, "0.5")).toMatchObject(ended);
    expect((await counted(died, whole(""))).some((each) => each < 0n)).toBe(true);
    // So small that the budget is worth having parts of it on all shards.
    const calls = await hold(died, 20, "0.05");
    expect(new Set(calls.map(({ shard }) => shard))).toEqual(new Set([0]));
    const again = await give(died, [whole("30")]);
    expect(again.budgets).toEqual([whole("30")]);
    expect(await spendAll(again, "0.5")).toBe(18);
  });

  test("binds while the wallet's shards change", async () => {
    const before = await opened(8, [whole("800")]);
    await hold(before, 40, "0.5");
    const resized = whenFirst(
      db.aws,
      (action) => action === "TransactWriteItems",
      () => tendWallet(before.id, 2, storesOn(db.aws, db)),
    );
    await give(before, [whole("30")], resized);
    expect(await spendAll(await read(before), "0.5")).toBe(20);
  });

  test("binds the calls of a subscription at once too", async () => {
    const meter = await openPlan(db);
    const plan = { plan: "pro", period: "monthly", meter, started_at: noon, ends_at: null } as const;
    const organization = { ...(await newWallet(db, "1")), id: newId("organization", noon), wallet: null };
    await accounts.createOrganization({ ...organization, subscription: plan });
    const before = await give(await read(organization), [whole("10")]);
    const now = await give(before, [whole("3")]);
    const asked = (by: Organization) => {
      const key = { ...keyOf(by), mode: "subscription" as const };
      const { request, at, tokens } = walletHold(meter, "1");
      const bounds = boundsOf(by, { key, user: null });
      const points = pointsHeld(key, null, () => parsePoints("1"), bounds);
      const limited = { meter, planLimits: planLimits() };
      return holdFor({ key, organization: by }, limited, { request, at, tokens, ...points });
    };
    expect(await meters.admit(asked(before))).toMatchObject(ended.admission);
    const answers = await Array.fromAsync(Array(4), async () => await meters.admit(asked(now)));
    expect(answers.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
  });
});

test.each([
  [search, { project: "search" }, 0],
  [customers, { project: "" }, 0],
  [search, { project: "else" }, null],
] as const)(
  "while a budget says so, the calls that it may bound are on the first shard",
  (row, key, home) => {
    const budgets = [{ ...row("1"), first_until: noon }];
    const plain = { id: newId("key", noon), limits: null };
    const at = (now: number) => homeOf(plain, now, boundingOf({ budgets }, key, now));
    expect([at(noon - 1), at(noon)]).toEqual([home, null]);
  },
);

test("a higher budget has room at once, on every shard", async () => {
  const before = await opened(4, [whole("100")]);
  await hold(before, 9, "10");
  const now = await give(before, [whole("1600")]);
  expect((await taken(now, "900")).admission).toMatchObject({ admitted: true });
});

test("a first budget leaves no mark: calls that no budget bounds ask for none", async () => {
  const before = await newWallet(db, "10000", 2);
  const now = await give(before, [whole("1")]);
  for (const { ended: marks } of await meters.shardsOf(before.wallet?.meter ?? ""))
    expect([...marks]).toEqual([]);
  expect((await taken(before, "5")).admission).toMatchObject({ admitted: true });
  expect((await taken(now, "5")).admission).toMatchObject({ error: "insufficient_balance" });
});

test("a shard that is opened later knows the revisions that have ended", async () => {
  const before = await opened(1, [whole("100")]);
  const now = await give(before, [whole("50")]);
  await tendWallet(before.id, 2, storesOn(db.aws, db));
  const { admission } = await taken({ ...before, wallet: (await read(now)).wallet }, "1");
  expect(admission).toMatchObject(ended.admission);
});

describe("a change of budgets that were changed since they were read", () => {
  test("writes nothing", async () => {
    const before = await opened(1, [whole("100")]);
    const now = await give(before, [whole("50")]);
    const late = { before: before.budgets, after: [whole("900")], at: noon };
    expect(await accounts.changeBudgets(before.id, late)).toBe(false);
    expect(await read(before)).toEqual(now);
  });

  test("writes nothing either where the other change comes between its read and its write", async () => {
    const before = await opened(1, [whole("100")]);
    const racing = whenFirst(
      db.aws,
      (action) => action === "TransactWriteItems",
      () => give(before, [whole("50")]),
    );
    const late = { before: before.budgets, after: [whole("900")], at: noon };
    expect(await createAccounts(racing, db.tables).changeBudgets(before.id, late)).toBe(false);
    expect((await read(before)).budgets).toEqual([whole("50")]);
    expect(await spendAll(await read(before), "10")).toBe(5);
  });
});
