/**
 * Creations of video tasks that carry an `Idempotency-Key`: one task, one hold, one video, however often they are sent.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { repairTasks } from "#shared/calls/tasks/repair.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { type Answer, call } from "#test/support/call.ts";
import { startDynamoDb, type TestDynamoDb } from "#test/support/dynamodb.ts";
import { expectStyle } from "#test/support/error-shape.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { counting, openWallet } from "#test/support/store.ts";
import { createVideoScenario, type VideoScenario, videoBody, withVideo } from "#test/support/video.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const tasksPath = "/api/v3/contents/generations/tasks";
let db: TestDynamoDb;
let memory: Memory;
let meters: Meters;
let meter: string;
let organization: string;
let deps: VideoScenario["deps"] & Memory["deps"];
let executions: VideoScenario["executions"];
let serve: Pipeline;
let secret: string;
let units: Map<string, number>;

beforeAll(async () => {
  db = await startDynamoDb();
});
afterAll(() => db.stop());

beforeEach(async () => {
  const counted = counting(db.aws);
  units = counted.units;
  meters = createMeters(counted.aws, db.tables);
  memory = createMemory(withVideo(testCatalog("http://127.0.0.1:9"), "http://127.0.0.1:9"));
  memory.deps.meters = meters;
  memory.deps.replays = createReplays(counted.aws, db.tables);
  meter = await openWallet(db, "10");
  organization = `org_${randomUUID()}`;
  const owner = { id: organization, wallet: { meter, shards: 1 } };
  secret = memory.addKey({ organization }, owner);
  const scenario = createVideoScenario(createTasks(counted.aws, db.tables), meters);
  deps = Object.assign({}, scenario.deps, memory.deps);
  executions = scenario.executions;
  serve = createPipeline(localAnswers(deps), deps);
});

const create = (body: object = videoBody, key: string | undefined = "k") => {
  const headers = { authorization: `Bearer ${secret}`, ...(key !== "" && { "idempotency-key": key }) };
  return call(serve, tasksPath, { headers, body, timeLeft: 10 * limits.holdExpirySeconds * 1000 });
};
const made = () => deps.tasks.list(organization, 0, 100);
const holds = async () => (await meters.readMeter(meter, 0))?.tasks.size;
const later = (seconds: number) => {
  const { now } = deps;
  deps.now = () => now() + seconds * 1000;
};
const outliveHolds = () => later(limits.holdExpirySeconds + 1);

function expectConflict(reply: Answer): void {
  expect([reply.status, reply.headers["x-should-retry"]]).toEqual([409, "false"]);
  expectStyle("video", reply.json());
  expect(reply.json()).toMatchObject({ error: { code: "INVALID_STATE" } });
}

describe("a repeated creation", () => {
  test("is given the first answer: one task, one hold, one execution", async () => {
    const first = await create();
    const again = await create();
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers).toMatchObject({
      "content-type": first.headers["content-type"],
      "x-gateway-replayed": first.id,
      "x-request-id": again.id,
    });
    expect(first.headers["x-gateway-replayed"]).toBeUndefined();
    expect([(await made()).length, await holds(), executions.size]).toEqual([1, 1, 1]);
  });

  test("is given it whatever the task has come to, and however late in the day", async () => {
    const first = await create();
    const [task] = await made();
    if (task) await deps.tasks.change(task, { status: "running" });
    later(limits.idempotencySeconds - 5);
    expect((await create()).text).toBe(first.text);
    expect((await made()).map(({ status }) => status)).toEqual(["running"]);
    later(10);
    expect((await create()).headers["x-gateway-replayed"]).toBeUndefined();
    expect((await made()).length).toBe(2);
  });

  test("with another body is refused, in the style of the route", async () => {
    await create();
    const other = await create({ ...videoBody, duration: 1 });
    expect(other.status).toBe(400);
    expectStyle("video", other.json());
    expect(other.text).toContain("used with another request");
    expect((await made()).length).toBe(1);
  });

  test("is another creation for another key or caller, and without the header", async () => {
    const wallet = { meter: await openWallet(db, "10"), shards: 1 };
    await create();
    await create(videoBody, "k-2");
    await create(videoBody, "");
    await create(videoBody, "");
    secret = memory.addKey({ organization }, { id: organization, wallet });
    await create();
    expect((await made()).length).toBe(5);
  });

  test("takes one unit more than one without the header, and what is given again only a hold for a moment", async () => {
    const written = () => (units.get("PutItem") ?? 0) + (units.get("UpdateItem") ?? 0);
    const costOf = async (key: string) => {
      const before = written();
      expect((await create(videoBody, key)).status).toBe(200);
      return written() - before;
    };
    // The first call of the day marks the meter too.
    await costOf("");
    const plain = await costOf("");
    expect(await costOf("k")).toBe(plain + 1);
    units.clear();
    await create();
    // The hold and its end, the intent, the task.
    expect(Object.fromEntries(units)).toEqual({ UpdateItem: 2, PutItem: 1, GetItem: 1 });
  });

  test("without the header asks nothing of the store of keys", async () => {
    deps.replays.claim = () => Promise.reject(new Error("asked"));
    expect((await create(videoBody, "")).status).toBe(200);
  });

  test("that was refused runs, whatever it asks for", async () => {
    expect((await create({ ...videoBody, duration: 99 })).status).toBe(400);
    expect((await create({ ...videoBody, model: "test/video-2" })).status).toBe(403);
    expect((await create()).status).toBe(200);
  });
});

test("20 at once are one task and one hold; the twins are refused or given its answer", async () => {
  const { create: put } = deps.tasks;
  const opened = Promise.withResolvers<void>();
  deps.tasks.create = async (...task) => {
    await opened.promise;
    return await put(...task);
  };
  const twins = Array.from({ length: 20 }, () => create());
  await settledBut(twins, 1);
  opened.resolve();
  const replies = await Promise.all(twins);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const reply of replies) if (reply.status !== 200) expectConflict(reply);
  expect([(await made()).length, await holds(), executions.size]).toEqual([1, 1, 1]);
});

/** Resolves when all but `left` of the promises are settled. */
function settledBut(promises: Promise<unknown>[], left: number): Promise<void> {
  return new Promise((resolve) => {
    let open = promises.length;
    for (const each of promises) void each.finally(() => --open === left && resolve());
  });
}

