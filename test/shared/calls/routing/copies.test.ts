/** Copies of boards: fresh enough, never waited for long, and never behind what the process did itself. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Board,
  type ChannelCounts,
  type ChannelState,
  windowMs,
  windowOf,
} from "#shared/calls/routing/board.ts";
import { boardBounds } from "#shared/calls/routing/bounds.ts";
import { Copies, type CopiesDeps } from "#shared/calls/routing/copies.ts";
import { laterState, mergedStates, mergedWindows } from "#shared/calls/routing/views.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";

const seed = 20261122;
const start = Date.parse("2026-11-22T12:00:07.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process with its copies of boards whose reads take `ms` milliseconds, or fail. */
function createProcess(boards = new MemoryBoards(), read: { ms: number; fails?: boolean } = { ms: 5 }) {
  const log = vi.fn();
  const slow = Object.assign(Object.create(boards) as MemoryBoards, {
    async read(model: string, now: number, spanMs?: number): Promise<Board> {
      const board = await boards.read(model, now, spanMs);
      await new Promise((resolve) => setTimeout(resolve, read.ms));
      if (read.fails) throw new Error("throttled");
      return board;
    },
  });
  const deps: CopiesDeps = { boards: slow, now: Date.now, log };
  return { boards, copies: new Copies(deps), log, read };
}

const ready = async (copies: Copies, ms = 10, model = "m"): Promise<Board | undefined> => {
  const board = copies.look(model).ready(ms);
  await vi.advanceTimersByTimeAsync(ms);
  return board;
};

describe("a copy", () => {
  test("is read at a model's first call", async () => {
    const { boards, copies } = createProcess();
    await boards.add({ model: "m", at: start, channels: { a: { faults: 2 } } });
    expect(await ready(copies)).toMatchObject({
      read_at: start,
      windows: [{ channels: { a: { faults: 2 } } }],
    });
  });

  test("is read again where the clock was set back", async () => {
    const { boards, copies } = createProcess();
    await ready(copies);
    const now = start - 3_600_000;
    vi.setSystemTime(now);
    await boards.add({ model: "m", at: now, channels: { a: { faults: 2 } } });
    expect(await ready(copies)).toMatchObject({
      read_at: now,
      windows: [{ channels: { a: { faults: 2 } } }],
    });
  });

  test("is read again after two seconds, and once for all calls that look meanwhile", async () => {
    const { boards, copies } = createProcess();
    for (let at = 0; at < 5; at++) void copies.look("m");
    await ready(copies);
    await vi.advanceTimersByTimeAsync(1_980);
    await ready(copies);
    expect(boards.reads).toBe(1);
    await ready(copies);
    expect(boards.reads).toBe(2);
  });

  test("is of one model", async () => {
    const { boards, copies } = createProcess();
    await boards.add({ model: "m", at: start, channels: { a: { faults: 2 } } });
    await ready(copies);
    expect((await ready(copies, 10, "n"))?.windows).toEqual([]);
  });

  test("is waited for ten milliseconds, and the old one serves meanwhile", async () => {
    const { boards, copies, read } = createProcess();
    await boards.add({ model: "m", at: start, channels: { a: { faults: 1 } } });
    await ready(copies);
    await boards.add({ model: "m", at: start, channels: { a: { faults: 1 } } });
    await vi.advanceTimersByTimeAsync(3_000);
    read.ms = 500;
    const faults = (board: Board | undefined) => board?.windows[0]?.channels.a?.faults;
    expect(faults(await ready(copies))).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(faults(await ready(copies, 0))).toBe(2);
  });

  test("is none where none was read", async () => {
    const { copies } = createProcess(undefined, { ms: 500 });
    expect(await ready(copies)).toBeUndefined();
    expect(copies.board("other")).toBeUndefined();
  });

  test("is read anew where the last read never ended: its process was frozen", async () => {
    const { boards, copies, read } = createProcess(undefined, { ms: 1e9 });
    await ready(copies);
    await vi.advanceTimersByTimeAsync(5_000);
    read.ms = 5;
    expect(await ready(copies)).toBeDefined();
    expect(boards.reads).toBe(2);
  });

  test("is not set back by a read that was overtaken", async () => {
    const { boards, copies, read } = createProcess(undefined, { ms: 3_000 });
    void copies.look("m");
    await vi.advanceTimersByTimeAsync(2_500);
    await boards.limit("m", "a", start + 60_000);
    read.ms = 5;
    await ready(copies);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(copies.board("m")).toMatchObject({ read_at: start + 2_500, states: { a: { level: 0 } } });
  });

  test("stays as it is where the board cannot be read, and the log says so once in a while", async () => {
    const { boards, copies, log, read } = createProcess();
    await boards.limit("m", "a", start + 60_000);
    const before = await ready(copies);
    read.fails = true;
    for (let at = 0; at < 10; at++) {
      await vi.advanceTimersByTimeAsync(3_000);
      expect((await ready(copies))?.states).toEqual(before?.states);
    }
    expect(log.mock.calls).toEqual(
      Array.from({ length: 3 }, () => ["warn", "board_unreachable", { error: "Error: throttled" }]),
    );
  });

  test("is one of so many: the model that came first goes first", async () => {
    const { boards, copies } = createProcess();
    for (let at = 0; at <= boardBounds.copiesMax; at++) void copies.look(`m${at}`);
    await vi.advanceTimersByTimeAsync(5);
    expect(copies.board("m0")).toBeUndefined();
    expect(copies.board("m1")).toBeDefined();
    await ready(copies, 10, "m0");
    expect(copies.board("m0")).toBeDefined();
    expect(boards.reads).toBe(boardBounds.copiesMax + 2);
  });
});

