/** Traces calls: decides which, gathers what is known of them, and gives their spans away when they end. */
import { contextHeaders, readContext, type TraceContext } from "./context.ts";
import { traceIdOf } from "./ids.ts";
import type { Span } from "./otlp.ts";
import { isSampled, type Sampling } from "./sampling.ts";
import { attemptSpanId, type GatheredAttempt, requestSpanId, spansOf, taskSpanId } from "./spans.ts";
import type { AttemptTrace, CallFacts, CallTrace, TracedRequest, Tracing } from "./trace.ts";

/** Where spans go. Neither method rejects. */
export interface SpanSink {
  /** Resolves when its giver needs to wait for them no longer. */
  give(spans: readonly Span[]): Promise<void>;
  flush(): Promise<void>;
}

/** Traces calls by these rules, into a sink. */
export function createTracing(sampling: Sampling, sink: SpanSink): Tracing {
  return {
    begin(request, { path }) {
      const caller = readContext(request.headers);
      const traceId = caller?.traceId ?? traceIdOf(request.id);
      if (isSampled(traceId, caller, sampling))
        return record({ traceId, caller, request, route: path }, sink);
      return caller && passOn(caller);
    },
    flush: () => sink.flush(),
  };
}

/** A trace that is not recorded here. Providers get what the client has sent, as if nobody stood between them. */
function passOn(caller: TraceContext): CallTrace {
  const attempt: AttemptTrace = { headers: contextHeaders(caller), ended: () => {} };
  const later = () => contextHeaders(caller);
  return { id: caller.traceId, note: () => {}, attempt: () => attempt, later, finish: async () => {} };
}

interface Begun {
  traceId: string;
  caller: TraceContext | undefined;
  request: TracedRequest;
  route: string;
}

function record(begun: Begun, sink: SpanSink): CallTrace {
  const { traceId, caller, request } = begun;
  const facts: CallFacts = {};
  const attempts: GatheredAttempt[] = [];
  const headersOf = (spanId: string): Record<string, string> => {
    const { random = true, state } = caller ?? {};
    return contextHeaders({ traceId, spanId, sampled: true, random, state });
  };
  return {
    id: traceId,
    note: (more) => void Object.assign(facts, more),
    attempt(asked) {
      const spanId = attemptSpanId(traceId, request.id, attempts.length + 1);
      const gathered: GatheredAttempt = { ...asked, spanId, end: undefined };
      attempts.push(gathered);
      return {
        headers: headersOf(spanId),
        ended(outcome, at, error) {
          gathered.end ??= { outcome, at, error };
        },
      };
    },
    later: () => headersOf(taskSpanId(traceId, request.id)),
    finish({ status, headers }, ended_at) {
      const spanId = requestSpanId(traceId, request.id);
      const replayed = headers["x-gateway-replayed"];
      return sink.give(spansOf({ ...begun, spanId, facts, attempts, status, replayed, ended_at }));
    },
  };
}
