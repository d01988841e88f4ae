/** Plans whose price or subscription changes between an order and its payment: nobody pays too much, or is given more. */
import { expect, test } from "vitest";
import { anchorAt } from "#shared/books/accounts/subscription.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { catalog } from "#test/support/orders.ts";
import { customer, signUp } from "#test/support/plan-customer.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const dayMs = 86_400_000;

/** A plan of this price and quota, whatever its period. */
function planOf(price: string, quota: number): Plan {
  const every = <Value>(value: Value) => ({ monthly: value, quarterly: value, yearly: value });
  return { ...(catalog.plan("lite") as Plan), price: every(price), quota: every(quota) };
}

/** Three plans, each with more calls than the one before. */
const three = () => ({ basic: planOf("10", 100), pro: planOf("50", 200), max: planOf("100", 300) });

async function entriesOf(id: string, kind: Entry["kind"]): Promise<Entry[]> {
  const entries = await createLedger(db.aws, db.tables).creditsAndFees(id);
  return entries.filter((entry) => entry.kind === kind);
}

test("of two upgrades that are both paid, the second is not charged for what the first has paid", async () => {
  const { clock, id, order, pay, quote, organization, owed } = await customer(db, three());
  await pay(await order("basic", "monthly"));
  clock.now += dayMs;
  const [pro, max] = [await order("pro", "monthly"), await order("max", "monthly")];
  expect([pro.amount, max.amount]).toEqual([4_000, 9_000]);
  expect(await pay(pro)).toMatchObject({ booked_as: "plan" });
  expect(await pay(max)).toMatchObject({ state: "credited", booked_as: "points" });
  expect((await entriesOf(id, "bought")).map(({ points }) => points)).toEqual(["90"]);
  expect((await organization()).subscription.plan).toBe("pro");
  const { price, unused } = await quote("max", "monthly");
  expect([(price - unused) / 10n ** 18n, await owed()]).toEqual([50n, "0"]);
});

test("an upgrade that is paid when a month is over, which was a part of its price, becomes points", async () => {
  const { clock, order, pay, quote, organization, owed } = await customer(db, three());
  await pay(await order("basic", "quarterly"));
  const { subscription } = await organization();
  const now = signUp + dayMs;
  clock.now = quotaPeriod(anchorAt(subscription, now), now).ends_at - 60 * 60_000;
  const pro = await order("pro", "quarterly");
  clock.now += 60 * 60_000;
  const { price, unused } = await quote("pro", "quarterly");
  expect([pro.amount, (price - unused) / 10n ** 18n]).toEqual([4_000, 26n]);
  expect(await pay(pro)).toMatchObject({ booked_as: "points" });
  expect([(await organization()).subscription.plan, await owed()]).toEqual(["basic", "0"]);
});

test("an upgrade whose price rises before it is paid holds at the price that was ordered", async () => {
  const plans = three();
  const { clock, order, pay, organization, owed } = await customer(db, plans);
  await pay(await order("basic", "monthly"));
  clock.now += dayMs;
  const pro = await order("pro", "monthly");
  plans.pro = planOf("70", 200);
  expect(await pay(pro)).toMatchObject({ booked_as: "plan", amount: 4_000 });
  expect([(await organization()).subscription.plan, await owed()]).toEqual(["pro", "0"]);
});

test.each([
  ["the last month", "basic", "monthly", 1],
  ["another month", "basic", "quarterly", 3],
] as const)(
  "with less than an hour left of %s no upgrade is sold for it",
  async (_, plan, period, months) => {
    const { clock, order, pay, quote, organization } = await customer(db, three());
    await pay(await order(plan, period));
    const { subscription } = await organization();
    const end = quotaPeriod(anchorAt(subscription, signUp + dayMs), signUp + dayMs).ends_at;
    clock.now = end - 3_600_000;
    expect(await quote("pro", period)).toMatchObject({ action: "upgrade" });
    clock.now += 1;
    if (months === 1) {
      expect(await quote("pro", period)).toMatchObject({ action: "renew", starts_at: end, unused: 0n });
      return;
    }
    await expect(quote("pro", period)).rejects.toMatchObject({ detail: { reason: "plan_soon" } });
    clock.now = end;
    expect(await quote("pro", period)).toMatchObject({
      action: "upgrade",
      unused: (10n * 10n ** 18n * 2n) / 3n,
    });
  },
);

test.each([
  ["bought", 0],
  ["renewed", 1],
])(
  "what a later upgrade takes off a plan that was %s is what was paid, and not a price that rose",
  async (_, before) => {
    const plans = three();
    const { id, order, pay, quote, owed } = await customer(db, plans);
    for (let n = 0; n < before; n++) await pay(await order("basic", "monthly"));
    const basic = await order("basic", "monthly");
    plans.basic = planOf("30", 100);
    expect(await pay(basic)).toMatchObject({ booked_as: "plan" });
    const fees = (await entriesOf(id, "plan_fee")).flatMap(({ fee }) =>
      fee && fee.plan !== "free" ? [[fee.price_points, fee.unused_points]] : [],
    );
    expect(fees).toEqual(Array.from({ length: before + 1 }, () => ["10", undefined]));
    const { unused } = await quote("max", "monthly");
    expect([unused, await owed()]).toEqual([BigInt(before + 1) * 10n * 10n ** 18n, "0"]);
  },
);

test("what an upgrade took off counts as paid for the next one", async () => {
  const { clock, order, pay, quote, owed } = await customer(db, three());
  await pay(await order("basic", "monthly"));
  clock.now += dayMs;
  await pay(await order("pro", "monthly"));
  const { unused } = await quote("max", "monthly");
  expect([unused, await owed()]).toEqual([50n * 10n ** 18n, "0"]);
});
