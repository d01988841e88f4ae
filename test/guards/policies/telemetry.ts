/** Telemetry: nobody waits for it, and nothing depends on it. */
import type { Row } from "#test/guards/guard.ts";

export const telemetry: Row[] = [
  {
    id: "telemetry-1",
    test: "shared/calls/telemetry/calls › is asked once the client has its answer and the call is settled, and is not waited for",
    guard: "await reply.after?.();\n    } finally {\n      await trace.finish(reply, ended_at);",
    without: "await trace.finish(reply, ended_at);\n    } finally {\n      await reply.after?.();",
  },
  {
    id: "telemetry-2",
    test: "shared/calls/telemetry/exporter › whose headers never come is not waited for either",
    guard: "await Promise.race([post(exported, ended.signal), aborted(ended.signal)]);",
    without: "await post(exported, ended.signal);",
  },
  {
    id: "telemetry-3",
    test: "shared/calls/telemetry/exporter › is left alone for a while after a failure, and what is lost then is counted with the next one",
    guard: "if (now() < restsUntil) {",
    without: "if (now() < 0) {",
  },
  {
    id: "telemetry-4",
    test: "shared/calls/telemetry/context › is absent with %s",
    guard: 'if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;',
    without: "",
  },
  {
    id: "telemetry-5",
    test: "shared/calls/telemetry/sampling › as the client says, if clients decide, and else by the ratio alone",
    guard: "if (caller && followsCaller) return caller.sampled;",
    without: "if (caller) return caller.sampled;",
  },
  {
    id: "telemetry-6",
    test: "shared/calls/telemetry/sinks › keeps so many at most, and says how many were lost",
    guard: "if (waiting.length + spans.length > bounds.spansMax) {",
    without: "if (false) {",
  },
  {
    id: "telemetry-7",
    test: "shared/calls/telemetry/tasks › one that is not sampled passes the client's trace on, and has no span",
    guard: "if (spanId !== taskSpanId(traceId, request)) return undefined;",
    without: "",
  },
  {
    id: "telemetry-8",
    test: "shared/edges/jobs/settle › is told of each event once, and together with those of its batch",
    guard: "tellUsage(fresh, deps)",
    without: "tellUsage(readable.map(({ event }) => event), deps)",
  },
];