describe("what a process does itself", () => {
  test("is in its copy at once, also where nothing was ever read", () => {
    const { copies } = createProcess();
    copies.add("m", "a", { faults: 1 });
    copies.add("m", "a", { faults: 1, limited: 1 });
    copies.add("m", "b", { answers: 1, first_byte: [0, 1] });
    copies.addState("m", "a", { limited_until: start + 5_000 });
    copies.addState("m", "a", { open_until: start + 2_500, level: 1 });
    expect(copies.board("m")).toEqual({
      read_at: 0,
      windows: [
        {
          start: windowOf(start),
          channels: { a: { faults: 2, limited: 1 }, b: { answers: 1, first_byte: [0, 1] } },
        },
      ],
      states: { a: { level: 1, open_until: start + 2_500, limited_until: start + 5_000 } },
    });
  });

  test("is counted once, whether a read shows it or not", async () => {
    const { boards, copies } = createProcess();
    await ready(copies);
    const faults = () => copies.board("m")?.windows.at(-1)?.channels.a?.faults;
    copies.add("m", "a", { faults: 1 });
    await vi.advanceTimersByTimeAsync(2_000);
    await ready(copies);
    expect(faults()).toBe(1);
    await boards.add({ model: "m", at: start, channels: { a: { faults: 1 } } });
    await vi.advanceTimersByTimeAsync(2_000);
    await ready(copies);
    expect(faults()).toBe(1);
  });

  test("stays although a read does not show it yet", async () => {
    const { copies } = createProcess();
    copies.addState("m", "a", { open_until: start + 2_500, level: 1 });
    await ready(copies);
    expect(copies.board("m")?.states.a).toEqual({ level: 1, open_until: start + 2_500 });
    await vi.advanceTimersByTimeAsync(2_600);
    await ready(copies);
    expect(copies.board("m")?.states.a).toBeUndefined();
  });

  test("closes a channel for good, although a read still shows it as open", async () => {
    const { boards, copies } = createProcess();
    await boards.open("m", "a", { until: start - 1, level: 1, now: start - 3_000 });
    await ready(copies);
    expect(copies.board("m")?.states.a?.level).toBe(1);
    copies.close("m", "a");
    expect(copies.board("m")?.states.a).toEqual({ level: 0 });
    await vi.advanceTimersByTimeAsync(2_000);
    await ready(copies);
    expect(copies.board("m")?.states.a).toBeUndefined();
    await boards.open("m", "a", { until: Date.now() + 2_500, level: 1, now: Date.now() });
    await vi.advanceTimersByTimeAsync(2_000);
    await ready(copies);
    expect(copies.board("m")?.states.a?.level).toBe(1);
  });
});

