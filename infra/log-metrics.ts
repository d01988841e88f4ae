/** Metrics of log lines: how often something was logged. Several log groups may count into one metric. */
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type IFilterPattern, type ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Stage } from "./stage.ts";

interface Line {
  field: string;
  value: string;
  /** The field lists several values, separated by spaces. */
  among?: boolean;
}

/** How many log lines have this value in this field (log.ts writes one JSON line per event). */
export function countLines(logs: readonly ILogGroup[], stage: Stage, { field, value, among }: Line): Metric {
  const pattern = FilterPattern.stringValue(field, "=", among ? `*${value}*` : value);
  return count(logs, stage, value, pattern);
}

/**
 * How often a web function did not start: our own line for it, and Lambda's for code that fails before it can write one
 * (aws.md §2.4).
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

/** A group that counts these lines already is left as it is. */
function count(
  logs: readonly ILogGroup[],
  stage: Stage,
  name: string,
  filterPattern: IFilterPattern,
): Metric {
  const metric = { metricNamespace: `model-gateway/${stage.name}`, metricName: name };
  for (const log of logs) {
    if (!log.node.tryFindChild(name)) log.addMetricFilter(name, { filterPattern, ...metric });
  }
  return new Metric({ namespace: metric.metricNamespace, metricName: name });
}
