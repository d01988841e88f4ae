/** Plans bought, renewed and upgraded by orders: the price, the subscription, and books in which nobody owes anything. */
import { afterEach, describe, expect, test } from "vitest";
import { look } from "#shared/edges/audit/audit.ts";
import { changePlan } from "#shared/edges/operator/subscriptions.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { customer, signUp } from "#test/support/plan-customer.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const at = (text: string) => Date.parse(`${text}Z`);

afterEach(async () => {
  const { invariants } = await look({
    ...{
      accounts: createAccounts(db.aws, db.tables),
      ledger: createLedger(db.aws, db.tables),
      kept: createKeptBooks(db.aws, db.tables),
      queue: emptyQueue,
    },
    ...{ meters: createMeters(db.aws, db.tables), tasks: createTasks(db.aws, db.tables), now: () => signUp },
  });
  expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
});

const day = (instant: number | null) => instant && new Date(instant).toISOString().slice(0, 10);

describe("bought from the free plan", () => {
  test("it begins at once, with quota months of its own, and for a whole period", async () => {
    const { clock, organization, order, pay, schedule, owed } = await customer(db);
    clock.now = at("2026-12-09T15:00:00");
    const bought = await order("lite", "monthly");
    expect([bought.amount, bought.plan?.action]).toEqual([12_900, "buy"]);
    expect(await pay(bought)).toMatchObject({ state: "credited", booked_as: "plan" });
    const { subscription } = await organization();
    // The free month ended on the 10th; the bought one lasts until the 9th.
    expect([subscription.plan, day(subscription.ends_at)]).toEqual(["lite", "2027-01-09"]);
    expect(await owed()).toBe("0");
    clock.now = at("2027-01-08T23:00:00");
    expect(await schedule()).toBe(0);
  });
});

describe("renewed", () => {
  test("it goes on where it would have ended, and no fee is posted a second time", async () => {
    const { clock, organization, order, pay, schedule, owed } = await customer(db);
    await pay(await order("lite", "monthly"));
    clock.now = at("2026-11-20T00:00:00");
    const renewal = await order("lite", "monthly");
    expect(renewal.plan?.action).toBe("renew");
    await pay(renewal);
    expect(day((await organization()).subscription.ends_at)).toBe("2027-01-10");
    for (const now of ["2026-12-10T00:00:01", "2027-01-09T23:59:59", "2027-02-20T00:00:00"]) {
      clock.now = at(now);
      expect(await schedule()).toBe(0);
    }
    expect(await owed()).toBe("0");
  });

  test("after its end it begins anew, from the day of the payment", async () => {
    const { clock, organization, order, pay } = await customer(db);
    await pay(await order("lite", "monthly"));
    clock.now = at("2027-03-05T12:00:00");
    await pay(await order("lite", "monthly"));
    expect(day((await organization()).subscription.ends_at)).toBe("2027-04-05");
  });

  test("by a smaller plan, that one takes over at the end, and nothing is paid back", async () => {
    const { clock, organization, order, pay, owed, schedule } = await customer(db);
    await pay(await order("pro", "monthly"));
    clock.now = at("2026-11-20T00:00:00");
    const smaller = await order("lite", "quarterly");
    expect([smaller.amount, smaller.plan?.action]).toEqual([32_700, "renew"]);
    await pay(smaller);
    const { subscription } = await organization();
    expect(subscription.plan).toBe("pro");
    expect(subscription.next).toMatchObject({ plan: "lite", period: "quarterly" });
    expect([day(subscription.next?.from ?? 0), day(subscription.ends_at)]).toEqual([
      "2026-12-10",
      "2027-03-10",
    ]);
    await expect(order("pro", "monthly")).rejects.toThrow("changes to lite");
    clock.now = at("2026-12-11T00:00:00");
    expect([await schedule(), await owed()]).toEqual([0, "0"]);
  });

  test("at most two years ahead", async () => {
    const { order, pay } = await customer(db);
    await pay(await order("lite", "yearly"));
    await pay(await order("lite", "yearly"));
    await expect(order("lite", "yearly")).rejects.toThrow("24 months ahead");
  });
});

