/**
 * The spans of calls that run through the whole pipeline, with providers and a collector on real sockets, field by field.
 */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { bounds } from "#shared/calls/telemetry/bounds.ts";
import { traceIdOf } from "#shared/calls/telemetry/ids.ts";
import { attemptSpanId, requestSpanId } from "#shared/calls/telemetry/spans.ts";
import { call } from "#test/support/call.ts";
import { type ToldSpan, tellTo } from "#test/support/collector.ts";
import { chatBody, completion, delta, done, sse, usageFrame } from "#test/support/scenario.ts";
import { names } from "#test/support/three-ways.ts";
import { caller, useTraced } from "#test/support/traced.ts";

const traced = useTraced();
const { ways, chat, sentTo } = traced;
const { upstreams, fails } = ways;

/** A provider answers after so many milliseconds of the gateway's clock. */
const answersAfter =
  (ms: number, answer: (response: ServerResponse) => unknown) => (_: unknown, response: ServerResponse) => {
    ways.clock += ms;
    answer(response);
  };
const json = (body: object) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

const portOf = (url: string) => Number(new URL(url).port);
const byName = (spans: ToldSpan[], name: string) => spans.filter((span) => span.name === name);

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
    expect(traced.collector.spans()).toEqual([
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
    expect(traced.collector.received).toHaveLength(1);
    const [{ path, headers, text } = { path: "", headers: {}, text: "" }] = traced.collector.received;
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
    expect(traced.collector.spans()).toHaveLength(2);
    const text = traced.collector.received.map((each) => each.text).join();
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
    const [request, attempt] = traced.collector.spans();
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
    const spans = traced.collector.spans();
    expect(spans.map(({ failed }) => failed)).toEqual([true, true]);
    expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual(["incomplete", "incomplete"]);
    expect(spans[0]?.attributes["model_gateway.outcome"]).toBe(ways.memory.events[0]?.outcome);
  });
});

describe("a call that is answered by its second channel", () => {
  test("has a span of each attempt, and only the first one has failed", async () => {
    fails("north", 503);
    const answer = await chat();
    const [request, first, second] = traced.collector.spans();
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
    const [request, ...attempts] = traced.collector.spans();
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
    const [request, attempt] = traced.collector.spans();
    expect([request?.failed, request?.attributes["http.response.status_code"]]).toEqual([false, 400]);
    expect(request?.attributes["model_gateway.error"]).toBe("invalid_request");
    expect([attempt?.failed, attempt?.attributes["error.type"]]).toEqual([true, "400"]);
  });
});

describe("a call that the gateway refuses", () => {
  test("for its key has a span that says so, and asks nobody", async () => {
    await chat({ headers: { authorization: "Bearer sk-payg-unknown" } });
    const [request, ...others] = traced.collector.spans();
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
    const [request] = traced.collector.spans();
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 404,
      "model_gateway.error": "not_found",
      "model_gateway.organization.id": expect.stringMatching(/^org_/),
    });
  });

  test("has no span if it has no route", async () => {
    await call(ways.serve, "/nowhere");
    await call(ways.serve, "/health", { method: "GET" });
    expect(traced.collector.received).toEqual([]);
  });
});

test("a repetition has one span, which names the first call", async () => {
  const headers = { "idempotency-key": "once" };
  const first = await chat({ headers });
  traced.collector.reset();
  await chat({ headers });
  const [request, ...others] = traced.collector.spans();
  expect(byName(others, "chat upstream-model")).toEqual([]);
  expect(request?.attributes["model_gateway.replayed"]).toBe(first.id);
});

describe("a collector that hangs", () => {
  test("is asked once the client has its answer and the call is settled, and is not waited for", async () => {
    const { memory } = ways;
    let settled = -1;
    traced.collector.on(() => {
      settled = memory.settled.length;
    });
    const answer = await chat({}, { ...chatBody, stream: false });
    expect([answer.status, answer.json()]).toEqual([200, completion]);
    expect(settled).toBe(1);
    expect(memory.events).toMatchObject([
      { outcome: "completed", usage: { input_tokens: 10, output_tokens: 4 } },
    ]);
  });

  test("keeps no place among a server's calls", async () => {
    traced.collector.on(() => {});
    const { tracing } = tellTo(traced.collector.url, { isServer: true });
    ways.memory.deps.tracing = Promise.resolve(tracing);
    // Each call waits for its own end, and would wait for the collector too.
    const began = performance.now();
    for (let calls = 0; calls < 5; calls++) expect((await chat()).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(bounds.exportMs * 5);
    await tracing.flush();
    expect(traced.collector.received).toHaveLength(1);
    expect(traced.collector.spans()).toHaveLength(10);
  });
});
