/** Who may create, see, list and cancel which task, and in which order a request is checked. */
import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { bareId, newId } from "#shared/base/platform/id.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { listTasks, showTask } from "#shared/calls/tasks/show.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { noon, openPlan, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  createVideo,
  createVideoScenario,
  orderVideo,
  type VideoScenario,
  videoBody,
  videoCaller,
  videoRequest,
} from "#test/support/video.ts";

const { db, meters, tasks } = useStores();
let scenario: VideoScenario;
let meter: string;
let caller: Principal;

beforeEach(async () => {
  meter = await openWallet(db, "1");
  caller = videoCaller({ wallet: meter });
  scenario = createVideoScenario(tasks, meters);
});

const create = (body: object | string, change: object = {}, by = caller) => {
  const request = videoRequest(scenario);
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return createVideo(scenario.deps, { ...request, body: bytes, ...change }, by);
};

/** Puts as many tasks on the first shard as it may carry. */
async function fill(meter: string): Promise<void> {
  const item = await getItem(db.aws, db.tables.counters, meterKey(meter, 0));
  const open = Array.from({ length: limits.openTasksMax }, () => [
    `v${bareId(newId("task", noon))}`,
    { N: "0" },
  ]);
  await putItem(db.aws, db.tables.counters, { ...item, ...Object.fromEntries(open) }, []);
}

describe("creating", () => {
  test("answers exactly four fields, under the request's own time-ordered id", async () => {
    const request = videoRequest(scenario);
    const reply = await createVideo(scenario.deps, request, caller);
    expect(JSON.parse(reply.body as string)).toEqual({
      id: `VTK-${request.id.slice(-26)}`,
      model: "test/video-1",
      status: "queued",
      created_at: "2026-11-21T12:30:00.000Z",
    });
  });

  test.each([
    ["no JSON", "invalid_request", "{", {}],
    [
      "a field given twice",
      "invalid_request",
      '{"model":"test/video-1","duration":1,"content":[{"type":"text","text":"a"}],"duration":12}',
      {},
    ],
    ["no model", "invalid_request", { ...videoBody, model: undefined }, {}],
    ["an unknown model before its fields", "not_found", { model: "test/none", content: 5 }, {}],
    [
      "a model of another kind before its fields",
      "invalid_request",
      { model: "test/model-1", content: 5 },
      {},
    ],
    [
      "a missing permission before its fields",
      "permission_denied",
      { model: "test/video-2", content: 5 },
      {},
    ],
    [
      "its fields before its price",
      "invalid_request",
      { ...videoBody, resolution: "1080p", duration: 13 },
      {},
    ],
    [
      "a price the balance does not cover",
      "insufficient_balance",
      { ...videoBody, resolution: "1080p", duration: 12 },
      {},
    ],
  ])("refuses %s", async (_, key, body, change) => {
    await expect(create(body, change)).rejects.toMatchObject({ key });
    const item = await meters.readMeter(meter, 0);
    expect([item?.tasks.size, item?.avail, scenario.executions.size]).toEqual([0, item?.granted, 0]);
  });

  test("needs the permission of the organization and of the key", async () => {
    const body = { ...videoBody, model: "test/video-2" };
    const both = videoCaller({ wallet: meter, permissions: ["AVG_V2"] });
    const keyOnly = { ...both, organization: { ...both.organization, permissions: [] } };
    const organizationOnly = { ...both, key: { ...both.key, permissions: [] } };
    for (const lacking of [keyOnly, organizationOnly])
      await expect(create(body, {}, lacking)).rejects.toMatchObject({ key: "permission_denied" });
    expect(await create(body, {}, both)).toMatchObject({ status: 200 });
  });

  test("is refused while so many tasks are open that their meter would grow too large; calls are not", async () => {
    await fill(meter);
    await expect(create(videoBody)).rejects.toMatchObject({
      key: "rate_limited",
      detail: { message: expect.stringContaining("1000 video tasks"), headers: { "retry-after": "60" } },
    });
    expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(limits.openTasksMax);
    expect(await meters.admit(walletHold(meter, "1"))).toMatchObject({ admitted: true });
  });

  test("finds another shard of its wallet where one is full of tasks", async () => {
    await meters.openShard(meter, 1, 1);
    await meters.useShard(meter, 1, new Map());
    await meters.move(meter, [{ from: 0, to: 1, points: parsePoints("0.9") }]);
    await fill(meter);
    const wide = { ...caller, organization: { ...caller.organization, wallet: { meter, shards: 2 } } };
    for (let calls = 0; calls < 8; calls++) await create({ ...videoBody, duration: 1 }, {}, wide);
    expect((await meters.readMeter(meter, 1))?.tasks.size).toBe(8);
  });

  test("counts in a subscription's minute and month", async () => {
    const plan = videoCaller({ subscription: await openPlan(db) });
    for (let call = 0; call < 3; call++) await create(videoBody, {}, plan);
    await expect(create(videoBody, {}, plan)).rejects.toMatchObject({ key: "rate_limited" });
  });
});

