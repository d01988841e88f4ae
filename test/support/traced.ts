/** A model of three channels behind a pipeline whose calls are traced, and the collector that is told of them. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Answer, CallOptions } from "./call.ts";
import { type Collector, startCollector, tellTo } from "./collector.ts";
import { order } from "./racing.ts";
import { type Name, type ThreeWays, useThreeWays } from "./three-ways.ts";

interface Traced {
  ways: ThreeWays;
  /** There once a test runs. */
  collector: Collector;
  /** Traces the calls of this test by other settings, those of OpenTelemetry's variables. */
  trace(env: Record<string, string>): void;
  /** A call that comes now. North is asked first, and then south. */
  chat(options?: CallOptions, body?: object): Promise<Answer>;
  /** The headers of the first request to a provider. */
  sentTo(name: Name): Record<string, unknown> | undefined;
}

/** The trace of a client. */
export const caller = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "vendor=1",
};

/** Registers a fresh one for each test of the file, which traces every call. */
export function useTraced(): Traced {
  const ways = useThreeWays();
  const traced: Traced = {
    ways,
    collector: undefined as unknown as Collector,
    trace(env) {
      const { deps } = ways.memory;
      const { tracing } = tellTo(traced.collector.url, { env, log: deps.log, now: () => ways.clock });
      deps.tracing = Promise.resolve(tracing);
    },
    chat: (options = {}, body) =>
      ways.chat({ at: ways.clock, ...options, headers: { ...order, ...options.headers } }, body),
    sentTo: (name) => ways.upstreams[name].requests[0]?.headers,
  };
  beforeAll(async () => {
    traced.collector = await startCollector();
  });
  afterAll(() => traced.collector.stop());
  beforeEach(() => {
    traced.collector.reset();
    traced.trace({});
  });
  return traced;
}
