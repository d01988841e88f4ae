/** What a forecast says of plan fees, of the house's costs, and of who pays more. */
import { describe, expect, test } from "vitest";
import type { Subscription } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage, type Usage } from "#shared/books/billing/usage.ts";
import type { PlanFee } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { replayFee } from "#shared/books/reports/forecast/fees.ts";
import { Forecast, type ForecastCatalog } from "#shared/books/reports/forecast/forecast.ts";
import { houseCostOf } from "#shared/books/reports/forecast/house-cost.ts";
import { catalogOf, endedCall, planOf } from "#test/support/forecasts.ts";
import { flat, tokens } from "#test/support/prices.ts";

const half = { share: "0.5" };
const plan = "pro";
const payer = { id: "org_1", name: "Acme", subscription: null };
const one = pinPrice(flat, "1");
const million = tokens(1_000_000);

describe("what a call cost the house", () => {
  const cost = { input: "1.5", output: "6" };
  const used = tokens(1_000_000, 500_000, 200_000, 100_000);
  const of = (costs: Parameters<typeof catalogOf>[1] = { costs: [cost] }) => catalogOf(one, costs);

  test("is its tokens at the channel's cost, and cached ones at that of input where they have none", () => {
    const event = endedCall(one, used);
    expect(houseCostOf(event, of())).toBe(4_950_000_000_000n);
    const cached = { ...cost, cache_read: "0.1", cache_write: "2" };
    expect(houseCostOf(event, of({ costs: [cached, { ...cached }] }))).toBe(4_720_000_000_000n);
  });

  test.each<[cost: bigint | string, event: UsageEvent, costs?: Parameters<typeof catalogOf>[1]]>([
    [0n, endedCall(one, used, { own_fee: half })],
    [0n, endedCall(one, noUsage, {}, { evidence: "cache", provider: null, attempts: 0 })],
    [0n, endedCall(one, noUsage, {}, { evidence: "none", provider: null, attempts: 0, free: true })],
    ["no_provider", endedCall(one, used, {}, { provider: null })],
    ["no_cost", endedCall(one, used, {}, { provider: "other" })],
    ["no_cost", endedCall(one, used, { model: "acme/two" })],
    ["no_cost", endedCall(one, used), { costs: [cost, undefined] }],
    ["several_costs", endedCall(one, used), { costs: [cost, { input: "1.5", output: "7" }] }],
    ["not_reported", endedCall(one, used, {}, { evidence: "estimated" })],
    ["not_reported", endedCall(one, used, {}, { reported: used })],
    ["not_tokens", endedCall(one, { ...used, generated_images: 1 })],
    ["beyond_tokens", endedCall(one, { ...used, details: { service_tier: "flex" } })],
  ])("is %s", (known, event, costs) => {
    expect(houseCostOf(event, of(costs))).toBe(known);
  });

  test("is taken from the points of wallets' calls with a known cost, at the catalog's currency", () => {
    const currency = { code: "CNY", points_per_unit: "100" };
    const calls = [
      endedCall(one, million),
      endedCall(one, million, {}, { evidence: "estimated" }),
      endedCall(one, million, { mode: "subscription" }),
    ];
    const report = (seller: ReturnType<ForecastCatalog["seller"]>) => {
      const dearer = pinPrice(flat, "2");
      const forecast = new Forecast(
        catalogOf(dearer, { costs: [{ input: "0.01", output: "1" }], seller: () => seller }),
      );
      for (const event of calls) forecast.call({ event, charged: parsePoints(event.cost_points) }, payer);
      return forecast.report("5");
    };
    const told = { charged_now: "5", charged_then: "10", house_cost: "0.02", unknown_cost_calls: 1 };
    const known = report({ issuer: "Acme", currency });
    expect(known).toMatchObject({
      currency: "CNY",
      totals: { ...told, margin_now: "1.5", margin_then: "4", plan_margin_now: "-1" },
      unknown_cost: [{ reason: "not_reported", entries: 1, points: "2.5" }],
    });
    const unknown = report({ issuer: "Acme", currency: undefined });
    expect(unknown.totals).toMatchObject({ ...told, margin_now: null, plan_margin_then: null });
  });
});

