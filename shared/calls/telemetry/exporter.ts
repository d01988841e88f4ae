/** Sends telemetry by OTLP over HTTP, nothing twice. What is lost is counted in a log line; a failure brings a pause. */

import { describeError, type Log } from "../../base/platform/log.ts";
import { bounds } from "./bounds.ts";

/** A body for the collector. */
export interface Export {
  signal: "traces" | "metrics";
  body: string;
  /** How many spans or points it has. */
  count: number;
}

/** Sends a body. Resolves when it is sent or lost. Never rejects. */
export type Exporter = (exported: Export) => Promise<void>;

export interface ExporterDeps {
  fetch: typeof fetch;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

interface Collector {
  endpoint: string;
  /** The headers that authenticate us. Undefined where it asks for none. */
  headers: (() => Promise<Record<string, string>>) | undefined;
}

/** Exports to a collector, for at most `bounds.exportMs` each. */
export function createExporter(
  { endpoint, headers }: Collector,
  { fetch, log, now }: ExporterDeps,
): Exporter {
  let restsUntil = 0;
  /** What was lost since the last line that told of it. */
  let lost = 0;

  const tell = (count: number, error: string): void => {
    if (count > 0) log("warn", "telemetry_lost", { count, error });
  };
  const fail = (count: number, error: string): void => {
    restsUntil = now() + bounds.restMs;
    tell(lost + count, error);
    lost = 0;
  };
  const post = async ({ signal, body, count }: Export, ended: AbortSignal): Promise<void> => {
    const reply = await fetch(`${endpoint}/v1/${signal}`, {
      method: "POST",
      headers: { ...(await headers?.()), "content-type": "application/json" },
      body,
      redirect: "error",
      signal: ended,
    });
    const text = await reply.text();
    if (!reply.ok) return fail(count, `the collector answered ${reply.status}`);
    tell(rejectedIn(text), "the collector rejected them");
    tell(lost, "the collector was left alone after a failure");
    lost = 0;
  };

  return async (exported) => {
    if (now() < restsUntil) {
      lost += exported.count;
      return;
    }
    const ended = new AbortController();
    const timer = setTimeout(
      () => ended.abort(new Error(`no answer of the collector within ${bounds.exportMs} ms`)),
      bounds.exportMs,
    );
    try {
      await Promise.race([post(exported, ended.signal), aborted(ended.signal)]);
    } catch (error) {
      fail(exported.count, describeError(causeOf(error)));
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  };
}

/** Rejects when the signal is aborted: also what it aborts may hang. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** `fetch` tells in the cause of its error what went wrong. */
function causeOf(error: unknown): unknown {
  return error instanceof TypeError ? (error.cause ?? error) : error;
}

/** How many spans or points a collector did not take of a body that it accepted. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess = {} } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> };
    return Number(partialSuccess.rejectedSpans ?? partialSuccess.rejectedDataPoints ?? 0);
  } catch {
    // Many collectors answer with nothing.
    return 0;
  }
}
