/** Metrics of log lines: how often something was logged. Several log groups may count into one metric. */
import { Duration, Lazy } from "aws-cdk-lib";
import { type IMetric, Metric, SearchExpression } from "aws-cdk-lib/aws-cloudwatch";
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Stage } from "../stage/stage.ts";

interface Line {
  field: string;
  value: string;
  /** The field lists several values, separated by spaces. */
  among?: boolean;
  /** The metric's name; the value without it. */
  name?: string;
  /** Another field that must have this value. */
  and?: { field: string; value: string };
}

/**
 * How many log lines have this value in this field (log.ts writes one JSON line per event). Events alone are told apart
 * by a dimension, so that one filter counts them all. Every other line has a filter and a metric of its own.
 */
export function countLines(
  logs: readonly ILogGroup[],
  stage: Stage,
  { field, value, among, name, and }: Line,
): Metric {
  if (field === "$.event" && !among && !name && !and) return countEvent(logs, stage, value);
  const pattern = FilterPattern.stringValue(field, "=", among ? `*${value}*` : value);
  const whole = and
    ? FilterPattern.all(pattern, FilterPattern.stringValue(and.field, "=", and.value))
    : pattern;
  return count(logs, stage, name ?? value, whole);
}

/**
 * How often a web function did not start: by our own line, or by Lambda's for code that fails before it (aws.md §2.4).
 */
export function countNotStarted(log: ILogGroup, stage: Stage): Metric {
  const pattern = FilterPattern.any(
    FilterPattern.stringValue("$.event", "=", "not_started"),
    FilterPattern.all(
      FilterPattern.stringValue("$.type", "=", "platform.initReport"),
      FilterPattern.stringValue("$.record.status", "=", "failure"),
    ),
  );
  return count([log], stage, "not_started", pattern);
}

function namespaceOf({ name }: Stage): string {
  return `model-gateway/${name}`;
}

/** The metric of all lines that are counted by their events, and its only dimension. */
const counted = { metricName: "lines", dimension: "event" };

/** What a filter pattern may have, in characters (aws.md §8). */
const patternMax = 1024;

function countEvent(logs: readonly ILogGroup[], stage: Stage, event: string): Metric {
  for (const log of logs) {
    let filter = eventFilter(log, stage, 1);
    for (let nth = 2; !filter.take(event); nth++) filter = eventFilter(log, stage, nth);
  }
  const dimensionsMap = { [counted.dimension]: event };
  return new Metric({ namespace: namespaceOf(stage), metricName: counted.metricName, dimensionsMap });
}

/** The nth filter of a group for events, made when it is first needed. */
function eventFilter(log: ILogGroup, stage: Stage, nth: number): EventFilter {
  const id = `Events${nth === 1 ? "" : nth}`;
  return (log.node.tryFindChild(id) as EventFilter | undefined) ?? new EventFilter(log, id, stage);
}

/** One filter for many events. One for each would be dozens of the 500 resources that a stack may have. */
class EventFilter extends Construct {
  readonly #events: string[] = [];

  constructor(logGroup: ILogGroup, id: string, stage: Stage) {
    super(logGroup, id);
    new MetricFilter(this, "Filter", {
      logGroup,
      filterPattern: {
        logPatternString: Lazy.string({ produce: () => linesOf(...this.#events).logPatternString }),
      },
      metricNamespace: namespaceOf(stage),
      metricName: counted.metricName,
      metricValue: "1",
      dimensions: { [counted.dimension]: "$.event" },
    });
  }

  /** Counts this event too; false if the pattern has no room for it. */
  take(event: string): boolean {
    if (this.#events.includes(event)) return true;
    if (linesOf(...this.#events, event).logPatternString.length > patternMax) return false;
    this.#events.push(event);
    return true;
  }
}

/** A group that counts these lines already is left as it is. */
function count(
  logs: readonly ILogGroup[],
  stage: Stage,
  name: string,
  filterPattern: IFilterPattern,
): Metric {
  const metric = { metricNamespace: namespaceOf(stage), metricName: name };
  for (const log of logs) {
    if (!log.node.tryFindChild(name)) log.addMetricFilter(name, { filterPattern, ...metric });
  }
  return new Metric({ namespace: metric.metricNamespace, metricName: name });
}

/** What is measured of log lines, and counted where they have no number. */
interface Measured {
  /** The metric's name. */
  name: string;
  pattern: IFilterPattern;
  /** The field with the number, such as `$.tokens`. Without it each line counts 1. */
  value?: string;
  /**
   * Fields that tell series apart, at most three. Each of their values is a metric that AWS charges for, so no key, no
   * organization and no request may be one of them (infra/monitoring/dashboard.md "What it costs").
   */
  by?: readonly string[];
}

/** A measurement as a chart draws it: one line by its statistic, or one for each of the values that tell series apart. */
type Draw = (statistic: string, label?: string, period?: Duration) => IMetric;

/** Measures the lines of these log groups. Lines without a field that tells series apart are not measured. */
export function measureLines(
  logs: readonly ILogGroup[],
  stage: Stage,
  { name, pattern, value = "1", by = [] }: Measured,
): Draw {
  const metricNamespace = namespaceOf(stage);
  const dimensions = Object.fromEntries(by.map((field) => [field, `$.${field}`]));
  const id = [name, ...by].join("-by-");
  for (const log of logs) {
    log.addMetricFilter(id, {
      filterPattern: pattern,
      metricNamespace,
      metricName: name,
      metricValue: value,
      ...(by.length > 0 && { dimensions }),
    });
  }
  const schema = [`"${metricNamespace}"`, ...by].join(",");
  return (statistic, label = name, period = Duration.minutes(1)) =>
    by.length === 0
      ? new Metric({ namespace: metricNamespace, metricName: name, statistic, label, period })
      : new SearchExpression({
          expression: `SEARCH('{${schema}} MetricName="${name}"', '${statistic}', ${period.toSeconds()})`,
          label: by.map((field) => `\${PROP('Dim.${field}')}`).join(" "),
          period,
        });
}

/** Lines of one of these events. */
export function linesOf(...events: string[]): JsonPattern {
  const [first, ...others] = events.map((event) => FilterPattern.stringValue("$.event", "=", event));
  if (!first) throw new TypeError("a pattern needs an event");
  return others.length === 0 ? first : FilterPattern.any(first, ...others);
}
