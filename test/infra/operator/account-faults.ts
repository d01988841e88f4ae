/** What may be wrong with a stage, one thing each, and what `operator doctor` says of it. */
import { activeTable, type Changes, denied, healthy, missing, now, physical } from "../../support/account.ts";

const stackIs = (changes: object): Changes => ({
  answers: {
    "cloudformation:DescribeStacks": () => ({
      Stacks: [{ StackName: "s", CreationTime: new Date(now), StackStatus: "UPDATE_COMPLETE", ...changes }],
    }),
  },
});
export const healthSays = (body: object, status = 200): Changes => ({
  fetch: async () => Response.json({ ...((await healthy().json()) as object), ...body }, { status }),
});
const sold = (yuan: string, dollar: string) => [
  { currency: "CNY", points_per_unit: yuan },
  { currency: "USD", points_per_unit: dollar },
];
const planned = (list_points_max: object) => [
  { object: "plan", plan: "free", list_points_max },
  { object: "plan", plan: "lite", list_points_max: { call: "2", ...list_points_max } },
  { object: "plan", plan: "pro", list_points_max: "call" in list_points_max ? list_points_max : null },
];
const aged = (old: number, undated: number): Changes => ({
  ages: { oldest: "2026-01-01", newest: "2026-11-20", old, undated, prices: 9 },
});
const attributes = (messages: Record<string, string>): Changes => ({
  answers: {
    "sqs:GetQueueAttributes": ({ QueueUrl = "" }) => ({
      Attributes: { ApproximateNumberOfMessages: messages[QueueUrl] ?? "0" },
    }),
  },
});
const limit = (all: number, left: number, cap?: number): Changes => ({
  answers: {
    "lambda:GetAccountSettings": () => ({
      AccountLimit: { ConcurrentExecutions: all, UnreservedConcurrentExecutions: left },
    }),
    "lambda:GetFunctionConcurrency": () => (cap === undefined ? {} : { ReservedConcurrentExecutions: cap }),
  },
});
/** The gateway has no cap, and the console so many of its own. */
const share = (of?: number): Changes => ({
  answers: {
    ...limit(1_000, 950).answers,
    "lambda:GetFunctionConcurrency": ({ FunctionName }) =>
      of !== undefined && FunctionName?.includes("Console") ? { ReservedConcurrentExecutions: of } : {},
  },
});
const secret = (SecretString: string): Changes => ({
  answers: { "secretsmanager:GetSecretValue": () => ({ SecretString }) },
});

/** A line rings by an alarm that it shares with others. */
export const oneLineRings: Changes = {
  answers: {
    "cloudwatch:DescribeAlarms": ({ AlarmNames: [joined = "", ...others] = [] }) => ({
      MetricAlarms: [
        {
          ...{ AlarmName: joined, AlarmDescription: "a line", StateValue: "ALARM" },
          Metrics: [{ Id: "lines", Expression: "SELECT SUM(lines) FROM stage GROUP BY event" }],
        },
        ...others.map((AlarmName) => ({ AlarmName, StateValue: "OK" as const })),
      ],
    }),
    "cloudwatch:DescribeAlarmContributors": () => ({
      AlarmContributors: [
        { ContributorId: "1", StateReason: "", ContributorAttributes: { event: "order_review" } },
      ],
    }),
  },
};

