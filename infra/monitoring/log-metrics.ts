/** Metrics of log lines: how often something was logged. Several log groups may count into one metric. */
import { Duration, Lazy } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, SearchExpression } from "aws-cdk-lib/aws-cloudwatch";
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Stage } from "../stage/stage.ts";

export interface CountedLine {
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
  { field, value, among, name, and }: CountedLine,
): Metric {
  if (field === "$.event" && !among && !name && !and) return countEvent(logs, stage, value);
  return count(
    logs,
    stage,
    name ?? value,
    patternOf({ field, value, ...(among && { among }), ...(and && { and }) }),
  );
}

function patternOf({ field, value, among, and }: CountedLine): JsonPattern {
  const pattern = FilterPattern.stringValue(field, "=", among ? `*${value}*` : value);
  return and ? FilterPattern.all(pattern, FilterPattern.stringValue(and.field, "=", and.value)) : pattern;
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

/** What one filter of a group counts many kinds of lines into. A field of the lines tells them apart as a dimension. */
interface Counted {
  /** The name of the filter in its group. */
  id: string;
  metricName: string;
  /** What each line adds. */
  metricValue: string;
  /** The dimension; the field is `$.` and its name. */
  dimension: string;
}

/** The metric of all lines that are counted by their events alone. */
const events: Counted = { id: "Events", metricName: "lines", metricValue: "1", dimension: "event" };

/** What a filter pattern may have, in characters (aws.md §8). */
const patternMax = 1024;

function countEvent(logs: readonly ILogGroup[], stage: Stage, event: string): Metric {
  countInto(logs, stage, events, linesOf(event));
  const dimensionsMap = { [events.dimension]: event };
  return new Metric({ namespace: namespaceOf(stage), metricName: events.metricName, dimensionsMap });
}

/** Counts these lines too, by the first filter of each group that has room for them. */
function countInto(logs: readonly ILogGroup[], stage: Stage, counted: Counted, lines: JsonPattern): void {
  for (const log of logs) {
    let filter = sharedFilter(log, stage, counted, 1);
    for (let nth = 2; !filter.take(lines.logPatternString); nth++) {
      filter = sharedFilter(log, stage, counted, nth);
    }
  }
}

/** The nth filter of a group for such lines, made when it is first needed. */
function sharedFilter(log: ILogGroup, stage: Stage, counted: Counted, nth: number): SharedFilter {
  const id = `${counted.id}${nth === 1 ? "" : nth}`;
  const made = log.node.tryFindChild(id) as SharedFilter | undefined;
  return made ?? new SharedFilter(log, id, stage, counted);
}

/** One filter for many kinds of lines. One for each would be dozens of the 500 resources that a stack may have. */
class SharedFilter extends Construct {
  /** The patterns of the lines, each in its braces. */
  readonly #patterns: string[] = [];

  constructor(
    logGroup: ILogGroup,
    id: string,
    stage: Stage,
    { metricName, metricValue, dimension }: Counted,
  ) {
    super(logGroup, id);
    new MetricFilter(this, "Filter", {
      logGroup,
      filterPattern: { logPatternString: Lazy.string({ produce: () => anyOf(this.#patterns) }) },
      metricNamespace: namespaceOf(stage),
      metricName,
      metricValue,
      dimensions: { [dimension]: `$.${dimension}` },
    });
  }

  /** Counts these lines too; false if the pattern has no room for them. */
  take(pattern: string): boolean {
    if (this.#patterns.includes(pattern)) return true;
    if (anyOf([...this.#patterns, pattern]).length > patternMax) return false;
    this.#patterns.push(pattern);
    return true;
  }
}

/** The pattern of lines that any of these patterns has. */
function anyOf(patterns: readonly string[]): string {
  if (patterns.length === 1) return patterns[0] ?? "";
  return `{ ${patterns.map((pattern) => `(${pattern.slice(2, -2)})`).join(" || ")} }`;
}

/** Lines that ring together: the metric that they are counted into, and the dimension by which each rings for itself. */
export interface Joined {
  metricName: string;
  dimension: "event" | "flags";
}

/** Counts these lines into a joined metric. Each adds its share of what rings, which is 1 where one line does. */
export function joinLines(
  logs: readonly ILogGroup[],
  stage: Stage,
  { metricName, dimension }: Joined,
  { line, share }: { line: CountedLine; share: number },
): void {
  const metricValue = String(share);
  const id = `${metricName}${share === 1 ? "" : `-${line.value}`}`;
  countInto(logs, stage, { id, metricName, metricValue, dimension }, patternOf(line));
}

/**
 * The sums of a joined metric, a series for each value of its dimension. An alarm on this query watches each series for
 * itself, and names the one that rings (aws.md §12.3).
 */
export function joinedMetric(
  stage: Stage,
  { metricName, dimension }: Joined,
  period: Duration,
): MathExpression {
  const from = `SCHEMA("${namespaceOf(stage)}", ${dimension})`;
  return new MathExpression({
    expression: `SELECT SUM(${metricName}) FROM ${from} GROUP BY ${dimension} ORDER BY SUM() DESC`,
    period,
    label: metricName,
  });
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
