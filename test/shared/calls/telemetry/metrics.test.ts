/** The metrics of usage events. */
import { describe, expect, it } from "vitest";
import type { CallRoute, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { secondsBounds, tokenBounds } from "#shared/calls/telemetry/conventions.ts";
import { metricsOf } from "#shared/calls/telemetry/metrics.ts";
import { type Attributes, type HistogramPoint, metricsBody } from "#shared/calls/telemetry/otlp.ts";
import { eventOf, walletHold } from "#test/support/store.ts";

const window = { start: 1_000, end: 2_000 };
const at = 1_700_000_000_000;

function event(change: Partial<UsageEvent> = {}): UsageEvent {
  return {
    ...eventOf(walletHold("mtr_1", "1"), "0.5", {}),
    admitted_at: at,
    ended_at: at + 2_500,
    route: routeOf(["openai", "answered", 700]),
    ...change,
  };
}

function routeOf(...attempts: [provider: string, outcome: string, ms: number][]): CallRoute {
  const told = attempts.map(([provider, outcome, ms]) => ({ provider, outcome, ms }));
  return { routing: "smart", why: "first", of: 3, attempts: told as CallRoute["attempts"] };
}

const pointsOf = (name: string, events: UsageEvent[]): { attributes: Attributes; value?: number }[] => {
  const points = metricsOf(events, window).find((each) => each.name === name)?.points;
  if (!points) return [];
  return "sum" in points ? points.sum : points.histogram;
};
const valuesOf = (name: string, events: UsageEvent[]) =>
  pointsOf(name, events).map((point) => [point.attributes, (point as HistogramPoint).sum ?? point.value]);
const asked = (provider: string, more: object = {}) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": provider,
  "gen_ai.request.model": event().model,
  "error.type": undefined,
  ...more,
});
const duration = "gen_ai.client.operation.duration";
const firstChunk = "gen_ai.client.operation.time_to_first_chunk";

describe("an attempt", () => {
  it("is an operation of its provider: to the end of its stream, or to its failure", () => {
    const route = { ...routeOf(["gemini", "fault", 300], ["openai", "answered", 700]), generation_ms: 1_000 };
    expect(valuesOf(duration, [event({ route })])).toEqual([
      [asked("gcp.gemini", { "error.type": "fault" }), 0.3],
      [asked("openai"), 1.7],
    ]);
    expect(valuesOf(firstChunk, [event({ route })])).toMatchObject([
      [{ "gen_ai.provider.name": "openai" }, 0.7],
    ]);
  });

  it("that lost a race is none", () => {
    const route = routeOf(["openai", "lost", 900], ["anthropic", "answered", 200]);
    expect(valuesOf(duration, [event({ route })])).toEqual([[asked("anthropic"), 0.2]]);
  });

  it("whose stream broke off is an error", () => {
    const route = { ...routeOf(["openai", "answered", 700]), generation_ms: 100 };
    expect(valuesOf(duration, [event({ route, outcome: "truncated" })])).toEqual([
      [asked("openai", { "error.type": "incomplete" }), 0.8],
    ]);
  });

  it("at another model is told of that one", () => {
    const route = routeOf(["openai", "fault", 10], ["openai", "answered", 20]);
    const [first] = route.attempts;
    if (first) first.model = "acme/other";
    const models = valuesOf(duration, [event({ route })]).map(
      ([each]) => (each as Attributes)["gen_ai.request.model"],
    );
    expect(models).toEqual(["acme/other", event().model]);
  });

  it("has no first chunk if its answer came whole", () => {
    expect(valuesOf(firstChunk, [event()])).toEqual([]);
  });
});

describe("tokens", () => {
  const usage = {
    ...event().usage,
    input_tokens: 10,
    cache_read_tokens: 5,
    cache_write_tokens: 1,
    output_tokens: 4,
  };
  const counted = (change: Partial<UsageEvent>) =>
    valuesOf("gen_ai.client.token.usage", [event({ usage, ...change })]).map(([attributes, sum]) => [
      (attributes as Attributes)["gen_ai.token.type"],
      sum,
    ]);

  it("are those that a provider reported, with the cached ones", () => {
    expect(counted({})).toEqual([
      ["input", 16],
      ["output", 4],
    ]);
  });

  it.each([
    ["estimated", { evidence: "estimated" }],
    ["out of the cache", { evidence: "cache", provider: null }],
    ["nobody's", { provider: null }],
  ] as const)("that are %s are not told", (_, change) => {
    expect(counted(change)).toEqual([]);
  });
});

describe("a call", () => {
  it("is a request that we served, also out of the cache", () => {
    const { route: _, ...cached } = event({ provider: null, evidence: "cache", attempts: 0 });
    expect(valuesOf("gen_ai.server.request.duration", [cached])).toEqual([
      [
        {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "model_gateway",
          "gen_ai.request.model": cached.model,
          "gen_ai.response.model": cached.model,
          "error.type": undefined,
        },
        2.5,
      ],
    ]);
    expect(valuesOf(duration, [cached])).toEqual([]);
  });

  it("that failed says so", () => {
    const [[attributes] = []] = valuesOf("gen_ai.server.request.duration", [event({ outcome: "failed" })]);
    expect(attributes).toMatchObject({ "error.type": "failed" });
  });

  it("costs what its event says, summed by model and mode", () => {
    const events = [
      event({ cost_points: "0.25" }),
      event({ cost_points: "0.5" }),
      event({ cost_points: "0", mode: "subscription" }),
    ];
    expect(valuesOf("model_gateway.cost", events)).toEqual([
      [{ "gen_ai.request.model": event().model, "model_gateway.mode": event().mode }, 0.75],
    ]);
  });

  it("of a video is one attempt, from its creation to its end, without tokens", () => {
    const { route: _, ...video } = event({ kind: "video", provider: "volcengine", attempts: 1 });
    expect(valuesOf(duration, [video])).toMatchObject([
      [{ "gen_ai.operation.name": "generate_content" }, 2.5],
    ]);
    expect(valuesOf("gen_ai.client.token.usage", [video])).toEqual([]);
  });
});

describe("a histogram", () => {
  it("counts a value in the bucket whose bound is the first that is not below it", () => {
    const ms = [10, 10.001, 20, 81_920, 81_921];
    const [point] = pointsOf(
      duration,
      ms.map((each) => event({ route: routeOf(["openai", "answered", each]) })),
    );
    const { bounds, counts, min, max } = point as HistogramPoint;
    expect(bounds).toEqual(secondsBounds);
    expect(counts).toEqual([1, 2, ...Array.from({ length: 11 }, () => 0), 1, 1]);
    expect([min, max]).toEqual([0.01, 81.921]);
  });

  it("of tokens has the bounds of the conventions", () => {
    expect([tokenBounds.length, tokenBounds[0], tokenBounds.at(-1)]).toEqual([14, 1, 67_108_864]);
  });
});

it("names no customer, whatever the events say", () => {
  const body = metricsBody(metricsOf([event({ user: "someone" })], window), {
    resource: {},
    scope: { name: "s", version: "1" },
    schemaUrl: "https://opentelemetry.io/schemas/1.41.1",
  });
  const { organization, key, id, meter } = event();
  for (const secret of [organization, key, id, meter, "someone"]) expect(body.includes(secret)).toBe(false);
});

it("are none of no events", () => {
  expect(metricsOf([], window)).toEqual([]);
});
