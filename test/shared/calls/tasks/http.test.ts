/**
 * Replays the vendor's own client as raw HTTP against a provider on a socket (protocols.md §4.4, §4.5). It sends a
 * body filled with nulls, polls, and sends a DELETE with a body. Then the test reads how executions are asked for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { createRenderer } from "#shared/calls/tasks/provider.ts";
import { createWorkflow, executionOf } from "#shared/calls/tasks/workflow.ts";
import { call } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { withVideo } from "#test/support/video.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const tasksPath = "/api/v3/contents/generations/tasks";
const { db, meters, tasks } = useStores();
let upstream: Upstream;
let serve: Pipeline;
let headers: Record<string, string>;
/** The credentials of others: of one with too little money, of one without a subscription, and of nobody. */
let others: Record<"poor" | "lapsed" | "nobody", Record<string, string>>;
let step: (task: string, action: "submit" | "poll") => Promise<unknown>;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

beforeEach(async () => {
  upstream.reset();
  const memory = createMemory(withVideo(testCatalog(upstream.url), upstream.url));
  const organization = { id: "org_1", wallet: { meter: await openWallet(db, "10"), shards: 1 } };
  headers = { authorization: `Bearer ${memory.addKey({ organization: "org_1" }, organization)}` };
  const wallet = { meter: await openWallet(db, "0.1"), shards: 1 };
  others = {
    poor: { authorization: `Bearer ${memory.addKey({ organization: "org_1" }, { wallet })}` },
    lapsed: { authorization: `Bearer ${memory.addKey({ mode: "subscription" })}` },
    nobody: {},
  };
  const deps = {
    ...memory.deps,
    meters,
    tasks,
    provider: createRenderer(memory.deps),
    workflow: { start: async () => true, stop: async () => {} },
    sleep: async () => {},
    lifetimeSeconds: 86_400,
  };
  serve = createPipeline(localAnswers(deps), deps);
  step = (task, action) => work({ action, task, organization: "org_1", polls: 0 }, deps);
});

/** What the vendor's client sends when only a text was given. */
const nullFilled = {
  model: "test/video-1",
  content: [{ type: "text", text: "A cat in the rain.", image_url: null, role: null }],
  callback_url: null,
  return_last_frame: null,
  service_tier: null,
  execution_expires_after: null,
  generate_audio: null,
  draft: null,
  camera_fixed: null,
  watermark: null,
  seed: null,
  resolution: null,
  ratio: null,
  duration: null,
  frames: null,
  tools: null,
};

async function created(): Promise<string> {
  const reply = await call(serve, tasksPath, { headers, body: nullFilled });
  expect([reply.status, Object.keys(reply.json())]).toEqual([200, ["id", "model", "status", "created_at"]]);
  expect(reply.headers["x-request-id"]).toBe(reply.id);
  return String(reply.json().id);
}
const retrieve = async (task: string) =>
  (await call(serve, `${tasksPath}/${task}`, { method: "GET", headers })).json();
const remove = (task: string) =>
  call(serve, `${tasksPath}/${task}`, { method: "DELETE", headers, body: "{}" });

describe("the vendor's client", () => {
  test("creates with a body full of nulls and polls to its video", async () => {
    const task = await created();
    upstream.json({ id: "cgt-1" });
    await step(task, "submit");
    expect(JSON.parse(upstream.requests[0]?.body.toString() ?? "")).toEqual({
      ...nullFilled,
      model: "upstream-video",
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      generate_audio: true,
    });
    upstream.json({ id: "cgt-1", status: "running", error: null, content: null });
    await step(task, "poll");
    expect(await retrieve(task)).toMatchObject({ id: task, status: "running", duration: 5 });
    const content = { video_url: "https://videos.example/1.mp4" };
    upstream.json({
      id: "cgt-1",
      status: "succeeded",
      content,
      duration: 5,
      resolution: "720p",
      ratio: "16:9",
    });
    await step(task, "poll");
    expect(await retrieve(task)).toMatchObject({ status: "succeed", content, result: content });
    const listed = (
      await call(serve, `${tasksPath}?filter.task_ids=${task}`, { method: "GET", headers })
    ).json();
    expect(listed).toMatchObject({ items: [{ id: task, status: "succeed" }], total: 1 });
  });

  test("cancels with a body, and is told not to come again when it cannot be", async () => {
    const task = await created();
    upstream.json({ id: "cgt-1" });
    await step(task, "submit");
    upstream.on((request, response) =>
      response.writeHead(request.method === "GET" ? 200 : 409).end('{"status":"queued"}'),
    );
    const refused = await remove(task);
    expect([refused.status, refused.headers["x-should-retry"]]).toEqual([502, "false"]);
    expect(refused.json()).toMatchObject({ error: { code: "UPSTREAM_CANCEL_FAILED" } });
    upstream.json({ status: "queued" });
    const cancelled = await remove(task);
    expect([cancelled.status, cancelled.json()]).toEqual([200, { id: task, status: "cancelled" }]);
    expect(upstream.requests.map(({ method }) => method).slice(-2)).toEqual(["GET", "DELETE"]);
    const again = await remove(task);
    expect([again.status, again.headers["x-should-retry"]]).toEqual([409, "false"]);
    expect(again.json()).toMatchObject({ error: { code: "INVALID_STATE" } });
  });
});

