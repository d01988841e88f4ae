/** What a range brought and cost, added up by models, providers, customers and days. */
import { describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { bookHouseRates, withAskedTokens } from "#shared/books/ledger/house-rates.ts";
import type { ToldAttempt, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { Margin } from "#shared/books/reports/margin/margin.ts";
import { Random } from "#test/simulation/random.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { flat, tokens } from "#test/support/prices.ts";
import { noon } from "#test/support/store.ts";

const currency = { code: "CNY", points_per_unit: "100" };
const acme = { id: "org_1", name: "Acme" };
const other = { id: "org_2", name: "Other" };
const one = pinPrice(flat, "1");
const million = tokens(1_000_000);
const house = (input: string, code = "CNY") =>
  bookHouseRates({ id: "k3x9qa", cost: { input, output: "1" } }, code);

function marginOf(calls: [event: UsageEvent, payer: typeof acme][], rate = currency) {
  const margin = new Margin(rate);
  for (const [event, payer] of calls) margin.call({ event, charged: parsePoints(event.cost_points) }, payer);
  return margin;
}

describe("a margin", () => {
  test("is what is charged less what is booked, in points at the rate of the currency", () => {
    const report = marginOf([[endedCall(one, million, {}, { house: house("0.01") }), acme]]).report();
    expect(report).toMatchObject({
      currency: "CNY",
      totals: { calls: 1, charged: "2.5", house_cost: "0.01", estimated_cost: "0", margin: "1.5" },
      models: [{ model: "acme/one", margin: "1.5" }],
      providers: [{ provider: "acme", margin: "1.5" }],
      customers: [{ organization: "org_1", name: "Acme", margin: "1.5" }],
      days: [{ day: "2026-11-21", margin: "1.5" }],
      unknown_cost: [],
    });
  });

  test("counts fees of plans against the cost of calls that they paid", () => {
    const margin = marginOf([
      [endedCall(one, million, { mode: "subscription" }, { house: house("0.01") }), other],
    ]);
    margin.fee({ posted: parsePoints("9"), at: noon + 86_400_000 }, other);
    margin.fee({ posted: parsePoints("-4"), at: noon }, acme);
    expect(margin.report()).toMatchObject({
      totals: { charged: "0", list: "2.5", fees: "5", revenue: "5", margin: "0", plan_margin: "4" },
      customers: [
        { organization: "org_2", fees: "9", plan_margin: "8" },
        { organization: "org_1", calls: 0, plan_margin: "-4" },
      ],
      days: [
        { day: "2026-11-21", fees: "-4", plan_margin: "-5" },
        { day: "2026-11-22", fees: "9", plan_margin: "9" },
      ],
    });
  });

  test("has what was asked in vain at the provider that was asked", () => {
    const attempts: ToldAttempt[] = [
      { provider: "slow", outcome: "lost", ms: 9, house: withAskedTokens(house("0.02"), 500_000) },
      { provider: "acme", outcome: "answered", ms: 5 },
    ];
    const route = { routing: "smart", why: "race", of: 2, attempts } as const;
    const event = endedCall(one, million, {}, { house: house("0.01"), attempts: 2, route });
    expect(marginOf([[event, acme]]).report()).toMatchObject({
      totals: { house_cost: "0.02", estimated_cost: "0.01", margin: "0.5" },
      providers: [
        { provider: "acme", calls: 1, house_cost: "0.01", margin: "1.5" },
        { provider: "slow", calls: 0, house_cost: "0.01", estimated_cost: "0.01", margin: "-1" },
      ],
    });
  });

  test("has what another model cost at that model", () => {
    const lost = { provider: "acme", model: "acme/two", outcome: "fault", ms: 9 } as const;
    const attempts: ToldAttempt[] = [
      { ...lost, house: withAskedTokens(house("0.02"), 500_000) },
      { provider: "acme", outcome: "answered", ms: 5 },
    ];
    const route = { routing: "basic", why: "fallback", of: 1, attempts } as const;
    const event = endedCall(one, million, {}, { house: house("0.01"), attempts: 2, route });
    expect(marginOf([[event, acme]]).report()).toMatchObject({
      models: [
        { model: "acme/one", calls: 1, house_cost: "0.01" },
        { model: "acme/two", calls: 0, house_cost: "0.01", estimated_cost: "0.01" },
      ],
    });
  });

  test("leaves out calls whose cost is not known, and says why", () => {
    const calls = [
      endedCall(one, million),
      endedCall(one, million),
      endedCall(one, million, {}, { house: house("0.01", "USD") }),
      endedCall(one, million, {}, { house: house("0.01") }),
      endedCall(one, noUsage, {}, { evidence: "cache", provider: null, attempts: 0 }),
    ];
    expect(marginOf(calls.map((event) => [event, acme])).report()).toMatchObject({
      totals: { calls: 5, charged: "10", house_cost: "0.01", unknown_cost_calls: 3, margin: "1.5" },
      providers: [{ provider: "acme" }, { provider: null, calls: 1, house_cost: "0", unknown_cost_calls: 0 }],
      unknown_cost: [
        { reason: "no_cost", calls: 2, charged: "5" },
        { reason: "other_currency", calls: 1, charged: "2.5" },
      ],
    });
  });

  test("adds up: each group's rows are the totals, for calls and fees of every kind", () => {
    const random = new Random(7);
    const margin = marginOf(
      Array.from({ length: 200 }, () => {
        const provider = random.pick(["acme", "slow", null]);
        const end = { provider, ...(random.chance(0.8) && { house: house(random.pick(["0.01", "0.003"])) }) };
        const mode = random.pick(["payg", "subscription"] as const);
        const model = random.pick(["acme/one", "acme/two"]);
        const event = endedCall(one, tokens(random.between(0, 5_000), 7), { mode, model }, end);
        return [event, random.pick([acme, other])];
      }),
    );
    margin.fee({ posted: parsePoints("3.5"), at: noon }, acme);
    const { totals, models, providers, customers, days } = margin.report();
    const names = ["charged", "list", "house_cost", "margin", "plan_margin", "revenue"] as const;
    const sum = (rows: Record<(typeof names)[number], string | null>[], name: (typeof names)[number]) =>
      rows.reduce((all, row) => all + Math.round(Number(row[name]) * 1e9), 0);
    for (const name of names)
      for (const rows of [customers, days]) expect(sum(rows, name), name).toBe(sum([totals], name));
    // A fee is of no model and of no provider.
    for (const name of ["charged", "list", "house_cost", "margin"] as const)
      for (const rows of [models, providers]) expect(sum(rows, name), name).toBe(sum([totals], name));
    expect(totals.unknown_cost_calls).toBeGreaterThan(0);
  });
});
