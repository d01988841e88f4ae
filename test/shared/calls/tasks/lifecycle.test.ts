/**
 * A task from its creation to each of its ends on the real store: what it holds, what it costs, what its
 * client sees. INVALID_STATE is 40910, UPSTREAM_CANCEL_FAILED 50200.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { errorCodes } from "#shared/base/errors.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import type { TaskCreation } from "#shared/calls/tasks/deps.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { showTask } from "#shared/calls/tasks/show.ts";
import { expectBalanced, expectSums, noon, openPlan, openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  createVideoScenario,
  orderVideo,
  type VideoScenario,
  videoBody,
  videoCaller,
} from "#test/support/video.ts";

const { db, ledger, meters, tasks } = useStores();
let meter: string;
let caller: Principal;
let scenario: VideoScenario;

beforeEach(async () => {
  meter = await openWallet(db, "10");
  caller = videoCaller({ wallet: meter });
  scenario = createVideoScenario(tasks, meters);
});

const step = (task: string, action: "submit" | "poll" = "poll") =>
  work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
const shown = async (task: string): Promise<Record<string, unknown>> =>
  JSON.parse((await showTask(task, caller, scenario.deps)).body as string);
const cancel = (task: string) => cancelTask(task, caller, scenario.deps);
const entryOf = (task: string) => ledger.entry("org_1", task);

/** Wallet figures as decimal points. */
async function wallet(): Promise<{ avail: string; used: string; tasks: number }> {
  const item = await meters.readMeter(meter, 0);
  await expectBalancedWithTasks();
  return {
    avail: formatPoints(item?.avail ?? 0n),
    used: formatPoints(item?.used ?? 0n),
    tasks: item?.tasks.size ?? -1,
  };
}

async function expectBalancedWithTasks(): Promise<void> {
  const item = await meters.readMeter(meter, 0);
  const held = [...(item?.tasks.values() ?? [])].reduce((sum, { points }) => sum + points, 0n);
  expect((item?.avail ?? 0n) + held + (item?.used ?? 0n)).toBe(item?.granted);
}

/** An ordered task that its provider has taken. */
async function submitted(body: object = videoBody): Promise<string> {
  const task = await orderVideo(scenario, caller, body);
  expect(await step(task, "submit")).toEqual({ done: false, wait_seconds: 2, polls: 0 });
  return task;
}

describe("a task that succeeds", () => {
  test("is held for as long as it can be and charged for what was made", async () => {
    const task = await submitted({ ...videoBody, duration: -1 });
    // 12 s × 0.1 × 0.9
    expect(await wallet()).toEqual({ avail: "8.92", used: "0", tasks: 1 });
    expect(await shown(task)).toMatchObject({
      status: "queued",
      duration: 12,
      resolution: "720p",
      ratio: "16:9",
    });

    scenario.provider.tasks.set("cgt-1", "running");
    expect(await step(task)).toEqual({ done: false, wait_seconds: 5, polls: 1 });
    expect(await shown(task)).toMatchObject({ status: "running" });

    scenario.provider.tasks.set("cgt-1", "succeed");
    expect(await step(task)).toMatchObject({ done: true });
    expect(await shown(task)).toEqual({
      id: task,
      model: "test/video-1",
      status: "succeed",
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      created_at: "2026-11-21T12:30:00.000Z",
      updated_at: "2026-11-21T12:30:00.000Z",
      result: { video_url: "https://videos.example/1.mp4" },
      content: { video_url: "https://videos.example/1.mp4" },
    });
    expect(await wallet()).toEqual({ avail: "9.55", used: "0.45", tasks: 0 });
    expect((await entryOf(task))?.event).toMatchObject({
      id: task,
      kind: "video",
      cost_points: "0.45",
      calls: 1,
      usage: { video_seconds: 5 },
      resolution: "720p",
      evidence: "reported",
      outcome: "completed",
      flags: [],
      provider: "ark",
    });
    await expectBalanced(db, meter);
    await expectSums(ledger, "org_1");
  });

  test.each([
    [
      "what was asked, where the provider tells nothing",
      { url: undefined, seconds: undefined, resolution: undefined },
      "0.45",
      ["no_usage"],
    ],
    ["its own resolution", { seconds: 5, resolution: "1080p" }, "0.9", ["overrun"]],
    [
      "the resolution that was asked, where the told one has no price",
      { seconds: 4, resolution: "4k" },
      "0.36",
      ["unpriced_resolution"],
    ],
    ["more than was held, flagged", { seconds: 9, resolution: "720p" }, "0.81", ["overrun"]],
  ])("is charged for %s", async (_, video, cost, flags) => {
    const task = await submitted();
    scenario.provider.video = { ...scenario.provider.video, ...video };
    scenario.provider.tasks.set("cgt-1", "succeed");
    await step(task);
    expect((await entryOf(task))?.event).toMatchObject({ cost_points: cost, flags });
    expect(await wallet()).toMatchObject({ used: cost, tasks: 0 });
  });

  test("costs a subscription one call", async () => {
    meter = await openPlan(db);
    caller = videoCaller({ subscription: meter });
    const task = await submitted();
    const held = (await meters.readMeter(meter, 0))?.tasks.get(task);
    expect(held).toEqual({ points: 0n, tokens: 0, period: "20261121" });
    scenario.provider.tasks.set("cgt-1", "succeed");
    await step(task);
    expect((await entryOf(task))?.event).toMatchObject({ cost_points: "0", list_points: "0.45", calls: 1 });
    const item = await meters.readMeter(meter, 0);
    expect([item?.tasks.size, item?.periods.get("20261121")]).toEqual([0, 1]);
  });
});

