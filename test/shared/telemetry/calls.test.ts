/**
 * The spans of calls that run through the whole pipeline, with providers and a collector on real sockets: field by field,
 * and what is passed on to providers.
 */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { traceIdOf } from "#shared/telemetry/ids.ts";
import { attemptSpanId, requestSpanId } from "#shared/telemetry/spans.ts";
import { type CallOptions, call } from "#test/support/call.ts";
import { type Collector, startCollector, type ToldSpan, tellTo } from "#test/support/collector.ts";
import { order } from "#test/support/racing.ts";
import { chatBody, completion, delta, done, sse, usageFrame } from "#test/support/scenario.ts";
import { names, useThreeWays } from "#test/support/three-ways.ts";

const ways = useThreeWays();
const { upstreams, fails } = ways;
let collector: Collector;

beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.stop());
beforeEach(() => {
  collector.reset();
  trace({});
});

/** Traces the calls of this test by other settings. */
function trace(env: Record<string, string>): void {
  const { tracing } = tellTo(collector.url, { env, log: ways.memory.deps.log, now: () => ways.clock });
  ways.memory.deps.tracing = Promise.resolve(tracing);
}

const caller = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "vendor=1",
};

/** A provider answers after so many milliseconds of the gateway's clock. */
const answersAfter =
  (ms: number, answer: (response: ServerResponse) => unknown) => (_: unknown, response: ServerResponse) => {
    ways.clock += ms;
    answer(response);
  };
const json = (body: object) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

/** A call that comes now. North is asked first, and then south. */
const chat = (options: CallOptions = {}, body?: object) =>
  ways.chat({ at: ways.clock, ...options, headers: { ...order, ...options.headers } }, body);
const portOf = (url: string) => Number(new URL(url).port);
const byName = (spans: ToldSpan[], name: string) => spans.filter((span) => span.name === name);
const sentTo = (name: keyof typeof upstreams) => upstreams[name].requests[0]?.headers;

describe("a whole answer", () => {
  test("has a span of its request, and one of its attempt", async () => {
    for (const name of names) upstreams[name].on(answersAfter(40, json(completion)));
    const at = ways.clock;
    const payg = { authorization: `Bearer ${ways.memory.addKey()}` };
    const answer = await chat({ headers: { ...payg, "user-agent": "sdk/1", host: "gw.example:443" } });
    const [event] = ways.memory.events;
    const provider = event?.provider as (typeof names)[number];
    const traceId = traceIdOf(answer.id);
    const spanId = requestSpanId(traceId, answer.id);
    expect(collector.spans()).toEqual([
      {
        traceId,
        spanId,
        name: "POST /v1/chat/completions",
        kind: 2,
        start: at,
        end: at + 40,
        failed: false,
        attributes: {
          "http.request.method": "POST",
          "http.route": "/v1/chat/completions",
          "http.response.status_code": 200,
          "url.path": "/v1/chat/completions",
          "url.scheme": "http",
          "server.address": "gw.example",
          "user_agent.original": "sdk/1",
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "test/model-1",
          "model_gateway.request.id": answer.id,
          "model_gateway.organization.id": event?.organization,
          "model_gateway.key.id": event?.key,
          "model_gateway.provider": provider,
          "model_gateway.attempts": 1,
          "model_gateway.route.why": event?.route?.why,
          "model_gateway.response.model": "test/model-1",
          "model_gateway.time_to_first_byte": 0.04,
          // 10 tokens at 2.5 and 4 at 10 points a million.
          "model_gateway.cost_points": 0.000065,
          "model_gateway.evidence": "reported",
          "model_gateway.outcome": "completed",
        },
      },
      {
        traceId,
        spanId: attemptSpanId(traceId, answer.id, 1),
        parentSpanId: spanId,
        name: "chat upstream-model",
        kind: 3,
        start: at,
        end: at + 40,
        failed: false,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": provider,
          "gen_ai.request.model": "upstream-model",
          "server.address": "127.0.0.1",
          "server.port": portOf(upstreams[provider].url),
          "model_gateway.attempt.outcome": "answered",
          "model_gateway.attempt.protocol": "openai-chat",
          "gen_ai.usage.input_tokens": 10,
          "gen_ai.usage.output_tokens": 4,
        },
      },
    ]);
  });

  test("is told by a request to the collector that says who tells", async () => {
    await chat();
    expect(collector.received).toHaveLength(1);
    const [{ path, headers, text } = { path: "", headers: {}, text: "" }] = collector.received;
    expect([path, headers["content-type"]]).toEqual(["/v1/traces", "application/json"]);
    expect(JSON.parse(text)).toMatchObject({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "model-gateway" } }, {}] },
          scopeSpans: [{ schemaUrl: "https://opentelemetry.io/schemas/1.41.1" }],
        },
      ],
    });
  });

  test("has nothing of what was asked and answered, and no key", async () => {
    const body = { ...chatBody, user: "u-secret", messages: [{ role: "user", content: "prompt-secret" }] };
    await chat({ headers: { cookie: "cookie-secret" } }, body);
    expect(collector.spans()).toHaveLength(2);
    const text = collector.received.map((each) => each.text).join();
    expect(text.match(/\w*secret|sk-\w+/g)).toBeNull();
    expect(text).not.toContain("Hi");
  });
});

