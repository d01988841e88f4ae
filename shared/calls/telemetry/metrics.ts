/** The metrics of usage events (README.md "Metrics"): attempts as a client's operations, calls as requests served. */
import { sizeOf } from "../../books/billing/pricing/tiers.ts";
import type { ToldAttempt, UsageEvent } from "../../books/ledger/usage-event.ts";
import { operationName, providerName, secondsBounds, tokenBounds } from "./conventions.ts";
import type { Attributes, HistogramPoint, Metric, SumPoint } from "./otlp.ts";

/** The time that metrics tell of, in Unix milliseconds. */
interface MetricsWindow {
  start: number;
  end: number;
}

/** A value that was measured, under what it is told by. */
interface Measured {
  attributes: Attributes;
  value: number;
}

interface HistogramRow {
  name: string;
  description: string;
  unit: string;
  bounds: readonly number[];
  measure(event: UsageEvent): Measured[];
}

const histograms: readonly HistogramRow[] = [
  {
    name: "gen_ai.client.operation.duration",
    description:
      "How long a provider took for an attempt: a whole answer, a stream to its end, or a failure.",
    unit: "s",
    bounds: secondsBounds,
    measure: (event) => attemptsOf(event).map((attempt) => durationOf(attempt, event)),
  },
  {
    name: "gen_ai.client.operation.time_to_first_chunk",
    description: "How long a provider took to the first bytes of a stream.",
    unit: "s",
    bounds: secondsBounds,
    measure: (event) =>
      event.route?.generation_ms === undefined
        ? []
        : attemptsOf(event)
            .filter(({ outcome }) => outcome === "answered")
            .map((attempt) => ({ attributes: askedOf(attempt, event), value: attempt.ms / 1000 })),
  },
  {
    name: "gen_ai.client.token.usage",
    description: "The tokens of a call, as its provider reports them.",
    unit: "{token}",
    bounds: tokenBounds,
    measure: tokensOf,
  },
  {
    name: "gen_ai.server.request.duration",
    description: "How long a call took from its arrival to the end of its answer.",
    unit: "s",
    bounds: secondsBounds,
    measure: (event) => [
      {
        attributes: {
          ...servedAs(event),
          "error.type": event.outcome === "completed" ? undefined : event.outcome,
        },
        value: (event.ended_at - event.admitted_at) / 1000,
      },
    ],
  },
];

/** The metrics of events, which ended in this time. Metrics without a value are left out. */
export function metricsOf(events: readonly UsageEvent[], window: MetricsWindow): Metric[] {
  const measured = histograms.map(({ measure, bounds, ...told }): Metric => {
    const groups = grouped(events.flatMap(measure));
    const points = groups.map((group) => ({ ...histogramOf(group, bounds), ...window }));
    return { ...told, points: { histogram: points } };
  });
  const cost: Metric = {
    name: "model_gateway.cost",
    description: "What calls were charged, in points. The ledger has the exact sums.",
    unit: "{point}",
    points: { sum: costsOf(events).map((point) => ({ ...point, ...window })) },
  };
  return [...measured, cost].filter(
    ({ points }) => ("sum" in points ? points.sum : points.histogram).length > 0,
  );
}

/** The attempts of a call. A task has one, which its event does not tell, from its creation to its end. */
function attemptsOf({ route, kind, provider, admitted_at, ended_at, outcome }: UsageEvent): ToldAttempt[] {
  if (route) return route.attempts.filter((attempt) => attempt.outcome !== "lost");
  if (kind !== "video" || provider === null) return [];
  return [{ provider, outcome: outcome === "completed" ? "answered" : "fault", ms: ended_at - admitted_at }];
}

function durationOf(attempt: ToldAttempt, event: UsageEvent): Measured {
  const isAnswer = attempt.outcome === "answered";
  const generation_ms = isAnswer ? (event.route?.generation_ms ?? 0) : 0;
  const broke = isAnswer && event.outcome !== "completed";
  return {
    attributes: {
      ...askedOf(attempt, event),
      "error.type": isAnswer ? (broke ? "incomplete" : undefined) : attempt.outcome,
    },
    value: (attempt.ms + generation_ms) / 1000,
  };
}

/** An estimate is no count of the provider's, so it is no value here. */
function tokensOf(event: UsageEvent): Measured[] {
  const { usage, provider, kind, evidence } = event;
  if (provider === null || evidence !== "reported" || kind === "video") return [];
  const attributes = askedOf({ provider }, event);
  return [
    { attributes: { ...attributes, "gen_ai.token.type": "input" }, value: sizeOf(usage, "input_tokens") },
    { attributes: { ...attributes, "gen_ai.token.type": "output" }, value: usage.output_tokens },
  ].filter(({ value }) => value > 0);
}

function askedOf(
  { provider, model }: Pick<ToldAttempt, "provider" | "model">,
  event: UsageEvent,
): Attributes {
  return {
    "gen_ai.operation.name": operationName(event.kind),
    "gen_ai.provider.name": providerName(provider),
    "gen_ai.request.model": model ?? event.model,
  };
}

/** To its clients the gateway is the provider. */
function servedAs({ kind, model, requested_model }: UsageEvent): Attributes {
  return {
    "gen_ai.operation.name": operationName(kind),
    "gen_ai.provider.name": "model_gateway",
    "gen_ai.request.model": requested_model ?? model,
    "gen_ai.response.model": model,
  };
}

function costsOf(events: readonly UsageEvent[]): Omit<SumPoint, keyof MetricsWindow>[] {
  const costs = events.map((event) => ({
    attributes: { "gen_ai.request.model": event.model, "model_gateway.mode": event.mode },
    value: Number(event.cost_points),
  }));
  return grouped(costs.filter(({ value }) => value > 0)).map(({ attributes, values }) => ({
    attributes,
    value: values.reduce((sum, value) => sum + value, 0),
  }));
}

interface Group {
  attributes: Attributes;
  values: number[];
}

function grouped(measured: Measured[]): Group[] {
  const groups = Map.groupBy(measured, ({ attributes }) => JSON.stringify(attributes));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ attributes: first.attributes, values: group.map(({ value }) => value) }] : [];
  });
}

/** A value falls into the first bucket whose bound is not below it; beyond the last bound is one bucket more. */
function histogramOf(
  { attributes, values }: Group,
  bounds: readonly number[],
): Omit<HistogramPoint, keyof MetricsWindow> {
  const counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const value of values) {
    const bucket = bounds.findIndex((bound) => value <= bound);
    const at = bucket < 0 ? bounds.length : bucket;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const sum = values.reduce((total, value) => total + value, 0);
  return { attributes, bounds, counts, sum, min: Math.min(...values), max: Math.max(...values) };
}