describe("a task that fails", () => {
  test("costs nothing, and gives a subscription its call back", async () => {
    meter = await openPlan(db);
    caller = videoCaller({ subscription: meter });
    const task = await submitted();
    scenario.provider.tasks.set("cgt-1", "failed");
    expect(await step(task)).toMatchObject({ done: true });
    expect(await shown(task)).toMatchObject({
      status: "failed",
      error: { code: "OutputVideoSensitive", message: "No." },
    });
    const free = { cost_points: "0", list_points: "0", calls: 0, error: "upstream_error" };
    expect((await entryOf(task))?.event).toMatchObject(free);
    const item = await meters.readMeter(meter, 0);
    expect([item?.tasks.size, item?.periods.get("20261121")]).toEqual([0, 0]);
  });

  test("fails at once where the provider refuses the request", async () => {
    const task = await orderVideo(scenario, caller);
    const error = { code: "InvalidParameter", message: "The ratio is odd." };
    scenario.provider.answers.push({ kind: "refused", error });
    expect(await step(task, "submit")).toMatchObject({ done: true });
    expect(await shown(task)).toMatchObject({ status: "failed", error });
    expect((await entryOf(task))?.event).toHaveProperty("error", "invalid_request");
    expect(await wallet()).toEqual({ avail: "10", used: "0", tasks: 0 });
  });
});

describe("submission", () => {
  test("happens once, whoever comes again", async () => {
    const task = await submitted();
    await Promise.all([step(task, "submit"), step(task, "submit"), step(task)]);
    expect(scenario.provider.requests).toHaveLength(1);
  });

  test("sends the defaults, the client's other fields, and the channel's name for the model", async () => {
    await submitted({ seed: 11, ...videoBody, resolution: null });
    expect(scenario.provider.requests).toEqual([
      {
        model: "upstream-video",
        body:
          '{"seed":11,"ratio":"16:9","duration":5,"generate_audio":true,"model":"test/video-1",' +
          '"content":[{"type":"text","text":"A cat in the rain."}],"resolution":"720p"}',
      },
    ]);
  });

  test("is tried again when it is certain that nothing was created, and never when it is not", async () => {
    const nothing: TaskCreation = { kind: "nothing", reason: "status 429" };
    const task = await orderVideo(scenario, caller);
    scenario.provider.answers.push(nothing, { kind: "uncertain", reason: "first byte timeout" });
    await step(task, "submit");
    await step(task);
    await step(task);
    expect(scenario.provider.requests).toHaveLength(2);
    expect(await shown(task)).toMatchObject({ status: "queued" });
    expect(scenario.logs).toContain("task_uncertain");
  });

  test("carries a request of several parts", async () => {
    const text = "ß".repeat(400_000);
    await submitted({ ...videoBody, content: [{ type: "text", text }] });
    expect(JSON.parse(scenario.provider.requests[0]?.body ?? "")).toMatchObject({ content: [{ text }] });
  });
});

