/** What wakes a person. The description of each alarm says what is wrong and where to look. */
import { ArnFormat, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
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
import { countLines, countNotStarted } from "./log-metrics.ts";
import type { Stage } from "./stage.ts";
import type { Tables } from "./tables.ts";
import { endpointName } from "./web-gateway.ts";
import { type Condition, period, sum, type Workers, workerConditions } from "./worker-alarms.ts";

interface Watched extends Workers {
  stage: Stage;
  fronts: Fronts;
  tables: Tables;
  /** The address that alarms are mailed to. Without one they go to the topic alone. */
  email: string | undefined;
}

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
    for (const [id, condition] of Object.entries(workerConditions(watched))) this.#alarm(id, condition);
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
