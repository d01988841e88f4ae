/** Tasks on wallets of several shards, and tasks that end after their day and month are sealed, on the real store. */
import { describe, expect, test } from "vitest";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { end, type TaskEnding } from "#shared/calls/tasks/end.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { repairTasks } from "#shared/calls/tasks/repair.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { rollupGaps } from "#test/support/books.ts";
import { at, useBooks } from "#test/support/spring.ts";
import { intentOf, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { createVideoScenario, orderVideo, videoCaller } from "#test/support/video.ts";
import { madeVideo } from "#test/support/video-provider.ts";
import { newWallet } from "#test/support/wallets.ts";

const { db, meters, tasks } = useStores();

const newScenario = () => createVideoScenario(tasks, meters);

describe("holds that an admission with lost answers left on two shards", () => {
  /** A wallet of four shards with one point each, and a sweep of its own. */
  async function world() {
    const organization = await newWallet(db, "4", 4);
    const meter = organization.wallet?.meter ?? "";
    const scenario = newScenario();
    const request = taskOf(newId("request", noon));
    const holdOn = async (shard: number) => {
      const hold = { ...walletHold(meter, "0.45"), request, shard };
      await meters.admit(hold);
      return hold;
    };
    async function* everyMeter() {
      yield* await meters.shardsOf(meter);
    }
    return {
      ...{ organization, meter, scenario, request, holdOn },
      repair: () =>
        repairTasks({ older_than_seconds: 0 }, { ...scenario.deps, meters: { ...meters, everyMeter } }),
      shards: async () =>
        (await meters.shardsOf(meter)).map(({ avail, tasks }) => [formatPoints(avail), tasks.size]),
    };
  }

  test("both go back when the task never came", async () => {
    const { organization, repair, shards, holdOn } = await world();
    await holdOn(1);
    const hold = await holdOn(3);
    await meters.intend({ ...intentOf(hold, organization.id), kind: "video" });
    const lost = [
      ["1", 0],
      ["0.55", 1],
      ["1", 0],
      ["0.55", 1],
    ];
    expect(await shards()).toEqual(lost);
    expect(await repair()).toMatchObject({ voided: 2, failed: 0 });
    expect(await shards()).toEqual(lost.map(() => ["1", 0]));
    expect(await repair()).toMatchObject({ voided: 0, failed: 0 });
  });

  test("the one that is not the task's goes back, and the task pays with its own", async () => {
    const { meter, scenario, repair, shards } = await world();
    const caller = videoCaller({ wallet: meter });
    const id = await orderVideo(scenario, caller);
    const task = (await scenario.deps.tasks.find("org_1", id)) as Task;
    const stray = { ...walletHold(meter, "0.45"), request: id, shard: 2 };
    await meters.admit(stray);
    expect(await repair()).toMatchObject({ voided: 1, driven: 1 });
    expect(await shards()).toEqual([
      ["0.55", 1],
      ["1", 0],
      ["1", 0],
      ["1", 0],
    ]);
    for (const action of ["submit", "poll"] as const) {
      scenario.provider.tasks.set("cgt-1", "succeed");
      await work({ action, task: id, organization: "org_1", polls: 0 }, scenario.deps);
    }
    expect(await scenario.deps.tasks.find("org_1", id)).toMatchObject({ status: "succeed", settled: true });
    expect(await shards()).toEqual([
      ["0.55", 0],
      ["1", 0],
      ["1", 0],
      ["1", 0],
    ]);
    expect(task.hold.shard).toBe(0);
  });
});

describe("a task that ends after its day", () => {
  const spring = useBooks();

  test("reaches its hour, and its day and month where they are sealed, as a late call does", async () => {
    const { organization } = spring.books;
    const meter = await openWallet(spring.db, "10", organization);
    const clock = { now: at("2026-03-31T23:58:00Z") };
    const tasks = createTasks(spring.db.aws, spring.db.tables, () => clock.now);
    const scenario = createVideoScenario(tasks, createMeters(spring.db.aws, spring.db.tables));
    const caller = videoCaller({ wallet: meter, project: "alpha" });
    caller.key.organization = organization;
    scenario.clock.now = clock.now;
    const ids = [];
    for (let each = 0; each < 3; each++) ids.push(await orderVideo(scenario, caller));
    const endAt = async (id: string | undefined, now: string, result: TaskEnding) => {
      clock.now = scenario.clock.now = at(now);
      const task = (await tasks.find(organization, id ?? "")) as Task;
      const { done } = await end(task, result, scenario.deps);
      expect(done).toBe(true);
      const entry = await spring.books.ledger.entry(organization, task.id);
      if (entry?.event) spring.books.posted.set(task.id, entry.event);
    };
    const costs = async () =>
      await Promise.all(
        ["2026-03-31T23", "2026-03-31", "2026-03"].map((span) => spring.costOf(span, "test/video-1")),
      );
    const made: TaskEnding = { status: "succeed", video: madeVideo };
    const nowhere = [undefined, undefined];
    // A call of that day, so that there is something to seal before the tasks come.
    await spring.postOn("2026-03-31T12:00:00Z");

    await endAt(ids[0], "2026-04-01T00:01:00Z", made);
    expect(await costs()).toEqual([["0.45", "0.45"], nowhere, nowhere]);
    await spring.books.seal(at("2026-04-01T02:00:00Z"));
    expect(await costs()).toEqual(Array(3).fill(["0.45", "0.45"]));
    await endAt(ids[1], "2026-04-01T02:01:00Z", made);
    expect(await costs()).toEqual(Array(3).fill(["0.9", "0.9"]));
    await endAt(ids[2], "2026-04-01T23:00:00Z", {
      ...{ status: "failed", key: "upstream_error", error: { code: "E", message: "No." } },
    });
    expect(await costs()).toEqual(Array(3).fill(["0.9", "0.9"]));

    await spring.expectReports();
    expect(await rollupGaps(spring.db)).toEqual([]);
    const item = await createMeters(spring.db.aws, spring.db.tables).readMeter(meter, 0);
    expect([formatPoints(item?.used ?? 0n), item?.tasks.size]).toEqual(["0.9", 0]);
  });
});
