/** Paid periods as arithmetic, and plan fees in an export and in the audit. */
import { describe, expect, test } from "vitest";
import type { Subscription } from "#shared/books/accounts/account.ts";
import { onePoint } from "#shared/books/billing/points.ts";
import type { Entry, PlanFee } from "#shared/books/ledger/ledger.ts";
import { feeEntry, feeId, paidPeriods } from "#shared/books/ledger/plan-fee.ts";
import { exportLines } from "#shared/books/reports/export-line.ts";
import { feesArePosted } from "#shared/edges/audit/credits.ts";
import { changePlan } from "#shared/edges/operator/subscriptions.ts";
import { feeBack } from "#shared/people/payments/plan-refund.ts";
import { at, started, usePlanFees } from "#test/support/plan-fees.ts";

describe("paid periods", () => {
  const lite = (change: Partial<Subscription> = {}): Subscription => ({
    ...{ meter: "mtr_1", plan: "lite", period: "monthly", started_at: started, ends_at: null },
    ...{ paid: { from: started } },
    ...change,
  });
  const starts = (subscription: Subscription, now: string) =>
    paidPeriods(subscription, at(now))
      .map(({ plan, starts_at }) => `${new Date(starts_at).toISOString().slice(0, 10)} ${plan}`)
      .reverse();

  test.each<[string, Partial<Subscription>, string, string[]]>([
    ["a month", {}, "2026-03-31", ["2026-01-31 lite", "2026-02-28 lite", "2026-03-31 lite"]],
    ["three", { period: "quarterly" }, "2026-07-30", ["2026-01-31 lite", "2026-04-30 lite"]],
    ["a year", { period: "yearly" }, "2028-01-30", ["2026-01-31 lite", "2027-01-31 lite"]],
    ["until the end", { ends_at: at("2026-02-28") }, "2026-05-01", ["2026-01-31 lite"]],
    [
      "and begin before it",
      { ends_at: at("2026-02-28") + 1 },
      "2026-05-01",
      ["2026-01-31 lite", "2026-02-28 lite"],
    ],
    [
      "until another plan follows",
      { period: "yearly", next: { plan: "free", period: "monthly", from: at("2026-02-28") } },
      "2026-03-31",
      ["2026-01-31 lite", "2026-02-28 free", "2026-03-31 free"],
    ],
  ])("last %s", (_, change, now, expected) => {
    expect(starts(lite(change), now)).toEqual(expected);
  });

  test("lie side by side", () => {
    const periods = paidPeriods(lite(), at("2027-06-01")).reverse();
    expect(periods).toHaveLength(17);
    for (const [i, { starts_at }] of periods.entries())
      if (i > 0) expect(periods[i - 1]?.ends_at).toBe(starts_at);
  });

  test("begin with the first fee where there were none before", () => {
    const { paid: _, ...old } = lite();
    expect(paidPeriods(old, at("2026-05-01"))).toEqual([]);
  });
});

const { deps, clock, subscriber, feesOf, pass } = usePlanFees();

describe("in the books", () => {
  test("an export has the fee in its period, and what is unused as a line of its own", async () => {
    const organization = await subscriber("lite", "quarterly");
    clock.now = at("2026-03-10");
    await changePlan(organization, { plan: "pro", period: "monthly" }, deps);
    const terms = { issuer: "Acme", currency: { code: "CNY", points_per_unit: "100" } };
    const lines = (await feesOf(organization)).flatMap((entry) =>
      exportLines({ entry, corrected: null, account: "Acme" }, terms),
    );
    const charged = {
      ChargeCategory: "Purchase",
      ChargeFrequency: "Recurring",
      x_Kind: "plan_fee",
      x_WalletPoints: "0",
    };
    expect(lines).toMatchObject([
      {
        ...charged,
        ...{
          BilledCost: "3.27",
          EffectiveCost: "3.27",
          PricingUnit: "3 Months",
          SkuId: "plan/lite/quarterly",
        },
        ...{ ChargePeriodStart: "2026-01-31T10:00:00Z", ChargePeriodEnd: "2026-04-30T00:00:00Z" },
        BillingPeriodStart: "2026-01-01T00:00:00Z",
      },
      { ...charged, BilledCost: "5.99", PricingUnit: "Months", ChargePeriodEnd: "2026-03-31T00:00:00Z" },
      { ...charged, BilledCost: "-2.18", SkuId: "plan/unused", PricingQuantity: "-218" },
    ]);
  });

  test("the audit finds a fee that is missing, wrong or posted twice", async () => {
    const organization = await subscriber("lite");
    await pass("2026-03-01", organization);
    const books = {
      organizations: [organization],
      entries: await feesOf(organization),
      now: at("2026-03-01"),
    };
    expect(feesArePosted(books)).toEqual({
      gaps: [],
      detail: "2 plan fees; of 2 periods begun more than two hours ago each has its own",
    });
    const [first, second] = books.entries as [Entry, Entry];
    const gapsOf = (entries: Entry[]) => feesArePosted({ ...books, entries }).gaps;
    expect(gapsOf([first])).toEqual([
      `${organization.id} ${second.id} is not posted, and the from of the subscription says so`,
    ]);
    expect(gapsOf([first, { ...second, points: "12" }])).toEqual([
      `${second.id} moves 12 points, not the fee it names`,
    ]);
    const changed = { ...organization, subscription: { ...organization.subscription, plan: "pro" } };
    expect(feesArePosted({ ...books, organizations: [changed as typeof organization] }).gaps).toEqual([
      expect.stringContaining(`${organization.id} ${second.id} has the plan lite, not pro`),
      expect.stringContaining(`${organization.id} ${first.id} has the plan lite, not pro`),
    ]);
    const fee = { ...(second.fee as NonNullable<Entry["fee"]>), starts_at: at("2026-02-20") };
    const twice = { ...second, id: feeId(fee), at: fee.starts_at, fee };
    expect(gapsOf([first, twice, second])).toEqual([
      `${twice.id} is for time that is paid`,
      `${second.id} is for time that is paid`,
    ]);
    // The schedule has two hours for it.
    expect(feesArePosted({ ...books, entries: [first], now: at("2026-02-28") + 7_200_000 - 1 }).gaps).toEqual(
      [],
    );
  });

  test("the audit finds a fee that is given back twice, also where both refunds end it at nearly one instant", async () => {
    const organization = await subscriber("lite");
    const [bought] = (await feesOf(organization)) as [Entry];
    const fee = bought.fee as PlanFee;
    const end = at("2026-02-10");
    const { subscription } = organization;
    const ended = { ...subscription, ends_at: end, paid: { from: fee.starts_at, first_ends_at: end } };
    const back = (at: number) => feeEntry(organization.id, feeBack(fee, onePoint, at), at);
    const gapsOf = (...backs: Entry[]) =>
      feesArePosted({
        organizations: [{ ...organization, subscription: ended as typeof subscription }],
        entries: [bought, ...backs],
        now: at("2026-03-01"),
      }).gaps;
    expect(gapsOf(back(end))).toEqual([]);
    expect(gapsOf(back(end), back(end + 1))).toEqual([
      `${bought.id} is given back 2 times, as the returns of ${back(end).id}, ${back(end + 1).id} say`,
    ]);
  });
});
