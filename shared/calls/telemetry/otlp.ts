/** Spans and metrics as OTLP's JSON. Tests compare them with what OpenTelemetry's own serializer writes. */

/** A number that is a fraction by its nature, also where it happens to be whole. All other numbers are integers. */
interface Fraction {
  fraction: number;
}

/** What is told of a span, a point or a process. A member that is undefined is not told. */
export type Attributes = Record<string, string | number | boolean | Fraction | string[] | undefined>;

export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits, as the id of the parent. */
  spanId: string;
  parent: { spanId: string; isRemote: boolean } | undefined;
  /** The `tracestate` of the trace. */
  state: string | undefined;
  name: string;
  kind: "server" | "client";
  /** Unix milliseconds. */
  start: number;
  end: number;
  attributes: Attributes;
  failed: boolean;
}

/** What was counted between two times, in Unix milliseconds, under the same attributes. */
interface Point {
  attributes: Attributes;
  start: number;
  end: number;
}

/** How often values fell between bounds. `counts` has one member more than `bounds`. */
export interface HistogramPoint extends Point {
  bounds: readonly number[];
  counts: number[];
  sum: number;
  min: number;
  max: number;
}

/** A sum that only grows. */
export interface SumPoint extends Point {
  value: number;
}

export interface Metric {
  name: string;
  description: string;
  /** By UCUM. */
  unit: string;
  points: { histogram: HistogramPoint[] } | { sum: SumPoint[] };
}

/** Who tells: the process, and the conventions by which it names things. */
export interface Teller {
  resource: Attributes;
  scope: { name: string; version: string };
  /** The address of the conventions' version. */
  schemaUrl: string;
}

const kinds = { server: 2, client: 3 } as const;
const errorStatus = 2;
/** Points tell what came since the points before them. */
const delta = 1;
const flags = { sampled: 1, isRemoteKnown: 0x100, isRemote: 0x200 };

/** The body that tells of spans. */
export function tracesBody(spans: readonly Span[], teller: Teller): string {
  const { resource, scope, schemaUrl } = told(teller);
  const scopeSpans = [{ scope, spans: spans.map(spanOf), schemaUrl }];
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans, schemaUrl }] });
}

/** The body that tells of metrics. */
export function metricsBody(metrics: readonly Metric[], teller: Teller): string {
  const { resource, scope, schemaUrl } = told(teller);
  const scopeMetrics = [{ scope, metrics: metrics.map(metricOf), schemaUrl }];
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics, schemaUrl }] });
}

function told({ resource, scope, schemaUrl }: Teller) {
  return { resource: { attributes: attributesOf(resource) }, scope, schemaUrl };
}

function spanOf({ parent, state, kind, start, end, attributes, failed, ...named }: Span): object {
  const remote = parent?.isRemote ? flags.isRemote : 0;
  return {
    ...named,
    ...(parent && { parentSpanId: parent.spanId }),
    ...(state !== undefined && { traceState: state }),
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(attributes),
    status: failed ? { code: errorStatus } : {},
    flags: flags.sampled | flags.isRemoteKnown | remote,
  };
}

function metricOf({ points, ...named }: Metric): object {
  if ("sum" in points) {
    const dataPoints = points.sum.map(({ value, ...point }) => ({ ...pointOf(point), asDouble: value }));
    return { ...named, sum: { aggregationTemporality: delta, isMonotonic: true, dataPoints } };
  }
  const dataPoints = points.histogram.map(({ attributes, start, end, bounds, counts, ...told }) => ({
    ...pointOf({ attributes, start, end }),
    ...told,
    bucketCounts: counts,
    explicitBounds: bounds,
    count: counts.reduce((total, count) => total + count, 0),
  }));
  return { ...named, histogram: { aggregationTemporality: delta, dataPoints } };
}

function pointOf({ attributes, start, end }: Point): object {
  return {
    attributes: attributesOf(attributes),
    startTimeUnixNano: nanoseconds(start),
    timeUnixNano: nanoseconds(end),
  };
}

/** Unix milliseconds as a text of nanoseconds, which a number cannot hold. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  return { doubleValue: value.fraction };
}
