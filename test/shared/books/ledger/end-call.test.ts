/** The one constructor of usage events: what is charged, what goes back, and what is worth a look. */
import { describe, expect, test } from "vitest";
import { timeOf } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { type CallEnd, endCall, neverSent } from "#shared/books/ledger/end-call.ts";
import { parseUsageEvent, settlementOfEvent } from "#shared/books/ledger/usage-event.ts";
import { type CallIdentity, givenBack } from "#shared/books/meters/hold.ts";
import { callOf } from "#shared/books/meters/intent.ts";
import { intentOf, noon, planHold, planLimits, price, walletHold } from "#test/support/store.ts";

const usage = { ...noUsage, input_tokens: 1_000_000, output_tokens: 100_000 };
/** 2.5 points a million of input, and 10 a million of output. */
const value = "3.5";
const wallet = callOf(intentOf(walletHold("mtr_1", "4")));
const subscription = callOf(intentOf(planHold("mtr_2", planLimits())));
const completed: CallEnd = {
  at: noon + 1000,
  source: "gateway",
  usage,
  evidence: "reported",
  outcome: "completed",
  free: false,
  flags: ["looked at"],
  provider: "acme",
  attempts: 1,
};

describe("a call that is charged", () => {
  test.each<[who: string, call: CallIdentity, cost: string]>([
    ["a wallet pays its value", wallet, value],
    ["a subscription pays nothing, and is told the value", subscription, "0"],
  ])("%s", (_, call, cost) => {
    const event = endCall(call, completed);
    expect(event).toEqual({
      version: 1,
      ...call,
      admitted_at: timeOf(call.id),
      ended_at: noon + 1000,
      usage,
      price,
      cost_points: cost,
      list_points: value,
      calls: 1,
      evidence: "reported",
      source: "gateway",
      outcome: "completed",
      flags: ["looked at"],
      provider: "acme",
      attempts: 1,
    });
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
  });

  test("out of the cache tells the hit, and is billed without one that is not sound", () => {
    const cache = {
      level: "exact" as const,
      entry: "req_1",
      age_seconds: 1,
      saved_points: "0.5",
      place: "a/b",
    };
    const event = endCall(subscription, { ...completed, evidence: "cache", cache });
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
    for (const bad of [
      null,
      "hit",
      { ...cache, level: "near" },
      { ...cache, saved_points: 1e21 },
      { ...cache, age_seconds: -1 },
      { ...cache, entry: undefined },
      { ...cache, place: "x".repeat(65) },
    ]) {
      const { cache: _, ...rest } = event;
      expect(parseUsageEvent(JSON.stringify({ ...event, cache: bad }))).toEqual(rest);
    }
  });

  test("of a fallback tells what was asked for, and is billed without a name that is not sound", () => {
    const event = endCall(wallet, { ...completed, requested_model: "acme/Ballad-1" });
    expect(event).toMatchObject({ model: wallet.model, requested_model: "acme/Ballad-1" });
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
    const { requested_model: _, ...rest } = event;
    for (const bad of [null, 1, "x".repeat(300)])
      expect(parseUsageEvent(JSON.stringify({ ...event, requested_model: bad }))).toEqual(rest);
  });

  test.each([
    ["4", "3.5"],
    ["1", "1"],
  ])("never pays more than %s, where that is the most", (most, cost) => {
    const event = endCall(wallet, { ...completed, chargeMax: parsePoints(most) });
    expect(event).toMatchObject({ cost_points: cost, list_points: value });
  });

  test.each<[what: string, call: CallIdentity, expected: CallEnd["expected"], overrun: boolean]>([
    ["a wallet that held enough", wallet, { points: parsePoints(value) }, false],
    ["a wallet that held too little", wallet, { points: parsePoints(value) - 1n }, true],
    [
      "a wallet with more tokens than the request let expect, all of them held for",
      wallet,
      { points: parsePoints(value), bounds: { input_tokens: 0, output_tokens: 0 } },
      false,
    ],
    [
      "a subscription within its bounds",
      subscription,
      { points: 0n, bounds: { input_tokens: 1_000_000, output_tokens: 100_000 } },
      false,
    ],
    [
      "a subscription with more output",
      subscription,
      { points: 0n, bounds: { input_tokens: 1_000_000, output_tokens: 99_999 } },
      true,
    ],
    [
      "a subscription with more input",
      subscription,
      { points: 0n, bounds: { input_tokens: 999_999, output_tokens: 100_000 } },
      true,
    ],
    ["a subscription without bounds", subscription, { points: 0n }, false],
    ["a call of which nothing was expected", wallet, undefined, false],
  ])("overruns or not: %s", (_, call, expected, overrun) => {
    const { flags } = endCall(call, { ...completed, ...(expected && { expected }) });
    expect(flags.includes("overrun")).toBe(overrun);
  });

  test("names what has no rate", () => {
    const details = { calls: { web_search: 1 } };
    const { flags } = endCall(wallet, { ...completed, usage: { ...usage, details } });
    expect(flags).toEqual(["looked at", "unpriced_switch"]);
  });
});

test("a free call costs nothing whatever it used, goes back to its quota, and is no overrun", () => {
  const event = endCall(wallet, { ...completed, free: true, expected: { points: 0n } });
  expect(event).toMatchObject({ cost_points: "0", list_points: "0", calls: 0, flags: ["looked at"] });
  expect(settlementOfEvent(event)).toEqual(givenBack(noon + 1000));
});

test("a call that was never sent is free, and says who found it", () => {
  expect(endCall(wallet, neverSent("sweeper", noon))).toMatchObject({
    usage: noUsage,
    cost_points: "0",
    calls: 0,
    evidence: "none",
    outcome: "failed",
    source: "sweeper",
    provider: null,
  });
});

describe("a call that the organization's own key has paid", () => {
  const own_fee = { share: "0.05" };

  test("costs a wallet our fee, which is its value here too", () => {
    const event = endCall({ ...wallet, own_fee }, completed);
    expect(event).toMatchObject({ own_fee, cost_points: "0.175", list_points: "0.175", calls: 1 });
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
  });

  test("costs a subscription nothing, and is one call of its quota where the fee is worth no more", () => {
    const dear = { ...subscription, call_points: "0.5" };
    const [own, ours] = [endCall({ ...dear, own_fee }, completed), endCall(dear, completed)];
    expect([own.cost_points, own.calls, ours.calls]).toEqual(["0", 1, 7]);
    expect(settlementOfEvent(own).listPoints * 20n).toBe(settlementOfEvent(ours).listPoints);
  });

  test("that went wrong is free of it, also of one by calls", () => {
    const end = { ...completed, free: true, outcome: "failed" } as const;
    expect(endCall({ ...wallet, own_fee: { call: "1" } }, end)).toMatchObject({ cost_points: "0", calls: 0 });
  });

  test("in the sweep's guess costs the fee of its input", () => {
    const intent = { ...intentOf(walletHold("mtr_1", "4")), own_fee };
    const guess = { ...completed, source: "sweeper", evidence: "none", chargeMax: parsePoints("4") } as const;
    expect(endCall(callOf(intent), guess).cost_points).toBe("0.175");
  });

  test("is not told a fee that is none", () => {
    const event = { ...endCall({ ...wallet, own_fee }, completed), own_fee: { share: "7" } };
    expect(parseUsageEvent(JSON.stringify(event))).not.toHaveProperty("own_fee");
  });
});