describe("plan fees", () => {
  const [begin, end] = [Date.parse("2026-11-10"), Date.parse("2026-12-10")];
  const month: PlanFee = {
    ...{ meter: "mtr_1", plan, period: "monthly", starts_at: begin, ends_at: end, price_points: "9" },
  };
  const subscription = { meter: "mtr_1", started_at: begin } as Subscription;
  const priced = (price: string, recharge: Record<string, string> = {}) => ({
    plan: (name: string) => (name === plan ? planOf(price, "120") : undefined),
    recharge: () =>
      Object.fromEntries(
        Object.entries(recharge).map(([code, points_per_unit]) => [
          code,
          { points_per_unit, min: "1", max: "2", channels: ["stripe" as const] },
        ]),
      ),
  });
  const order = "ord_1";
  const year = { ...month, period: "yearly" as const, order };

  const [wallet, stripe] = ["customer:org_1", "cash:stripe"];
  const points = (text: string) => ({ points: parsePoints(text) });

  test.each<[what: string, ReturnType<typeof replayFee>, PlanFee, ReturnType<typeof priced>, string?]>([
    ["a period costs the other price", points("10.5"), month, priced("10.5")],
    [
      "an order pays for the months that were left of a period",
      points("50"),
      { ...year, ends_at: Date.parse("2027-04-10") },
      priced("1"),
      wallet,
    ],
    ["points pay six decimals", points("10.5"), { ...month, order }, priced("10.5", { CNY: "100" }), wallet],
    [
      "money has no part of a minor unit",
      points("10"),
      { ...month, order },
      priced("10.5", { CNY: "100" }),
      stripe,
    ],
    [
      "two currencies may come to the same",
      points("10"),
      { ...month, order },
      priced("10.5", { CNY: "100", JPY: "1" }),
      stripe,
    ],
    [
      "which of two it was is not known",
      { kept: "currency_unknown" },
      { ...month, order },
      priced("10.5", { CNY: "100", JPY: "4" }),
      stripe,
    ],
    [
      "the other catalog sells nothing there",
      { kept: "currency_unknown" },
      { ...month, order },
      priced("9", { CNY: "100" }),
      "cash:alipay",
    ],
    [
      "the order's payment is not there",
      { kept: "currency_unknown" },
      { ...month, order },
      priced("9", { CNY: "100" }),
    ],
    ["the plan is gone", { kept: "plan_gone" }, { ...month, plan: "old" }, priced("1")],
    [
      "an order's subscription is another one by now",
      { kept: "subscription_unknown" },
      { ...month, order, meter: "mtr_2" },
      priced("1"),
      wallet,
    ],
  ])("%s", (_, expected, fee, catalog, paidFrom) => {
    expect(replayFee({ fee, paidFrom, isChanged: false }, subscription, catalog)).toEqual(expected);
  });

  test("of a plan that was changed counts as it does now", () => {
    const changed = { fee: month, paidFrom: undefined, isChanged: true };
    expect(replayFee(changed, subscription, priced("10.5"))).toEqual({ kept: "plan_changed" });
  });
});

describe("customers", () => {
  /** Each with what it pays now, at one point for a million tokens, and then at the other price. */
  const customersAt = (discount: string, usages: Record<string, Usage>, over: string) => {
    const price = pinPrice({ ...flat, input: "1" }, "1");
    const forecast = new Forecast(catalogOf(pinPrice({ ...flat, input: "1" }, discount)));
    for (const [id, usage] of Object.entries(usages)) {
      const event = endedCall(price, usage, { organization: id });
      forecast.call({ event, charged: parsePoints(event.cost_points) }, { ...payer, id, name: id });
    }
    return forecast.report(over);
  };

  test("who pay more than so many percent more come first, and then who pays the most more", () => {
    const usages = { small: tokens(1_000_000), large: tokens(3_000_000), none: noUsage };
    const { customers, over } = customersAt("1.1", usages, "5");
    expect(customers.map(({ name, over, percent, difference }) => [name, over, percent, difference])).toEqual(
      [
        ["large", true, "10", "0.3"],
        ["small", true, "10", "0.1"],
        ["none", false, null, "0"],
      ],
    );
    expect(over).toEqual({ percent: "5", customers: 2 });
  });

  test("exactly so many percent is not more, and a millionth of a percent is", () => {
    const usages = { small: tokens(1_000_000) };
    expect(customersAt("1.05", usages, "5").over.customers).toBe(0);
    expect(customersAt("1.05", usages, "4.999999").over.customers).toBe(1);
    expect(customersAt("0.9", usages, "0").over.customers).toBe(0);
  });

  test("who is over comes before who pays more points more, and who is paid back is not over", () => {
    const forecast = new Forecast(catalogOf(pinPrice({ ...flat, input: "1" }, "1.1")));
    const price = pinPrice({ ...flat, input: "1" }, "1");
    const kept = { meter: "mtr_1", plan, period: "monthly" as const, starts_at: 0, ends_at: 1 };
    const pays = (name: string, usage: Usage, fee: string) => {
      const event = endedCall(price, usage, { organization: name });
      const customer = { ...payer, id: name, name };
      forecast.call({ event, charged: parsePoints(event.cost_points) }, customer);
      const posted = parsePoints(fee);
      forecast.fee(
        { fee: { ...kept, price_points: "0" }, posted, paidFrom: undefined, isChanged: false },
        customer,
      );
    };
    pays("back", noUsage, "-5");
    pays("large", tokens(2_000_000), "100");
    pays("small", tokens(1_000_000), "0");
    const { customers } = forecast.report("5");
    expect(customers.map(({ name, over, difference }) => [name, over, difference])).toEqual([
      ["small", true, "0.1"],
      ["large", false, "0.2"],
      ["back", false, "0"],
    ]);
  });

  test("who pays nothing now and anything then is over, whatever the percentage", () => {
    const forecast = new Forecast(catalogOf(one, { plan: () => planOf("9") }));
    const fee: PlanFee = {
      ...{ meter: "mtr_1", plan, period: "monthly", starts_at: 0, ends_at: 1, price_points: "0" },
    };
    forecast.fee({ fee, posted: 0n, paidFrom: undefined, isChanged: false }, payer);
    const report = forecast.report("1000");
    expect(report.customers).toMatchObject([
      { over: true, percent: null, fees_now: "0", fees_then: "9", difference: "9" },
    ]);
    expect(report.totals).toMatchObject({ fees_then: "9", plan_margin_then: null });
  });
});
