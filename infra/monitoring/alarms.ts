/** What wakes a person. The description of each alarm says what is wrong and where to look. */
import { ArnFormat, Aws, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { HttpCodeElb, HttpCodeTarget } from "aws-cdk-lib/aws-elasticloadbalancingv2";
import type { IRule } from "aws-cdk-lib/aws-events";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Fronts, ServiceFront, UrlFront, WebFront } from "../resources/fronts.ts";
import type { StageTables } from "../resources/tables.ts";
import { endpointName } from "../resources/web-gateway.ts";
import type { Stage } from "../stage/stage.ts";
import { type JoinedName, joinedAlarms, joinedLines, ownLines } from "./alarm-lines.ts";
import { canaryConditions } from "./canary-alarms.ts";
import { gatewayLogs } from "./dashboard/widget.ts";
import { type CountedLine, countLines, countNotStarted, joinedMetric, joinLines } from "./log-metrics.ts";
import { isUrgent, type RollbackAlarms, rollbackAlarms } from "./rollback.ts";
import {
  type AlarmCondition,
  period,
  quick,
  runsOf,
  sum,
  type Workers,
  workerConditions,
} from "./worker-alarms.ts";

/** An alarm with its whole description. */
type Ringing = Omit<AlarmCondition, "why"> & { description: string };

interface Watched extends Workers {
  stage: Stage;
  fronts: Fronts;
  tables: StageTables;
  /** The address that alarms are mailed to. Without one they go to the topic alone. */
  email: string | undefined;
}

export class Alarms extends Construct {
  /** The alarms that take a new version back, by the function that is deployed. */
  readonly rollback: Record<keyof RollbackAlarms, Alarm[]>;
  readonly #topic: Topic;
  readonly #runbooks: string;
  readonly #alarms = new Map<string, Alarm>();

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    this.#runbooks = watched.stage.runbooks;
    this.#topic = new Topic(this, "Topic", { enforceSSL: true });
    this.#letRing();
    if (watched.email) this.#tell(watched.email);
    this.#watchFronts(watched);
    this.#watchProviders(watched);
    const gateway = watched.fronts.url?.gateway;
    const conditions = { ...workerConditions(watched), ...canaryConditions(watched, gateway) };
    for (const [id, condition] of Object.entries(conditions)) this.#alarm(id, condition);
    this.#watchTables(watched.tables);
    if (watched.reconciling) this.#watchReconciler(watched.reconciling);
    this.#watchLogs(watched);
    const named = (ids: readonly string[]) => ids.flatMap((id) => this.#alarms.get(id) ?? []);
    const rollback = Object.entries(rollbackAlarms).map(([worker, ids]) => [worker, named(ids)]);
    this.rollback = Object.fromEntries(rollback) as Alarms["rollback"];
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
        conditions: {
          ArnLike: { "aws:SourceArn": alarms },
          StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID },
        },
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

