/** A budget that is changed while shards have parts of it (shared/books/meters/README.md "A budget that is changed"). */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { KeyChange, KeyLimits, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { budgetName, type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { homeOf } from "#shared/books/meters/shards.ts";
import { holdFor } from "#shared/calls/access/hold.ts";
import { take } from "#shared/calls/access/take.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { budgetOf } from "#test/support/budgets.ts";
import { intentOf, noon, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { after, keyOf, newWallet, storesOn } from "#test/support/wallets.ts";

const { db, accounts, meters } = useStores();
const shards = 8;

const changeTo = (limits: KeyLimits | null, at = noon): KeyChange => ({
  kind: "key_changed",
  at,
  of: (key) => ({ ...key, limits }),
});

/** A wallet of eight shards, with a key whose budget of 800 points has parts on all of them. */
async function shared() {
  const organization = await newWallet(db, "10000", shards);
  const key: KeyRecord = { ...keyOf(organization), limits: budgetOf("800", "total") };
  await accounts.createKey(key);
  const held: Hold[] = [];
  for (let calls = 0; calls < 40; calls++) held.push(...(await callOf(organization, key, "0.5")));
  return { organization, key, held };
}

/** What a call of the key holds, by the record that its process knows; none where it is refused. */
async function callOf(organization: Organization, key: KeyRecord, points: string): Promise<Hold[]> {
  const { hold, admission } = await taken(organization, key, points);
  return admission.admitted ? [hold] : [];
}

async function taken(organization: Organization, key: KeyRecord, points: string) {
  const { wallet } = organization;
  const meter = { meter: wallet?.meter ?? "", planLimits: null };
  const { request, at, tokens, points: asked } = walletHold(meter.meter, points);
  const hold = holdFor({ key, organization }, meter, { request, at, tokens, points: asked });
  const choice = { shards, home: homeOf(key, at) };
  return await take(hold, intentOf(hold, organization.id), { choice }, { meters, rushes: { note() {} } });
}

/** What the key's budget counts on each shard. */
async function counters({ wallet }: Organization, { id }: KeyRecord): Promise<string[]> {
  const items = await meters.shardsOf(wallet?.meter ?? "");
  return items.map(({ budgets }) => formatPoints(budgets.get(budgetName(id, "bt")) ?? 0n));
}

/** As many calls of so many points as are let in. */
async function spendAll(organization: Organization, key: KeyRecord, points = "0.5"): Promise<number> {
  for (let count = 0; ; count++) if ((await callOf(organization, key, points)).length === 0) return count;
}

const last = async ({ id }: Organization, key: KeyRecord) => (await accounts.key(id, key.id)) as KeyRecord;

describe("a lower budget", () => {
  test("takes parts back, and lets in what is left of it and no more, on any shard", async () => {
    const { organization, key } = await shared();
    expect((await counters(organization, key)).filter((each) => each.startsWith("-")).length).toBe(
      shards - 1,
    );
    const changed = await accounts.changeKey(organization.id, key.id, changeTo(budgetOf("30", "total")));
    expect(changed?.after).not.toHaveProperty("first_until");
    expect(await last(organization, key)).toEqual(changed?.after);
    // 40 calls hold 20 points, so that 10 are left.
    expect(await spendAll(organization, changed?.after as KeyRecord)).toBe(20);
    expect(await spendAll(organization, key)).toBe(0);
  });

  test("that is below what is spent lets nothing in, also when calls give back", async () => {
    const { organization, key, held } = await shared();
    const changed = await accounts.changeKey(organization.id, key.id, changeTo(budgetOf("5", "total")));
    expect(changed?.after.first_until).toBe(Number.MAX_SAFE_INTEGER);
    for (const hold of held.slice(0, 35))
      await meters.settle(ticketOf(hold), settlement({ points: parsePoints("0.1") }));
    // 3.5 points are spent and 2.5 held.
    expect(await callOf(organization, changed?.after as KeyRecord, "0.5")).toEqual([]);
    for (const hold of held.slice(35)) await meters.settle(ticketOf(hold), settlement());
    expect(await spendAll(organization, changed?.after as KeyRecord)).toBe(3);
  });

  test("is exact where the process dies before it has taken anything back", async () => {
    const { organization, key } = await shared();
    let transactions = 0;
    const second = (action: string) => action === "TransactWriteItems" && ++transactions === 2;
    const dying: Aws = after(db.aws, second, () => Promise.reject(new Error("crash")));
    await createAccounts(dying, db.tables).changeKey(
      organization.id,
      key.id,
      changeTo(budgetOf("30", "total")),
    );
    const changed = await last(organization, key);
    expect(changed.first_until).toBe(Number.MAX_SAFE_INTEGER);
    expect((await counters(organization, key)).some((each) => each.startsWith("-"))).toBe(true);
    // So small that the budget is worth having parts of it on all shards.
    expect(await spendAll(organization, changed, "0.05")).toBe(200);
  });

  test("is not given to other shards by a process that knows the higher one", async () => {
    const { organization, key } = await shared();
    const late = {
      ...walletHold(organization.wallet?.meter ?? "", "60"),
      key: key.id,
      limits: budgetOf("800", "total"),
    };
    await accounts.changeKey(organization.id, key.id, changeTo(budgetOf("30", "total")));
    const before = await counters(organization, key);
    expect(await meters.gather(late, 3)).toMatchObject({ error: "global_rate_limited" });
    expect(await counters(organization, key)).toEqual(before);
  });

  test("of a day binds to the end of that day, and the next day is whole on every shard", async () => {
    const organization = await newWallet(db, "10000", shards);
    const key: KeyRecord = { ...keyOf(organization), limits: budgetOf("800") };
    await accounts.createKey(key);
    for (let calls = 0; calls < 40; calls++) await callOf(organization, key, "0.5");
    const changed = await accounts.changeKey(organization.id, key.id, changeTo(budgetOf("5")));
    const until = changed?.after.first_until ?? 0;
    expect(new Date(until).toISOString()).toBe("2026-11-22T01:00:00.000Z");
    expect([until - 1, until].map((at) => homeOf(changed?.after as KeyRecord, at))).toEqual([0, null]);
  });
});

test("a higher budget has room at once, on every shard", async () => {
  const { organization, key } = await shared();
  const changed = await accounts.changeKey(organization.id, key.id, changeTo(budgetOf("1600", "total")));
  expect(changed?.after).not.toHaveProperty("first_until");
  const [hold] = await callOf(organization, changed?.after as KeyRecord, "900");
  expect(hold).toBeDefined();
});

test("two changes at once leave one budget, which binds", async () => {
  const { organization, key } = await shared();
  await Promise.all(
    ["30", "25"].map((points) =>
      accounts.changeKey(organization.id, key.id, changeTo(budgetOf(points, "total"))),
    ),
  );
  const changed = await last(organization, key);
  expect(await spendAll(organization, changed)).toBe(changed.limits?.budget_points === "30" ? 20 : 10);
});

test("a lower budget binds while the wallet's shards change", async () => {
  const { organization, key } = await shared();
  const grown = after(
    db.aws,
    (action) => action === "TransactWriteItems",
    () => tendWallet(organization.id, 2, storesOn(db.aws, db)),
  );
  await createAccounts(grown, db.tables).changeKey(
    organization.id,
    key.id,
    changeTo(budgetOf("30", "total")),
  );
  const changed = await last(organization, key);
  const now = (await accounts.organization(organization.id)) as Organization;
  let count = 0;
  while ((await callOf(now, changed, "0.5")).length > 0) count++;
  expect(count).toBe(20);
});

test("a budget that is set again counts from then on, and goes on with what its period has", async () => {
  const { organization, key } = await shared();
  const change = (limits: KeyLimits | null) =>
    accounts.changeKey(organization.id, key.id, changeTo(limits, noon + 1));
  expect((await change(null))?.after).not.toHaveProperty("budget_from");
  const again = (await change(budgetOf("30", "total")))?.after as KeyRecord;
  expect(again.budget_from).toBe(noon + 1);
  expect(await spendAll(organization, again)).toBe(20);
});
