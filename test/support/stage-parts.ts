/** The parts of a synthesized stage: those that are paid for by the month, and those that an operator may touch. */
import type { BilledParts } from "#infra/cost/parts.ts";
import { readDefinition } from "#infra/local/dashboard/definition.ts";
import type { LogObject } from "#infra/local/dashboard/filter-pattern.ts";
import { extract } from "#infra/local/dashboard/log-metrics.ts";
import { createReader } from "#infra/local/stack/template.ts";
import type { ResourcePlace } from "#infra/resources/operator-permission.ts";
import type { Resource, Synthesized } from "./template.ts";

/** Metrics that an alarm is paid for. One on a query is paid for those that the query finds; one is taken where it finds none. */
function metricsOf({ Properties: { Metrics } }: Resource): number {
  const named = Metrics?.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length;
  return Math.max(1, named ?? 1);
}

/** The names of the metrics that a filter makes. Events and flags that are told apart by their names are a metric each. */
export function metricsOfFilter({ Properties }: Resource): string[] {
  const [{ MetricName, Dimensions = [] }] = Properties.MetricTransformations;
  if (!Dimensions.some(({ Key }: { Key: string }) => ["event", "flags"].includes(Key))) return [MetricName];
  const values = Properties.FilterPattern.matchAll(/\$\.(?:event|flags) = "\*?(\w+)\*?"/g);
  return Array.from(values, ([, value]) => `${MetricName} ${value}`);
}

/** What the sweep, the hourly seal and the reconciler log in a stage without calls and customers, by their log groups. */
const idleLogs: Record<string, LogObject[]> = {
  SweepLogs: [
    { event: "swept", count: 0, holds: 0 },
    { event: "sealed", count: 0 },
  ],
  ConsoleLogs: [{ event: "reconciled", due: 0, asked: 0, credited: 0, closed: 0, left: 0 }],
};

/** The metrics that filters make of those lines. */
function idleMetrics(prod: Synthesized): number {
  const { filters } = readDefinition(createReader({ Resources: prod.resources }));
  const made = filters.flatMap((filter) =>
    (idleLogs[filter.logGroup.replace(/[0-9A-F]{8}$/, "")] ?? []).flatMap((line) => extract(line, [filter])),
  );
  return new Set(made.map(({ name, dimensions }) => JSON.stringify([name, dimensions]))).size;
}

/** What of a stage is paid for by the month. */
export function paidParts(prod: Synthesized): BilledParts {
  const alarms = prod.all("AWS::CloudWatch::Alarm").map(([, alarm]) => metricsOf(alarm));
  const rules = new Map(prod.all("AWS::Events::Rule"));
  const minutesOf = (rule: string) => {
    const { ScheduleExpression } = rules.get(rule)?.Properties ?? {};
    return Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression)?.[1]);
  };
  return {
    alarmMetrics: alarms.reduce((sum, metrics) => sum + metrics, 0),
    idleMetrics: idleMetrics(prod),
    dashboards: prod.all("AWS::CloudWatch::Dashboard").length,
    secrets: prod.all("AWS::SecretsManager::Secret").length,
    queues: prod.all("AWS::Lambda::EventSourceMapping").length,
    sweepMinutes: minutesOf("SweepSchedule"),
    ...(rules.has("ReconcileSchedule") && { reconcileMinutes: minutesOf("ReconcileSchedule") }),
  };
}

/** The names in the template of what each place of a permission is. */
export function placesIn(prod: Synthesized): Partial<Record<ResourcePlace, readonly string[]>> {
  return {
    ...Object.fromEntries(
      ["keys", "counters", "ledger", "tasks", "accounts", "board", "cache"].map((name) => [
        name,
        [`${name[0]?.toUpperCase()}${name.slice(1)}Table`],
      ]),
    ),
    "counters/index": ["CountersTable/index/meters"],
    "accounts/index": ["AccountsTable/index/due"],
    usageQueue: ["UsageQueueUsage"],
    usageDeadLetters: ["UsageQueueDeadLetters"],
    lessonQueue: ["LessonQueueLessons"],
    lessonDeadLetters: ["LessonQueueDeadLetters"],
    pepper: ["Pepper"],
    providers: ["Providers"],
    accountsSecret: ["Accounts"],
    platforms: ["Platforms"],
    workflow: ["VideoWorkflowMachine"],
    stack: ["arn:AWS::Partition:cloudformation:AWS::Region:AWS::AccountId:stack/model-gateway-prod/*"],
    functions: prod.all("AWS::Lambda::Function").map(([name]) => name),
    mappings: prod
      .all("AWS::Lambda::EventSourceMapping")
      .map(([id]) => `arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:event-source-mapping:${id}`),
    rules: prod.all("AWS::Events::Rule").map(([name]) => name),
    topics: prod.all("AWS::SNS::Topic").map(([name]) => name),
    logs: prod.all("AWS::Logs::LogGroup").map(([name]) => name),
  };
}
