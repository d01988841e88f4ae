/** A video task's span, below its request's. Gateway and worker know half each: its ids follow from the task's. */

import { requestOfTask } from "../../base/platform/id.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { readContext } from "./context.ts";
import { operationName, outputType, providerName } from "./conventions.ts";
import type { Exporter } from "./exporter.ts";
import { type Span, type Teller, tracesBody } from "./otlp.ts";
import { requestSpanId, taskSpanId } from "./spans.ts";
import type { EndedTask, TaskTelling, UsageMetrics } from "./trace.ts";

/** Tells of tasks: their spans through the exporter, and what they used to `metering`, if it is there. */
export function createTaskTelling(
  teller: Teller,
  exporter: Exporter,
  metering: UsageMetrics | undefined,
): TaskTelling {
  return {
    async ended(task, event) {
      const span = taskSpan(task, event);
      const tellSpan = async (): Promise<void> => {
        if (span) await exporter({ signal: "traces", body: tracesBody([span], teller), count: 1 });
      };
      await Promise.all([tellSpan(), metering?.record([event])]);
    },
  };
}

/** The span of a task that has ended. Undefined where its trace is not recorded here. */
function taskSpan(task: EndedTask, event: UsageEvent): Span | undefined {
  const context = task.trace && readContext(task.trace);
  if (!context) return undefined;
  const { traceId, spanId, state } = context;
  const request = requestOfTask(task.id);
  // Of a trace that is only passed on, the task has the client's span.
  if (spanId !== taskSpanId(traceId, request)) return undefined;
  const { provider, model } = task.upstream ?? { provider: undefined, model: task.model };
  const failed = task.status === "failed" || task.status === "expired";
  return {
    traceId,
    spanId,
    parent: { spanId: requestSpanId(traceId, request), isRemote: true },
    state,
    name: `${operationName("video")} ${model}`,
    kind: "client",
    start: task.created_at,
    end: Math.max(task.created_at, event.ended_at),
    attributes: {
      "gen_ai.operation.name": operationName("video"),
      "gen_ai.provider.name": provider && providerName(provider),
      "gen_ai.request.model": model,
      "gen_ai.output.type": outputType("video"),
      "error.type": failed ? task.status : undefined,
      "model_gateway.task.id": task.id,
      "model_gateway.task.status": task.status,
      "model_gateway.usage.video_seconds": event.usage.video_seconds || undefined,
      "model_gateway.cost_points": { fraction: Number(event.cost_points) },
      "model_gateway.evidence": event.evidence,
    },
    failed,
  };
}
