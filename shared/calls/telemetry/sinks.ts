/** Where spans of calls go. A function sends a call's before it ends, as it may freeze; a server gathers them. */

import type { Log } from "../../base/platform/log.ts";
import { bounds } from "./bounds.ts";
import type { Exporter } from "./exporter.ts";
import { type Span, type Teller, tracesBody } from "./otlp.ts";
import type { SpanSink } from "./tracing.ts";

/** Sends the spans of each call by themselves. */
export function sendAtOnce(teller: Teller, exporter: Exporter): SpanSink {
  return {
    give: (spans) => exporter({ signal: "traces", body: tracesBody(spans, teller), count: spans.length }),
    flush: async () => {},
  };
}

/** Sends spans each second or when there are many. If the collector is slow the newest are lost, with a log line. */
export function sendInBatches(teller: Teller, exporter: Exporter, { log }: { log: Log }): SpanSink {
  let waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let lost = 0;

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, bounds.batchSpans);
      await exporter({ signal: "traces", body: tracesBody(spans, teller), count: spans.length });
    }
    if (lost > 0)
      log("warn", "telemetry_lost", { count: lost, error: "the collector is slower than calls come" });
    lost = 0;
  };
  const send = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    async give(spans) {
      if (waiting.length + spans.length > bounds.spansMax) {
        lost += spans.length;
        return;
      }
      waiting = waiting.concat(spans);
      if (waiting.length >= bounds.batchSpans) void send();
      // The last batch does not keep a process alive: `flush` sends it.
      else timer ??= setTimeout(send, bounds.batchMs).unref();
    },
    flush: send,
  };
}