  #watchFronts({ fronts, stage }: Watched): void {
    const { url, web, service } = fronts;
    this.#alarm("GatewayInternal", {
      metric: countLines(gatewayLogs(fronts), stage, { field: "$.event", value: "internal" }),
      why: "the gateway answered 50000 to an exception nobody expected; its log line names it",
    });
    if (web) this.#watchWeb(web, stage);
    if (service) this.#watchService(service, stage);
    if (url) this.#watchUrl(url, stage);
  }

  #watchUrl({ gateway: { live } }: UrlFront, stage: Stage): void {
    this.#alarm("GatewayErrors", {
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
      why: "Lambda refuses gateway calls with a 429 of its own; raise the account's concurrency, or gatewayConcurrency of the stage",
    });
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
      why: "an environment of the web function could not start; a deployment does not notice that, so deploy the version before again",
    });
  }

  /** Answers of the balancer itself are counted too: no healthy task, or one that broke off. */
  #watchService({ gateway: { logGroup }, balancer, targets }: ServiceFront, stage: Stage): void {
    const failed = countLines([logGroup], stage, { field: "$.event", value: "call_failed" }).with(sum);
    this.#alarm("ServiceErrors", {
      metric: new MathExpression({
        expression: "FILL(balancer, 0) + FILL(tasks, 0) - FILL(failed, 0)",
        usingMetrics: {
          balancer: balancer.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, sum),
          tasks: targets.metrics.httpCodeTarget(HttpCodeTarget.TARGET_5XX_COUNT, sum),
          failed,
        },
        period,
        label: "5xx that are no provider's",
      }),
      above: 10,
      why: "within a minute clients of the service got over 10 answers of 5xx that are no provider's failures: tasks crash, or none is healthy; read their logs",
    });
    this.#alarm("ServiceNotStarted", {
      metric: countNotStarted(logGroup, stage).with(quick),
      why: "a task of the service could not start; a deployment whose tasks all fail goes back by itself",
    });
  }

  /** A rollback does not repair a provider, so this alarm rolls nothing back. */
  #watchProviders({ fronts, stage }: Watched): void {
    const lines = (value: string) =>
      countLines(gatewayLogs(fronts), stage, { field: "$.event", value }).with(sum);
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
  #watchTables({ board: _, cache: __, ...tables }: StageTables): void {
    for (const [name, { tableName }] of Object.entries(tables)) {
      const from = `SCHEMA("AWS/DynamoDB", TableName, Operation) WHERE TableName = '${tableName}'`;
      this.#alarm(`${name[0]?.toUpperCase()}${name.slice(1)}TableThrottles`, {
        metric: new MathExpression({
          expression: `SELECT SUM(ThrottledRequests) FROM ${from}`,
          period,
          label: "throttled requests",
        }),
        why: `DynamoDB throttles the ${name} table; calls are refused with 42900, or the ledger lags`,
      });
    }
  }

  #watchLogs({ fronts, settle, sweep, videoTask, learner, console, stage }: Watched): void {
    const gateway = gatewayLogs(fronts);
    const ofConsole = console ? [console.logGroup] : [];
    const logs = {
      gateway,
      settle: [settle.logGroup],
      sweep: [sweep.logGroup],
      videoTask: [videoTask.logGroup],
      console: ofConsole,
      // Without a console nobody has a session, and no member does anything.
      members: console ? [...gateway, ...ofConsole] : [],
      // Calls and videos are charged, the learner and the gateway find wrong answers, and four read secrets.
      charging: [...gateway, videoTask.logGroup],
      cache: [...gateway, learner.logGroup],
      secrets: [...gateway, videoTask.logGroup, learner.logGroup, ...ofConsole],
    };
    for (const { id, line, writer, why } of ownLines) {
      if (logs[writer].length > 0)
        this.#alarm(id, { metric: countLines(logs[writer], stage, line).with(sum), why });
    }
    const written = joinedLines.filter(({ writer }) => logs[writer].length > 0);
    for (const { alarm, line, writer, above = 0 } of written) {
      joinLines(logs[writer], stage, joinedAlarms[alarm], { line, share: 1 / (above + 1) });
    }
    for (const name of Object.keys(joinedAlarms) as JoinedName[]) {
      this.#watchJoined(
        name,
        stage,
        written.filter(({ alarm }) => alarm === name),
      );
    }
  }

  /** Rings for each value of the dimension by itself. Which runbook that is stands in the description. */
  #watchJoined(name: JoinedName, stage: Stage, lines: readonly { id: string; line: CountedLine }[]): void {
    const { minutes, ...joined } = joinedAlarms[name];
    const pages = lines.map(({ id, line }) => `${line.value} ${id}`).join(", ");
    this.#ring(name, {
      metric: joinedMetric(stage, joined, Duration.minutes(minutes)),
      // Shares of 1 are not exact: eleven elevenths may be a hair less.
      above: 0.99,
      description: `a line of the log that a person must see: \`${joined.dimension}\` of the alarm's contributor says which. What to do, each in ${this.#runbooks}/PAGE.md: ${pages}`,
    });
  }

  #watchReconciler(schedule: IRule): void {
    this.#alarm("ReconcilerSilent", {
      metric: runsOf(schedule, sum),
      below: 1,
      periods: 3,
      why: "orders were not looked at for a quarter of an hour; payments whose notice was lost are not credited. Look at the schedule of the console",
    });
  }

  /** Its description ends with the page that says what to do. */
  #alarm(id: string, { why, ...condition }: AlarmCondition): void {
    this.#ring(id, { ...condition, description: `${why}. What to do: ${this.#runbooks}/${id}.md` });
  }

  /** Tells when it rings and when it is over. */
  #ring(id: string, { metric, above = 0, below, description, periods = 1 }: Ringing): void {
    const isLow = below !== undefined;
    const alarm = new Alarm(this, id, {
      metric: isUrgent(id) ? metric.with({ period: quick.period }) : metric,
      threshold: below ?? above,
      comparisonOperator: isLow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: isLow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: description,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    this.#alarms.set(id, alarm);
  }
}
