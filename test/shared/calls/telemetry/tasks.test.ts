/** The trace of a video task: the gateway creates it, the worker ends it, and the task carries the trace between them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { admitTask, createTask } from "#shared/calls/tasks/create.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { traceIdOf } from "#shared/calls/telemetry/ids.ts";
import { requestSpanId, taskSpanId } from "#shared/calls/telemetry/spans.ts";
import { type Collector, startCollector, tellTo } from "#test/support/collector.ts";
import { noon, openWallet } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  createVideoScenario,
  type VideoScenario,
  videoBody,
  videoCaller,
  videoRequest,
} from "#test/support/video.ts";

const { db, ledger, meters, tasks } = useStores();
let collector: Collector;
let caller: Principal;
let scenario: VideoScenario;

beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.stop());
beforeEach(async () => {
  collector.reset();
  caller = videoCaller({ wallet: await openWallet(db, "10") });
  scenario = createVideoScenario(tasks, meters);
  tellAt(collector.url);
});

function tellAt(url: string): void {
  const { telling } = tellTo(url, { now: () => scenario.clock.now });
  scenario.deps.telling = Promise.resolve(telling);
}

const route = { path: "/api/v3/contents/generations/tasks" };

/** Orders a video as the gateway does. Gives the ids of the request and of its task. */
async function order(headers: Record<string, string> = {}, env: Record<string, string> = {}) {
  const request = { ...videoRequest(scenario, videoBody), id: newId("request", scenario.clock.now), headers };
  const trace = tellTo(collector.url, { env }).tracing.begin(request, route);
  const admitted = await admitTask(request, { caller }, scenario.deps);
  const reply = await createTask({ ...admitted, ...(trace && { trace: trace.later() }) }, scenario.deps);
  await trace?.finish(reply, scenario.clock.now);
  return { request: request.id, task: taskOf(request.id) };
}

const step = (task: string, action: "submit" | "poll" = "poll") =>
  work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);

/** Has the provider end a task in so many milliseconds. */
async function ends(task: string, state: "succeed" | "failed", ms: number): Promise<void> {
  await step(task, "submit");
  for (const id of scenario.provider.tasks.keys()) scenario.provider.tasks.set(id, state);
  scenario.clock.now += ms;
  await step(task);
}

test("a task has a span from its creation to its end, below that of its request", async () => {
  const { request, task } = await order();
  await ends(task, "succeed", 90_000);
  const [created, made] = collector.spans();
  const traceId = traceIdOf(request);
  expect(created).toMatchObject({ traceId, spanId: requestSpanId(traceId, request), kind: 2 });
  expect(made).toEqual({
    traceId,
    spanId: taskSpanId(traceId, request),
    parentSpanId: requestSpanId(traceId, request),
    name: "generate_content upstream-video",
    kind: 3,
    start: noon,
    end: noon + 90_000,
    failed: false,
    attributes: {
      "gen_ai.operation.name": "generate_content",
      "gen_ai.provider.name": "ark",
      "gen_ai.request.model": "upstream-video",
      "gen_ai.output.type": "video",
      "model_gateway.task.id": task,
      "model_gateway.task.status": "succeed",
      "model_gateway.usage.video_seconds": 5,
      "model_gateway.cost_points": 0.45,
      "model_gateway.evidence": "reported",
    },
  });
});

test("its provider is told of the span, and its usage is counted once", async () => {
  const { request, task } = await order();
  await ends(task, "succeed", 90_000);
  await step(task);
  const traceId = traceIdOf(request);
  expect(scenario.provider.requests.map(({ trace }) => trace)).toEqual([
    { traceparent: `00-${traceId}-${taskSpanId(traceId, request)}-03` },
  ]);
  expect(collector.points().map(({ metric, sum, asDouble }) => [metric, sum ?? asDouble])).toEqual([
    ["gen_ai.client.operation.duration", 90],
    ["gen_ai.server.request.duration", 90],
    ["model_gateway.cost", 0.45],
  ]);
});

test("one that fails is an error, and costs nothing", async () => {
  const { task } = await order();
  await ends(task, "failed", 1_000);
  const [, made] = collector.spans();
  expect(made?.failed).toBe(true);
  expect(made?.attributes).toMatchObject({ "error.type": "failed", "model_gateway.cost_points": 0 });
});

test("one that is not sampled passes the client's trace on, and has no span", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
  const { task } = await order({ traceparent });
  await ends(task, "succeed", 1_000);
  expect(scenario.provider.requests[0]?.trace).toEqual({ traceparent });
  expect(collector.spans()).toEqual([]);
});

test("one that nobody traces carries nothing", async () => {
  const { task } = await order({}, { OTEL_TRACES_SAMPLER_ARG: "0" });
  expect(await tasks.find("org_1", task)).not.toHaveProperty("trace");
  await ends(task, "succeed", 1_000);
  expect(scenario.provider.requests[0]?.trace).toBeUndefined();
  expect(collector.spans()).toEqual([]);
});

test("a collector that hangs changes nothing of the task, its hold and its entry", async () => {
  const { task } = await order();
  collector.on(() => {});
  await ends(task, "succeed", 1_000);
  expect(await tasks.find("org_1", task)).toMatchObject({ status: "succeed", settled: true });
  expect(await ledger.entry("org_1", task)).toMatchObject({ points: "0.45" });
});
