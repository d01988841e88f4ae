/** What an attempt cost the house, as its event carries it and its entry keeps it. */
import { describe, expect, test } from "vitest";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { type AttemptCost, attemptCosts } from "#shared/books/ledger/house-cost.ts";
import {
  bookHouseRates,
  ratesOf,
  readHouseRates,
  withAskedTokens,
} from "#shared/books/ledger/house-rates.ts";
import { type CallRoute, parseUsageEvent, type UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { keptEvent, toldEvent } from "#shared/edges/store/ledger/kept-route.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { byInput, flat, tokens } from "#test/support/prices.ts";

const one = pinPrice(flat, "1");
const used = tokens(1_000, 500, 200, 100);
const tiered = pinPrice(byInput, "1");
const cost = { input: "1.5", output: "6" };
const cached = { ...cost, cache_read: "0.1", cache_write: "2" };
const house = bookHouseRates({ id: "k3x9qa", cost: cached }, "USD");
const known = { provider: "acme", channel: "k3x9qa", currency: "USD" };
const routed = (...attempts: CallRoute["attempts"]): { attempts: number; route: CallRoute } => ({
  attempts: attempts.length,
  route: { routing: "smart", why: "race", of: 3, attempts },
});
const answered = { provider: "acme", outcome: "answered", ms: 9 } as const;

describe("a booking", () => {
  test.each([
    [cost, "USD", undefined, "k3x9qa 1.5/6 USD"],
    [cost, undefined, 0, "k3x9qa 1.5/6 - 0"],
    [undefined, "USD", 5, "k3x9qa - USD 5"],
    [cached, "CNY", 812, "k3x9qa 1.5/6/0.1/2 CNY 812"],
    [{ ...cost, cache_read: "0.1" }, "CNY", undefined, "k3x9qa 1.5/6/0.1/1.5 CNY"],
  ])("of %j is read again", (paid, currency, asked, text) => {
    const plain = bookHouseRates({ id: "k3x9qa", ...(paid && { cost: paid }) }, currency);
    expect(asked === undefined ? plain : withAskedTokens(plain, asked)).toBe(text);
    expect(readHouseRates(text)).toEqual({
      channel: "k3x9qa",
      rates: paid ? ratesOf(paid) : null,
      currency: currency ?? null,
      ...(asked !== undefined && { asked_tokens: asked }),
    });
  });

  test.each([
    undefined,
    7,
    "",
    "k3x9qa 1.5 USD",
    "k3x9qa 1/2/3 USD",
    "k3x9qa -1/2 USD",
    "k3x9qa 1/2 usd",
    "a 1/2 USD 1.5",
  ])("is not %j, and a message with that is booked without it", (text) => {
    expect(readHouseRates(text)).toBeUndefined();
    const event = { ...endedCall(one, used), house: text, ...routed({ ...answered, house: text as string }) };
    const read = parseUsageEvent(JSON.stringify(event));
    expect(read).not.toHaveProperty("house");
    expect(read.route).toEqual(routed(answered).route);
    expect(read.cost_points).toBe(event.cost_points);
  });

  test("is kept with the entry, where the route is and where it is not", () => {
    const lost = { provider: "other", outcome: "lost", ms: 5, house: "zzzzzz 1/2 USD 30" } as const;
    const plain = { ...endedCall(one, used, {}, { house }), ...routed(answered) };
    const alone = { ...plain, route: { ...plain.route, of: 1 } };
    const raced = { ...plain, ...routed(lost, { ...lost, house: "zzzzzz 1/2 - 3", status: 500 }, answered) };
    for (const event of [plain, raced]) expect(toldEvent(keptEvent(event))).toEqual(event);
    expect(attemptCosts(toldEvent(keptEvent(alone)))).toEqual(attemptCosts(alone));
  });
});

describe("what a call cost the house", () => {
  const amount = 1_000n * 1_500_000n + 500n * 6_000_000n + 200n * 100_000n + 100n * 2_000_000n;
  const reported: AttemptCost = { ...known, basis: "reported", amount };
  const estimated: AttemptCost = { ...reported, basis: "estimated" };
  const unknown = (why: string, channel: string | null = "k3x9qa") => ({
    provider: "acme",
    channel,
    unknown: why,
  });

  test.each<[what: string, event: UsageEvent, costs: object[]]>([
    ["by its counts", endedCall(one, used, {}, { house }), [reported]],
    ["also where it is free", endedCall(one, used, {}, { house, free: true }), [reported]],
    ["by an estimate", endedCall(one, used, {}, { house, evidence: "estimated" }), [estimated]],
    ["by what is plausible", endedCall(one, used, {}, { house, reported: used }), [estimated]],
    ["nothing with an own key", endedCall(one, used, { own_fee: { share: "0.5" } }, { house }), []],
    [
      "nothing out of the cache",
      endedCall(one, noUsage, {}, { evidence: "cache", provider: null, attempts: 0 }),
      [],
    ],
    [
      "nothing unsent",
      endedCall(one, noUsage, {}, { evidence: "none", provider: null, attempts: 0, free: true }),
      [],
    ],
    [
      "unknown where it died",
      endedCall(one, used, {}, { evidence: "none", provider: null, attempts: 0, source: "sweeper" }),
      [{ provider: "", channel: null, unknown: "no_provider" }],
    ],
    ["unknown without a cost", endedCall(one, used), [unknown("no_cost", null)]],
    [
      "unknown of pictures",
      endedCall(one, { ...used, generated_images: 1 }, {}, { house }),
      [unknown("not_tokens")],
    ],
    [
      "unknown of a tier",
      endedCall(one, { ...used, details: { service_tier: "flex" } }, {}, { house }),
      [unknown("beyond_tokens")],
    ],
    [
      "unknown of a large call, whose tokens cost more",
      endedCall(tiered, tokens(40_000), {}, { house }),
      [unknown("beyond_tokens")],
    ],
    [
      "its input, where it broke off before it told a usage",
      endedCall(one, noUsage, {}, { house: withAskedTokens(house, 40), evidence: "none", free: true }),
      [{ ...estimated, amount: 60_000_000n }],
    ],
    [
      "nothing of a video that was not made",
      endedCall(one, noUsage, { kind: "video" }, { evidence: "none", free: true, outcome: "failed" }),
      [],
    ],
    [
      "unknown of one that was made",
      endedCall(one, { ...noUsage, video_seconds: 5 }, { kind: "video" }),
      [unknown("not_tokens", null)],
    ],
    [
      "unknown of a timeout without a cost",
      endedCall(
        one,
        used,
        {},
        {
          house,
          ...routed({ provider: "acme", outcome: "fault", ms: 1, house: "k3x9qa - USD 30" }, answered),
        },
      ),
      [unknown("no_cost"), reported],
    ],
    [
      "with those that were lost, and without those that were refused",
      endedCall(
        one,
        used,
        {},
        {
          house,
          ...routed(
            { provider: "other", outcome: "lost", ms: 1, house: "zzzzzz 2/9 USD 30" },
            { provider: "other", outcome: "limited", ms: 1, status: 429 },
            answered,
          ),
        },
      ),
      [
        { provider: "other", channel: "zzzzzz", currency: "USD", basis: "estimated", amount: 60_000_000n },
        reported,
      ],
    ],
    [
      "that nobody answered: what timed out",
      endedCall(
        one,
        noUsage,
        {},
        {
          ...{ evidence: "none", free: true, outcome: "failed" },
          ...routed({ provider: "acme", outcome: "fault", ms: 1, house: "k3x9qa 2/9 - 30" }),
        },
      ),
      [{ ...known, currency: null, basis: "estimated", amount: 60_000_000n }],
    ],
    [
      "unknown of a loser without a cost",
      endedCall(one, used, {}, { house, ...routed({ provider: "acme", outcome: "lost", ms: 1 }, answered) }),
      [unknown("no_cost", null), reported],
    ],
  ])("is %s", (_, event, costs) => {
    expect(attemptCosts(event)).toEqual(costs);
  });
});