interface Asked {
  by?: keyof typeof others;
  encoding?: string;
  method?: string;
  body?: string | object;
}

describe("a request", () => {
  test("that names a fallback is refused before anything is held, since a video has none", async () => {
    const named = { ...headers, "x-gateway-fallback": "test/model-1" };
    const before = await tasks.list("org_1", 0, 100);
    const reply = await call(serve, tasksPath, { headers: named, body: nullFilled });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("x-gateway-fallback takes effect on chats alone");
    expect(await tasks.list("org_1", 0, 100)).toEqual(before);
  });
});

describe("a refusal", () => {
  const many = { ...nullFilled, content: [{ type: "text", text: "x".repeat(5_600_000) }] };
  test.each<[what: string, path: string, asked: Asked, status: number, code: string]>([
    ["no key", tasksPath, { by: "nobody", body: nullFilled }, 401, "UNAUTHENTICATED"],
    ["no key for a task", `${tasksPath}/x`, { by: "nobody", method: "GET" }, 401, "UNAUTHENTICATED"],
    ["another method", tasksPath, { method: "PUT" }, 405, "INVALID_REQUEST"],
    ["no such path", `${tasksPath}/x/y`, { method: "GET" }, 404, "NOT_FOUND"],
    ["a body that is too large", tasksPath, { body: many }, 413, "INVALID_REQUEST"],
    ["an encoded body", tasksPath, { encoding: "compress" }, 415, "INVALID_REQUEST"],
    ["no JSON", tasksPath, { body: "{" }, 400, "INVALID_REQUEST"],
    ["a page that is none", `${tasksPath}?page_num=x`, { method: "GET" }, 400, "INVALID_REQUEST"],
    [
      "no permission",
      tasksPath,
      { body: { ...nullFilled, model: "test/video-2" } },
      403,
      "PERMISSION_DENIED",
    ],
    ["an unknown model", tasksPath, { body: { ...nullFilled, model: "no" } }, 404, "NOT_FOUND"],
    ["too little money", tasksPath, { by: "poor", body: nullFilled }, 402, "INSUFFICIENT_BALANCE"],
    ["no subscription", tasksPath, { by: "lapsed", body: nullFilled }, 402, "QUOTA_EXCEEDED"],
  ])(
    "for %s is in the style of these routes",
    async (_, path, { by, encoding, ...options }, status, code) => {
      const own = encoding === undefined ? headers : { ...headers, "content-encoding": encoding };
      const reply = await call(serve, path, { headers: by ? others[by] : own, ...options });
      expect([reply.status, reply.json()]).toEqual([
        status,
        { error: { code, message: expect.any(String) } },
      ]);
      expect(reply.headers["x-request-id"]).toBe(reply.id);
    },
  );
});

describe("an execution", () => {
  const machine = "arn:aws:states:us-east-1:1:stateMachine:Video";
  const task = { id: "VTK-1", organization: "org_1" };

  test("is named after its task, and stopped by that name", async () => {
    const asked: unknown[] = [];
    const aws = (async (...given: unknown[]) => void asked.push(given)) as unknown as Aws;
    const workflow = createWorkflow(aws, machine);
    expect(await workflow.start(task, executionOf({ id: "VTK-1", repairs: 0 }))).toBe(true);
    await workflow.stop(executionOf({ id: "VTK-1", repairs: 2 }));
    expect(asked).toEqual([
      [
        "states",
        "StartExecution",
        { stateMachineArn: machine, name: "VTK-1", input: '{"task":"VTK-1","organization":"org_1"}' },
      ],
      ["states", "StopExecution", { executionArn: "arn:aws:states:us-east-1:1:execution:Video:VTK-1-r2" }],
    ]);
  });

  test.each([
    ["ExecutionAlreadyExists", false],
    ["ExecutionLimitExceeded", undefined],
  ])("that is answered with %s was started: %s", async (code, started) => {
    const aws = (() => Promise.reject(new AwsError(code, 400, {}))) as unknown as Aws;
    const start = createWorkflow(aws, machine).start(task, "VTK-1");
    if (started === undefined) await expect(start).rejects.toMatchObject({ code });
    else expect(await start).toBe(started);
  });
});