describe("a task that is not the caller's", () => {
  test.each([
    ["malformed", "cgt-1"],
    ["unknown", "VTK-00000000000000000000000000"],
    ["long", `VTK-${"0".repeat(5000)}`],
  ])("is not found when its id is %s", async (_, id) => {
    await expect(showTask(id, caller, scenario.deps)).rejects.toMatchObject({ key: "not_found" });
    await expect(cancelTask(id, caller, scenario.deps)).rejects.toMatchObject({ key: "not_found" });
  });

  test("is not found, neither by another organization nor by another project", async () => {
    const own = videoCaller({ wallet: meter, project: "a" });
    const id = await orderVideo(scenario, own);
    const foreign = { ...own, key: { ...own.key, organization: "org_2", project: "" } };
    const project = videoCaller({ wallet: meter, project: "b" });
    for (const other of [foreign, project]) {
      await expect(showTask(id, other, scenario.deps)).rejects.toMatchObject({ key: "not_found" });
      await expect(cancelTask(id, other, scenario.deps)).rejects.toMatchObject({ key: "not_found" });
      expect((await list("page_size=100", other)).items.map((item) => item.id)).not.toContain(id);
    }
    expect((await list("page_size=100", caller)).items.map((item) => item.id)).toContain(id);
    expect((await list("page_size=100", own)).items.map((item) => item.id)).toContain(id);
  });
});

async function list(
  query: string,
  by = caller,
): Promise<{ items: Record<string, unknown>[]; total: number }> {
  const reply = await listTasks(new URLSearchParams(query), by, scenario.deps);
  return JSON.parse(reply.body as string);
}

describe("the list", () => {
  let own: Principal;
  let ids: string[];
  beforeEach(async () => {
    const permissions = ["AVG_V2" as const];
    own = videoCaller({ wallet: await openWallet(db, "10"), project: meter, permissions });
    ids = [];
    for (const model of ["test/video-1", "test/video-1", "test/video-2"]) {
      scenario.clock.now += 1000;
      ids.unshift(await orderVideo(scenario, own, { ...videoBody, model }));
    }
    await cancelTask(ids[0] ?? "", own, scenario.deps);
  });

  test.each([
    ["", [0, 1, 2], 3],
    ["page_num=1&page_size=2", [0, 1], 3],
    ["page_num=2&page_size=2", [2], 3],
    ["page_num=3&page_size=2", [], 3],
    ["filter.status=queued", [1, 2], 2],
    ["filter.status=cancelled", [0], 1],
    ["filter.status=succeeded", [], 0],
    ["filter.model=TEST/video.1", [1, 2], 2],
    ["filter.model=test/none", [], 0],
  ])("%j gives %j of %i", async (query, wanted, total) => {
    const page = await list(query, own);
    expect([page.items.map((item) => item.id), page.total]).toEqual([wanted.map((i) => ids[i]), total]);
  });

  test("finds several by their ids", async () => {
    const page = await list(`filter.task_ids=${ids[0]}&filter.task_ids=${ids[2]}`, own);
    expect(page.items.map((item) => item.id)).toEqual([ids[0], ids[2]]);
  });

  test.each(["page_num=0", "page_size=501", "page_num=x", "page_size=-1", "filter.status=done"])(
    "refuses %s",
    async (query) => {
      await expect(list(query, own)).rejects.toMatchObject({ key: "invalid_request" });
    },
  );

  test("reads a bounded number of tasks, however many there are", async () => {
    const bounds: number[] = [];
    const list = async (_organization: string, _from: number, most: number) => {
      bounds.push(most);
      return [];
    };
    scenario.deps.tasks = { ...scenario.deps.tasks, list };
    await listTasks(new URLSearchParams(), own, scenario.deps);
    expect(bounds).toEqual([5_000]);
  });

  test("goes back seven days", async () => {
    scenario.clock.now += 7 * 86_400_000 - 1500;
    expect((await list("", own)).total).toBe(2);
  });
});
