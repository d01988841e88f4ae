/** Copies of the board of a model that is called so often that not every call may read it. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Board, windowMs, windowOf } from "#shared/calls/routing/board.ts";
import { Copies } from "#shared/calls/routing/copies.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";
import { seeded } from "#test/support/random.ts";

const seed = 20261129;
const start = Date.parse("2026-11-29T12:00:07.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

const ready = (copies: Copies): Promise<Board | undefined> => copies.look("m").ready(10);

describe("the copy of a busy model", () => {
  /** Adds a window of so many calls a second, 2 % of which have failed, before the present one. */
  async function addWindow(boards: MemoryBoards, perSecond: number): Promise<void> {
    const calls = (perSecond * windowMs) / 1000;
    const channels = { a: { answers: calls * 0.98 }, b: { faults: calls * 0.02 } };
    await boards.add({ model: "m", at: windowOf(Date.now()) - windowMs, channels });
  }

  async function busyBoards(perSecond: number): Promise<MemoryBoards> {
    const boards = new MemoryBoards();
    await addWindow(boards, perSecond);
    return boards;
  }

  /** A process that has read the board, with the chance that its later calls meet. */
  async function startedOn(boards: MemoryBoards, chance: () => number): Promise<Copies> {
    const copies = new Copies({ boards, now: Date.now, log: vi.fn() });
    await ready(copies);
    vi.spyOn(Math, "random").mockImplementation(chance);
    boards.reads = 0;
    return copies;
  }

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("is read by one call in so many that 500 a second read it", async () => {
    const boards = await busyBoards(5_000);
    let drawn = 0;
    const processes = await Promise.all(
      Array.from({ length: 1_000 }, () => startedOn(boards, () => (drawn++ % 1_000) / 1_000)),
    );
    await vi.advanceTimersByTimeAsync(5_000);
    boards.reads = 0;
    for (const copies of processes) copies.look("m");
    expect(boards.reads).toBe(100);
  });

  test("is read 1,067 times a second by 25,000 sandboxes with calls of 5 seconds (infra/cost/scale.md)", async () => {
    const boards = await busyBoards(5_000);
    const below = seeded(seed);
    const chance = () => below(1e9) / 1e9;
    const sandboxes = await Promise.all(Array.from({ length: 500 }, () => startedOn(boards, chance)));
    const seconds = 240;
    for (let at = -60; at < seconds; at += 5) {
      if (at === 0) boards.reads = 0;
      if (at % 15 === 0) await addWindow(boards, 5_000);
      await vi.advanceTimersByTimeAsync(5_000);
      for (const copies of sandboxes) copies.look("m");
    }
    const perSecond = (boards.reads / seconds) * (25_000 / sandboxes.length);
    expect(Math.abs(perSecond / 1_067 - 1)).toBeLessThan(0.05);
  });

  test("serves for 30 seconds, and no longer", async () => {
    const boards = await busyBoards(5_000);
    const copies = await startedOn(boards, () => 0.999);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(await ready(copies)).toMatchObject({ read_at: start });
    expect(boards.reads).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ready(copies)).toMatchObject({ read_at: start + 30_000 });
  });

  test("is read by the next call after a fault that its process has seen", async () => {
    const boards = await busyBoards(5_000);
    const copies = await startedOn(boards, () => 0.999);
    copies.add("m", "a", { answers: 1 });
    await vi.advanceTimersByTimeAsync(5_000);
    await ready(copies);
    expect(boards.reads).toBe(0);
    copies.add("m", "a", { faults: 1 });
    for (let call = 0; call < 3; call++) {
      await vi.advanceTimersByTimeAsync(5_000);
      await ready(copies);
    }
    expect(boards.reads).toBe(1);
  });

  test("is read by every call while a channel is open, so that one call probes it", async () => {
    const boards = await busyBoards(5_000);
    const copies = await startedOn(boards, () => 0.999);
    copies.addState("m", "a", { open_until: Date.now() + 2_500, level: 1 });
    for (let call = 1; call <= 3; call++) {
      await vi.advanceTimersByTimeAsync(2_000);
      await ready(copies);
      expect(boards.reads).toBe(call);
      await boards.open("m", "a", { until: Date.now() + 2_500, level: call, now: Date.now() });
    }
  });

  test("is as fresh as any other's up to 500 calls a second, without chance", async () => {
    const boards = await busyBoards(500);
    const chance = vi.fn(() => 0.999);
    const copies = await startedOn(boards, chance);
    await vi.advanceTimersByTimeAsync(2_000);
    await ready(copies);
    expect(boards.reads).toBe(1);
    expect(chance).not.toHaveBeenCalled();
  });
});
