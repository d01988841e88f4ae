/** Tasks whose creator, execution or provider died, on the real store: every hold has an owner that ends it. */
import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { repairTask, repairTasks } from "#shared/calls/tasks/repair.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { listUnsettled, resolveUnsettled, type UnsettledDeps } from "#shared/calls/tasks/unsettled-tasks.ts";
import { waitAfter } from "#shared/calls/tasks/waits.ts";
import {
  admit,
  intentOf,
  noon,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  createVideo,
  createVideoScenario,
  orderVideo,
  type VideoScenario,
  videoCaller,
  videoRequest,
} from "#test/support/video.ts";
import { newWallet } from "#test/support/wallets.ts";

const { db, ledger, meters, tasks } = useStores();
let meter: string;
let caller: Principal;
let scenario: VideoScenario;

beforeEach(async () => {
  meter = await openWallet(db, "10");
  caller = videoCaller({ wallet: meter });
  scenario = createVideoScenario(tasks, meters);
});

/** The sweep's eyes on this test's own meter. */
const repair = () =>
  repairTasks({ older_than_seconds: 600 }, { ...scenario.deps, meters: { ...meters, everyMeter: ownMeter } });
async function* ownMeter() {
  yield* await meters.shardsOf(meter);
}
const step = (task: string, action: "submit" | "poll" = "poll") =>
  work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
const find = async (task: string): Promise<Task> => {
  const found = await scenario.deps.tasks.find("org_1", task);
  if (!found) throw new Error("no task");
  return found;
};
async function wallet(): Promise<string[]> {
  const item = await meters.readMeter(meter, 0);
  return [formatPoints(item?.avail ?? 0n), formatPoints(item?.used ?? 0n), String(item?.tasks.size)];
}
/** An ordered task that its provider has taken and then forgotten, a day later. */
async function expired(): Promise<string> {
  const task = await orderVideo(scenario, caller);
  await step(task, "submit");
  scenario.provider.silent = true;
  scenario.clock.now += limits.taskLifetimeSeconds * 1000;
  expect(await step(task)).toMatchObject({ done: true });
  return task;
}

describe("a task without a verdict", () => {
  const held = (): UnsettledDeps => ({
    ...scenario.deps,
    meters: { everyMeter: ownMeter },
    accounts: {
      async *organizations() {
        yield { ...caller.organization };
      },
    },
  });

  test("expires after a day with its hold, and is charged as the operator resolves it", async () => {
    const task = await expired();
    expect((await find(task)).status).toBe("expired");
    expect(await wallet()).toEqual(["9.55", "0", "1"]);
    expect(await listUnsettled(true, held())).toMatchObject([
      { id: task, hold_points: "0.45", age_seconds: 86_400, provider: "ark", upstream: "cgt-1" },
    ]);
    await resolveUnsettled(task, 3, held());
    expect(await wallet()).toEqual(["9.73", "0.27", "0"]);
    expect(await find(task)).toMatchObject({ status: "expired", settled: true });
    expect((await ledger.entry("org_1", task))?.points).toBe("0.27");
    await expect(resolveUnsettled(task, 3, held())).rejects.toThrow(/holds anything/);
  });

  test("is charged as it was asked for, or not at all", async () => {
    await resolveUnsettled(await expired(), undefined, held());
    expect(await wallet()).toEqual(["9.55", "0.45", "0"]);
    scenario.provider.silent = false;
    const second = await expired();
    await resolveUnsettled(second, null, held());
    expect(await wallet()).toEqual(["9.55", "0.45", "0"]);
  });

  test("is not resolved while it runs", async () => {
    const task = await orderVideo(scenario, caller);
    await expect(resolveUnsettled(task, null, held())).rejects.toThrow(/awaits no verdict/);
  });

  test("costs nothing when it was never sent", async () => {
    const task = await orderVideo(scenario, caller);
    scenario.clock.now += limits.taskLifetimeSeconds * 1000;
    await step(task);
    expect(await find(task)).toMatchObject({ status: "expired", settled: true });
    expect(await wallet()).toEqual(["10", "0", "0"]);
  });

  test("gets one even at the end of its time", async () => {
    const task = await orderVideo(scenario, caller);
    await step(task, "submit");
    scenario.provider.tasks.set("cgt-1", "succeed");
    scenario.clock.now += limits.taskLifetimeSeconds * 1000;
    await step(task);
    expect((await find(task)).status).toBe("succeed");
  });

  test("is expired by the sweep where no execution can be", async () => {
    const task = await orderVideo(scenario, caller);
    scenario.clock.now += (limits.taskLifetimeSeconds + limits.taskOverdueSeconds) * 1000;
    expect(await repair()).toMatchObject({ expired: 1 });
    expect((await find(task)).status).toBe("expired");
  });
});

