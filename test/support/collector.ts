/** A collector of telemetry under the test's control: OTLP over HTTP on a real socket, with every body kept. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openTelemetry, type TelemetryHost } from "#shared/calls/telemetry/open-telemetry.ts";

type Value = string | number | boolean | Value[];

/** What an attribute may be in OTLP's JSON. */
interface AnyValue {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: AnyValue[] };
}

interface Told {
  attributes: { key: string; value: AnyValue }[];
}

export interface ToldSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  /** Unix milliseconds. */
  start: number;
  end: number;
  attributes: Record<string, Value>;
  failed: boolean;
}

interface ToldPoint {
  metric: string;
  unit: string;
  attributes: Record<string, Value>;
  count?: number;
  sum?: number;
  asDouble?: number;
}

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Collector {
  url: string;
  received: Received[];
  /** What it does with every request from now on; it accepts them at first. */
  on(handler: (response: ServerResponse) => unknown): void;
  /** Forgets what it has got, and accepts everything again. */
  reset(): void;
  /** The spans that it has got, in the order in which they began, and those of one time as they came. */
  spans(): ToldSpan[];
  points(): ToldPoint[];
  /** Resolves when it has got so many spans of a trace. */
  spansOf(traceId: string, count: number): Promise<ToldSpan[]>;
  /** Resolves when it has got points of a metric. */
  pointsOf(metric: string): Promise<ToldPoint[]>;
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startCollector(): Promise<Collector> {
  const accept = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  let handler: (response: ServerResponse) => unknown = accept;
  let told = Promise.withResolvers<void>();
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { url: path = "", headers } = request;
    received.push({ path, headers, text: Buffer.concat(chunks).toString() });
    told.resolve();
    told = Promise.withResolvers();
    handler(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const spans = () =>
    received.filter(({ path }) => path === "/v1/traces").flatMap(({ text }) => spansIn(text));
  const points = () =>
    received.filter(({ path }) => path === "/v1/metrics").flatMap(({ text }) => pointsIn(text));
  const inOrder = () => spans().sort((a, b) => a.start - b.start);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    on: (next) => (handler = next),
    reset() {
      received.length = 0;
      handler = accept;
    },
    spans: inOrder,
    points,
    async spansOf(traceId, count) {
      const found = () => inOrder().filter((span) => span.traceId === traceId);
      while (found().length < count) await told.promise;
      return found();
    },
    async pointsOf(metric) {
      const found = () => points().filter((point) => point.metric === metric);
      while (found().length === 0) await told.promise;
      return found();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Telemetry that tells a collector, as a function or a server opens it. */
export function tellTo(
  url: string,
  { env = {}, log = () => {}, now = Date.now, ...host }: Partial<TelemetryHost> & Partial<Deps> = {},
): ReturnType<typeof openTelemetry> {
  const full = { isServer: false, readHeaders: undefined, ...host };
  return openTelemetry({ ...full, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env } }, { fetch, log, now });
}
type Deps = Pick<Parameters<typeof openTelemetry>[1], "log" | "now">;

// biome-ignore lint/suspicious/noExplicitAny: what was sent is foreign JSON, and every use asserts its shape.
type Sent = any;

function spansIn(text: string): ToldSpan[] {
  const { resourceSpans } = JSON.parse(text) as Sent;
  const all = resourceSpans.flatMap(({ scopeSpans }: Sent) => scopeSpans.flatMap(({ spans }: Sent) => spans));
  return all.map(({ traceId, spanId, parentSpanId, traceState, name, kind, status, ...span }: Sent) => ({
    ...{ traceId, spanId, name, kind },
    ...(parentSpanId && { parentSpanId }),
    ...(traceState && { traceState }),
    start: Number(span.startTimeUnixNano.slice(0, -6)),
    end: Number(span.endTimeUnixNano.slice(0, -6)),
    attributes: attributesIn(span),
    failed: status.code === 2,
  }));
}

function pointsIn(text: string): ToldPoint[] {
  const { resourceMetrics } = JSON.parse(text) as Sent;
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }: Sent) =>
    scopeMetrics.flatMap(({ metrics: each }: Sent) => each),
  );
  return metrics.flatMap(({ name: metric, unit, histogram, sum: total }: Sent) =>
    (histogram ?? total).dataPoints.map(({ count, sum, asDouble, ...point }: Sent) => ({
      ...{ metric, unit, attributes: attributesIn(point) },
      ...(count !== undefined && { count, sum }),
      ...(asDouble !== undefined && { asDouble }),
    })),
  );
}

function attributesIn({ attributes }: Told): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: AnyValue): Value {
  const values = arrayValue?.values.map(plain);
  return stringValue ?? intValue ?? doubleValue ?? boolValue ?? values ?? "";
}
