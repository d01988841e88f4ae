/** Traces that clients bring: whose child the call is, what providers get, and who decides. */
import { describe, expect, test } from "vitest";
import { traceIdOf } from "#shared/calls/telemetry/ids.ts";
import { requestSpanId } from "#shared/calls/telemetry/spans.ts";
import { caller, useTraced } from "#test/support/traced.ts";

const traced = useTraced();
const { ways, chat, sentTo } = traced;

describe("the trace of a client", () => {
  test("has the spans of the call below the client's, and is in its log line", async () => {
    const lines: Record<string, unknown>[] = [];
    ways.memory.deps.log = (_, event, fields) => void lines.push({ event, ...fields });
    const answer = await chat({ headers: caller });
    const [request, attempt] = traced.collector.spans();
    const spanId = requestSpanId(caller.traceId, answer.id);
    expect(request).toMatchObject({ traceId: caller.traceId, spanId, parentSpanId: "b7ad6b7169203331" });
    expect(attempt).toMatchObject({ traceId: caller.traceId, parentSpanId: spanId, traceState: "vendor=1" });
    expect(lines).toContainEqual(expect.objectContaining({ event: "call", trace: caller.traceId }));
  });

  test("that is not sampled is passed on as it came, and nothing is told", async () => {
    const traceparent = caller.traceparent.replace(/01$/, "00");
    await chat({ headers: { ...caller, traceparent } });
    expect(sentTo("north")).toMatchObject({ traceparent, tracestate: "vendor=1" });
    expect(traced.collector.received).toEqual([]);
  });

  test("does not decide where the ratio alone does", async () => {
    traced.trace({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" });
    await chat({ headers: caller });
    expect(sentTo("north")).toMatchObject({ traceparent: caller.traceparent });
    expect(traced.collector.received).toEqual([]);
  });

  test("that breaks the rules is taken for absent", async () => {
    const answer = await chat({
      headers: { traceparent: `${caller.traceparent}-x`, tracestate: "vendor=1" },
    });
    const [request] = traced.collector.spans();
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
  traced.trace({ OTEL_TRACES_SAMPLER_ARG: "0" });
  const { status } = await chat();
  expect([status, traced.collector.received]).toEqual([200, []]);
  expect(sentTo("north")).not.toHaveProperty("traceparent");
});
