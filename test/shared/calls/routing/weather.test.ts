/**
 * The product's routing in the weather of its providers (test/weather). The figures are of calls that come after the
 * weather has begun. `npm run weather` prints more of them.
 */
import { describe, expect, test } from "vitest";
import type { Boards } from "#shared/calls/routing/board.ts";
import { laneOf } from "#shared/calls/routing/witness.ts";
import { type Figures, figuresOf } from "#test/weather/figures.ts";
import { hostileName } from "#test/weather/hostile.ts";
import { threeChannels, type Weather } from "#test/weather/provider.ts";
import type { RuleName } from "#test/weather/rules.ts";
import { type Outcome, play, type Scenario } from "#test/weather/world.ts";

/** The figures of so many seconds of weather. At few calls a second one seed may have luck, so there are several. */
async function figures(
  weather: Weather,
  rate: number,
  {
    seconds = 200,
    seeds = rate < 10 ? 4 : 1,
    rule = "smart" as RuleName,
    ...more
  }: Partial<Scenario> & { seconds?: number; seeds?: number } = {},
): Promise<Figures> {
  const outcomes: Outcome[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const scenario = { weather, rule, rate, seed, calm_ms: 20_000, weather_ms: 1000 * seconds };
    outcomes.push(await play({ ...scenario, ...more }));
  }
  return figuresOf(outcomes);
}

describe("a provider that is dead", () => {
  test.each([
    [2, 300, 0.05],
    [20, 200, 0.02],
    [100, 120, 0.015],
  ])("is tried first by few, at %i calls a second", async (rate, seconds, most) => {
    const { tried_dead, failed } = await figures("outage", rate, { seconds });
    expect(tried_dead).toBeLessThanOrEqual(most);
    expect(failed).toBe(0);
  });

  test("is left by basic routing too, and tried for ever by processes that know only themselves", async () => {
    expect((await figures("outage", 2, { rule: "basic" })).tried_dead).toBeLessThanOrEqual(0.05);
    expect((await figures("outage", 20, { rule: "basic", seconds: 300 })).tried_dead).toBeLessThanOrEqual(
      0.03,
    );
    expect((await figures("outage", 2, { rule: "weights" })).tried_dead).toBeGreaterThan(0.25);
  });

  test("is probed by one call of the world at a time", async () => {
    const { claims, openings } = await figures("outage", 20, { rule: "basic", seconds: 300 });
    // After 2.5, 5, 10, 20 and 40 s, and then each minute.
    expect(claims).toBeGreaterThanOrEqual(6);
    expect(claims).toBeLessThanOrEqual(9);
    // The first witness opens it for itself, and the second one for all.
    expect(openings).toBeLessThanOrEqual(claims + 2);
  });

  test("returns after its outages, at once for all", async () => {
    const { tried_dead, stayed, failed } = await figures("flapping", 20, { rule: "basic", seconds: 120 });
    expect(tried_dead).toBeLessThan(0.2);
    expect(stayed).toBeGreaterThan(0.7);
    expect(failed).toBe(0);
  });
});

describe("a provider that is dead, and that an operator has taken out", () => {
  const out = (boards: Boards): Boards => ({
    ...boards,
    read: async (...asked) => ({ ...(await boards.read(...asked)), taken_out: { [dead]: {} } }),
  });
  const [{ id: dead = "" } = {}] = threeChannels();

  test.each(["basic", "smart"] as const)("is tried by nobody with %s routing", async (rule) => {
    const played = await figures("outage", 20, { rule, boards: out });
    expect([played.tried_dead, played.failed]).toEqual([0, 0]);
    // Without that some calls try it first.
    expect((await figures("outage", 20, { rule })).tried_dead).toBeGreaterThan(0);
  });
});

describe("a provider that hangs", () => {
  test.each([
    [2, 300],
    [20, 200],
    [100, 120],
  ])("is raced, and left, at %i calls a second", async (rate, seconds) => {
    const { p99, failed } = await figures("hang", rate, { seconds, calm_ms: 60_000 });
    expect(p99).toBeLessThanOrEqual(4_000);
    expect(failed).toBe(0);
  });

  test("is waited for by basic routing, which races nobody", async () => {
    const { raced, p99 } = await figures("hang", 20, { rule: "basic", seconds: 100 });
    expect(raced).toBe(0);
    expect(p99).toBeGreaterThan(50_000);
  });
});

describe("a provider that limits us", () => {
  test.each([
    [2, 300, 0.06],
    [20, 200, 0.02],
    [100, 120, 0.015],
  ])("costs few calls another attempt, at %i calls a second", async (rate, seconds, most) => {
    const { retried, failed, openings } = await figures("limit", rate, { seconds });
    expect(retried).toBeLessThanOrEqual(most);
    expect(failed).toBe(0);
    expect(openings).toBe(0);
  });
});

describe("a provider that is slow or flaky", () => {
  test.each([
    [2, 300],
    [20, 300],
    [100, 120],
  ])("is left before many have waited for it, at %i calls a second", async (rate, seconds) => {
    const { p50, p99 } = await figures("slow", rate, { seconds, calm_ms: 60_000 });
    expect(p50).toBeLessThanOrEqual(750);
    // Four organizations of a call every two seconds each need longer to agree than one would (4.3 s).
    expect(p99).toBeLessThanOrEqual(rate === 2 ? 5_000 : 4_500);
  });

  test("is left before many have failed at it", async () => {
    expect((await figures("flaky", 20)).retried).toBeLessThanOrEqual(0.02);
    expect((await figures("flaky", 20, { rule: "basic" })).retried).toBeGreaterThan(0.05);
  });
});

