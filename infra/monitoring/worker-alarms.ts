/** What wakes a person about the functions behind the gateway, their queues and their workflow. */
import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IRule } from "aws-cdk-lib/aws-events";
import type { GatewayFunction } from "../resources/gateway-function.ts";
import type { Queues } from "../resources/queues.ts";
import type { VideoWorkflow } from "../resources/video-workflow.ts";

export interface Workers {
  settle: GatewayFunction;
  sweep: GatewayFunction;
  videoTask: GatewayFunction;
  learner: GatewayFunction;
  /** Absent where the stage has no console. */
  console: GatewayFunction | undefined;
  /** When the console looks at orders that are due. Absent with the console. */
  reconciling: IRule | undefined;
  workflow: VideoWorkflow;
  queues: Queues;
}

/** When an alarm rings, and what it then says. */
export interface AlarmCondition {
  metric: Metric | MathExpression;
  /** The alarm rings above this value: above 0 if neither is given. */
  above?: number;
  /** The alarm rings below this value, and when there is no value at all. */
  below?: number;
  why: string;
  /** How many periods in a row must be beyond the value; 1 if absent. */
  periods?: number;
}

/** What most alarms look at. */
export const period = Duration.minutes(5);
export const sum = { period, statistic: Stats.SUM };
/** What an alarm looks at that cannot wait, such as one that takes a version back. */
export const quick = { period: Duration.minutes(1), statistic: Stats.SUM };
const maximum = { period, statistic: Stats.MAXIMUM };

/** How often a schedule has called its function. AWS counts it, so it costs nothing. */
export function runsOf(schedule: IRule, options: MetricOptions): Metric {
  const dimensionsMap = { RuleName: schedule.ruleName };
  return new Metric({ namespace: "AWS/Events", metricName: "Invocations", dimensionsMap, ...options });
}

/** The alarms by their names. */
export function workerConditions(workers: Workers): Record<string, AlarmCondition> {
  return {
    ...settlement(workers),
    ...sweeping(workers),
    ...videos(workers),
    ...learning(workers),
    ...signingIn(workers),
  };
}

function settlement({ settle, queues: { usage } }: Workers): Record<string, AlarmCondition> {
  return {
    SettleErrors: {
      metric: settle.metricErrors(sum),
      why: "settle failed for a whole batch; SQS delivers its messages again, but the ledger lags",
    },
    SettleThrottles: {
      metric: settle.metricThrottles(sum),
      why: "Lambda refuses to run settle; the ledger lags until concurrency is free",
    },
    UsageAge: {
      metric: usage.queue.metricApproximateAgeOfOldestMessage(maximum),
      above: 300,
      why: "the oldest usage event waits for over 5 minutes; receipts and reports lag",
    },
    DeadLetters: {
      metric: usage.deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      why: "usage events failed five times and are not billed; remove the cause, then redrive the queue",
    },
    // DeadLetters rings until somebody redrives. It would take back the version that removes the cause.
    DeadLettersGrow: {
      metric: new MathExpression({
        expression: "DIFF(FILL(letters, 0))",
        usingMetrics: { letters: usage.deadLetters.metricApproximateNumberOfMessagesVisible(maximum) },
        period: quick.period,
        label: "dead letters that came in a minute",
      }),
      why: "usage events have become dead letters in the last minute; whatever makes them fail goes on",
    },
  };
}

function sweeping({ sweep }: Workers): Record<string, AlarmCondition> {
  return {
    SweepErrors: {
      metric: sweep.metricErrors(sum),
      periods: 2,
      why: "the sweeper failed twice in a row; holds of dead calls are not settled",
    },
    SweepThrottles: {
      metric: sweep.metricThrottles(sum),
      periods: 2,
      why: "Lambda refuses to run the sweeper; holds of dead calls are not settled",
    },
    SweepSilent: {
      metric: sweep.metricInvocations(sum),
      below: 1,
      periods: 3,
      why: "the sweeper has not been called for a quarter of an hour; look at its schedule",
    },
  };
}

/** An aborted execution is usually a cancelled task: the sweeper hears of it, and nobody is woken. */
function videos({ videoTask, workflow }: Workers): Record<string, AlarmCondition> {
  return {
    VideoTaskErrors: {
      metric: videoTask.metricErrors(sum),
      periods: 2,
      why: "the worker of video tasks keeps failing; tasks and their holds stay open until it works",
    },
    VideoTaskThrottles: {
      metric: videoTask.metricThrottles(sum),
      periods: 2,
      why: "Lambda refuses to run the worker of video tasks; they end later than they could",
    },
    WorkflowFailed: {
      metric: workflow.machine.metricFailed(sum),
      why: "an execution of the video workflow failed in a way that no state handles; the sweeper repairs its task",
    },
    WorkflowTimedOut: {
      metric: workflow.machine.metricTimedOut(sum),
      why: "a video task was polled for over a day and did not end by itself; look at the task and its provider",
    },
  };
}

/** Without it calls find fewer answers in the cache, and nothing else is lost. It wakes nobody for one bad batch. */
function learning({ learner, queues: { lessons } }: Workers): Record<string, AlarmCondition> {
  return {
    LearnerErrors: {
      metric: learner.metricErrors(sum),
      periods: 3,
      why: "the learner of the semantic cache has crashed or timed out for a quarter of an hour; calls find fewer answers until it works",
    },
    LessonDeadLetters: {
      metric: lessons.deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      why: "lessons of the semantic cache cannot be learned; the lines lesson_unreadable and lesson_failed say why. Remove the cause, then redrive them within a day, or purge them",
    },
  };
}

/** Without it nobody signs in or pays. Calls by key go on. */
function signingIn({ console }: Workers): Record<string, AlarmCondition> {
  if (!console) return {};
  return {
    ConsoleErrors: {
      metric: console.metricErrors(sum),
      periods: 2,
      why: "the console crashed or timed out for ten minutes; people cannot sign in or pay, or paid orders wait for their points",
    },
    ConsoleThrottles: {
      metric: console.metricThrottles(sum),
      why: "Lambda refuses to run the console; people and payment platforms get a 429. Raise the account's concurrency, or console.concurrency of the stage",
    },
  };
}
