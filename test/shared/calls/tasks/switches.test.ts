/** A video's tier of service and its searches: refused without a rate, held for at the most, charged as it was made. */
import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { openWallet } from "#test/support/store.ts";
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
const entryOf = (task: string) => ledger.entry("org_1", task);
const available = async () => formatPoints((await meters.readMeter(meter, 0))?.avail ?? 0n);

/** An ordered task that its provider has taken. */
async function submitted(body: object): Promise<string> {
  const task = await orderVideo(scenario, caller, body);
  await step(task, "submit");
  return task;
}

describe("a video", () => {
  test.each([
    ["flex", { service_tier: "flex" }, "0.225", []],
    ["what was asked, where the provider does not say", undefined, "0.225", []],
    ["the standard tier, where the provider made it at that", { service_tier: "default" }, "0.45", []],
    // The task keeps the rates of what was asked for alone.
    [
      "no search that was not asked for",
      { service_tier: "default", calls: { web_search: 1 } },
      "0.45",
      ["unpriced_switch"],
    ],
    ["a tier without a rate, flagged", { service_tier: "scale" }, "0.45", ["unpriced_switch"]],
  ])("at another tier is held at the dearest and charged for %s", async (_, details, cost, flags) => {
    const task = await submitted({ ...videoBody, service_tier: "flex", tools: [] });
    expect(await available()).toBe("9.55");
    scenario.provider.video = { ...scenario.provider.video, ...(details && { details }) };
    scenario.provider.tasks.set("cgt-1", "succeed");
    await step(task);
    expect((await entryOf(task))?.event).toMatchObject({ cost_points: cost, flags });
  });

  test("costs its searches where it was allowed to search", async () => {
    const task = await submitted({ ...videoBody, tools: [{ type: "web_search" }] });
    scenario.provider.video = { ...scenario.provider.video, details: { calls: { web_search: 2 } } };
    scenario.provider.tasks.set("cgt-1", "succeed");
    await step(task);
    // 5 s × 0.1 × 0.9 and two searches at 0.01 × 0.9.
    expect((await entryOf(task))?.event).toMatchObject({ cost_points: "0.468", flags: [] });
  });

  test("costs no more searches than were held for where far more are reported than can be", async () => {
    const task = await submitted({ ...videoBody, tools: [{ type: "web_search" }] });
    const held = await available();
    const web_search = limits.plausibleFactor * limits.serverToolCalls + 1;
    scenario.provider.video = { ...scenario.provider.video, details: { calls: { web_search } } };
    scenario.provider.tasks.set("cgt-1", "succeed");
    await step(task);
    expect((await entryOf(task))?.event).toMatchObject({
      usage: { details: { calls: { web_search: limits.serverToolCalls } } },
      reported: { video_seconds: 5, details: { calls: { web_search } } },
      flags: ["implausible"],
    });
    expect(await available()).toBe(held);
  });

  test("is refused at a tier that has no rate, by name", async () => {
    await expect(orderVideo(scenario, caller, { ...videoBody, service_tier: "turbo" })).rejects.toThrow(
      "`service_tier` (turbo)",
    );
    expect(await available()).toBe("10");
  });
});
