/** What `doctor` needs of an account (operator-permissions.ts). Other commands read some of it too. */
import { type AwsPermission, items } from "./operator-permission.ts";

export const readingProviders = (["platforms", "providers"] as const).map(
  (name) => `secretsmanager:GetSecretValue ${name}` as const,
);
export const countingUsage: AwsPermission[] = [
  "sqs:GetQueueAttributes usageQueue",
  "sqs:GetQueueAttributes usageDeadLetters",
];

/** What `doctor` asks besides: `sts:GetCallerIdentity` is allowed to everybody. */
export const examining: readonly AwsPermission[] = [
  "cloudformation:ListStackResources stack",
  "cloudwatch:DescribeAlarmContributors *",
  "cloudwatch:DescribeAlarms *",
  "cloudwatch:GetMetricStatistics *",
  ...(["keys", "counters", "ledger", "tasks", "accounts"] as const).flatMap((table) =>
    items(`${table} DescribeTable DescribeContinuousBackups`),
  ),
  ...(["board", "cache"] as const).flatMap((table) => items(`${table} DescribeTable`)),
  ...items("accounts Query"),
  ...(["counters", "tasks", "accounts", "board", "cache"] as const).flatMap((table) =>
    items(`${table} DescribeTimeToLive`),
  ),
  "events:DescribeRule rules",
  "lambda:GetAccountSettings *",
  "lambda:GetEventSourceMapping mappings",
  "lambda:GetFunctionConcurrency functions",
  "logs:FilterLogEvents logs",
  ...(["accountsSecret", "pepper"] as const).map((name) => `secretsmanager:DescribeSecret ${name}` as const),
  ...readingProviders,
  "sns:ListSubscriptionsByTopic topics",
  ...countingUsage,
  "sqs:GetQueueAttributes lessonQueue",
  "sqs:GetQueueAttributes lessonDeadLetters",
  "states:DescribeStateMachine workflow",
];
