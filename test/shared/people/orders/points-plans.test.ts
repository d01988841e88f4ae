/** Plans that points of the wallet pay for: booked once and at once, never below 0, and paid back into the wallet. */
import { afterEach, describe, expect, test } from "vitest";
import { lotsOf } from "#shared/books/ledger/points-used.ts";
import { look } from "#shared/edges/audit/audit.ts";
import { exportLedger } from "#shared/edges/operator/ledger-export.ts";
import { refundablesOf } from "#shared/edges/operator/orders.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { invoiceable } from "#shared/people/invoices/invoice.ts";
import { pointsLeft } from "#shared/people/orders/points-left.ts";
import { startRefund } from "#shared/people/orders/refund.ts";
import { pointsCustomer } from "#test/shared/people/orders/points-customer.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { signUp } from "#test/support/plan-customer.ts";
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
    ...{ meters: createMeters(db.aws, db.tables), tasks: createTasks(db.aws, db.tables) },
    now: () => signUp,
  });
  expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
});

const day = (instant: number | null | undefined) => instant && new Date(instant).toISOString().slice(0, 10);

describe("a plan paid with points", () => {
  test("is booked at once, with its fee, and takes its price out of the wallet", async () => {
    const { id, payPoints, give, free, organization, owed, schedule, entries, deps } =
      await pointsCustomer(db);
    await give(200);
    const order = await payPoints("lite", "monthly");
    expect(order).toMatchObject({ state: "credited", booked_as: "plan", channel: "points", points: "129" });
    expect(await deps.orders.find(order.id)).toEqual(order);
    expect([await free(), await owed(), await schedule()]).toEqual(["71", "0", 0]);
    const { subscription } = await organization();
    expect([subscription.plan, day(subscription.ends_at)]).toEqual(["lite", "2026-12-11"]);
    const own = (await entries()).filter(({ id: entry, fee }) => entry.includes(order.id) || fee?.order);
    expect(own.map(({ kind, debit, credit, points }) => [kind, debit, credit, points])).toEqual([
      ["payment", `customer:${id}`, `receivable:${id}`, "129"],
      ["plan_fee", `receivable:${id}`, "revenue:plan:lite", "129"],
    ]);
    expect(deps.audited.map(({ kind, actor }) => [kind, actor])).toEqual([
      ["plan_ordered", "usr_1"],
      ["order_credited", "usr_1"],
    ]);
    // The purchase of the points is what is invoiced, and what the export bills.
    expect(invoiceable(order)).toBe(0);
    const seller = { issuer: "Acme", currency: { code: "CNY", points_per_unit: "1" } };
    const range = { from: 0, to: at("2030-01-01T00:00:00"), organization: id };
    const accounts = createAccounts(db.aws, db.tables);
    const lines = await Array.fromAsync(exportLedger(range, { accounts, ledger: deps.ledger, seller }));
    const billed = lines.map((line) => [line.x_Kind, line.BilledCost, line.x_WalletPoints]);
    expect(billed).toEqual([
      ["plan_fee", "0", "0"],
      ["promotional", "0", "200"],
      ["payment", "-129", "-129"],
      ["plan_fee", "129", "0"],
    ]);
    const listed = await deps.orders.list(id, { limit: 10 });
    expect(listed.orders.map((each) => each.id)).toEqual([order.id]);
    expect(await deps.orders.due({ kind: "rechecked", now: at("2030-01-01T00:00:00"), limit: 10 })).toEqual(
      [],
    );
  });

  test("of a subscription that keeps changing is to be tried again, and takes nothing", async () => {
    const { payPoints, give, free, deps } = await pointsCustomer(db);
    await give(200);
    deps.orders.buy = async () => ({ outcome: "changed" });
    await expect(payPoints("lite", "monthly")).rejects.toMatchObject({ key: "invalid_state" });
    expect(await free()).toBe("200");
  });

  test("is renewed and upgraded by the rules of orders of money", async () => {
    const { clock, payPoints, give, free, organization, owed, schedule, order, pay } =
      await pointsCustomer(db);
    await give(2_000);
    await payPoints("lite", "monthly");
    clock.now = at("2026-11-25T00:00:00");
    // The difference for the running month, as money would pay it; then a renewal behind its end.
    expect(await payPoints("pro", "monthly")).toMatchObject({ points: "470", plan: { action: "upgrade" } });
    clock.now += 1_000;
    expect(await payPoints("pro", "monthly")).toMatchObject({ points: "599", plan: { action: "renew" } });
    expect(await free()).toBe("802");
    clock.now += 1_000;
    await pay(await order("pro", "monthly"));
    expect(day((await organization()).subscription.ends_at)).toBe("2027-02-11");
    clock.now = at("2027-02-10T23:00:00");
    expect([await schedule(), await owed(), await free()]).toEqual([0, "0", "802"]);
  });

  test("with fewer points than it costs nothing is taken, and nothing is ordered", async () => {
    const { id, payPoints, give, free, organization, deps } = await pointsCustomer(db);
    await give(128);
    await expect(payPoints("lite", "monthly")).rejects.toMatchObject({ key: "insufficient_balance" });
    expect([await free(), (await organization()).subscription.plan]).toEqual(["128", "free"]);
    expect((await deps.orders.list(id, { limit: 10 })).orders).toEqual([]);
    expect(deps.audited).toEqual([]);
  });

  test("at another price or for another time than was shown, it is refused and nothing is taken", async () => {
    const { clock, payPoints, deal, give, free, organization } = await pointsCustomer(db);
    await give(2_000);
    const seen = await deal("lite", "monthly");
    await payPoints("lite", "monthly", { seen });
    clock.now += 1_000;
    // The second page still shows a plan from now on.
    await expect(payPoints("lite", "monthly", { seen })).rejects.toMatchObject({
      ...{ key: "invalid_state", detail: { reason: "changed" } },
    });
    const renewal = await deal("lite", "monthly");
    await payPoints("lite", "monthly", { seen: renewal });
    clock.now += 1_000;
    await expect(payPoints("lite", "monthly", { seen: renewal })).rejects.toMatchObject({
      key: "invalid_state",
    });
    expect([await free(), day((await organization()).subscription.ends_at)]).toEqual(["1742", "2027-01-11"]);
  });

  test("two at one moment are one, whatever they carry", async () => {
    const { payPoints, deal, give, free, owed } = await pointsCustomer(db);
    await give(2_000);
    const seen = await deal("lite", "monthly");
    const both = await Promise.allSettled([
      payPoints("lite", "monthly", { seen }),
      payPoints("lite", "monthly", { seen }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect([await free(), await owed()]).toEqual(["1871", "0"]);
  });

  test("repeated with its key, it is the first order, also once the wallet is empty", async () => {
    const { clock, payPoints, deal, give, free } = await pointsCustomer(db);
    await give(129);
    const seen = await deal("lite", "monthly");
    const both = await Promise.all([1, 2].map(() => payPoints("lite", "monthly", { key: "k", seen })));
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    expect(await free()).toBe("0");
    clock.now += 60_000;
    await expect(payPoints("pro", "monthly", { key: "k", seen })).rejects.toThrow("another request");
  });

  test("counts among the orders of an hour", async () => {
    const { clock, payPoints, give, deps } = await pointsCustomer(db);
    await give(100_000);
    for (let n = 0; n < 24; n++) {
      await payPoints("lite", "monthly");
      clock.now += 1_000;
    }
    await expect(payPoints("lite", "monthly")).rejects.toThrow("24 months ahead");
    expect(deps.told.filter(({ event }) => event === "order_credited")).toHaveLength(24);
  });
});

describe("paid back", () => {
  test("its unused part is in the wallet at once, and no platform is asked", async () => {
    const { id, clock, payPoints, give, free, refundable, organization, owed, entries, deps, schedule } =
      await pointsCustomer(db);
    await give(129);
    const order = await payPoints("lite", "monthly");
    clock.now = at("2026-11-26T00:00:00");
    expect(await refundable(order)).toBe("64.5");
    expect(await refundablesOf(await organization(), deps)).toEqual([
      { order: order.id, refundable: "64.5", currency: "points" },
    ]);
    const back = await startRefund(order, { reason: "asked for" }, deps);
    expect([back.state, back.refunded, back.refund]).toEqual(["partly_refunded", 64_500_000, undefined]);
    expect([await free(), await owed(), await schedule()]).toEqual(["64.5", "0", 0]);
    expect((await organization()).subscription.ends_at).toBe(clock.now);
    const own = (await entries()).filter(({ fee, id: entry }) => fee?.returns || entry.includes("refund."));
    expect(own.map(({ debit, credit, points }) => [debit, credit, points])).toEqual([
      [`receivable:${id}`, `customer:${id}`, "64.5"],
      ["revenue:plan:lite", `receivable:${id}`, "64.5"],
    ]);
    const [refund] = await deps.orders.refunds(order.id);
    expect(refund).toMatchObject({ state: "done", points: "64.5", ended_at: clock.now });
    expect(deps.audited.at(-1)).toMatchObject({ kind: "order_refunded", actor: "operator" });
    await expect(startRefund(back, { reason: "again" }, deps)).rejects.toMatchObject({
      key: "invalid_state",
    });
  });

  test("what was paid with points of an order comes back to that order, and gifts stay gifts", async () => {
    const { clock, id, payPoints, give, deps, organization } = await pointsCustomer(db);
    await give(100);
    await give(100, "bought");
    const bought = { id: "given-2" };
    const left = async (): Promise<string> => {
      const lots = lotsOf(
        (await deps.ledger.creditsAndFees(id)).sort(
          (one, other) => one.at - other.at || (one.id < other.id ? -1 : 1),
        ),
      );
      return lots.map(({ left: rest }) => rest / 10n ** 18n).join(" ");
    };
    clock.now += 1_000;
    const order = await payPoints("lite", "monthly");
    expect(await left()).toBe("0 71");
    clock.now = at("2026-11-11T08:00:02");
    await startRefund(order, { amount: 40_000_000, reason: "asked for" }, deps);
    expect(await left()).toBe("11 100");
    expect(await pointsLeft({ id: bought.id }, await organization(), deps)).toBe(0n);
  });
});