/** The writes of a creation, in their order. */
const writes = [
  ["replays", "claim"],
  ["meters", "admit"],
  ["meters", "intend"],
  ["tasks", "create"],
  ["workflow", "start"],
] as const;
type Port = (...values: unknown[]) => Promise<unknown>;
type Fault = "dies before" | "dies after" | "fails before" | "fails after";
const faults: Fault[] = ["dies before", "dies after", "fails before", "fails after"];
const matrix = writes.flatMap(([room, name]) =>
  faults.map((fault) => [fault, `${room}.${name}`, room, name] as const),
);

/** Puts the fault in place; gives when it was met, and what heals it again. */
function inject(room: "replays" | "meters" | "tasks" | "workflow", name: string, fault: Fault) {
  const ports = deps[room] as unknown as Record<string, Port>;
  const sound = ports[name] as Port;
  const met = Promise.withResolvers<void>();
  ports[name] = async (...values) => {
    if (fault.endsWith("after")) await sound(...values);
    met.resolve();
    if (fault.startsWith("fails")) throw new Error("store down");
    return new Promise<never>(() => {});
  };
  const heal = () => {
    ports[name] = sound;
  };
  return { met: met.promise, heal };
}

/** What the sweep does for creations that died. */
async function sweep(): Promise<void> {
  async function* everyMeter() {
    yield* await meters.shardsOf(meter);
  }
  expect(await repairTasks({}, { ...deps, meters: { ...meters, everyMeter } })).toMatchObject({ failed: 0 });
}

describe("a creation whose process or store fails leads to one task and one hold", () => {
  test.each(matrix)("%s %s", async (fault, _, room, name) => {
    const { met, heal } = inject(room, name, fault);
    const first = create();
    const told = await Promise.race([first, met.then(fault.startsWith("fails") ? () => first : undefined)]);
    heal();
    const before = await made();
    const soon = await create();
    // A task that is there is told of at once.
    if (before[0]) expect(soon.json()).toMatchObject({ id: before[0].id });
    if (told?.status === 200) expect(soon.text).toBe(told.text);
    if (soon.status !== 200) expectConflict(soon);
    outliveHolds();
    const late = await create();
    expect(late.status).toBe(200);
    if (soon.status === 200) expect(late.text).toBe(soon.text);
    expect((await made()).map(({ id }) => id)).toEqual([late.json().id]);
    await sweep();
    expect(await holds()).toBe(1);
  });
});

describe("where nobody can say whether there is a task", () => {
  /** The write of the task gets no answer, nor does what would bar it. */
  async function loseAnswers(written: boolean): Promise<void> {
    const faults = [
      inject("tasks", "create", written ? "fails after" : "fails before"),
      inject("tasks", "bar", "fails before"),
    ];
    const first = await create();
    expect(first.status).toBe(500);
    for (const { heal } of faults) heal();
  }

  test("the key stays taken, and a task that turns up is the answer", async () => {
    await loseAnswers(true);
    const [task] = await made();
    expect((await create()).json()).toMatchObject({ id: task?.id, status: "queued" });
    expect((await made()).length).toBe(1);
  });

  test("the key stays taken until the hold has expired, and then a task is made", async () => {
    await loseAnswers(false);
    expectConflict(await create());
    outliveHolds();
    expect((await create()).status).toBe(200);
    expect((await made()).length).toBe(1);
  });
});
