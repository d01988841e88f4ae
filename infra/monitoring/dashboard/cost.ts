/** The charts of the functions and of what AWS charges for: units and no money, because prices differ by region. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { GatewayFunction } from "../../resources/gateway-function.ts";
import { chartOf } from "./charts.ts";
import { type DashboardParts, gatewayLogs, type Section, type Widget } from "./widget.ts";

const period = Duration.minutes(1);
const sum = { statistic: Stats.SUM, period };

/** A function with the name that its lines have, and its memory. */
interface NamedFunction {
  name: string;
  made: GatewayFunction;
  memoryMb: number;
}

/** The functions whose metrics AWS has in one namespace: all but the server's. */
function functionsOf(seen: DashboardParts): NamedFunction[] {
  const { settle, sweep, videoTask, learner, console, stage } = seen;
  const { url } = seen.fronts;
  return [
    ...(url ? [{ name: "gateway", made: url.gateway, memoryMb: stage.gateway.memoryMb }] : []),
    { name: "settle", made: settle, memoryMb: stage.settle.memoryMb },
    { name: "sweep", made: sweep, memoryMb: stage.sweep.memoryMb },
    { name: "video-task", made: videoTask, memoryMb: stage.videoTask.memoryMb },
    { name: "learner", made: learner, memoryMb: stage.learner.memoryMb },
    ...(console ? [{ name: "console", made: console, memoryMb: stage.consoleSize.memoryMb }] : []),
  ];
}

/** What runs, what fails, and what AWS charges for. */
export function costSection(seen: DashboardParts): Section {
  return { title: "Functions and cost", widgets: [...functionWidgets(seen), ...storageWidgets(seen)] };
}

function functionWidgets(seen: DashboardParts): Widget[] {
  const functions = functionsOf(seen);
  return [
    {
      ...chartOf("Functions and cost", "Invocations"),
      metrics: functions.map(({ name, made }) => made.metricInvocations({ ...sum, label: name })),
    },
    {
      ...chartOf("Functions and cost", "Errors and throttles"),
      metrics: [
        ...functions.map(({ name, made }) => made.metricErrors({ ...sum, label: `${name} errors` })),
        ...functions.map(({ name, made }) => made.metricThrottles({ ...sum, label: `${name} throttled` })),
      ],
    },
    {
      ...chartOf("Functions and cost", "GB-seconds"),
      metrics: functions.map(gbSeconds),
      stacked: true,
    },
  ];
}

/** Lambda tells milliseconds. */
function gbSeconds({ name, made, memoryMb }: NamedFunction): IMetric {
  const id = `${name.replace(/\W/g, "_")}_ms`;
  return new MathExpression({
    expression: `${id} * ${memoryMb / 1024} / 1000`,
    usingMetrics: { [id]: made.metricDuration(sum) },
    period,
    label: name,
  });
}

function storageWidgets(seen: DashboardParts): Widget[] {
  const { tables, fronts, settle, sweep, videoTask, learner, console } = seen;
  const workers = [settle, sweep, videoTask, learner, ...(console ? [console] : [])];
  const logs = [...gatewayLogs(fronts), ...workers.map(({ logGroup }) => logGroup)];
  return [
    {
      ...chartOf("Functions and cost", "Write units"),
      metrics: Object.entries(tables).map(([label, table]) =>
        table.metricConsumedWriteCapacityUnits({ ...sum, label }),
      ),
      stacked: true,
    },
    {
      ...chartOf("Functions and cost", "Read units"),
      metrics: Object.entries(tables).map(([label, table]) =>
        table.metricConsumedReadCapacityUnits({ ...sum, label }),
      ),
      stacked: true,
    },
    {
      ...chartOf("Functions and cost", "Log bytes"),
      metrics: logs.map(incomingBytes),
      stacked: true,
    },
  ];
}

/** CDK's own metric of a log group leaves out which group it is of. */
function incomingBytes(log: ILogGroup): IMetric {
  return new Metric({
    namespace: "AWS/Logs",
    metricName: "IncomingBytes",
    dimensionsMap: { LogGroupName: log.logGroupName },
    label: log.node.id.replace(/Logs$/, "") || (log.node.scope?.node.id ?? ""),
    ...sum,
  });
}