describe("views of a board", () => {
  const counts = fc.record(
    { answers: fc.nat(9), faults: fc.nat(9), first_byte: fc.array(fc.nat(9), { maxLength: 12 }) },
    { requiredKeys: [] },
  );
  const windows = fc.uniqueArray(
    fc.record({
      start: fc.nat(12).map((n) => windowOf(start) - n * windowMs),
      channels: fc.dictionary(fc.constantFrom("a", "b"), counts),
    }),
    { selector: (window) => window.start, maxLength: 4 },
  ) as fc.Arbitrary<Board["windows"]>;

  test("merge to the same windows in any order and however often, without the old ones", () => {
    fc.assert(
      fc.property(windows, windows, (one, other) => {
        const both = mergedWindows(one, other, start);
        expect(mergedWindows(other, one, start)).toEqual(both);
        expect(mergedWindows(both, other, start)).toEqual(both);
        for (const window of both) expect(window.start).toBeGreaterThan(start - 9 * windowMs);
        const value = (of: Board["windows"], at: number, name: keyof ChannelCounts) =>
          (of.find((window) => window.start === at)?.channels.a?.[name] as number | undefined) ?? 0;
        for (const { start: at } of both) {
          expect(value(both, at, "faults")).toBe(
            Math.max(value(one, at, "faults"), value(other, at, "faults")),
          );
        }
      }),
      { seed },
    );
  });

  const instant = fc.option(fc.integer({ min: start - 9, max: start + 9 }), { nil: undefined });
  const opening = fc.record({
    open_until: fc.integer({ min: start - 9, max: start + 9 }),
    probed_until: instant,
  });
  const state: fc.Arbitrary<ChannelState> = fc
    .tuple(instant, fc.option(opening, { nil: undefined }))
    .map(([limited_until, opened]) => {
      // The level of an opening follows from it, as on the board.
      const level = opened ? opened.open_until - start + 10 : 0;
      return JSON.parse(JSON.stringify({ level, limited_until, ...opened })) as ChannelState;
    });

  test("of a state merge to the same in any order and however often", () => {
    fc.assert(
      fc.property(state, state, state, (one, two, three) => {
        const both = laterState(one, two);
        expect(laterState(two, one)).toEqual(both);
        expect(laterState(both, two)).toEqual(both);
        if (one.open_until && two.open_until && three.open_until) {
          expect(laterState(both, three)).toEqual(laterState(one, laterState(two, three)));
        }
        expect(both.level).toBe(Math.max(one.level, two.level));
      }),
      { seed, numRuns: 500 },
    );
  });

  test("a claim belongs to its opening", () => {
    const before = { level: 1, open_until: start, probed_until: start + 9_000 };
    const after = { level: 2, open_until: start + 5_000 };
    expect(laterState(before, after)).toEqual(after);
    expect(laterState(after, before)).toEqual(after);
    expect(laterState(before, { level: 0, probed_until: start + 9_500 })).toEqual({
      ...before,
      probed_until: start + 9_500,
    });
  });

  test("what another process closed is closed here", () => {
    const known = {
      a: { level: 2, open_until: start - 1, probed_until: start + 100, limited_until: start + 50 },
    };
    const closed = new Map<string, number>();
    expect(mergedStates(known, {}, { closed, now: start })).toEqual({
      a: { level: 0, limited_until: start + 50 },
    });
    expect(mergedStates({}, known, { closed, now: start })).toEqual(known);
  });
});
