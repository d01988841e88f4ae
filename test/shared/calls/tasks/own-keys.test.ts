/** Videos with an organization's own key: whose key makes and asks, what is held and charged, and what a refusal does. */
import { describe, expect, test } from "vitest";
import type { Principal } from "#shared/books/accounts/account.ts";
import type { OwnKey } from "#shared/books/accounts/own-key.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { resolve } from "#shared/calls/tasks/end.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { ownKeyAt } from "#test/support/own-keys.ts";
import { createTaskBooks } from "#test/support/task-books.ts";
import { createVideoScenario, orderVideo, videoCaller } from "#test/support/video.ts";

const own = ownKeyAt("ark");
const first = ownKeyAt("ark", { use: "first" });
const after = ownKeyAt("ark", { use: "after" });
const refused = { kind: "nothing", reason: "status 401", status: 401, account: "key" } as const;
const busy = { kind: "nothing", reason: "status 429", status: 429 } as const;
const [fee, list] = ["0.045", "0.45"];

/** A wallet, and a fee of a tenth for own keys. The video costs 0.45 at list price. */
function opened(...provider_keys: OwnKey[]) {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  scenario.deps.catalog = { ...scenario.deps.catalog, ownFee: () => ({ share: "0.1" }) };
  const { key, organization } = videoCaller({ wallet: "mtr_1" });
  const caller: Principal = { key, organization: { ...organization, provider_keys } };
  const step = async (task: string, action: "submit" | "poll") =>
    await work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
  return {
    books,
    scenario,
    caller,
    order: () => orderVideo(scenario, caller),
    submit: (task: string) => step(task, "submit"),
    poll: (task: string) => step(task, "poll"),
    keysSent: () => scenario.provider.requests.map((request) => request.own ?? "ours"),
    holds: () => [...books.holds.values()].map(formatPoints),
    made: async (task: string) => {
      for (const id of scenario.provider.tasks.keys()) scenario.provider.tasks.set(id, "succeed");
      await step(task, "poll");
      return books.entries.get(task);
    },
  };
}

