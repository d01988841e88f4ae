/** Who is woken, by what, and why (`infra/monitoring/alarms.ts`), as the synthesized template says it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parseExpression, queryOf } from "#infra/local/dashboard/expression.ts";
import { joinedAlarms, joinedLines } from "#infra/monitoring/alarm-lines.ts";
import { rollbackAlarms } from "#infra/monitoring/rollback.ts";
import { metricsOfFilter } from "#test/support/stage-parts.ts";
import { type Resource, Synthesized, text, unbundled } from "#test/support/template.ts";

interface Metric {
  MetricStat?: { Period: number };
  Expression?: string | { "Fn::Join": [string, unknown[]] };
}

const scratch = mkdtempSync(join(tmpdir(), "alarms-test-"));
let prod: Synthesized;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
});

afterAll(() => rmSync(scratch, { recursive: true }));

interface Named {
  MetricName?: string;
  Dimensions?: { Name: string; Value: string }[];
}

/** An expression whose resource is named by a reference. */
const joinedText = (expression: string | { "Fn::Join": [string, unknown[]] }) =>
  typeof expression === "string" ? expression : expression["Fn::Join"][1].map(text).join("");

/** The metrics that an alarm looks at, as `metricsOfFilter` names them. */
function metricNames({ Properties }: Resource): string[] {
  const inExpressions = (Properties.Metrics ?? []).map(
    ({ MetricStat }: { MetricStat?: { Metric: Named } }) => MetricStat?.Metric,
  );
  return [Properties, ...inExpressions].flatMap(({ MetricName, Dimensions = [] }: Named = {}) => {
    const event = Dimensions.find(({ Name }) => Name === "event")?.Value;
    return MetricName === undefined ? [] : [event === undefined ? MetricName : `${MetricName} ${event}`];
  });
}

