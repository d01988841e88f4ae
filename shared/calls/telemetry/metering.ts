/** Sends the metrics of usage events, those of one batch together. */
import type { Exporter } from "./exporter.ts";
import { metricsOf } from "./metrics.ts";
import { metricsBody, type Teller } from "./otlp.ts";
import type { UsageMetrics } from "./trace.ts";

/** Counts from `startedAt` on. */
export function createMetering(
  teller: Teller,
  exporter: Exporter,
  { now, startedAt }: { now: () => number; startedAt: number },
): UsageMetrics {
  let start = startedAt;
  return {
    async record(events) {
      if (events.length === 0) return;
      // Windows of one process neither overlap nor leave a gap, and none is empty.
      const window = { start, end: Math.max(now(), start + 1) };
      start = window.end;
      const metrics = metricsOf(events, window);
      await exporter({ signal: "metrics", body: metricsBody(metrics, teller), count: metrics.length });
    },
  };
}
