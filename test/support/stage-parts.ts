/** The parts of a synthesized stage: those that are paid for by the month, and those that an operator may touch. */
import type { BilledParts } from "#infra/cost/parts.ts";
import type { ResourcePlace } from "#infra/resources/operator-permission.ts";
import type { Resource, Synthesized } from "./template.ts";

/** Metrics that an alarm is paid for. */
function metricsOf({ Properties: { Metrics } }: Resource): number {
  return Metrics ? Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length : 1;
}

/** The names of the metrics that a filter makes. Events that are told apart by their names are a metric each. */
export function metricsOfFilter({ Properties }: Resource): string[] {
  const [{ MetricName, Dimensions = [] }] = Properties.MetricTransformations;
  if (!Dimensions.some(({ Key }: { Key: string }) => Key === "event")) return [MetricName];
  const events = Properties.FilterPattern.matchAll(/\$\.event = "(\w+)"/g);
  return Array.from(events, ([, event]) => `${MetricName} ${event}`);
}

/** What of a stage is paid for by the month. */
export function paidParts(prod: Synthesized): BilledParts {
  const alarms = prod.all("AWS::CloudWatch::Alarm").map(([, alarm]) => metricsOf(alarm));
  const names = prod.all("AWS::Logs::MetricFilter").flatMap(([, filter]) => metricsOfFilter(filter));
  const minutesOf = (rule: string) => {
    const { ScheduleExpression } = prod.one("AWS::Events::Rule", rule).Properties;
    return Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression)?.[1]);
  };
  return {
    alarmMetrics: alarms.reduce((sum, metrics) => sum + metrics, 0),
    customMetrics: new Set(names).size,
    dashboards: prod.all("AWS::CloudWatch::Dashboard").length,
    secrets: prod.all("AWS::SecretsManager::Secret").length,
    queues: prod.all("AWS::Lambda::EventSourceMapping").length,
    sweepMinutes: minutesOf("SweepSchedule"),
    reconcileMinutes: minutesOf("ReconcileSchedule"),
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
