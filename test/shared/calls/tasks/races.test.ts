/**
 * Races tasks in the orders that seeds draw, with deaths at every call (support/video-race.ts). Ten thousand run
 * on the store in memory, and some on the embedded DynamoDB: its conditions must be those of the memory.
 */
import { expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { gapsOf, newWorld, race, recover } from "#test/shared/calls/tasks/video-race.ts";
import { openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { bookGaps, createTaskBooks, type TaskBooks } from "#test/support/task-books.ts";
import { createVideoScenario, videoCaller } from "#test/support/video.ts";

const runs = 10_000;
const storeRuns = 60;

const { db, ledger, meters, tasks } = useStores();

test(`pitfall 32: ${runs} tasks end once, whatever happens in whatever order`, async () => {
  const caller = videoCaller({ wallet: "mtr_1" });
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= runs; seed++) {
    const books = createTaskBooks(parsePoints("10"));
    const world = newWorld(seed, createVideoScenario(books.tasks, books.meters), caller, books.meters);
    await race(world);
    const during = bookGaps(books);
    await recover(world);
    expect([...during, ...gapsOf(world, books)], `seed ${seed}`).toEqual([]);
    const end = books.kept.get(world.id)?.status ?? "never kept";
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // The orders reach every end, so that none of the checks is empty.
  for (const end of ["succeed", "failed", "cancelled", "expired", "never kept"]) {
    expect(ends.get(end) ?? 0, end).toBeGreaterThan(runs / 200);
  }
});

test(`${storeRuns} of them on the real store`, async () => {
  for (let seed = 1; seed <= storeRuns; seed++) {
    const meter = await openWallet(db, "10");
    const own = {
      ...meters,
      async *everyMeter() {
        const item = await meters.readMeter(meter, 0);
        if (item) yield item;
      },
    };
    const scenario = createVideoScenario(tasks, meters);
    const world = newWorld(seed, scenario, videoCaller({ wallet: meter }), own);
    await race(world);
    const during = bookGaps(await readBooks(meter, world.id));
    await recover(world);
    const gaps = gapsOf(world, await readBooks(meter, world.id));
    expect([...during, ...gaps], `seed ${seed}`).toEqual([]);
  }
});

/** The wallet, the task and its entry as they stand on the store. */
async function readBooks(meter: string, id: string): Promise<TaskBooks> {
  const item = await meters.readMeter(meter, 0);
  const task = await tasks.find("org_1", id);
  const entry = await ledger.entry("org_1", id);
  const held = [...(item?.tasks ?? [])].map(([task, { points }]) => [task, points] as const);
  return {
    ...createTaskBooks(item?.granted ?? 0n),
    avail: item?.avail ?? 0n,
    used: item?.used ?? 0n,
    holds: new Map(held),
    kept: new Map(task ? [[id, task]] : []),
    entries: new Map(entry?.event ? [[id, entry.event]] : []),
  };
}
