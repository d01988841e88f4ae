/** `operator trace`, run as an operator runs it on a local gateway. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareId, newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { traceIdOf } from "#shared/calls/telemetry/ids.ts";
import type { TraceStep } from "#shared/edges/operator/trace-step.ts";
import { intentKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { type Collector, startCollector } from "#test/support/collector.ts";
import { awsAt } from "#test/support/local/fixture.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { completion, customer, post, providerKey } from "#test/support/money.ts";
import { backup, operatedCatalog } from "#test/support/operated.ts";
import { runHere } from "#test/support/streams.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { runEnv, videoClient } from "#test/support/video-run.ts";

let upstream: Upstream;
let collector: Collector;
let gateway: LocalGateway;
let owner: { id: string; key: string };
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.on((request, response) => {
    const status = request.url?.startsWith(`/${backup}/`) ? 200 : 503;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  collector = await startCollector();
  gateway = await startLocal({
    catalog: operatedCatalog(upstream.url),
    env: { ...providerKey, ...runEnv, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  owner = await customer(gateway, { points: parsePoints("10") });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  await collector?.stop();
});

/** The trace of a call once its entry is booked. */
async function traced(id: string, readyFile = gateway.readyFile): Promise<TraceStep[]> {
  const trace = async () => (await operator({ readyFile }, "trace", id)).value as unknown as TraceStep[];
  await expect
    .poll(async () => (await trace()).some(({ step }) => step === "booked"), {
      interval: 200,
    })
    .toBe(true);
  return await trace();
}

const stepsOf = (steps: TraceStep[]) => steps.map(({ step }) => step);
const detailsOf = (steps: TraceStep[], wanted: string) =>
  steps.filter(({ step }) => step === wanted).map(({ detail }) => detail);

test("a call that failed over to its second channel, and the same call long after", async () => {
  const reply = await post(gateway.url, owner.key);
  expect(reply.status).toBe(200);
  await reply.text();
  const id = reply.headers.get("x-request-id") ?? "";
  const steps = await traced(id);
  expect(stepsOf(steps)).toEqual(
    expect.arrayContaining(["arrived", "admitted", "attempt", "ended", "answered", "booked", "settled"]),
  );
  expect(detailsOf(steps, "attempt")).toEqual([
    expect.stringMatching(/^1: test answered 503 after \d+ ms$/),
    expect.stringMatching(/^2: backup began to answer after \d+ ms$/),
  ]);
  expect(detailsOf(steps, "ended")[0]).toMatch(
    /^completed by backup, attempt 2; basic routing among 2 channels \(failover\): test fault \(503\) after \d+ ms, backup answered after \d+ ms; 10 input tokens, 4 output/,
  );
  const times = steps.flatMap(({ at }) => (at === null ? [] : [at]));
  expect(times).toEqual(times.toSorted());

  const { code, out } = await runHere(["trace", id, "--local", "--ready-file", gateway.readyFile]);
  expect(code).toBe(0);
  expect(out.split("\n")[0]).toMatch(/^time {22}step {6}detail$/);
  expect(out).toMatch(/^-\s+settled\s+its meter holds nothing/m);

  // Days later the intent has expired, and the log's lines are gone: the ledger alone is left.
  const { counters } = gateway.endpoints.tables;
  await awsAt(gateway.endpoints)("dynamodb", "DeleteItem", { TableName: counters, Key: intentKey(id) });
  const ready = JSON.parse(readFileSync(gateway.readyFile, "utf8")) as { endpoints: { log: string } };
  const later = join(gateway.readyFile, "../later.json");
  writeFileSync(
    later,
    JSON.stringify({ ...ready, endpoints: { ...ready.endpoints, log: join(later, "../gone.jsonl") } }),
  );
  const left = await traced(id, later);
  expect(stepsOf(left)).toEqual(["arrived", "admitted", "ended", "booked", "log", "settled"]);
  const named = await operator({ readyFile: later }, "trace", id, "--org", owner.id);
  expect(named.value).toEqual(left);
});

test("a task, by its own id and by that of the request that made it", async () => {
  const client = videoClient(gateway, owner.key);
  const id = await client.create("a cat");
  await client.until(id, "succeed");
  const steps = await traced(id);
  expect(stepsOf(steps)).toEqual(expect.arrayContaining(["arrived", "admitted", "task kept", "attempt"]));
  expect(detailsOf(steps, "attempt")[0]).toMatch(/^volcengine took it as \S+ after \d+ ms$/);
  expect(detailsOf(steps, "task status")).toEqual(["succeed"]);
  expect(detailsOf(steps, "ended")[0]).toMatch(/^completed by volcengine, attempt 1; 5 video seconds/);
  expect(await traced(`req_${bareId(id)}`)).toEqual(steps);
  // The gateway and the worker of videos are two processes of their own, as far as telemetry goes.
  const spans = await collector.spansOf(traceIdOf(`req_${bareId(id)}`), 2);
  const [created, made] = [2, 3].map((kind) => spans.find((span) => span.kind === kind));
  expect(created?.name).toBe("POST /api/v3/contents/generations/tasks");
  expect(made).toMatchObject({ parentSpanId: created?.spanId, failed: false });
  expect(made?.attributes).toMatchObject({
    "model_gateway.task.id": id,
    "model_gateway.task.status": "succeed",
  });
});

test("a call by the trace that it began, and what a collector is told of it", async () => {
  const reply = await post(gateway.url, owner.key);
  await reply.text();
  const id = reply.headers.get("x-request-id") ?? "";
  const traceId = traceIdOf(id);
  const spans = await collector.spansOf(traceId, 3);
  expect(
    spans.map(({ name, failed, attributes }) => [name, failed, attributes["model_gateway.attempt.outcome"]]),
  ).toEqual([
    ["POST /v1/chat/completions", false, undefined],
    ["chat upstream-model", true, "fault"],
    ["chat backup-model", false, "answered"],
  ]);
  const steps = await traced(traceId);
  expect(steps).toEqual(await traced(id));
  expect(detailsOf(steps, "arrived")).toHaveLength(1);
  const tokens = await collector.pointsOf("gen_ai.client.token.usage");
  expect(tokens[0]?.attributes).toMatchObject({
    "gen_ai.provider.name": "backup",
    "gen_ai.token.type": "input",
  });
  const foreign = "f".repeat(32);
  expect(await operator(gateway, "trace", foreign)).toMatchObject({
    code: 2,
    error: expect.stringContaining(`the trace ${foreign} was begun by a client`),
  });
});

test("an id that nobody knows, and what is no id", async () => {
  const id = newId("request", Date.now());
  expect(await operator(gateway, "trace", id)).toMatchObject({
    code: 2,
    value: {},
    error: expect.stringMatching(
      new RegExp(`^nothing is known of ${id}: no store and no log line has it\\.`),
    ),
  });
  expect(await operator(gateway, "trace", "req_1")).toMatchObject({
    code: 2,
    error: "req_1 is no request and no task: an id is req_ or VTK- and 26 letters and digits\n",
  });
});