/** The check that notices, its status, a part of what it says, and what is wrong. */
export const faults: [check: string, status: string, seen: string, changes: Changes][] = [
  ["clock", "warn", "60 s ahead of AWS", { ahead: 60_000 }],
  ["clock", "fail", "301 s behind AWS", { ahead: -301_000 }],
  ["stack", "fail", "is ROLLBACK_COMPLETE", stackIs({ StackStatus: "ROLLBACK_COMPLETE" })],
  ["stack", "fail", "is DELETE_FAILED", stackIs({ StackStatus: "DELETE_FAILED" })],
  ["stack", "warn", "the last deployment failed", stackIs({ StackStatus: "UPDATE_ROLLBACK_COMPLETE" })],
  ["stack", "warn", "UPDATE_IN_PROGRESS", stackIs({ StackStatus: "UPDATE_IN_PROGRESS" })],
  ["protection", "warn", "can be deleted", stackIs({ EnableTerminationProtection: false })],
  [
    "protection",
    "ok",
    "may be deleted",
    { ...stackIs({ EnableTerminationProtection: false }), stage: "dev" },
  ],
  ["gateway", "fail", "has no address", stackIs({ Outputs: [] })],
  ["gateway", "fail", "cannot be reached: no route", { fetch: () => Promise.reject(new Error("no route")) }],
  ["gateway version", "unknown", "did not answer", { fetch: () => Promise.reject(new Error("no route")) }],
  ["gateway", "fail", "lack of concurrency", healthSays({}, 429)],
  ["gateway", "fail", 'answers 503, "draining"', healthSays({ status: "draining" }, 503)],
  ["gateway version", "warn", "runs 0.9.0, and 1.0.0 is here", healthSays({ version: "0.9.0" })],
  ["gateway version", "unknown", "does not say so", healthSays({ version: undefined })],
  [
    "gateway catalog",
    "warn",
    "(ffff) is in force, and catalog.json is another one: 2026-11-22 (0123456789ab)",
    healthSays({ catalog: { version: "2026-11-01", digest: "ffff" } }),
  ],
  ["gateway catalog", "unknown", "does not say so", { fetch: async () => new Response("hello") }],
  ["agents' tools", "warn", "Codex sends it", { unrated: ["Codex sends it"] }],
  ["prices", "ok", "read from 2026-01-01 to 2026-11-20", aged(0, 0)],
  ["prices", "warn", "2026-11-20, 3 of 9 more than 90 days ago, 1 of 9 nobody knows when", aged(3, 1)],
  [
    "prices",
    "warn",
    "no price says when it was read",
    { ages: { oldest: undefined, newest: undefined, old: 0, undated: 9, prices: 9 } },
  ],
  ["concurrency", "fail", "and 10 are left to them", limit(10, 10)],
  ["concurrency", "warn", "a flood of sign-ins may take all of them", share()],
  ["concurrency", "warn", "long calls may take all of them", share(50)],
  ["concurrency", "ok", "the gateway at most 800; 24 others", limit(1000, 200, 800)],
  ["console", "fail", "cannot be reached: no route", { fetch: () => Promise.reject(new Error("no route")) }],
  ["console", "fail", "https://console.example/ answers 502", healthSays({}, 502)],
  ["console", "fail", "lack of concurrency", healthSays({}, 429)],
  [
    "rates",
    "warn",
    "the rate of CNY is the default catalog's example",
    healthSays({ data: sold("1", "7.1") }),
  ],
  ["rates", "ok", "points are sold at 0.14 for 1 CNY, 1 for 1 USD", healthSays({ data: sold("0.14", "1") })],
  ["rates", "ok", "nothing is sold", healthSays({ data: [] })],
  ["plans", "ok", "every plan bounds what a call costs", healthSays({ data: planned({ call: "1" }) })],
  ["plans", "warn", "what a call costs the house on free, pro", healthSays({ data: planned({ day: "1" }) })],
  ["notify base", "ok", "https://pay.example answers", { notifyBase: "https://pay.example" }],
  [
    "notify base",
    "fail",
    "https://pay.example answers 404",
    { notifyBase: "https://pay.example", ...healthSays({}, 404) },
  ],
  ["platforms", "ok", "customers pay by alipay, stripe, and messages go by aliyun", {}],
  ["platforms", "fail", "is no JSON object", secret("sk-secret-1")],
  ["platforms", "warn", "no channel: nobody can pay; no sender of messages", secret("{}")],
  ["platforms", "warn", "no sender of messages: nobody can sign in", secret('{"wechat":{}}')],
  ["platforms", "warn", "no channel: nobody can pay", secret('{"sms":{"service":"aws"}}')],
  ["platforms", "warn", "to an inbox", secret('{"stripe":{},"sms":{"service":"inbox"}}')],
  ["platforms", "warn", 'it has "paypal", which nobody reads', secret('{"stripe":{},"paypal":{},"sms":{}}')],
  ["platforms", "fail", "is not there", { answers: { "secretsmanager:GetSecretValue": missing } }],
  [
    "last reconciliation",
    "fail",
    "none in the last 15 minutes, and it comes every minute",
    { answers: { "logs:FilterLogEvents": () => ({ events: [] }) } },
  ],
  [
    "accounts secret",
    "fail",
    "it is not there: nobody can sign in",
    { answers: { "secretsmanager:DescribeSecret": missing } },
  ],
  ["pepper", "fail", "is not there", { answers: { "secretsmanager:DescribeSecret": missing } }],
  [
    "pepper",
    "fail",
    "no current version",
    { answers: { "secretsmanager:DescribeSecret": () => ({ VersionIdsToStages: { a: ["AWSPREVIOUS"] } }) } },
  ],
  ["provider keys", "fail", "is no JSON object", secret("sk-secret-1")],
  ["provider keys", "fail", "no provider of the catalog has a key; it needs ACME_KEY", secret("{}")],
  [
    "provider keys",
    "warn",
    "1 of 2 providers of the catalog have what they need; missing: OTHER_1",
    secret('{"ACME_KEY":"sk-secret-1"," OTHER_1":""}'),
  ],
  ["provider keys", "warn", "ACME_KEY has the key of the demo provider", secret('{"ACME_KEY":"demo"}')],
  ["provider keys", "fail", "is not there", { answers: { "secretsmanager:GetSecretValue": missing } }],
  ["tables", "fail", "keys (keysTable) is not there", { answers: { "dynamodb:DescribeTable": missing } }],
  [
    "tables",
    "fail",
    "ledger (ledgerTable) can be deleted by one command",
    { answers: { "dynamodb:DescribeTable": () => ({ Table: { TableStatus: "ACTIVE" } }) } },
  ],
  [
    "tables",
    "fail",
    "board (boardTable) is UPDATING",
    { answers: { "dynamodb:DescribeTable": () => ({ Table: { TableStatus: "UPDATING" } }) } },
  ],
  [
    "tables",
    "ok",
    "7 tables",
    { answers: { "dynamodb:DescribeTable": ({ TableName }) => activeTable(TableName) }, stage: "dev" },
  ],
  [
    "tables",
    "fail",
    "accounts (accountsTable) has no index due that is ACTIVE",
    {
      answers: {
        "dynamodb:DescribeTable": () => activeTable(undefined, { DeletionProtectionEnabled: true }),
      },
    },
  ],
  [
    "tables",
    "fail",
    "counters (countersTable) has no point-in-time recovery",
    { answers: { "dynamodb:DescribeContinuousBackups": () => ({}) } },
  ],
  [
    "tables",
    "fail",
    "cache (cacheTable) never expires its items",
    {
      answers: {
        "dynamodb:DescribeTimeToLive": () => ({ TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } }),
      },
    },
  ],
  ["usage queue", "fail", "3 dead letters: usage that is not booked", attributes({ usageDeadLetters: "3" })],
  ["lesson queue", "warn", "1 dead letter: lessons", attributes({ lessonDeadLetters: "1" })],
  [
    "usage queue",
    "warn",
    "7 messages, the oldest of the last minutes was 900 s old",
    {
      answers: {
        ...attributes({ usageQueue: "7" }).answers,
        "cloudwatch:GetMetricStatistics": () => ({ Datapoints: [{ Maximum: 900 }] }),
      },
    },
  ],
  [
    "queue mappings",
    "fail",
    `${physical("SettleSqs")} is Disabled`,
    { answers: { "lambda:GetEventSourceMapping": () => ({ State: "Disabled" }) } },
  ],
  [
    "schedules",
    "fail",
    `${physical("SweepSchedule")} is DISABLED`,
    { answers: { "events:DescribeRule": () => ({ State: "DISABLED" }) } },
  ],
  [
    "last sweep",
    "fail",
    "none in the last 15 minutes",
    { answers: { "logs:FilterLogEvents": () => ({ events: [] }) } },
  ],
  [
    "last seal",
    "ok",
    "none yet since 2026-11-23T12:00:00.000Z",
    {
      answers: {
        "cloudformation:DescribeStacks": stackIs({}).answers?.["cloudformation:DescribeStacks"] ?? denied,
        "logs:FilterLogEvents": () => ({ events: [] }),
      },
    },
  ],
  ["alarm mail", "warn", "nobody is told", { answers: { "sns:ListSubscriptionsByTopic": () => ({}) } }],
  [
    "alarm mail",
    "warn",
    "ops@example.com has not confirmed",
    {
      answers: {
        "sns:ListSubscriptionsByTopic": () => ({
          Subscriptions: [{ SubscriptionArn: "PendingConfirmation", Endpoint: "ops@example.com" }],
        }),
      },
    },
  ],
  [
    "alarms",
    "fail",
    "1 of 2 alarms ring: DeadLetters: usage events failed",
    {
      answers: {
        "cloudwatch:DescribeAlarms": () => ({
          MetricAlarms: [
            { AlarmName: "DeadLetters", AlarmDescription: "usage events failed", StateValue: "ALARM" },
            { AlarmName: "UsageAge", StateValue: "OK" },
          ],
        }),
      },
    },
  ],
  ["alarms", "fail", " order_review: a line", oneLineRings],
  ["alarms", "fail", "2 of 2 alarms are gone", { answers: { "cloudwatch:DescribeAlarms": () => ({}) } }],
  [
    "alarms",
    "unknown",
    "may not use cloudwatch:DescribeAlarms",
    { answers: { "cloudwatch:DescribeAlarms": denied } },
  ],
];
