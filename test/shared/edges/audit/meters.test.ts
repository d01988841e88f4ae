/** What the audit says of holds of tasks: which are under way, which await an operator, and which are forgotten. */
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { type HeldTask, metersAreWhole, readHeldTasks, tasksEnd } from "#shared/edges/audit/meters.ts";

const now = Date.UTC(2026, 10, 21, 12);
const grace = limits.taskOverdueSeconds + limits.sweepsGraceSeconds;
const day = limits.taskLifetimeSeconds;

/** A hold that is so many seconds old, of a task as it is kept. */
function held(seconds: number, task: Partial<Task> | undefined): HeldTask {
  const kept = { status: "queued", settled: false, hold: { shard: 0 }, ...task } as Task;
  return { id: newId("task", now - seconds * 1000), shard: 0, task: task && kept };
}

const cases: [name: string, seconds: number, task: Partial<Task> | undefined, gap: string | undefined][] = [
  ["whose task runs", day, { status: "running" }, undefined],
  ["whose task has had its time, and the sweep after it", day + grace, { status: "running" }, undefined],
  ["whose task nobody has ended", day + grace + 1, { status: "running" }, "should have ended"],
  ["whose task expired and awaits an operator", 10 * day, { status: "expired" }, undefined],
  ["that may be being created", grace, undefined, undefined],
  ["without a task", grace + 1, undefined, "there is no such task"],
  ["whose task is settled", grace + 1, { status: "succeed", settled: true }, "is settled"],
  ["whose task holds on another shard", grace + 1, { hold: { shard: 1 } as Task["hold"] }, "no such task"],
];

test.each(cases)("a hold %s, %i s old", (_, seconds, task, gap) => {
  const { gaps } = tasksEnd({ unsettledTasks: [held(seconds, task)], now });
  expect(gaps).toEqual(gap === undefined ? [] : [expect.stringContaining(gap)]);
});

test("tasks that await a verdict are counted with all, and named", () => {
  const waiting = held(2 * day, { status: "expired" });
  const { detail } = tasksEnd({ unsettledTasks: [held(1, { status: "queued" }), waiting], now });
  expect(detail).toBe(`2 tasks hold; no verdict yet on ${waiting.id}`);
});

test("points on an item that its wallet does not know are found", () => {
  const organizations = [{ id: "org_1", wallet: { meter: "w", shards: 1, opened: 2 }, subscription: null }];
  const item = { meter: "w", mode: "payg", opened: 1, owner: "", shardsAtRetirement: null, granted: 1n };
  const items = [
    { ...item, shard: 0, opened: 2, owner: "org_1" },
    { ...item, shard: 1 },
  ];
  const gaps = (granted: bigint) => {
    const meters = [...items, { ...item, shard: 2, granted }];
    return metersAreWhole({ organizations, meters, marks: [] } as never).gaps;
  };
  // A growth that died has left an item with nothing on it.
  expect(gaps(0n)).toEqual([]);
  expect(gaps(1n)).toEqual(["w#2 has points, and its wallet has 2 items"]);
});

test("a task is looked for at the organization whose meter holds for it", async () => {
  const asked: string[][] = [];
  const find = async (...place: string[]) => void asked.push(place);
  const organizations = [
    { id: "org_1", wallet: { meter: "w" }, subscription: { meter: "s" } },
    { id: "org_2", wallet: { meter: "v" }, subscription: null },
  ];
  const meters = ["w", "s", "v"].map((meter) => ({
    meter,
    shard: 3,
    tasks: new Map([[`VTK-${meter}`, {}]]),
  }));
  const read = await readHeldTasks({ find } as never, organizations as never, meters as never);
  expect(asked).toEqual([
    ["org_1", "VTK-w"],
    ["org_1", "VTK-s"],
    ["org_2", "VTK-v"],
  ]);
  expect(read[2]).toEqual({ id: "VTK-v", shard: 3, task: undefined });
});