describe("a task without an execution", () => {
  test("is kept and held for when the workflow does not start, and started by the sweep", async () => {
    const { workflow } = scenario.deps;
    scenario.deps.workflow = { ...workflow, start: () => Promise.reject(new Error("throttled")) };
    const task = await orderVideo(scenario, caller);
    expect([scenario.executions.size, await wallet()]).toEqual([0, ["9.55", "0", "1"]]);
    scenario.deps.workflow = workflow;
    expect(await repair()).toMatchObject({ driven: 0 });
    scenario.clock.now += 600_000;
    expect(await repair()).toMatchObject({ driven: 1, voided: 0 });
    expect([...scenario.executions]).toEqual([[task, true]]);
  });

  test("is looked after beside others", async () => {
    for (let tasks = 0; tasks < 3; tasks++) await orderVideo(scenario, caller);
    scenario.clock.now += 600_000;
    const all = Promise.withResolvers<true>();
    let starts = 0;
    scenario.deps.workflow.start = async () => {
      if (++starts === 3) all.resolve(true);
      return await all.promise;
    };
    expect(await repair()).toMatchObject({ driven: 3, failed: 0 });
  });

  test("is left to the one that runs, and given the next name when that one has ended", async () => {
    const task = await orderVideo(scenario, caller);
    const { workflow } = scenario.deps;
    await repairTask("org_1", task, scenario.deps);
    expect([...scenario.executions.keys()]).toEqual([task]);
    await workflow.stop(task);
    await Promise.all([repairTask("org_1", task, scenario.deps), repairTask("org_1", task, scenario.deps)]);
    expect([...scenario.executions]).toEqual([
      [task, false],
      [`${task}-r1`, true],
    ]);
    expect((await find(task)).repairs).toBe(1);
    await cancelTask(task, caller, scenario.deps);
    expect(scenario.executions.get(`${task}-r1`)).toBe(false);
    expect(await repairTask("org_1", task, scenario.deps)).toBeUndefined();
  });
});

describe("a hold without a task", () => {
  /** What a creator leaves that dies after its admission. */
  async function orphan(intended: boolean): Promise<string> {
    const request = taskOf(newId("request", noon));
    const hold = { ...walletHold(meter, "2"), request };
    await meters.admit(hold);
    if (intended) await meters.intend({ ...intentOf(hold), kind: "video" });
    scenario.clock.now += 600_000;
    return request;
  }

  test.each([
    ["an intent", true],
    ["nothing else", false],
  ])("and with %s goes back", async (_, intended) => {
    await orphan(intended);
    expect(await wallet()).toEqual(["8", "0", "1"]);
    expect(await repair()).toMatchObject({ voided: 1 });
    expect(await wallet()).toEqual(["10", "0", "0"]);
    expect(await repair()).toMatchObject({ voided: 0, failed: 0 });
  });

  test("never gets one: a creator that comes late is refused and holds nothing", async () => {
    const { tasks } = scenario.deps;
    const request = videoRequest(scenario);
    scenario.deps.tasks = {
      ...tasks,
      async create(task, bytes) {
        scenario.clock.now += 600_000;
        expect(await repair()).toMatchObject({ voided: 1 });
        return await tasks.create(task, bytes);
      },
    };
    await expect(createVideo(scenario.deps, request, caller)).rejects.toMatchObject({
      key: "global_rate_limited",
    });
    expect(await wallet()).toEqual(["10", "0", "0"]);
    expect(await tasks.find("org_1", taskOf(request.id))).toBeUndefined();
    expect(scenario.executions.size).toBe(0);
  });

  test("whose task cannot be written goes back at once", async () => {
    const { tasks } = scenario.deps;
    scenario.deps.tasks = { ...tasks, create: () => Promise.reject(new Error("store down")) };
    await expect(createVideo(scenario.deps, videoRequest(scenario), caller)).rejects.toThrow("store down");
    expect(await wallet()).toEqual(["10", "0", "0"]);
  });

  test("whose task is there all the same, its answer lost, belongs to it", async () => {
    const { tasks } = scenario.deps;
    scenario.deps.tasks = {
      ...tasks,
      async create(task, bytes) {
        await tasks.create(task, bytes);
        throw new Error("answer lost");
      },
    };
    const task = await orderVideo(scenario, caller);
    expect([...scenario.executions.keys()]).toEqual([task]);
    expect(await wallet()).toEqual(["9.55", "0", "1"]);
  });
});

describe("what tasks hold", () => {
  test("on another shard than their own goes back, while they go on", async () => {
    meter = (await newWallet(db, "10", 2)).wallet?.meter ?? "";
    const task = await orderVideo(scenario, videoCaller({ wallet: meter }));
    // An attempt at its admission that was given up, and arrives all the same.
    await meters.admit({ ...walletHold(meter, "0.45"), request: task, shard: 1 });
    scenario.clock.now += 600_000;
    expect(await repair()).toMatchObject({ voided: 1, driven: 1 });
    const shards = await meters.shardsOf(meter);
    expect(shards.map(({ avail, tasks }) => [formatPoints(avail), [...tasks.keys()]])).toEqual([
      ["4.55", [task]],
      ["5", []],
    ]);
  });

  test("is of no concern to the sweep of calls, and keeps its quota month however old", async () => {
    const plan = await openPlan(db);
    caller = videoCaller({ subscription: plan });
    meter = plan;
    const task = await orderVideo(scenario, caller);
    const at = Date.parse("2027-02-21T12:00:00Z");
    for (const id of ["20261221", "20270121", "20270221"]) {
      const hold = planHold(plan, planLimits({ period: { id, ends_at: 0 } }), 0, at);
      await meters.settle(await admit(meters, hold), settlement({ at }));
    }
    const item = await meters.readMeter(plan, 0);
    expect([item?.holds.size, [...(item?.tasks.keys() ?? [])]]).toEqual([0, [task]]);
    expect(item?.periods.get("20261121")).toBe(1);
  });
});

test("looks come fast at first, then at most every minute, and few enough", () => {
  const waits = Array.from({ length: 40 }, (_, polls) => waitAfter(polls));
  expect(waits.slice(0, 3)).toEqual([2, 5, 10]);
  expect(Math.max(...waits)).toBe(60);
  for (const [i, wait] of waits.entries())
    if (i > 2) expect(wait / (waits[i - 1] ?? 1)).toBeLessThanOrEqual(1.6);
  let polls = 0;
  for (let elapsed = 0; elapsed < 180; polls++) elapsed += waitAfter(polls);
  // Wait, Poll and Choice for each look; Submit and the end besides.
  expect(3 * polls + 2).toBeLessThan(40);
});
