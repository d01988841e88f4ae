/** Which events count as answers on the board, and what they add up to. */
import { describe, expect, test } from "vitest";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { CallRoute, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { answersOf } from "#shared/calls/routing/answers.ts";
import { boardSpanMs, windowMs } from "#shared/calls/routing/board.ts";
import { bucketOf, countOf } from "#shared/calls/routing/histogram.ts";
import { laneOf, witnessOf } from "#shared/calls/routing/witness.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";

const answered = { provider: "acme", channel: "a1b2c3", outcome: "answered", ms: 812 } as const;
const route: CallRoute = {
  routing: "smart",
  why: "conversation",
  of: 3,
  attempts: [answered],
  generation_ms: 4_000,
};
const usage = {
  ...noUsage,
  input_tokens: 100,
  cache_read_tokens: 40,
  cache_write_tokens: 10,
  output_tokens: 60,
};

/** A call that ended at `noon`, changed as given. */
const call = (change: Partial<UsageEvent> = {}) =>
  eventOf(walletHold("mtr_1", "1"), "0.5", { ended_at: noon, usage, route, ...change });
/** What one call adds, by channel. */
const channelsOf = (event: UsageEvent) => answersOf([event], noon)[0]?.channels ?? {};
const histogram = (...times: number[]) => {
  const counts = Array.from({ length: 12 }, () => 0);
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
};

describe("an answer", () => {
  test("counts its first byte, its speed, and its input with what came from a cache", () => {
    expect(answersOf([call()], noon)).toEqual([
      {
        model: "acme/Sonic-1-5",
        at: noon,
        channels: {
          a1b2c3: {
            ...{ answers: 1, faults: 0, limited: 0, raced: 0, first_byte: histogram(812) },
            ...{ output_tokens: 60, generation_ms: 4_000, input_tokens: 150, cache_read_tokens: 40 },
          },
        },
      },
    ]);
  });

  test("counts its first byte in the lane of its organization", () => {
    const laneIn = (organization: string) => {
      const { first_byte = [] } = channelsOf(call({ organization })).a1b2c3 ?? {};
      return Math.floor(first_byte.indexOf(1) / 12);
    };
    const organizations = Array.from({ length: 40 }, (_, at) => `org_${at}`);
    for (const each of organizations) expect(laneIn(each)).toBe(laneOf(witnessOf(each)));
    expect(new Set(organizations.map(laneIn)).size).toBe(8);
  });

  test("that was no stream has no speed, and no first byte of its own", () => {
    const { generation_ms: _, ...whole } = route;
    const channels = channelsOf(call({ route: whole }));
    expect(channels.a1b2c3).toMatchObject({
      answers: 1,
      output_tokens: 0,
      generation_ms: 0,
      input_tokens: 150,
    });
    expect(countOf(channels.a1b2c3?.first_byte ?? [])).toBe(0);
  });

  test("counts for the channel that gave it, and not for those that were asked before", () => {
    const attempts = [{ ...answered, channel: "x9y8z7", outcome: "fault" as const, ms: 30 }, answered];
    const channels = channelsOf(call({ route: { ...route, attempts } }));
    expect(Object.keys(channels)).toEqual(["a1b2c3"]);
  });

  const failed = { ...answered, outcome: "fault" as const };
  test.each<[what: string, change: Partial<UsageEvent>]>([
    ["of a call that failed", { outcome: "failed" }],
    ["that broke off", { outcome: "truncated" }],
    ["of a call that was given back", { calls: 0 }],
    ["of an event without a route", { route: undefined as never }],
    ["of a call that only one channel could take", { route: { ...route, of: 1 } }],
    ["where the last channel failed", { route: { ...route, attempts: [answered, failed] } }],
    ["where nobody was asked", { route: { ...route, attempts: [] } }],
    ["whose window is no longer kept", { ended_at: noon - boardSpanMs }],
    ["of a clock that is more than a window ahead", { ended_at: noon + 2 * windowMs }],
  ])("%s counts nothing", (_, change) => {
    expect(answersOf([call(change)], noon)).toEqual([]);
  });

  test("of a clock that is a little ahead, or of an event that came late, counts in its own window", () => {
    const at = [noon + windowMs, noon - boardSpanMs + windowMs];
    expect(
      answersOf(
        at.map((ended_at) => call({ ended_at })),
        noon,
      ).map((each) => each.at),
    ).toEqual(at);
  });
});

test("the answers of a batch are one addition for each model and window", () => {
  const other = { ...route, attempts: [{ ...answered, channel: "d4e5f6", ms: 90 }] };
  const additions = answersOf(
    [
      call(),
      call({ ended_at: noon + windowMs - 1, route: { ...route, attempts: [{ ...answered, ms: 20_000 }] } }),
      call({ route: other }),
      call({ ended_at: noon - 1 }),
      call({ model: "acme/Other" }),
    ],
    noon,
  );
  expect(additions.map(({ model, at }) => [model, at])).toEqual([
    ["acme/Sonic-1-5", noon],
    ["acme/Sonic-1-5", noon - windowMs],
    ["acme/Other", noon],
  ]);
  const channels = additions[0]?.channels ?? {};
  expect(channels.a1b2c3).toEqual({
    ...{ answers: 2, faults: 0, limited: 0, raced: 0, first_byte: histogram(812, 20_000) },
    ...{ output_tokens: 120, generation_ms: 8_000, input_tokens: 300, cache_read_tokens: 80 },
  });
  expect(countOf(channels.d4e5f6?.first_byte ?? [])).toBe(1);
});