describe("a stream", () => {
  const stream = { ...chatBody, stream: true };

  test("has the time to its first chunk, and its attempt lasts to its end", async () => {
    upstreams.north.on(
      answersAfter(30, (response) => {
        response.writeHead(200, sse);
        response.write(delta("Hi"));
        response.end(usageFrame + done);
      }),
    );
    const at = ways.clock;
    await chat({ onChunk: () => (ways.clock += 25) }, stream);
    const [request, attempt] = collector.spans();
    const [event] = ways.memory.events;
    const generation_ms = event?.route?.generation_ms ?? Number.NaN;
    expect(request).toMatchObject({ start: at, end: ways.clock, failed: false });
    expect(attempt).toMatchObject({ start: at, end: at + 30 + generation_ms, failed: false });
    expect(attempt?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": 0.03,
      "gen_ai.usage.output_tokens": 4,
    });
  });

  test("that breaks off is an error of the attempt and of the request", async () => {
    upstreams.north.on((_, response) => {
      response.writeHead(200, sse);
      response.write(delta("Hi"));
      setImmediate(() => response.destroy());
    });
    await chat({}, stream);
    const spans = collector.spans();
    expect(spans.map(({ failed }) => failed)).toEqual([true, true]);
    expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual(["incomplete", "incomplete"]);
    expect(spans[0]?.attributes["model_gateway.outcome"]).toBe(ways.memory.events[0]?.outcome);
  });
});

describe("a call that is answered by its second channel", () => {
  test("has a span of each attempt, and only the first one has failed", async () => {
    fails("north", 503);
    const answer = await chat();
    const [request, first, second] = collector.spans();
    const traceId = traceIdOf(answer.id);
    expect([request?.failed, first?.failed, second?.failed]).toEqual([false, true, false]);
    expect([first?.spanId, second?.spanId]).toEqual([
      attemptSpanId(traceId, answer.id, 1),
      attemptSpanId(traceId, answer.id, 2),
    ]);
    expect(first?.attributes).toMatchObject({
      "gen_ai.provider.name": "north",
      "error.type": "503",
      "model_gateway.attempt.outcome": ways.memory.events[0]?.route?.attempts[0]?.outcome,
    });
    expect(first?.attributes["gen_ai.usage.input_tokens"]).toBeUndefined();
    expect(second?.attributes).toMatchObject({
      "gen_ai.provider.name": "south",
      "gen_ai.usage.input_tokens": 10,
    });
    expect(request?.attributes).toMatchObject({
      "model_gateway.provider": "south",
      "model_gateway.attempts": 2,
    });
  });

  test("tells each provider its own span", async () => {
    fails("north", 503);
    const answer = await chat({ headers: caller });
    const of = (number: number) =>
      `00-${caller.traceId}-${attemptSpanId(caller.traceId, answer.id, number)}-01`;
    expect(sentTo("north")).toMatchObject({ traceparent: of(1), tracestate: "vendor=1" });
    expect(sentTo("south")).toMatchObject({ traceparent: of(2), tracestate: "vendor=1" });
  });
});

