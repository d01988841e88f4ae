/** What wakes a person. The description of each alarm says what is wrong and where to look. */
import { ArnFormat, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { alarmLines } from "./alarm-lines.ts";
import type { Fronts, UrlFront, WebFront } from "./fronts.ts";
import type { GatewayFunction } from "./gateway-function.ts";
import { countLines, countNotStarted } from "./log-metrics.ts";
import type { Queues } from "./queues.ts";
import type { Stage } from "./stage.ts";
import type { Tables } from "./tables.ts";
import type { VideoWorkflow } from "./video-workflow.ts";
import { endpointName } from "./web-gateway.ts";

interface Watched {
  stage: Stage;
  fronts: Fronts;
  settle: GatewayFunction;
  sweep: GatewayFunction;
  videoTask: GatewayFunction;
  learner: GatewayFunction;
  workflow: VideoWorkflow;
  queues: Queues;
  tables: Tables;
  /** The address that alarms are mailed to. Without one they go to the topic alone. */
  email: string | undefined;
}

interface Condition {
  metric: IMetric;
  /** The alarm rings above this value. */
  above?: number;
  /** The alarm rings below this value, and when there is no value at all. */
  below?: number;
  why: string;
  /** How many periods in a row must be beyond the value; 1 if absent. */
  periods?: number;
}

const period = Duration.minutes(5);
const sum = { period, statistic: Stats.SUM };
const maximum = { period, statistic: Stats.MAXIMUM };
/** A canary lasts five minutes, so an alarm that ends it must ring within one. */
const quick = { period: Duration.minutes(1), statistic: Stats.SUM };

export class Alarms extends Construct {
  /** The alarms that roll a new gateway version back. */
  readonly rollback: Alarm[];
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    this.#topic = new Topic(this, "Topic", { enforceSSL: true });
    this.#letRing();
    if (watched.email) this.#tell(watched.email);
    this.rollback = this.#watchFronts(watched);
    this.#watchProviders(watched);
    this.#watchSettlement(watched);
    this.#watchSweep(watched);
    this.#watchVideo(watched);
    this.#watchLearner(watched);
    this.#watchTables(watched.tables);
    this.#watchLogs(watched);
  }

  /** A topic with its own policy loses the default one, which lets everything in the account publish. */
  #letRing(): void {
    const alarms = Stack.of(this).formatArn({
      service: "cloudwatch",
      resource: "alarm",
      resourceName: "*",
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [this.#topic.topicArn],
        conditions: { ArnLike: { "aws:SourceArn": alarms } },
      }),
    );
  }

  #tell(email: string): void {
    const subscription = this.#topic.addSubscription(new EmailSubscription(email));
    Validations.of(subscription).acknowledge({
      id: "Serverless-SNSRedrivePolicy",
      reason: "A mail that cannot be delivered is not worth a queue: the alarm stays visible in CloudWatch.",
    });
  }

  #watchFronts({ fronts, stage }: Watched): Alarm[] {
    const { url, web } = fronts;
    const bugs = this.#alarm("GatewayInternal", {
      metric: countLines(logsOf(fronts), stage, { field: "$.event", value: "internal" }).with(quick),
      above: 0,
      why: "the gateway answered 50000 to an exception nobody expected; its log line names it",
    });
    if (web) this.#watchWeb(web, stage);
    return url ? [this.#watchUrl(url, stage), bugs] : [];
  }

  #watchUrl({ live }: UrlFront, stage: Stage): Alarm {
    const crashes = this.#alarm("GatewayErrors", {
      metric: new MathExpression({
        expression: "100 * errors / invocations",
        usingMetrics: { errors: live.metricErrors(quick), invocations: live.metricInvocations(quick) },
        period: quick.period,
        label: "failed invocations, %",
      }),
      above: 1,
      why: "over 1 % of gateway invocations crash or time out; each is a bug, because every error has an answer",
    });
    this.#alarm("GatewayDuration", {
      metric: live.metricDuration({ period, statistic: Stats.percentile(99) }),
      above: 0.8 * stage.gateway.timeoutSeconds * 1000,
      why: `gateway p99 above 80 % of its ${stage.gateway.timeoutSeconds} s; the longest streams will soon be cut off`,
    });
    this.#alarm("GatewayThrottles", {
      metric: live.metricThrottles(sum),
      above: 0,
      why: "Lambda refuses gateway calls with a 429 of its own; raise the account's concurrency, or gatewayConcurrency of the stage",
    });
    return crashes;
  }

  /** CDK has no metrics of Web Functions yet. The name and its dimensions are AWS's (aws.md §2.4). */
  #watchWeb({ gateway: { logGroup }, web }: WebFront, stage: Stage): void {
    const failed = countLines([logGroup], stage, { field: "$.event", value: "call_failed" }).with(sum);
    const errors = new Metric({
      namespace: "AWS/Lambda/Web",
      metricName: "HTTPResponseStatusClass5XX",
      dimensionsMap: {
        FunctionName: web.webFunctionName,
        EndpointName: endpointName,
      },
      ...sum,
    });
    this.#alarm("WebErrors", {
      metric: new MathExpression({
        expression: "FILL(errors, 0) - FILL(failed, 0)",
        usingMetrics: { errors, failed },
        period,
        label: "5xx that are no provider's",
      }),
      above: 10,
      periods: 2,
      why: "for ten minutes clients of the web function got over 10 answers of 5xx that are no provider's failures: environments crash, time out or do not start; read their logs",
    });
    this.#alarm("WebNotStarted", {
      metric: countNotStarted(logGroup, stage).with(quick),
      above: 0,
      why: "an environment of the web function could not start; a deployment does not notice that, so deploy the version before again",
    });
  }

  /** A rollback does not repair a provider, so this alarm rolls nothing back. */
  #watchProviders({ fronts, stage }: Watched): void {
    const lines = (value: string) => countLines(logsOf(fronts), stage, { field: "$.event", value }).with(sum);
    this.#alarm("CallsFailed", {
      metric: new MathExpression({
        expression: "100 * failed / (failed + FILL(answered, 0))",
        usingMetrics: { failed: lines("call_failed"), answered: lines("call") },
        period,
        label: "calls no provider answered, %",
      }),
      above: 10,
      periods: 2,
      why: "for ten minutes over 10 % of calls got 50001 or 50002: a provider is down, or its key is missing or refused; the call_failed and upstream_failed lines name it",
    });
  }

  #watchSettlement({ settle, queues: { usage } }: Watched): void {
    this.#alarm("SettleErrors", {
      metric: settle.metricErrors(sum),
      above: 0,
      why: "settle failed for a whole batch; SQS delivers its messages again, but the ledger lags",
    });
    this.#alarm("SettleThrottles", {
      metric: settle.metricThrottles(sum),
      above: 0,
      why: "Lambda refuses to run settle; the ledger lags until concurrency is free",
    });
    this.#alarm("UsageAge", {
      metric: usage.queue.metricApproximateAgeOfOldestMessage(maximum),
      above: 300,
      why: "the oldest usage event waits for over 5 minutes; reports lag and holds stay open",
    });
    this.#alarm("DeadLetters", {
      metric: usage.deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      above: 0,
      why: "usage events failed five times and are not billed; remove the cause, then redrive the queue",
    });
  }

  #watchSweep({ sweep }: Watched): void {
    this.#alarm("SweepErrors", {
      metric: sweep.metricErrors(sum),
      above: 0,
      periods: 2,
      why: "the sweeper failed twice in a row; holds of dead calls are not settled",
    });
    this.#alarm("SweepThrottles", {
      metric: sweep.metricThrottles(sum),
      above: 0,
      periods: 2,
      why: "Lambda refuses to run the sweeper; holds of dead calls are not settled",
    });
    this.#alarm("SweepSilent", {
      metric: sweep.metricInvocations(sum),
      below: 1,
      periods: 3,
      why: "the sweeper has not been called for a quarter of an hour; look at its schedule",
    });
  }

  /** An aborted execution is usually a cancelled task: the sweeper hears of it, and nobody is woken. */
  #watchVideo({ videoTask, workflow }: Watched): void {
    this.#alarm("VideoTaskErrors", {
      metric: videoTask.metricErrors(sum),
      above: 0,
      periods: 2,
      why: "the worker of video tasks keeps failing; tasks and their holds stay open until it works",
    });
    this.#alarm("VideoTaskThrottles", {
      metric: videoTask.metricThrottles(sum),
      above: 0,
      periods: 2,
      why: "Lambda refuses to run the worker of video tasks; they end later than they could",
    });
    this.#alarm("WorkflowFailed", {
      metric: workflow.machine.metricFailed(sum),
      above: 0,
      why: "an execution of the video workflow failed in a way that no state handles; the sweeper repairs its task",
    });
    this.#alarm("WorkflowTimedOut", {
      metric: workflow.machine.metricTimedOut(sum),
      above: 0,
      why: "a video task was polled for over a day and did not end by itself; look at the task and its provider",
    });
  }

  /** Without it calls find fewer answers in the cache, and nothing else is lost. It wakes nobody for one bad batch. */
  #watchLearner({ learner, queues: { lessons } }: Watched): void {
    this.#alarm("LearnerErrors", {
      metric: learner.metricErrors(sum),
      above: 0,
      periods: 3,
      why: "the learner of the semantic cache has crashed or timed out for a quarter of an hour; calls find fewer answers until it works",
    });
    this.#alarm("LessonDeadLetters", {
      metric: lessons.deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      above: 0,
      why: "lessons of the semantic cache cannot be learned; the lines lesson_unreadable and lesson_failed say why. Remove the cause, then redrive them within a day, or purge them",
    });
  }

  /** A board or a cache that is throttled refuses no call and loses no money, so it wakes nobody. */
  #watchTables({ board: _, cache: __, ...tables }: Tables): void {
    for (const [name, table] of Object.entries(tables)) {
      const reads = table.metric("ReadThrottleEvents", sum);
      const writes = table.metric("WriteThrottleEvents", sum);
      this.#alarm(`${name[0]?.toUpperCase()}${name.slice(1)}TableThrottles`, {
        metric: new MathExpression({
          expression: "FILL(reads, 0) + FILL(writes, 0)",
          usingMetrics: { reads, writes },
          period,
          label: "throttled requests",
        }),
        above: 0,
        why: `DynamoDB throttles the ${name} table; calls are refused with 42900, or the ledger lags`,
      });
    }
  }

  #watchLogs({ fronts, sweep, videoTask, learner, stage }: Watched): void {
    const gateway = logsOf(fronts);
    const logs = {
      gateway,
      sweep: [sweep.logGroup],
      videoTask: [videoTask.logGroup],
      cache: [...gateway, learner.logGroup],
    };
    for (const { id, line, writer, at_once, why } of alarmLines) {
      const metric = countLines(logs[writer], stage, line).with(at_once ? quick : sum);
      this.#alarm(id, { metric, above: 0, why });
    }
  }

  #alarm(id: string, { metric, above = 0, below, why, periods = 1 }: Condition): Alarm {
    const isLow = below !== undefined;
    const alarm = new Alarm(this, id, {
      metric,
      threshold: below ?? above,
      comparisonOperator: isLow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: isLow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: why,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    return alarm;
  }
}

/** The logs of the pipeline, wherever it runs. */
function logsOf({ url, web }: Fronts): ILogGroup[] {
  return [url, web].flatMap((front) => (front ? [front.gateway.logGroup] : []));
}