describe("upgraded", () => {
  test.each([
    // The quota month of the upgrade counts whole, because the larger plan gives all of its calls.
    ["2026-11-25T00:00:00", "monthly", 59_900 - 12_900],
    ["2026-11-25T00:00:00", "yearly", 598_800 - 118_800],
    ["2027-05-25T00:00:00", "yearly", ((598_800 - 118_800) * 6) / 12],
    ["2027-11-09T00:00:00", "yearly", (598_800 - 118_800) / 12],
  ] as const)(
    "on %s of a %s plan it costs the difference for the unused part",
    async (now, period, amount) => {
      const { clock, organization, order, pay, schedule, owed } = await customer(db);
      await pay(await order("lite", period));
      const { ends_at } = (await organization()).subscription;
      clock.now = at(now);
      const upgrade = await order("pro", period);
      expect([upgrade.amount, upgrade.plan?.action]).toEqual([amount, "upgrade"]);
      await pay(upgrade);
      const { subscription } = await organization();
      expect([subscription.plan, subscription.ends_at]).toEqual(["pro", ends_at]);
      clock.now = (ends_at ?? 0) - 1;
      expect([await schedule(), await owed()]).toEqual([0, "0"]);
    },
  );

  test("with periods that are paid ahead, it counts all of them", async () => {
    const { clock, order, pay, schedule, owed } = await customer(db);
    await pay(await order("lite", "monthly"));
    await pay(await order("lite", "monthly"));
    await pay(await order("lite", "monthly"));
    clock.now = at("2026-12-15T00:00:00");
    const upgrade = await order("pro", "monthly");
    expect(upgrade.amount).toBe(2 * (59_900 - 12_900));
    await pay(upgrade);
    await pay(await order("pro", "monthly"));
    clock.now = at("2027-02-20T00:00:00");
    expect([await schedule(), await owed()]).toEqual([0, "0"]);
  });

  test("twice at once, the second payment becomes points", async () => {
    const { clock, id, order, pay, owed } = await customer(db);
    await pay(await order("lite", "monthly"));
    clock.now = at("2026-11-20T00:00:00");
    const [first, second] = [await order("pro", "monthly"), await order("pro", "monthly")];
    expect(await pay(first)).toMatchObject({ booked_as: "plan" });
    expect(await pay(second)).toMatchObject({ state: "credited", booked_as: "points" });
    const credits = (await createLedger(db.aws, db.tables).creditsAndFees(id)).filter(
      ({ kind }) => kind === "bought",
    );
    expect(credits.map(({ points }) => points)).toEqual(["470"]);
    expect(await owed()).toBe("0");
  });
});

test("sixty notices of one plan's payment buy it once", async () => {
  const { deps, id, order, pay, organization } = await customer(db);
  const bought = await order("lite", "monthly");
  await pay(bought);
  const evidence = { ...(await deps.platforms.platform("alipay")), order: bought.id };
  const before = (await organization()).subscription;
  const told = await evidence.query({ id: bought.id, created_at: bought.created_at });
  await Promise.all(Array.from({ length: 60 }, () => takeNotice(told, deps)));
  expect((await organization()).subscription).toEqual(before);
  const payments = (await createLedger(db.aws, db.tables).creditsAndFees(id)).filter(
    ({ kind }) => kind === "payment",
  );
  expect(payments).toMatchObject([{ debit: "cash:alipay", credit: `receivable:${id}`, points: "129" }]);
});

test("of two renewals from the same day on, one counts, and the other payment becomes points", async () => {
  const { order, pay, organization, owed, deps } = await customer(db);
  await pay(await order("lite", "monthly"));
  const orders = [await order("lite", "monthly"), await order("lite", "monthly")];
  const paid = await Promise.all(orders.map(pay));
  expect(paid.map(({ booked_as }) => booked_as).toSorted()).toEqual(["plan", "points"]);
  expect(day((await organization()).subscription.ends_at)).toBe("2027-01-10");
  expect(await owed()).toBe("0");
  expect(deps.told.find(({ event }) => event === "order_converted")?.fields.why).toBe("starts_at");
  expect(deps.audited.map(({ after }) => after?.why).filter(Boolean)).toEqual(["starts_at"]);
});

test("a larger plan that was sold from now on is not booked for a year later", async () => {
  const { order, pay, organization, quote, owed } = await customer(db);
  const [small, large] = [await order("lite", "yearly"), await order("pro", "yearly")];
  expect([small.plan?.action, large.plan?.action]).toEqual(["buy", "buy"]);
  expect(await pay(small)).toMatchObject({ booked_as: "plan" });
  expect(await pay(large)).toMatchObject({ state: "credited", booked_as: "points", points: "5988" });
  const { subscription } = await organization();
  expect([subscription.plan, subscription.next, await owed()]).toEqual(["lite", undefined, "0"]);
  const { action, price, unused } = await quote("pro", "yearly");
  expect([action, (price - unused) / 10n ** 18n]).toEqual(["upgrade", 4_800n]);
});

test("what costs nothing, is unknown or renews by itself is not sold", async () => {
  const { organization, quote, id } = await customer(db);
  await expect(quote("free", "monthly")).rejects.toThrow("costs nothing");
  await expect(quote("gold", "monthly")).rejects.toThrow("There is no plan gold");
  const { subscription } = await organization();
  await createAccounts(db.aws, db.tables).setSubscription(id, subscription, { ...subscription, plan: "pro" });
  await expect(quote("pro", "monthly")).rejects.toThrow("renews by itself");
  await createAccounts(db.aws, db.tables).setSubscription(id, { ...subscription, plan: "pro" }, subscription);
});

test("the operator does not change a plan that is paid in advance", async () => {
  const { clock, order, pay, organization, deps } = await customer(db);
  await pay(await order("lite", "monthly"));
  await pay(await order("lite", "monthly"));
  const operator = {
    ...{ accounts: createAccounts(db.aws, db.tables), ledger: createLedger(db.aws, db.tables) },
    ...{ plan: deps.catalog.plan, now: () => clock.now },
  };
  await expect(changePlan(await organization(), { plan: "pro" }, operator)).rejects.toThrow(
    "paid in advance",
  );
});
