/** What a caller waits for: old measurements fade, few say little, and faults cost. */
import { describe, expect, test } from "vitest";
import { type Board, type ChannelCounts, windowMs } from "#shared/calls/routing/board.ts";
import { type Cost, costsOf, leftForCost } from "#shared/calls/routing/cost.ts";
import { bucketOf } from "#shared/calls/routing/histogram.ts";

const now = Date.parse("2026-11-22T12:00:14.000Z");
const begun = now - 14_000;

const times = (ms: number, answers: number): Partial<ChannelCounts> => {
  const first_byte = Array.from({ length: 12 }, () => 0);
  first_byte[bucketOf(ms)] = answers;
  return { answers, first_byte };
};
/** Windows by their age: the newest first. */
const board = (...windows: Record<string, Partial<ChannelCounts>>[]): Board => ({
  read_at: now,
  windows: windows.map((channels, age) => ({ start: begun - age * windowMs, channels })).toReversed(),
  states: {},
});
const costs = (of: Board, ids = ["a", "b"]): Cost[] => {
  const all = costsOf(
    ids.map((id) => ({ id })),
    of,
    now,
  );
  return ids.map((id) => all.get(id) as Cost);
};

describe("the time to the first byte", () => {
  test("is the median, near the one of all where little was measured", () => {
    const [none, few, many] = costs(board({ b: times(8_000, 2), c: times(8_000, 29), d: times(300, 400) }), [
      ...["a", "b", "c", "d"],
    ]) as [Cost, Cost, Cost];
    expect(none.first_byte_ms).toBeLessThan(450);
    expect(few.first_byte_ms).toBeLessThan(450);
    expect(many.first_byte_ms).toBeGreaterThan(6_000);
  });

  test("is of the newest measurements, as soon as they are enough", () => {
    const all = board({ a: times(8_000, 10) }, { a: times(8_000, 20) }, { a: times(300, 500) });
    expect((costs(all) as [Cost])[0].first_byte_ms).toBeGreaterThan(6_000);
    const few = board({ a: times(8_000, 10) }, { a: times(8_000, 19) }, { a: times(300, 500) });
    expect((costs(few) as [Cost])[0].first_byte_ms).toBeLessThan(450);
  });

  test("is not forgotten where nothing newer was measured", () => {
    const old = board({ b: times(300, 10) }, {}, {}, {}, {}, {}, { a: times(8_000, 20) });
    expect((costs(old) as [Cost])[0].first_byte_ms).toBeGreaterThan(1_000);
  });

  test("is unknown where nothing was measured, and costs nothing", () => {
    expect(costs(board())).toEqual([
      { ms: 0, first_byte_ms: undefined, tokens_per_s: undefined, fault_share: 0, fault_ms: 0 },
      { ms: 0, first_byte_ms: undefined, tokens_per_s: undefined, fault_share: 0, fault_ms: 0 },
    ]);
  });
});

describe("faults", () => {
  test("cost 4 s by their share in this window and the one before", () => {
    const [a, b] = costs(board({ a: { ...times(600, 500), faults: 500 }, b: times(600, 100_000) })) as [
      Cost,
      Cost,
    ];
    expect(a.fault_share).toBeCloseTo(0.5, 1);
    expect(a.ms - b.ms).toBeGreaterThan(1_900);
    expect(a.ms - b.ms).toBeLessThanOrEqual(2_000);
  });

  test("that are older than that are forgotten", () => {
    const [a] = costs(board({ a: times(600, 9) }, { a: times(600, 9) }, { a: { faults: 9 } })) as [Cost];
    expect(a.fault_share).toBe(0);
  });

  test.each([
    [2, 0, 0],
    [3, 0, 1],
    [3, 9, 0.25],
  ])("may be chance if there are %i, of %i answers: %f", (faults, answers, share) => {
    const [a] = costs(board({ a: { answers, faults }, b: { faults: 500 } })) as [Cost];
    expect(a.fault_share).toBe(share);
  });

  test("of one channel say nothing of another", () => {
    const [a] = costs(board({ b: { faults: 500 } })) as [Cost];
    expect(a).toMatchObject({ fault_share: 0, ms: 0 });
  });
});

describe("the speed", () => {
  const tokens = (generation_ms: number) => ({ ...times(600, 100), output_tokens: 50_000, generation_ms });

  test("costs what the expected output takes longer than on the fastest channel, but for a quarter", () => {
    const [fast, near, slow] = costs(
      board({ a: tokens(500_000), b: tokens(610_000), c: tokens(1_500_000) }),
      ["a", "b", "c"],
    ) as [Cost, Cost, Cost];
    expect(near.ms).toBeCloseTo(fast.ms, 6);
    // 500 tokens at 30 ms each, not at 12.5 ms; a little less, by what all channels together say.
    expect(slow.ms - fast.ms).toBeGreaterThan(7_500);
    expect(slow.ms - fast.ms).toBeLessThan(8_750);
    expect(fast.tokens_per_s).toBeGreaterThan(95);
    expect(fast.tokens_per_s).toBeLessThan(100);
  });

  test("is no cost where no stream was measured", () => {
    const [a] = costs(board({ a: times(600, 100) })) as [Cost];
    expect(a.tokens_per_s).toBeUndefined();
    expect(a.ms).toBe(a.first_byte_ms);
  });
});

describe("a channel is left for its cost", () => {
  const cost = (ms: number, fault_ms = 0): Cost => ({
    ms,
    fault_ms,
    first_byte_ms: ms,
    tokens_per_s: undefined,
    fault_share: fault_ms / 4_000,
  });
  test.each([
    [cost(600), 600, undefined],
    [cost(1_300), 600, undefined],
    [cost(1_301), 600, "slow"],
    [cost(1_701, 400), 600, "slow"],
    [cost(1_700, 400), 600, undefined],
    [cost(1_000, 401), 600, "flaky"],
    [cost(100), 0, undefined],
    [cost(101), 0, "slow"],
    [cost(101, 101), 0, "flaky"],
  ])("%j where the best is %i ms: %s", (each, best, left) => {
    expect(leftForCost(each, best)).toBe(left);
  });
});