describe("a key that serves alone", () => {
  test("makes the video and is asked for it, and our fee is held and charged", async () => {
    const { scenario, order, submit, keysSent, holds, made } = opened(own);
    const task = await order();
    expect(holds()).toEqual([fee]);
    await submit(task);
    expect(await made(task)).toMatchObject({ cost_points: fee, list_points: fee, own_fee: { share: "0.1" } });
    expect([keysSent(), scenario.provider.askedWith]).toEqual([[own.sealed], [own.sealed]]);
  });

  test("stays with the task until it is settled, and no longer, however it ends", async () => {
    const { books, scenario, caller, order, submit, made } = opened(own);
    const keysOf = (task: string) => books.kept.get(task)?.own?.keys;
    const [good, bad, gone] = [await order(), await order(), await order()];
    for (const task of [good, gone]) await submit(task);
    expect([good, bad, gone].map(keysOf)).toEqual([[own], [own], [own]]);
    await cancelTask(gone, caller, scenario.deps);
    await made(good);
    scenario.provider.answers.push(refused);
    await submit(bad);
    expect([good, bad, gone].map(keysOf)).toEqual([[], [], []]);
    expect(books.kept.get(good)?.own?.fee).toEqual({ share: "0.1" });
  });

  test("goes on making what it has begun, when the organization has another one", async () => {
    const { scenario, caller, order, submit, made } = opened(own);
    const task = await order();
    await submit(task);
    caller.organization.provider_keys = [ownKeyAt("ark", { sealed: "sk-another" })];
    expect((await made(task))?.cost_points).toBe(fee);
    expect(scenario.provider.askedWith).toEqual([own.sealed]);
  });

  test("cancels what it has begun", async () => {
    const { books, scenario, caller, order, submit } = opened(own);
    const task = await order();
    await submit(task);
    await cancelTask(task, caller, scenario.deps);
    expect(scenario.provider.askedWith).toEqual([own.sealed, own.sealed]);
    expect(books.entries.get(task)).toMatchObject({ cost_points: "0", outcome: "failed" });
  });

  test("that its provider refuses fails the task at once, and nothing is held", async () => {
    const { books, scenario, order, submit, keysSent } = opened(own);
    scenario.provider.answers.push(refused);
    const task = await order();
    expect((await submit(task)).done).toBe(true);
    expect(books.kept.get(task)).toMatchObject({ status: "failed", error: { code: "OwnKeyRefused" } });
    expect(books.kept.get(task)?.error?.message).toContain("ark refuses your organization's own key");
    expect([keysSent(), books.holds.size, books.entries.get(task)?.cost_points]).toEqual([
      [own.sealed],
      0,
      "0",
    ]);
    expect(scenario.logs).not.toContain("task_account_refused");
  });

  test("is tried again where its provider limits it, and never ours", async () => {
    const { books, scenario, order, submit, poll, keysSent } = opened(own);
    scenario.provider.answers.push(busy);
    const task = await order();
    await submit(task);
    expect(books.kept.get(task)?.submission).toBe("unsubmitted");
    await poll(task);
    expect([keysSent(), books.kept.get(task)?.submission]).toEqual([[own.sealed, own.sealed], "submitted"]);
  });

  test("pays for a video of which nobody knows whether it was made, when the operator says so", async () => {
    const { books, scenario, order, submit, poll } = opened(own);
    scenario.provider.answers.push({ kind: "uncertain", reason: "status 502" });
    const task = await order();
    await submit(task);
    scenario.clock.now += scenario.deps.lifetimeSeconds * 1000;
    await poll(task);
    const expired = await books.tasks.find("org_1", task);
    if (!expired) throw new Error("no task");
    await resolve(expired, 5, scenario.deps);
    expect(books.entries.get(task)).toMatchObject({ cost_points: fee, own_fee: { share: "0.1" } });
  });

  test("of which no video was ordered charges nobody a fee", async () => {
    const { books, scenario, caller, order } = opened(own);
    const task = await order();
    await cancelTask(task, caller, scenario.deps);
    expect(books.entries.get(task)).not.toHaveProperty("own_fee");
  });
});

describe("a key beside ours", () => {
  test.each([
    ["first", first, [first.sealed], fee],
    ["after", after, ["ours"], list],
  ])(
    "that serves %s is held for at the dearer price, and who made it is charged",
    async (_, key, sent, cost) => {
      const { order, submit, keysSent, holds, made } = opened(key);
      const task = await order();
      expect(holds()).toEqual([list]);
      await submit(task);
      expect([(await made(task))?.cost_points, keysSent()]).toEqual([cost, sent]);
    },
  );

  test("that fails leaves the video to ours, at its price", async () => {
    const { scenario, order, submit, keysSent, made } = opened(first);
    scenario.provider.answers.push(refused);
    const task = await order();
    await submit(task);
    expect([(await made(task))?.cost_points, keysSent()]).toEqual([list, [first.sealed, "ours"]]);
    expect(scenario.provider.askedWith).toEqual([undefined]);
    expect(scenario.logs).toContain("own_key_failed");
  });

  test("makes the video where ours is refused, and ours wakes the operator", async () => {
    const { scenario, order, submit, keysSent, made } = opened(after);
    scenario.provider.answers.push(refused);
    const task = await order();
    await submit(task);
    expect([(await made(task))?.cost_points, keysSent()]).toEqual([fee, ["ours", after.sealed]]);
    expect(scenario.logs).toContain("task_account_refused");
  });
});

test("a key at another provider changes nothing", async () => {
  const { books, order, submit, keysSent, holds, made } = opened(ownKeyAt("test"));
  const task = await order();
  expect([holds(), books.kept.get(task)]).toEqual([
    [list],
    expect.not.objectContaining({ own: expect.anything() }),
  ]);
  await submit(task);
  expect([(await made(task))?.cost_points, keysSent()]).toEqual([list, ["ours"]]);
});