describe("in calm weather", () => {
  test.each([2, 20])("a conversation stays on its channel, at %i calls a second", async (rate) => {
    const { stayed, openings } = await figures("calm", rate);
    expect(stayed).toBeGreaterThanOrEqual(0.93);
    expect(openings).toBe(0);
  });

  test.each([
    [2, 2_400],
    [20, 400],
    [100, 100],
  ])("few calls are raced, at %i calls a second", async (rate, seconds) => {
    const { raced, failed } = await figures("calm", rate, { seconds });
    expect(raced).toBeLessThanOrEqual(0.002);
    expect(failed).toBe(0);
  });

  test("channels that are a tenth apart move few conversations in an hour", async () => {
    const channels = threeChannels([550, 600, 660]);
    const { moved, calls } = await figures("calm", 2, { seconds: 3_600, seeds: 1, channels });
    expect(calls).toBeGreaterThan(7_000);
    expect(moved).toBeLessThanOrEqual(0.03);
  });
});

describe("a board that cannot be used", () => {
  test("is no worse than none: every call is answered", async () => {
    const throttled: Boards = Object.fromEntries(
      (["read", "add", "limit", "open", "claimProbe", "close"] as const).map((name) => [
        name,
        () => Promise.reject(new Error("throttled")),
      ]),
    ) as never;
    const { failed, tried_dead } = await figures("outage", 20, { seconds: 60, boards: () => throttled });
    expect(failed).toBe(0);
    expect(tried_dead).toBeLessThan(0.4);
  });

  test("because its reads are a minute old leaves each process to what it sees itself", async () => {
    const late = (boards: Boards): Boards => ({
      ...boards,
      read: async (model, now, spanMs) => {
        const { windows } = await boards.read(model, now, spanMs);
        return { read_at: now, windows: windows.filter(({ start }) => start < now - 60_000), states: {} };
      },
    });
    const { failed, tried_dead } = await figures("outage", 20, { seconds: 60, boards: late });
    expect(failed).toBe(0);
    expect(tried_dead).toBeLessThan(0.4);
  });
});

describe("an organization whose requests make a provider fail", () => {
  test.each([
    [2, 20, 100],
    [20, 20, 30],
  ])("moves nobody else's calls: %i calls a second beside its %i", async (rate, hostileRate, seconds) => {
    const of = (more = {}) => figures("calm", rate, { seconds, seeds: 1, ...more });
    const alone = await of();
    for (const channels of [1, 2]) {
      const beside = await of({ hostile: { rate: hostileRate, channels, calls: "fail" } });
      expect(beside.failed).toBe(0);
      expect(beside.openings).toBeGreaterThan(0);
      for (const name of ["calls", "retried", "stayed", "p50", "p99"] as const)
        expect(Math.abs(beside[name] - alone[name]), name).toBeLessThanOrEqual(0.01 * alone[name]);
    }
  });

  test.each([
    [2, 20, 60],
    [20, 20, 20],
  ])(
    "and one that makes it late moves nobody else's: %i calls a second beside its %i",
    async (rate, hostileRate, seconds) => {
      const of = (more = {}) => figures("calm", rate, { seconds, seeds: 1, ...more });
      const alone = await of();
      for (const [channels, first_byte_ms] of [
        [1, 3_000],
        [2, 20_000],
      ] as const) {
        const beside = await of({ hostile: { rate: hostileRate, channels, calls: { first_byte_ms } } });
        expect(beside.failed).toBe(0);
        for (const name of ["calls", "retried", "stayed", "p50", "p99"] as const)
          expect(Math.abs(beside[name] - alone[name]), name).toBeLessThanOrEqual(
            0.02 * Math.max(alone[name], 0.5),
          );
      }
    },
  );

  test("and one that makes it late moves nobody who shares its lane either", async () => {
    const shares = "org5";
    expect(laneOf(shares)).toBe(laneOf(hostileName));
    const of = (more = {}) =>
      figures("calm", 20, { seconds: 40, seeds: 1, tenants: 8, told_of: shares, ...more });
    const alone = await of();
    const calls = { first_byte_ms: 20_000 };
    const beside = await of({ hostile: { rate: 20, channels: 2, calls } });
    expect([beside.calls, beside.failed]).toEqual([alone.calls, 0]);
    expect(Math.abs(beside.stayed - alone.stayed)).toBeLessThanOrEqual(0.03);
    for (const name of ["p50", "p99"] as const)
      expect(Math.abs(beside[name] - alone[name]), name).toBeLessThanOrEqual(0.05 * alone[name]);
  });

  test("is routed around its own failures, as the only one there is too", async () => {
    const { tried_dead, failed } = await figures("outage", 20, { seconds: 60, tenants: 1 });
    expect(failed).toBe(0);
    expect(tried_dead).toBeLessThanOrEqual(0.06);
  });
});
