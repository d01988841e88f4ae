/** What the operator asks of an account, by the names of policies. Types only: no client is loaded through this file. */

/** The client of each service, by the name of the service in policies. */
interface Services {
  bedrock: typeof import("@aws-sdk/client-bedrock");
  cloudformation: typeof import("@aws-sdk/client-cloudformation");
  cloudwatch: typeof import("@aws-sdk/client-cloudwatch");
  dynamodb: typeof import("@aws-sdk/client-dynamodb");
  events: typeof import("@aws-sdk/client-eventbridge");
  lambda: typeof import("@aws-sdk/client-lambda");
  logs: typeof import("@aws-sdk/client-cloudwatch-logs");
  secretsmanager: typeof import("@aws-sdk/client-secrets-manager");
  ses: typeof import("@aws-sdk/client-sesv2");
  sns: typeof import("@aws-sdk/client-sns");
  sqs: typeof import("@aws-sdk/client-sqs");
  states: typeof import("@aws-sdk/client-sfn");
  sts: typeof import("@aws-sdk/client-sts");
}

export type ServiceInPolicies = keyof Services;

export type AccountAction =
  | "bedrock:GetFoundationModelAvailability"
  | "cloudformation:DescribeStacks"
  | "cloudformation:ListStackResources"
  | "cloudwatch:DescribeAlarmContributors"
  | "cloudwatch:DescribeAlarms"
  | "cloudwatch:GetMetricStatistics"
  | "dynamodb:DescribeContinuousBackups"
  | "dynamodb:DescribeTable"
  | "dynamodb:DescribeTimeToLive"
  | "dynamodb:Query"
  | "events:DescribeRule"
  | "lambda:GetAccountSettings"
  | "lambda:GetEventSourceMapping"
  | "lambda:GetFunctionConcurrency"
  | "logs:FilterLogEvents"
  | "secretsmanager:DescribeSecret"
  | "secretsmanager:GetSecretValue"
  | "ses:GetAccount"
  | "ses:GetEmailIdentity"
  | "sns:ListSubscriptionsByTopic"
  | "sqs:GetQueueAttributes"
  | "states:DescribeStateMachine"
  | "sts:GetCallerIdentity";

/** The command of an action, as the package of its service has it. */
type CommandOf<Name> = Name extends `${infer Service extends ServiceInPolicies}:${infer Action}`
  ? InstanceType<
      Extract<
        Services[Service][`${Action}Command` & keyof Services[Service]],
        new (
          ...input: never
        ) => object
      >
    >
  : never;

/** What an action takes, and what it gives without the client's own notes about the call. */
export type CommandInput<Name> = CommandOf<Name> extends { input: infer Input } ? Input : never;
export type ActionOutput<Name> =
  CommandOf<Name> extends {
    resolveMiddleware(...all: never): (...all: never) => Promise<{ output: infer Output }>;
  }
    ? Omit<Output, "$metadata">
    : never;

/** Asks the account for one thing. Rejects with the client's own error. */
export type Ask = <Name extends AccountAction>(
  action: Name,
  input: CommandInput<Name>,
) => Promise<ActionOutput<Name>>;
