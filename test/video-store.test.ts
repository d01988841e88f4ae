/** The store of tasks: every write is refused when the task is not where it was read, and ends exclude each other. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Task, TaskChange } from "#shared/billing/task.ts";
import { newId } from "#shared/platform/id.ts";
import { createMeters } from "#shared/store/meters.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { cancelTask } from "#shared/tasks/cancel.ts";
import { end, expire } from "#shared/tasks/end.ts";
import { work } from "#shared/tasks/poll.ts";
import { startDynamoDb, type TestDynamoDb } from "./support/dynamodb.ts";
import { expectBalanced, noon, openWallet, repeating, walletHold } from "./support/store.ts";
import { createVideoScenario, orderVideo, type VideoScenario, videoCaller } from "./support/video.ts";
import { madeVideo } from "./support/video-provider.ts";

let db: TestDynamoDb;
let scenario: VideoScenario;
let meter: string;

beforeAll(async () => {
  db = await startDynamoDb();
});
afterAll(() => db.stop());
beforeEach(async () => {
  meter = await openWallet(db, "10");
  scenario = createVideoScenario(createTasks(db.aws, db.tables), createMeters(db.aws, db.tables));
});

async function ordered(): Promise<Task> {
  const id = await orderVideo(scenario, videoCaller({ wallet: meter }));
  const task = await scenario.deps.tasks.find("org_1", id);
  if (!task) throw new Error("no task");
  return task;
}

/** What others may have written meanwhile, each changing one thing that a write depends on. */
const meanwhile: [what: string, change: TaskChange][] = [
  ["its status", { status: "running" }],
  ["its submission", { submission: "submitting" }],
  ["its mark", { mark: "another's" }],
];

describe("a write on a task that has changed", () => {
  test.each(meanwhile)("in %s does nothing, and shows it as it is", async (_, change) => {
    const task = await ordered();
    const { tasks } = scenario.deps;
    expect(await tasks.change(task, change)).toMatchObject({ done: true, task: change });
    const stale = await tasks.change(task, { updated_at: 1 });
    expect(stale).toEqual({ done: false, task: { ...task, ...change } });
    const late = await end(task, { status: "succeed", video: madeVideo }, scenario.deps);
    expect(late).toEqual({ done: false, task: { ...task, ...change } });
    expect((await createMeters(db.aws, db.tables).readMeter(meter, 0))?.tasks.size).toBe(1);
  });

  test("in being settled does nothing", async () => {
    const task = await ordered();
    const { tasks } = scenario.deps;
    await tasks.change(task, { submission: "submitted" });
    const sent: Task = { ...task, submission: "submitted" };
    const expired = (await expire(sent, scenario.deps)).task;
    const settled = await end(expired, { status: "expired" }, scenario.deps);
    expect([expired.settled, settled.done, settled.task.settled]).toEqual([false, true, true]);
    expect(await end(expired, { status: "expired" }, scenario.deps)).toMatchObject({ done: false });
    expect(await tasks.change(expired, { updated_at: 1 })).toMatchObject({ done: false });
  });

  test("counts a repair once, and minds no other's for the rest", async () => {
    const task = await ordered();
    const { tasks } = scenario.deps;
    expect(await tasks.change(task, { repairs: 1 })).toMatchObject({ done: true });
    expect(await tasks.change(task, { repairs: 1 })).toMatchObject({ done: false, task: { repairs: 1 } });
    expect(await tasks.change(task, { mark: "m" })).toMatchObject({
      done: true,
      task: { repairs: 1, mark: "m" },
    });
  });
});

test("a store whose every first answer is lost changes nothing", async () => {
  scenario.deps.tasks = createTasks(repeating(db.aws), db.tables);
  const { id } = await ordered();
  const step = (action: "submit" | "poll") =>
    work({ action, task: id, organization: "org_1", polls: 0 }, scenario.deps);
  await step("submit");
  scenario.provider.tasks.set("cgt-1", "running");
  await step("poll");
  scenario.provider.tasks.set("cgt-1", "succeed");
  expect(await step("poll")).toMatchObject({ done: true });
  expect(scenario.provider.requests).toHaveLength(1);
  await expectBalanced(db, meter);
});

test("a hold that an admission takes again, come late, goes back although its task is barred already", async () => {
  const meters = createMeters(db.aws, db.tables);
  const hold = { ...walletHold(meter, "0.45"), request: newId("task", noon) };
  const held = { meter, shard: 0, mode: "payg", points: "0.45", period: "" } as const;
  for (let admissions = 0; admissions < 2; admissions++) {
    expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    expect(await scenario.deps.tasks.bar(held, "org_1", hold.request)).toBe(true);
    expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(0);
  }
});

test("pollers, a cancel and an end of time at once leave one end and one entry", async () => {
  const caller = videoCaller({ wallet: meter });
  for (let round = 0; round < 12; round++) {
    const { id } = await ordered();
    const step = (action: "submit" | "poll") =>
      work({ action, task: id, organization: "org_1", polls: 0 }, scenario.deps);
    if (round % 3 !== 0) await step("submit");
    const upstream = `cgt-${scenario.provider.requests.length}`;
    if (round % 3 === 2) scenario.provider.tasks.set(upstream, "succeed");
    const found = await scenario.deps.tasks.find("org_1", id);
    await Promise.allSettled([
      step("submit"),
      step("poll"),
      step("poll"),
      cancelTask(scenario.deps, id, caller),
      ...(found && round % 2 === 0 ? [expire(found, scenario.deps)] : []),
    ]);
    const task = await scenario.deps.tasks.find("org_1", id);
    const held = (await createMeters(db.aws, db.tables).readMeter(meter, 0))?.tasks.has(id);
    expect(task?.settled, `round ${round}`).toBe(!held);
    if (task?.status === "cancelled" && task.upstream)
      expect(scenario.provider.tasks.get(task.upstream.id)).toBe("cancelled");
    expect(scenario.provider.lost).toEqual([]);
  }
});
