/** How a video has ended is told in the transaction that ends it, where a webhook of its organization wants that. */
import { beforeEach, describe, expect, test } from "vitest";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { end, expire, resolve } from "#shared/calls/tasks/end.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createVideoNews } from "#shared/edges/store/news/video-news.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { noWebhooks, type Webhook } from "#shared/people/news/webhook.ts";
import { noon, openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { createVideoScenario, orderVideo, type VideoScenario, videoCaller } from "#test/support/video.ts";
import { madeVideo } from "#test/support/video-provider.ts";

const { db, meters } = useStores();
const caller = (meter: string) => videoCaller({ wallet: meter });
let scenario: VideoScenario;
let meter: string;
let organization: string;

beforeEach(async () => {
  meter = await openWallet(db, "10");
  const news = createVideoNews(db.aws, db.tables, () => noon);
  scenario = createVideoScenario(
    createTasks(db.aws, db.tables, () => noon, undefined, news),
    meters,
  );
  organization = `org_${meter.slice(-6)}`;
});

async function give(fields: Partial<Webhook> = {}): Promise<void> {
  const webhook: Webhook = {
    ...{ id: "whk_1", url: "https://hooks.example", kinds: ["video_ended"], disabled: null, since: noon },
    ...{ created_at: noon, secrets: [], failing_since: null, ...fields },
  };
  const webhooks = createWebhooks(db.aws, db.tables);
  await webhooks.change(noWebhooks(organization), [webhook], undefined, noon);
}

/** A task of the organization, sent or not. */
async function ordered(submission: Task["submission"] = "submitted"): Promise<Task> {
  const { key, ...rest } = caller(meter);
  const id = await orderVideo(scenario, { ...rest, key: { ...key, organization } });
  const task = await scenario.deps.tasks.find(organization, id);
  if (!task) throw new Error("no task");
  if (submission === "unsubmitted") return task;
  return (await scenario.deps.tasks.change(task, { submission })).task;
}

async function told(): Promise<object[]> {
  const { entries } = await createAuditLog(db.aws, db.tables).entries(organization, { limit: 10 });
  return entries.map(({ kind, subject, actor, after }) => ({ kind, subject, actor, after }));
}

const ofVideo = (task: Task, after: object) => [
  { kind: "video_ended", subject: task.id, actor: "platform", after: { model: "test/video-1", ...after } },
];

describe("where a webhook wants it", () => {
  beforeEach(() => give());

  test("a video that is made is told once, with what was charged", async () => {
    const task = await ordered();
    const ending = { status: "succeed", video: madeVideo } as const;
    await end(task, ending, scenario.deps);
    expect((await end(task, ending, scenario.deps)).done).toBe(false);
    expect(await told()).toEqual(ofVideo(task, { state: "succeed", points: "0.45" }));
  });

  test("one that fails is told with its reason", async () => {
    const task = await ordered();
    const error = { code: "OutputVideoSensitive", message: "No." };
    await end(task, { status: "failed", error, key: "upstream_error" }, scenario.deps);
    expect(await told()).toEqual(ofVideo(task, { state: "failed", reason: error.code, points: "0" }));
  });

  test("one that expires is told then, and not again at the operator's verdict", async () => {
    const task = await ordered("submitting");
    const { done, task: expired } = await expire(task, scenario.deps);
    expect([done, (await expire(task, scenario.deps)).done]).toEqual([true, false]);
    await resolve(expired, 5, scenario.deps);
    expect(await told()).toEqual(ofVideo(task, { state: "expired" }));
  });
});

test.each<[string, Partial<Webhook> | undefined]>([
  ["no webhook", undefined],
  ["one for other kinds", { kinds: ["key_created"] }],
  ["one that is disabled", { disabled: "member" }],
])("with %s nothing is written", async (_, webhook) => {
  if (webhook) await give(webhook);
  await end(await ordered(), { status: "succeed", video: madeVideo }, scenario.deps);
  await expire(await ordered("submitting"), scenario.deps);
  expect(await told()).toEqual([]);
});

test("who cancels a task at the gateway is not told of it", async () => {
  await give({ kinds: null });
  const task = await ordered("unsubmitted");
  scenario.deps.tasks = createTasks(db.aws, db.tables, () => noon);
  const { key, ...rest } = caller(meter);
  await cancelTask(task.id, { ...rest, key: { ...key, organization } }, scenario.deps);
  expect(await told()).toEqual([]);
});