describe("cancelling", () => {
  test("before submission ends the task here, and nothing is ever sent", async () => {
    const task = await orderVideo(scenario, caller);
    expect((await cancel(task)).body).toBe(JSON.stringify({ id: task, status: "cancelled" }));
    expect(await step(task, "submit")).toMatchObject({ done: true });
    expect(scenario.provider.requests).toEqual([]);
    expect(scenario.executions.get(task)).toBe(false);
    expect(await wallet()).toEqual({ avail: "10", used: "0", tasks: 0 });
    expect((await entryOf(task))?.event).toMatchObject({ cost_points: "0", flags: ["cancelled"] });
  });

  test("pitfall 33: after submission cancels the id of this very task at the provider first", async () => {
    const task = await submitted();
    await cancel(task);
    expect(scenario.provider.tasks.get("cgt-1")).toBe("cancelled");
    expect(await shown(task)).toMatchObject({ status: "cancelled" });
    expect(await wallet()).toEqual({ avail: "10", used: "0", tasks: 0 });
    await expect(cancel(task)).rejects.toMatchObject({ key: "invalid_state" });
  });

  test.each([
    ["refuses", { refusesCancel: true }],
    ["is silent", { silent: true }],
    ["begins between our look and our DELETE", { begins: true }],
  ])("changes nothing when the provider %s", async (_, manners) => {
    const task = await submitted();
    Object.assign(scenario.provider, manners);
    await expect(cancel(task)).rejects.toMatchObject({ key: "upstream_cancel_failed" });
    expect(await shown(task)).toMatchObject({ status: "queued" });
    expect(await wallet()).toMatchObject({ tasks: 1 });
    expect([errorCodes.upstream_cancel_failed.code, errorCodes.invalid_state.code]).toEqual([50200, 40910]);
  });

  test.each([
    ["running", "running"],
    ["succeed", "queued"],
    ["failed", "queued"],
  ] as const)(
    "is refused when the provider says %s, no record is deleted, and the worker writes the end",
    async (state, written) => {
      const task = await submitted();
      scenario.provider.tasks.set("cgt-1", state);
      await expect(cancel(task)).rejects.toMatchObject({ key: "invalid_state" });
      expect(await shown(task)).toMatchObject({ status: written });
      await step(task, "poll");
      expect(await shown(task)).toMatchObject({ status: state });
      expect([scenario.provider.tasks.get("cgt-1"), scenario.provider.lost]).toEqual([state, []]);
    },
  );

  test("waits for the id of a task that is being sent", async () => {
    const task = await orderVideo(scenario, caller);
    const { provider } = scenario;
    const { tasks, sleep } = scenario.deps;
    let cancelling: Promise<unknown> = Promise.resolve();
    scenario.deps.provider = {
      ...provider,
      async create(channel, request, sent) {
        cancelling = cancel(task);
        while (scenario.clock.now === noon) await new Promise(setImmediate);
        return await provider.create(channel, request, sent);
      },
    };
    scenario.deps.sleep = async (milliseconds) => {
      await sleep(milliseconds);
      while ((await tasks.find("org_1", task))?.submission === "submitting") await new Promise(setImmediate);
    };
    await step(task, "submit");
    await cancelling;
    expect(provider.tasks.get("cgt-1")).toBe("cancelled");
    expect(await shown(task)).toMatchObject({ status: "cancelled" });
  });

  test("waits for a task that is being sent, and gives up after five seconds", async () => {
    const task = await orderVideo(scenario, caller);
    scenario.provider.answers.push({ kind: "uncertain", reason: "reset" });
    await step(task, "submit");
    const began = scenario.clock.now;
    await expect(cancel(task)).rejects.toMatchObject({ key: "upstream_cancel_failed" });
    expect(scenario.clock.now - began).toBe(5_000);
  });
});
