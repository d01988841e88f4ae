/** Plan fees: what each costs, also after a change of plan, and that each is one entry, whoever posts it. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { PlanChoice, Subscription } from "#shared/books/accounts/account.ts";
import { feeId } from "#shared/books/ledger/plan-fee.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { changePlan, setEnd } from "#shared/edges/operator/subscriptions.ts";
import { at, started, usePlanFees } from "#test/support/plan-fees.ts";

const { deps, clock, prices, subscriber, feesOf, told, pass } = usePlanFees();

describe("a fee", () => {
  test("is one entry of the plan's price from the first instant, and takes nothing from a wallet", async () => {
    clock.now = started;
    const organization = await createOrganization(
      {
        name: "Acme",
        plan: "pro",
        period: "yearly",
        points: "5",
      },
      deps,
    );
    const [entry, ...others] = await feesOf(organization);
    expect(others).toEqual([]);
    const meter = organization.subscription?.meter ?? "";
    expect(entry).toMatchObject({
      id: `plan_fee#${meter}#2026-01-31T10:00:00.000Z`,
      ...{ kind: "plan_fee", points: "5988", at: started, posted_at: started, event: null },
      ...{ debit: `receivable:${organization.id}`, credit: "revenue:plan:pro" },
      fee: { meter, plan: "pro", period: "yearly", starts_at: started, ends_at: at("2027-01-31") },
    });
    expect(entry?.id).toBe(feeId({ meter, starts_at: started }));
    expect(await deps.meters.balance(organization.wallet?.meter ?? "")).toBe(5n * 10n ** 18n);
  });

  test("is posted once for each period that has begun, whoever comes how often, and made up for", async () => {
    const organization = await subscriber("lite", "quarterly");
    expect(await told(organization)).toEqual(["2026-01-31 lite 327"]);
    await pass("2026-04-29", organization);
    expect(await told(organization)).toHaveLength(1);
    const passes = await Promise.all(Array.from({ length: 5 }, () => pass("2026-11-01", organization)));
    expect(passes.reduce((sum, { posted }) => sum + posted, 0)).toBe(3);
    expect(await pass("2026-11-01", organization)).toEqual({ posted: 0, failed: 0 });
    const quarters = ["2026-01-31", "2026-04-30", "2026-07-31", "2026-10-31"];
    expect(await told(organization)).toEqual(quarters.map((day) => `${day} lite 327`));
  });

  test("of a plan without a price is nothing, and stays so when the plan gets one", async () => {
    const organization = await subscriber("free");
    expect(await told(organization)).toEqual(["2026-01-31 free 0"]);
    prices.free.monthly = "9";
    await pass("2026-02-20", organization);
    await pass("2026-03-01", organization);
    prices.free.monthly = "0";
    expect(await told(organization)).toEqual(["2026-01-31 free 0", "2026-02-28 free 9"]);
  });

  test("is not posted for time after the end; a renewal pays from its own instant", async () => {
    const organization = await subscriber("lite");
    clock.now = at("2026-02-10");
    const ended = await setEnd(organization, clock.now, deps);
    await pass("2026-05-01", organization);
    expect(await told(organization)).toEqual(["2026-01-31 lite 129"]);
    const renewed = await setEnd(ended, null, deps);
    expect(renewed.subscription?.paid).toEqual({ from: at("2026-05-01") });
    await pass("2026-06-01", organization);
    expect(await told(organization)).toEqual([
      "2026-01-31 lite 129",
      "2026-05-01 lite 129",
      "2026-05-31 lite 129",
    ]);
  });

  test("is not posted again by a renewal within the period that is paid", async () => {
    const organization = await subscriber("lite", "yearly");
    clock.now = at("2026-03-10");
    const ended = await setEnd(organization, clock.now, deps);
    clock.now = at("2026-09-10");
    await setEnd(ended, null, deps);
    await pass("2027-02-01", organization);
    expect(await told(organization)).toEqual(["2026-01-31 lite 1188", "2027-01-31 lite 1188"]);
  });

  test("of a subscription from before there were fees begins with the period that runs", async () => {
    const { id, subscription, ...made } = await subscriber("lite", "quarterly");
    const { paid: _, ...old } = subscription as Subscription;
    const organization = { ...made, id: newId("organization", clock.now), subscription: old };
    await deps.accounts.createOrganization(organization);
    await pass("2026-11-01", organization);
    await pass("2027-02-01", organization);
    expect(await told(organization)).toEqual(["2026-10-31 lite 327", "2027-01-31 lite 327"]);
  });

  test("that cannot be posted is logged, and keeps no other from its own", async () => {
    const organization = await subscriber("lite");
    const other = await subscriber("pro");
    clock.now = at("2026-03-01");
    const log: string[] = [];
    const { failed } = await postPlanFees({
      ...deps,
      plan: (name) => (name === "lite" ? undefined : deps.plan(name)),
      log: (_, event, fields) => log.push(`${event} ${fields?.organization}`),
    });
    expect(failed).toBeGreaterThan(0);
    expect(log).toContain(`plan_fee_failed ${organization.id}`);
    expect(await told(other)).toEqual(["2026-01-31 pro 599", "2026-02-28 pro 599"]);
    expect(await told(organization)).toEqual(["2026-01-31 lite 129"]);
  });
});

describe("a change of plan", () => {
  type Change = [
    from: [string, PlanChoice["period"]],
    on: string,
    to: [string, PlanChoice["period"]],
    fees: string[],
  ];

  test.each<Change>([
    // At once: the running month counts as unused, since the new plan gives all of its calls.
    [["lite", "monthly"], "2026-02-10", ["pro", "monthly"], ["2026-02-10 pro 470", "2026-02-28 pro 599"]],
    [["free", "monthly"], "2026-02-10", ["pro", "monthly"], ["2026-02-10 pro 599", "2026-02-28 pro 599"]],
    // Two of three months of 327, and eleven of twelve of 1188.
    [["lite", "quarterly"], "2026-03-10", ["pro", "monthly"], ["2026-03-10 pro 381", "2026-03-31 pro 599"]],
    [["lite", "yearly"], "2026-03-10", ["pro", "yearly"], ["2026-03-10 pro 4899"]],
    // What was paid for longer than the new period costs is owed to the customer.
    [["lite", "yearly"], "2026-02-10", ["pro", "monthly"], ["2026-02-10 pro -589", "2026-02-28 pro 599"]],
    // With the next quota month: the months after it are unused.
    [["pro", "monthly"], "2026-02-10", ["lite", "monthly"], ["2026-02-28 lite 129"]],
    [["pro", "yearly"], "2026-02-10", ["free", "monthly"], ["2026-02-28 free -5489"]],
    [["pro", "yearly"], "2026-02-10", ["lite", "yearly"], ["2026-02-28 lite -4301"]],
  ])("from %j on %s to %j", async ([plan, period], on, [to, wanted], fees) => {
    const organization = await subscriber(plan, period);
    const [first] = await told(organization);
    clock.now = at(on);
    await changePlan(organization, { plan: to, period: wanted }, deps);
    const end = wanted === "monthly" && fees.length > 1 ? fees[1]?.slice(0, 10) : "2026-03-15";
    await pass(end ?? "", organization);
    expect(await told(organization)).toEqual([first, ...fees]);
  });

  test("that is taken back before it acts changes no fee", async () => {
    const organization = await subscriber("pro", "quarterly");
    clock.now = at("2026-02-10");
    const due = await changePlan(organization, { plan: "free" }, deps);
    expect(due.subscription?.next?.unused_points).toBe("1098");
    const back = await changePlan(due, { plan: "pro" }, deps);
    expect(back.subscription).toEqual(organization.subscription);
    await pass("2026-05-01", organization);
    expect(await told(organization)).toEqual(["2026-01-31 pro 1647", "2026-04-30 pro 1647"]);
  });

  test("twice within a millisecond has two fees, and the second has the first one's unused", async () => {
    const organization = await subscriber("free");
    clock.now = at("2026-02-10");
    const lite = await changePlan(organization, { plan: "lite" }, deps);
    const pro = await changePlan(lite, { plan: "pro" }, deps);
    expect(pro.subscription?.paid).toEqual({ from: clock.now + 1, unused_points: "129" });
    await pass("2026-02-11", organization);
    expect(await told(organization)).toEqual([
      "2026-01-31 free 0",
      "2026-02-10 lite 129",
      "2026-02-10 pro 470",
    ]);
  });

  test("at the very instant in which a period begins pays for the new plan", async () => {
    const organization = await subscriber("lite");
    clock.now = at("2026-02-28");
    const changed = await changePlan(organization, { plan: "pro" }, deps);
    await pass("2026-03-31", changed);
    expect(await told(organization)).toEqual([
      ...["2026-01-31 lite 129", "2026-02-28 lite 129", "2026-02-28 pro 470", "2026-03-31 pro 599"],
    ]);
  });

  test.each([
    ["pro", ["2026-02-28 pro 470", "2026-03-31 pro 599"]],
    ["free", ["2026-03-31 free 0"]],
  ])(
    "to %s by a clock that is behind the one that posted the next fee pays for each plan",
    async (plan, fees) => {
      const organization = await subscriber("lite");
      await pass("2026-02-28", organization);
      clock.now = at("2026-02-28") - 60_000;
      const changed = await changePlan(organization, { plan }, deps);
      // A plan that is due comes when the one that is paid for ends.
      expect(changed.subscription?.next?.from).toBe(plan === "free" ? at("2026-03-31") : undefined);
      await pass("2026-03-31", changed);
      expect(await told(organization)).toEqual(["2026-01-31 lite 129", "2026-02-28 lite 129", ...fees]);
    },
  );

  test("that dies after any write is made up for by the next pass", async () => {
    for (const writes of [0, 1]) {
      const organization = await subscriber("lite");
      // The period of February has begun, and no pass has come since.
      clock.now = at("2026-03-01");
      let left = writes;
      const dying = {
        ...deps,
        ledger: {
          ...deps.ledger,
          postFee: async (...fee: Parameters<typeof deps.ledger.postFee>) => {
            if (left-- <= 0) throw new Error("died");
            return await deps.ledger.postFee(...fee);
          },
        },
      };
      await expect(changePlan(organization, { plan: "pro" }, dying)).rejects.toThrow("died");
      await pass("2026-03-02", organization);
      const upgrade = ["2026-03-01 pro 470"];
      expect(await told(organization)).toEqual([
        ...["2026-01-31 lite 129", "2026-02-28 lite 129"],
        ...(writes === 0 ? [] : upgrade),
      ]);
    }
  });
});
