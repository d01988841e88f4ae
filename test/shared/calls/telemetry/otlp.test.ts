/** Our bodies beside those of OpenTelemetry's own serializer. */
import { JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Attributes,
  type Metric,
  metricsBody,
  type Span,
  tracesBody,
} from "#shared/calls/telemetry/otlp.ts";

const teller = {
  resource: { "service.name": "model-gateway", team: "a" },
  scope: { name: "model-gateway", version: "1" },
  schemaUrl: "https://opentelemetry.io/schemas/1.41.1",
};

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
/** A fraction that is whole is a double here. Their serializer knows no difference, and takes it for an integer. */
const fractions = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((each) => !Number.isInteger(each));
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z.]{0,12}$/),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 3 }),
    fractions.map((fraction) => ({ fraction })),
    fc.constant(undefined),
  ),
);
const times = fc.integer({ min: 1, max: 4e12 });
const spans: fc.Arbitrary<Span> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parent: fc.option(fc.record({ spanId: hex(16), isRemote: fc.boolean() }), { nil: undefined }),
  state: fc.constantFrom(undefined, "vendor=1"),
  name: fc.string(),
  kind: fc.constantFrom("server", "client"),
  start: times,
  end: times,
  attributes,
  failed: fc.boolean(),
});

/** Attributes as their serializer takes them. */
const plain = (given: Attributes) =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [
        key,
        typeof value === "object" && "fraction" in value ? value.fraction : value,
      ]),
  );
/** Seconds and nanoseconds. */
const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1e6];
const resource = { attributes: teller.resource, schemaUrl: teller.schemaUrl };
const scope = { ...teller.scope, schemaUrl: teller.schemaUrl };

function theirSpan(span: Span) {
  const { traceId, spanId, parent, state, kind, failed } = span;
  return {
    name: span.name,
    kind: { server: 1, client: 2 }[kind],
    spanContext: () => ({
      ...{ traceId, spanId, traceFlags: 1 },
      ...(state && { traceState: { serialize: () => state } }),
    }),
    ...(parent && { parentSpanContext: { traceId, traceFlags: 1, ...parent } }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    status: { code: failed ? 2 : 0 },
    attributes: plain(span.attributes),
    ...{ links: [], events: [], duration: [0, 0], ended: true, resource, instrumentationScope: scope },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

/** What they write though it is the same as to leave it out (protobuf's default values). */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !/^dropped\w+Count$/.test(key) && !(key === "code" && each === 0))
      // OTLP has this beside the resource, and they write it into the resource too.
      .filter(([key]) => !(key === "schemaUrl" && "attributes" in value))
      .filter(
        ([key, each]) => !(["events", "links"].includes(key) && Array.isArray(each) && each.length === 0),
      )
      .map(([key, each]) => [key, withoutDefaults(each)]),
  );
}

const parsed = (bytes: Uint8Array | undefined) =>
  withoutDefaults(JSON.parse(new TextDecoder().decode(bytes))) as Record<string, unknown>;

describe("the body of spans", () => {
  it("is what OpenTelemetry writes", () => {
    fc.assert(
      fc.property(fc.array(spans, { minLength: 1, maxLength: 3 }), (given) => {
        const theirs = JsonTraceSerializer.serializeRequest(given.map(theirSpan) as never);
        expect(JSON.parse(tracesBody(given, teller))).toEqual(withoutFlagsOfRoots(parsed(theirs), given));
      }),
    );
  });
});

/**
 * Where a span has no parent, they do not say whether it is remote. Then both bits have no meaning, and ours says that it
 * is not remote.
 */
function withoutFlagsOfRoots(body: Record<string, unknown>, given: readonly Span[]): unknown {
  const [
    {
      scopeSpans: [scoped],
    } = { scopeSpans: [] },
  ] = body.resourceSpans as {
    scopeSpans: { spans: { flags: number }[] }[];
  }[];
  for (const [at, span] of (scoped?.spans ?? []).entries()) if (!given[at]?.parent) span.flags |= 0x100;
  return body;
}

describe("the body of metrics", () => {
  const histogram = fc
    .record({
      attributes,
      start: times,
      end: times,
      counts: fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }),
    })
    .map((point) => ({ ...point, bounds: [1, 2.5], sum: 7.25, min: 0.5, max: 4.5 }));
  const sum = fc.record({ attributes, start: times, end: times, value: fractions });

  it("is what OpenTelemetry writes", () => {
    fc.assert(
      fc.property(
        fc.array(histogram, { maxLength: 2 }),
        fc.array(sum, { maxLength: 2 }),
        (histograms, sums) => {
          const named = { description: "d", unit: "s" };
          const ours: Metric[] = [
            { name: "h", ...named, points: { histogram: histograms } },
            { name: "c", ...named, points: { sum: sums } },
          ];
          const point = ({ attributes: each, start, end }: (typeof sums | typeof histograms)[number]) => ({
            ...{ attributes: plain(each), startTime: hrTime(start), endTime: hrTime(end) },
          });
          const theirs = JsonMetricsSerializer.serializeRequest({
            resource,
            scopeMetrics: [
              {
                scope,
                metrics: [
                  {
                    ...{
                      descriptor: { name: "h", ...named, valueType: 1 },
                      aggregationTemporality: 0,
                      dataPointType: 0,
                    },
                    dataPoints: histograms.map(({ counts, bounds, ...each }) => ({
                      ...point({ ...each, counts, bounds }),
                      value: {
                        ...{
                          buckets: { boundaries: bounds, counts },
                          sum: each.sum,
                          min: each.min,
                          max: each.max,
                        },
                        count: counts.reduce((total, count) => total + count, 0),
                      },
                    })),
                  },
                  {
                    ...{
                      descriptor: { name: "c", ...named, valueType: 1 },
                      aggregationTemporality: 0,
                      dataPointType: 3,
                    },
                    isMonotonic: true,
                    dataPoints: sums.map((each) => ({ ...point(each), value: each.value })),
                  },
                ],
              },
            ],
          } as never);
          expect(JSON.parse(metricsBody(ours, teller))).toEqual(parsed(theirs));
        },
      ),
    );
  });
});