describe("a call that nobody answers", () => {
  test("is an error of the gateway, and of each attempt", async () => {
    for (const name of names) fails(name, 500);
    await chat();
    const [request, ...attempts] = collector.spans();
    expect(request?.failed).toBe(true);
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 500,
      "error.type": "upstream_error",
      "model_gateway.error": "upstream_error",
      "model_gateway.outcome": "failed",
      "model_gateway.cost_points": 0,
    });
    expect(attempts.map(({ attributes }) => attributes["error.type"])).toEqual(["500", "500", "500"]);
  });

  test("because its provider blames it is no error of the gateway", async () => {
    const error = { error: { message: "no", type: "invalid_request_error" } };
    upstreams.north.on((_, response) => response.writeHead(400).end(JSON.stringify(error)));
    await chat();
    const [request, attempt] = collector.spans();
    expect([request?.failed, request?.attributes["http.response.status_code"]]).toEqual([false, 400]);
    expect(request?.attributes["model_gateway.error"]).toBe("invalid_request");
    expect([attempt?.failed, attempt?.attributes["error.type"]]).toEqual([true, "400"]);
  });
});

describe("a call that the gateway refuses", () => {
  test("for its key has a span that says so, and asks nobody", async () => {
    await chat({ headers: { authorization: "Bearer sk-payg-unknown" } });
    const [request, ...others] = collector.spans();
    expect(others).toEqual([]);
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 401,
      "model_gateway.error": "invalid_key",
    });
    expect(Object.keys(request?.attributes ?? {})).not.toContain("model_gateway.organization.id");
    expect(ways.memory.events).toEqual([]);
  });

  test("for its model says who called", async () => {
    await chat({}, { ...chatBody, model: "test/unknown" });
    const [request] = collector.spans();
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 404,
      "model_gateway.error": "not_found",
      "model_gateway.organization.id": expect.stringMatching(/^org_/),
    });
  });

  test("has no span if it has no route", async () => {
    await call(ways.serve, "/nowhere");
    await call(ways.serve, "/health", { method: "GET" });
    expect(collector.received).toEqual([]);
  });
});

describe("the trace of a client", () => {
  test("has the spans of the call below the client's, and is in its log line", async () => {
    const lines: Record<string, unknown>[] = [];
    ways.memory.deps.log = (_, event, fields) => void lines.push({ event, ...fields });
    const answer = await chat({ headers: caller });
    const [request, attempt] = collector.spans();
    const spanId = requestSpanId(caller.traceId, answer.id);
    expect(request).toMatchObject({ traceId: caller.traceId, spanId, parentSpanId: "b7ad6b7169203331" });
    expect(attempt).toMatchObject({ traceId: caller.traceId, parentSpanId: spanId, traceState: "vendor=1" });
    expect(lines).toContainEqual(expect.objectContaining({ event: "call", trace: caller.traceId }));
  });

  test("that is not sampled is passed on as it came, and nothing is told", async () => {
    const traceparent = caller.traceparent.replace(/01$/, "00");
    await chat({ headers: { ...caller, traceparent } });
    expect(sentTo("north")).toMatchObject({ traceparent, tracestate: "vendor=1" });
    expect(collector.received).toEqual([]);
  });

  test("does not decide where the ratio alone does", async () => {
    trace({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" });
    await chat({ headers: caller });
    expect(sentTo("north")).toMatchObject({ traceparent: caller.traceparent });
    expect(collector.received).toEqual([]);
  });

  test("that breaks the rules is taken for absent", async () => {
    const answer = await chat({
      headers: { traceparent: `${caller.traceparent}-x`, tracestate: "vendor=1" },
    });
    const [request] = collector.spans();
    expect(answer.status).toBe(200);
    expect(request?.traceId).toBe(traceIdOf(answer.id));
    expect(request).not.toHaveProperty("parentSpanId");
    expect(sentTo("north")).not.toHaveProperty("tracestate");
  });

  test("goes to no provider without telemetry", async () => {
    ways.memory.deps.tracing = undefined;
    await chat({ headers: caller });
    expect(sentTo("north")).not.toHaveProperty("traceparent");
    expect(sentTo("north")).not.toHaveProperty("tracestate");
  });
});

test("a call that is not sampled sends nothing, to nobody", async () => {
  trace({ OTEL_TRACES_SAMPLER_ARG: "0" });
  const { status } = await chat();
  expect([status, collector.received]).toEqual([200, []]);
  expect(sentTo("north")).not.toHaveProperty("traceparent");
});

test("a repetition has one span, which names the first call", async () => {
  const headers = { "idempotency-key": "once" };
  const first = await chat({ headers });
  collector.reset();
  await chat({ headers });
  const [request, ...others] = collector.spans();
  expect(byName(others, "chat upstream-model")).toEqual([]);
  expect(request?.attributes["model_gateway.replayed"]).toBe(first.id);
});
