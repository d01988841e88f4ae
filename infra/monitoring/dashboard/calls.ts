/** The charts of calls: how many, how fast, which errors, how many tokens and points. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import { countLines, linesOf, measureLines } from "../log-metrics.ts";
import { chartOf } from "./charts.ts";
import { type DashboardParts, gatewayLogs, type Section, type Widget } from "./widget.ts";

const period = Duration.minutes(1);
const sum = { statistic: Stats.SUM, period };
const p50 = Stats.percentile(50);
const p95 = Stats.percentile(95);

/** Lines of an event that have a number in this field, which is the value. */
const valuesOf = (event: string | readonly string[], field: string) => ({
  pattern: FilterPattern.all(linesOf(...[event].flat()), FilterPattern.numberValue(`$.${field}`, ">=", 0)),
  value: `$.${field}`,
});
/** The same of calls that were answered. The metric is called as the field is. */
const ofCalls = (field: string) => ({ name: field, ...valuesOf("call", field) });

/** How many calls there are, and how they end. */
export function callSection(seen: DashboardParts): Section {
  return { title: "Calls", widgets: [...traffic(seen), ...speed(seen)] };
}

function traffic({ fronts, stage }: DashboardParts): Widget[] {
  const logs = gatewayLogs(fronts);
  const durations = measureLines(logs, stage, { ...ofCalls("duration_ms"), by: ["route"] });
  const errors = measureLines(logs, stage, {
    name: "errors",
    pattern: FilterPattern.all(
      linesOf("refused", "call_failed", "internal"),
      FilterPattern.numberValue("$.code", ">", 0),
    ),
    by: ["code", "route"],
  });
  return [
    {
      ...chartOf("Calls", "Calls by route"),
      metrics: [durations(Stats.SAMPLE_COUNT)],
      stacked: true,
    },
    {
      ...chartOf("Calls", "Errors by code and route"),
      metrics: [errors(Stats.SUM)],
      stacked: true,
    },
    {
      ...chartOf("Calls", "Duration by route, p95"),
      metrics: [durations(p95)],
    },
  ];
}

function speed({ fronts, stage }: DashboardParts): Widget[] {
  const logs = gatewayLogs(fronts);
  const firstByte = ofCalls("first_byte_ms");
  const all = measureLines(logs, stage, firstByte);
  const ofProvider = measureLines(logs, stage, { ...firstByte, by: ["provider"] });
  const sent = ofCalls("sent_ms");
  const atOnce = FilterPattern.numberValue("$.attempts", "=", 1);
  const own = measureLines(logs, stage, { ...sent, pattern: FilterPattern.all(sent.pattern, atOnce) });
  return [
    {
      ...chartOf("Calls", "First byte of streams"),
      metrics: [all(p50, "p50"), all(p95, "p95")],
    },
    {
      ...chartOf("Calls", "First byte by provider, p95"),
      metrics: [ofProvider(p95)],
    },
    {
      ...chartOf("Calls", "Before a provider is asked"),
      metrics: [own(p50, "p50"), own(p95, "p95")],
    },
  ];
}

/** What models were asked for, and how much of it came out of the cache. */
export function modelSection({ fronts, stage, videoTask, sweep, learner }: DashboardParts): Section {
  const logs = gatewayLogs(fronts);
  const tokens = measureLines(logs, stage, { ...ofCalls("tokens"), by: ["model"] });
  const points = measureLines([...logs, videoTask.logGroup, sweep.logGroup], stage, {
    ...{ name: "points", ...valuesOf(["call", "task_settled"], "points"), by: ["model"] },
  });
  const asked = measureLines([...logs, learner.logGroup], stage, {
    ...{ name: "cache_model_tokens", ...valuesOf("cache_model", "tokens") },
  });
  const lost = measureLines(logs, stage, {
    name: "race_lost_tokens",
    pattern: linesOf("race_lost"),
    value: "$.input_tokens",
  });
  const hit = (level: string) =>
    countLines(logs, stage, { field: "$.flags", value: `cache_${level}`, among: true }).with(sum);
  const calls = countLines(logs, stage, { field: "$.event", value: "call" }).with(sum);
  return {
    title: "Models",
    widgets: [
      {
        ...chartOf("Models", "Tokens by model"),
        metrics: [tokens(Stats.SUM)],
        stacked: true,
      },
      {
        ...chartOf("Models", "Points by model"),
        metrics: [points(Stats.SUM)],
        stacked: true,
      },
      {
        ...chartOf("Models", "Cache hits"),
        metrics: ["exact", "canonical", "semantic"].map((level) => shareOf(level, hit(level), calls)),
        stacked: true,
      },
      {
        ...chartOf("Models", "Tokens that the house pays"),
        metrics: [asked(Stats.SUM, "semantic cache"), lost(Stats.SUM, "races")],
      },
    ],
  };
}

function shareOf(level: string, hits: IMetric, calls: IMetric): IMetric {
  return new MathExpression({
    expression: `100 * FILL(${level}_hits, 0) / calls`,
    usingMetrics: { [`${level}_hits`]: hits, calls },
    period,
    label: level,
  });
}
