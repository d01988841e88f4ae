/** When a channel is left, for how long, and who may try it again. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Board, ChannelState } from "#shared/calls/routing/board.ts";
import {
  isOpen,
  leftBecause,
  limitedUntil,
  openingOf,
  opens,
  probes,
  recentOf,
  refusedOpening,
} from "#shared/calls/routing/breaker.ts";

const seed = 20261122;
const now = Date.parse("2026-11-22T12:00:07.000Z");
const window = now - 7_000;

describe("a channel opens", () => {
  test.each([
    [0, 2, false],
    [0, 3, true],
    [3, 3, true],
    [4, 3, false],
    [97, 3, false],
    [500, 499, false],
    [500, 500, true],
  ])("of %i answers and %i faults: %s", (answers, faults, opened) => {
    expect(opens({ answers, faults })).toBe(opened);
  });

  test("by this window and the one before, whatever clock began a window, and by nobody's limits", () => {
    const channels = { a: { answers: 1, faults: 1, limited: 1_000 }, b: { faults: 9 } };
    const starts = [window - 30_000, window - 15_000, window, window + 15_000];
    const board: Board = {
      read_at: now,
      windows: starts.map((start) => ({ start, channels })),
      states: {},
    };
    expect(recentOf(board, "a", now)).toEqual({ answers: 3, faults: 3 });
    expect(recentOf(board, "c", now)).toEqual({ answers: 0, faults: 0 });
  });
});

describe("a channel is open", () => {
  test("for 2.5 s at first, and then twice as long each time, up to a minute", () => {
    const openings = [0, 1, 2, 3, 4, 5, 6, 2_000].map((level) => openingOf(level, now));
    const seconds = openings.map(({ until }) => (until - now) / 1000);
    expect(seconds).toEqual([2.5, 5, 10, 20, 40, 60, 60, 60]);
    expect(openings[0]).toEqual({ until: now + 2_500, level: 1, now });
  });

  test("for a minute where our account is refused, and no shorter the next time", () => {
    expect(refusedOpening(0, now)).toEqual({ until: now + 60_000, level: 6, now });
    expect(refusedOpening(6, now)).toEqual({ until: now + 60_000, level: 7, now });
  });

  test("until a probe succeeds, but not for ever", () => {
    const state = { level: 1, open_until: now };
    expect(isOpen(state, now - 1)).toBe(true);
    expect(isOpen(state, now + 119_999)).toBe(true);
    expect(isOpen(state, now + 120_000)).toBe(false);
    expect(isOpen({ level: 0, open_until: now + 1 }, now)).toBe(false);
    expect(isOpen({ level: 1 }, now)).toBe(false);
  });
});

describe("a provider that limits us is left", () => {
  test.each([
    [undefined, 5],
    [Number.NaN, 5],
    [0, 1],
    [-3_000, 1],
    [1, 1],
    [1_500, 1.5],
    [60_000, 60],
    [86_400_000, 60],
    [Number.POSITIVE_INFINITY, 60],
    [Number.NEGATIVE_INFINITY, 1],
  ])("where it asks for %s ms: for %f s", (wait, seconds) => {
    expect(limitedUntil(now, wait)).toBe(now + seconds * 1000);
  });
});

describe("a state", () => {
  const hour = 3_600_000;
  test.each<[string, ChannelState | undefined, "open" | "limited" | undefined, boolean]>([
    ["none", undefined, undefined, false],
    ["a closed one", { level: 0 }, undefined, false],
    ["limited", { level: 0, limited_until: now + 1 }, "limited", false],
    ["limited before", { level: 0, limited_until: now }, undefined, false],
    ["open", { level: 1, open_until: now + 1 }, "open", false],
    ["to be probed", { level: 1, open_until: now }, "open", true],
    ["probed by another call", { level: 1, open_until: now - 5, probed_until: now + 1 }, "open", false],
    ["probed without an end", { level: 1, open_until: now - 5, probed_until: now }, "open", true],
    ["open and limited", { level: 1, open_until: now, limited_until: now + 1 }, "open", false],
    [
      "limited by a clock that is wrong by an hour",
      { level: 0, limited_until: now + hour },
      undefined,
      false,
    ],
    ["opened by a clock that is wrong by an hour", { level: 9, open_until: now + hour }, undefined, false],
    ["opened by a clock that is 2 s ahead", { level: 9, open_until: now + 62_000 }, "open", false],
    ["opened and never probed", { level: 3, open_until: now - hour }, undefined, false],
  ])("%s", (_, state, because, probed) => {
    expect(leftBecause(state, now)).toBe(because);
    expect(probes(state, now)).toBe(probed);
  });

  test("that may be probed is open, and nobody probes before its time", () => {
    const instant = fc.option(fc.integer({ min: now - 200_000, max: now + 200_000 }), { nil: undefined });
    fc.assert(
      fc.property(instant, instant, instant, fc.nat(9), (open_until, probed_until, limited_until, level) => {
        const state = JSON.parse(
          JSON.stringify({ open_until, probed_until, limited_until, level }),
        ) as ChannelState;
        if (!probes(state, now)) return;
        expect(leftBecause(state, now)).toBe("open");
        expect(Math.max(open_until ?? 0, probed_until ?? 0, limited_until ?? 0)).toBeLessThanOrEqual(now);
      }),
      { seed },
    );
  });
});
