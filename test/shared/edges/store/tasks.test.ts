/** The store of tasks: every write is refused when the task is not where it was read, and ends exclude each other. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { end, expire } from "#shared/calls/tasks/end.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import type { Task, TaskChange } from "#shared/calls/tasks/task.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { meterKey, taskKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem, updateItem } from "#shared/edges/store/dynamodb/items.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { expectBalanced, noon, openPlan, openWallet, repeating, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { createVideoScenario, orderVideo, type VideoScenario, videoCaller } from "#test/support/video.ts";
import { madeVideo } from "#test/support/video-provider.ts";

const { db, ledger, meters, tasks } = useStores();
let scenario: VideoScenario;
let meter: string;

beforeEach(async () => {
  meter = await openWallet(db, "10");
  scenario = createVideoScenario(tasks, meters);
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function ordered(): Promise<Task> {
  const id = await orderVideo(scenario, videoCaller({ wallet: meter }));
  const task = await scenario.deps.tasks.find("org_1", id);
  if (!task) throw new Error("no task");
  return task;
}

test("the price of a video is in the history with its entry", async () => {
  const task = await ordered();
  await scenario.deps.tasks.change(task, { submission: "submitted" });
  const sent: Task = { ...task, submission: "submitted" };
  expect(await end(sent, { status: "succeed", video: madeVideo }, scenario.deps)).toMatchObject({
    done: true,
  });
  const found = await Array.fromAsync(ledger.prices(task.price.version));
  expect(found).toMatchObject([{ model: task.model, ...task.price }]);
});

test.each([
  ["points alone", {}, {}],
  [
    "a key with a budget",
    { key: "k0123456789", budgets: [{ counter: "k0123456789:bt", points: parsePoints("0.45") }] },
    { key: "k0123456789", budget: "k0123456789:bt", budget_points: "0.45" },
  ],
  [
    "several budgets",
    {
      budgets: ["O:bm202611", "PAAAAAAAA:bt", "CAAAAAAAA:bd20778"].map((counter) => ({
        counter,
        points: parsePoints("0.45"),
      })),
    },
    { budget: "O:bm202611", budgets: ["PAAAAAAAA:bt", "CAAAAAAAA:bd20778"], budget_points: "0.45" },
  ],
])("its hold is stored in decimal strings, as it always was: %s", async (_, change, stored) => {
  const task = await ordered();
  const id = newId("task", noon);
  const kept: Task = { ...task, id, hold: { ...task.hold, ...change } };
  await scenario.deps.tasks.create(kept, Buffer.alloc(0));
  const item = await getItem(db.aws, db.tables.tasks, taskKey("org_1", id));
  expect(item?.hold).toEqual(
    toItem({ hold: { meter, shard: 0, mode: "payg", points: "0.45", period: "", ...stored } }).hold,
  );
  expect(await scenario.deps.tasks.find("org_1", id)).toEqual(kept);
});

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
    expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(1);
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

test("a key with limits of its own holds and gives back in its own name", async () => {
  const plan = await openPlan(db);
  const caller = videoCaller({ subscription: plan });
  caller.key.limits = { rpm: 2, max_concurrency: 1 };
  const held = async () => await meters.readMeter(plan, 0);
  for (let calls = 0; calls < 2; calls++) {
    const task = await orderVideo(scenario, caller);
    expect((await held())?.tasks.get(task)).toHaveProperty("key");
    await cancelTask(task, caller, scenario.deps);
  }
  await expect(orderVideo(scenario, caller)).rejects.toMatchObject({ key: "rate_limited" });
  expect([(await held())?.tasks.size, (await held())?.periods.get("20261121") ?? 0]).toEqual([0, 0]);
});

test("a task ends also when its organization was frozen and its key revoked meanwhile", async () => {
  const { id } = await ordered();
  const step = (action: "submit" | "poll") =>
    work({ action, task: id, organization: "org_1", polls: 0 }, scenario.deps);
  await step("submit");
  const { key } = videoCaller();
  const marks = toItem({ fz: true, [names.ended(key.id)]: BigInt(Date.now()) });
  await updateItem(db.aws, { table: db.tables.counters, key: meterKey(meter, 0), set: marks });
  scenario.provider.tasks.set("cgt-1", "succeed");
  expect(await step("poll")).toMatchObject({ done: true });
  expect(await meters.readMeter(meter, 0)).toMatchObject({
    frozen: true,
    tasks: new Map(),
    used: parsePoints("0.45"),
  });
});

test("a cancel that the store is too busy for can be repeated", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const caller = videoCaller({ wallet: meter });
  const { id } = await ordered();
  await work({ action: "submit", task: id, organization: "org_1", polls: 0 }, scenario.deps);
  const CancellationReasons = [{ Code: "TransactionConflict" }];
  const busy = (async (service, action, input) => {
    if (action !== "TransactWriteItems") return await db.aws(service, action, input);
    throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
  }) as typeof db.aws;
  const tasks = createTasks(busy, db.tables);
  await expect(cancelTask(id, caller, { ...scenario.deps, tasks })).rejects.toMatchObject({
    key: "global_rate_limited",
  });
  expect(await cancelTask(id, caller, scenario.deps)).toMatchObject({ status: 200 });
});

test("lists the newest tasks, newest first, and reads no more than it may", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    scenario.clock.now += 1000;
    ids.unshift((await ordered()).id);
  }
  const asked: object[] = [];
  const aws = (async (...given: Parameters<typeof db.aws>) => {
    asked.push(given[2] as object);
    return await db.aws(...given);
  }) as typeof db.aws;
  const listed = await createTasks(aws, db.tables).list("org_1", 0, 3);
  expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(asked).toMatchObject([{ Limit: 3 }]);
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
  const hold = { ...walletHold(meter, "0.45"), request: newId("task", noon) };
  const held = { meter, shard: 0, mode: "payg", points: parsePoints("0.45"), tokens: 0, period: "" } as const;
  for (let admissions = 0; admissions < 2; admissions++) {
    expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    expect(await scenario.deps.tasks.bar(held, "org_1", hold.request)).toBe(true);
    expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(0);
  }
});

test("a task whose place is barred already is refused, and its hold goes back", async () => {
  const create = async (task: Task, request: Buffer) => {
    await updateItem(db.aws, {
      table: db.tables.tasks,
      key: taskKey(task.organization, task.id),
      set: toItem({ barred: true }),
    });
    return await tasks.create(task, request);
  };
  const deps = { ...scenario.deps, tasks: { ...tasks, create } };
  const order = orderVideo({ ...scenario, deps }, videoCaller({ wallet: meter }));
  await expect(order).rejects.toMatchObject({ key: "global_rate_limited" });
  expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(0);
  expect(scenario.executions.size).toBe(0);
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
      cancelTask(id, caller, scenario.deps),
      ...(found && round % 2 === 0 ? [expire(found, scenario.deps)] : []),
    ]);
    const task = await scenario.deps.tasks.find("org_1", id);
    const held = (await meters.readMeter(meter, 0))?.tasks.has(id);
    expect(task?.settled, `round ${round}`).toBe(!held);
    if (task?.status === "cancelled" && task.upstream)
      expect(scenario.provider.tasks.get(task.upstream.id)).toBe("cancelled");
    expect(scenario.provider.lost).toEqual([]);
  }
});