describe("alarms", () => {
  it("watch functions, queue, tables and the log lines about money, and tell the topic why", () => {
    const alarms = prod.all("AWS::CloudWatch::Alarm");
    const names = alarms.map(([name]) => name.replace(/^Alarms/, ""));
    // Nobody is woken for the board.
    const tables = ["Keys", "Counters", "Ledger", "Tasks", "Accounts"].map((name) => `${name}TableThrottles`);
    const gateway = ["GatewayErrors", "GatewayInternal", "GatewayDuration", "GatewayThrottles"];
    const canaries = ["Gateway", "Settle", "Sweep", "VideoTask", "Learner", "Console"].map(
      (name) => `${name}Canary`,
    );
    const letters = ["DeadLetters", "DeadLettersGrow", "UsageUnreadable", "UsageRefused"];
    const settling = ["SettleErrors", "SettleThrottles", "UsageAge", ...letters];
    const joined = ["LogLines", "LogLinesQuick", "LogLinesHourly", "LogFlags"];
    const sweeping = ["SweepErrors", "SweepThrottles", "SweepSilent", "SweepFailed"];
    const videos = ["VideoTaskErrors", "VideoTaskThrottles", "WorkflowFailed", "WorkflowTimedOut"];
    const caching = ["LearnerErrors", "LessonDeadLetters"];
    const console = ["ConsoleErrors", "ConsoleThrottles", "ConsoleInternal", "ReconcilerSilent"];
    expect(names.sort()).toEqual(
      [
        ...[...gateway, ...canaries, "CallsFailed", "SettleGap", ...settling, ...sweeping],
        ...[...videos, ...caching, ...console, ...tables, ...joined],
      ].sort(),
    );
    for (const [, { Properties }] of alarms) {
      expect(Properties.AlarmActions.map(text)).toEqual(["AlarmsTopic"]);
      expect(Properties.OKActions.map(text)).toEqual(["AlarmsTopic"]);
      expect(Properties.AlarmDescription.length).toBeGreaterThan(30);
    }
  });

  it("may publish to their topic, whose own policy leaves out what is not said", () => {
    const [[, policy] = []] = prod.all("AWS::SNS::TopicPolicy");
    const allowed = policy?.Properties.PolicyDocument.Statement.filter(
      ({ Effect }: { Effect: string }) => Effect === "Allow",
    );
    expect(allowed).toEqual([
      {
        Effect: "Allow",
        Action: "sns:Publish",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Resource: expect.anything(),
        Condition: {
          ArnLike: { "aws:SourceArn": expect.anything() },
          StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } },
        },
        Sid: expect.any(String),
      },
    ]);
    expect(text(allowed[0].Resource)).toBe("AlarmsTopic");
    expect(JSON.stringify(allowed[0].Condition)).toMatch(/:cloudwatch:.*:alarm:\*"/);
  });

  it("ring at the first dead letter, and when p99 nears the timeout", () => {
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsDeadLetters").Properties).toMatchObject({
      MetricName: "ApproximateNumberOfMessagesVisible",
      Threshold: 0,
      ComparisonOperator: "GreaterThanThreshold",
    });
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsGatewayDuration").Properties).toMatchObject({
      ExtendedStatistic: "p99",
      Threshold: 0.8 * 900_000,
    });
  });

  it("ring when no provider answers a tenth of the calls, and when the sweeper is not called any more", () => {
    const failed = prod.one("AWS::CloudWatch::Alarm", "AlarmsCallsFailed").Properties;
    expect(failed).toMatchObject({ Threshold: 10, EvaluationPeriods: 2, TreatMissingData: "notBreaching" });
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsSweepSilent").Properties).toMatchObject({
      MetricName: "Invocations",
      Threshold: 1,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  });

  it("do not ring for one bad batch of lessons", () => {
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsLearnerErrors").Properties.EvaluationPeriods).toBe(3);
  });

  it("ring within a minute where they can take a version back", () => {
    const { sweep: _, ...tried } = rollbackAlarms;
    for (const name of new Set(Object.values(tried).flat()).difference(new Set(["ServiceErrors"]))) {
      const { Metrics, Period, EvaluationPeriods } = prod.one(
        "AWS::CloudWatch::Alarm",
        `Alarms${name}`,
      ).Properties;
      const stats = (Metrics ?? []).flatMap(({ MetricStat }: Metric) => MetricStat ?? []);
      const periods = Metrics ? stats.map((stat: { Period: number }) => stat.Period) : [Period];
      expect([...new Set(periods)], name).toEqual([60]);
      expect(EvaluationPeriods, name).toBe(1);
    }
  });

  it("watch each line and flag by itself where they share an alarm, and name its runbook", () => {
    for (const [name, { metricName, dimension, minutes }] of Object.entries(joinedAlarms)) {
      const { Metrics, Threshold, ...more } = prod.one("AWS::CloudWatch::Alarm", `Alarms${name}`).Properties;
      const from = `SCHEMA("model-gateway/prod", ${dimension})`;
      expect(Metrics).toEqual([
        expect.objectContaining({
          Expression: `SELECT SUM(${metricName}) FROM ${from} GROUP BY ${dimension} ORDER BY SUM() DESC`,
          Period: 60 * minutes,
        }),
      ]);
      expect(more).toMatchObject({ EvaluationPeriods: 1, ComparisonOperator: "GreaterThanThreshold" });
      const told = joinedLines.filter(({ alarm }) => alarm === name);
      expect(told.length).toBeGreaterThan(1);
      for (const { id, line } of told) expect(more.AlarmDescription).toContain(`${line.value} ${id}`);
      for (const { above = 0 } of told) {
        // So many lines as wake nobody stay below, and one more does not.
        expect(above / (above + 1)).toBeLessThan(Threshold);
        const sum = Array.from({ length: above + 1 }, () => 1 / (above + 1)).reduce((a, b) => a + b, 0);
        expect(sum).toBeGreaterThan(Threshold);
      }
    }
  });

  it("take a share of a line where one wakes nobody, and count internal errors of the console apart", () => {
    const shareOf = (event: string) =>
      prod
        .all("AWS::Logs::MetricFilter")
        .filter(([, filter]) => metricsOfFilter(filter).includes(`log_lines ${event}`))
        .map(([, { Properties }]) => Number(Properties.MetricTransformations[0].MetricValue));
    const shares = { order_review: 1, notice_refused: 1 / 11, platform_failed: 1 / 21, sms_not_sent: 1 / 6 };
    for (const [event, share] of Object.entries(shares)) expect(shareOf(event), event).toEqual([share]);
    const internal = prod.one("AWS::CloudWatch::Alarm", "AlarmsConsoleInternal").Properties.MetricName;
    expect(internal).toBe("console_internal");
  });

  it("ring when orders are not looked at any more", () => {
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsReconcilerSilent").Properties).toMatchObject({
      Namespace: "AWS/Events",
      MetricName: "Invocations",
      Dimensions: [{ Name: "RuleName", Value: { Ref: expect.stringMatching(/^ReconcileSchedule/) } }],
      EvaluationPeriods: 3,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  });

  it("ring as long as the pass fails that writes their lines", () => {
    const minutesOf = (page: string) =>
      joinedLines.filter(({ id }) => id === page).map(({ alarm }) => joinedAlarms[alarm].minutes);
    expect(["RepairFailed", "ShardsFailed", "HoldSeized"].flatMap(minutesOf)).toEqual([5, 5, 5]);
    expect(["SealFailed", "PlanFeeFailed", "ThresholdsFailed"].flatMap(minutesOf)).toEqual([60, 60, 60]);
    expect(prod.one("AWS::CloudWatch::Alarm", "AlarmsSweepFailed").Properties.Period).toBe(300);
  });

  it("of tables look at requests that DynamoDB refused, whatever they were", () => {
    const { Metrics } = prod.one("AWS::CloudWatch::Alarm", "AlarmsKeysTableThrottles").Properties;
    const [before, table, after] = Metrics[0].Expression["Fn::Join"][1];
    const from = 'SCHEMA("AWS/DynamoDB", TableName, Operation)';
    expect(before).toBe(`SELECT SUM(ThrottledRequests) FROM ${from} WHERE TableName = '`);
    expect([text(table), after]).toEqual(["KeysTable", "'"]);
  });

  it("ring for more dead letters, however many there are already", () => {
    const { Metrics } = prod.one("AWS::CloudWatch::Alarm", "AlarmsDeadLettersGrow").Properties;
    const [math] = Metrics.filter(({ Expression }: Metric) => Expression);
    const [letters] = Metrics.filter(({ MetricStat }: Metric) => MetricStat);
    expect(math.Expression).toBe("DIFF(FILL(letters, 0))");
    expect(letters).toMatchObject({
      Id: "letters",
      MetricStat: { Metric: { MetricName: "ApproximateNumberOfMessagesVisible" }, Stat: "Maximum" },
    });
  });

  it("ring within a minute when a provider refuses our key or our account", () => {
    for (const id of ["ProviderAccount", "VideoProviderAccount"]) {
      const [alarm] = joinedLines.flatMap((each) => (each.id === id ? [joinedAlarms[each.alarm]] : []));
      expect(alarm?.minutes).toBe(1);
    }
  });

  it("can be computed where CloudWatch is not there, by the dashboard of npm start", () => {
    const metrics: Metric[] = prod
      .all("AWS::CloudWatch::Alarm")
      .flatMap(([, { Properties }]) => Properties.Metrics ?? []);
    const expressions = metrics.flatMap(({ Expression }) => Expression ?? []);
    expect(expressions.length).toBeGreaterThan(5);
    for (const expression of expressions.map(joinedText)) {
      if (!queryOf(expression)) expect(() => parseExpression(expression)).not.toThrow();
    }
  });

  it("count log lines of the function that writes them", () => {
    // The dashboard has metrics of its own (dashboard.test.ts).
    const watched = new Set(prod.all("AWS::CloudWatch::Alarm").flatMap(([, alarm]) => metricNames(alarm)));
    const joined = new Set<string>(Object.values(joinedAlarms).map(({ metricName }) => metricName));
    const filters = prod.all("AWS::Logs::MetricFilter").flatMap(([, filter]) =>
      metricsOfFilter(filter)
        .filter((name) => watched.has(name) || joined.has(name.split(" ")[0] ?? ""))
        .map((name) => {
          const { LogGroupName, FilterPattern } = filter.Properties;
          const [, event, flag] = /^(?:lines|log_lines\w*) (\w+)$|^log_flags (\w+)$/.exec(name) ?? [];
          const isAlone = event === undefined || FilterPattern.includes("$.probe");
          const pattern = isAlone ? FilterPattern : `{ $.event = "${event}" }`;
          return [text(LogGroupName), flag ? `{ $.flags = "*${flag}*" }` : pattern];
        }),
    );
    const expected = [
      ...[
        "audit_not_written",
        "cache_semantic_off",
        "call",
        "call_failed",
        "internal",
        "provider_account_refused",
        "secret_unreadable",
        "settle_gap",
      ].map((event) => ["GatewayLogs", `{ $.event = "${event}" }`]),
      ...["implausible", "overrun", "unpriced_switch", "usage_clamped", "zero_usage"].map((flag) => [
        "GatewayLogs",
        `{ $.flags = "*${flag}*" }`,
      ]),
      ...[
        "audit_not_written",
        "internal",
        "order_overdue",
        "order_refunded_elsewhere",
        "order_review",
        "platform_failed",
        "platform_settings_wrong",
        "reconcile_failed",
        "refund_failed",
        "secret_unreadable",
        ...["sms_not_sent", "sms_budget_low", "sms_prefix_stopped", "news_failed", "news_hurried"],
        ...["news_event_failed", "news_mail_not_sent", "plan_notice_failed", "plan_notice_not_sent"],
      ].map((event) => ["ConsoleLogs", `{ $.event = "${event}" }`]),
      // A probe of WeChat Pay wakes nobody.
      ["ConsoleLogs", '{ ($.event = "notice_refused") && ($.probe = "no") }'],
      ["LearnerLogs", '{ $.event = "cache_semantic_off" }'],
      ...[
        ...["hold_seized", "plan_fee_failed", "price_news_failed", "repair_failed"],
        ...["seal_failed", "shards_failed", "sweep_failed", "thresholds_failed"],
      ].map((event) => ["SweepLogs", `{ $.event = "${event}" }`]),
      ["LearnerLogs", '{ $.event = "secret_unreadable" }'],
      ...["implausible", "overrun", "unpriced_switch"].map((flag) => [
        "VideoTaskLogs",
        `{ $.flags = "*${flag}*" }`,
      ]),
      ["SettleLogs", '{ $.event = "poison_message" }'],
      ["SettleLogs", '{ $.event = "settle_failed" }'],
      ["VideoTaskLogs", '{ $.event = "secret_unreadable" }'],
      ["VideoTaskLogs", '{ $.event = "task_account_refused" }'],
      ["VideoTaskLogs", '{ $.event = "task_expired" }'],
    ];
    expect(filters.sort()).toEqual(expected.sort());
  });
});
