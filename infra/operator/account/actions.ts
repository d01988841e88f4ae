/**
 * What the operator asks of an account besides the stores: each action by the name that a policy gives it, with the
 * types of AWS's own clients. Types only, so that nothing of the clients is loaded through this file.
 */
import type * as CloudFormation from "@aws-sdk/client-cloudformation";
import type * as CloudWatch from "@aws-sdk/client-cloudwatch";
import type * as Logs from "@aws-sdk/client-cloudwatch-logs";
import type * as DynamoDb from "@aws-sdk/client-dynamodb";
import type * as EventBridge from "@aws-sdk/client-eventbridge";
import type * as Lambda from "@aws-sdk/client-lambda";
import type * as Secrets from "@aws-sdk/client-secrets-manager";
import type * as StepFunctions from "@aws-sdk/client-sfn";
import type * as Sns from "@aws-sdk/client-sns";
import type * as Sqs from "@aws-sdk/client-sqs";
import type * as Sts from "@aws-sdk/client-sts";

/** What an action takes, and what it gives without the client's own notes about the call. */
interface Action<Input, Output> {
  input: Input;
  output: Omit<Output, "$metadata">;
}

/** The actions by their names in policies. */
export interface AccountActions {
  "cloudformation:DescribeStacks": Action<
    CloudFormation.DescribeStacksCommandInput,
    CloudFormation.DescribeStacksCommandOutput
  >;
  "cloudformation:ListStackResources": Action<
    CloudFormation.ListStackResourcesCommandInput,
    CloudFormation.ListStackResourcesCommandOutput
  >;
  "cloudwatch:DescribeAlarms": Action<
    CloudWatch.DescribeAlarmsCommandInput,
    CloudWatch.DescribeAlarmsCommandOutput
  >;
  "cloudwatch:GetMetricStatistics": Action<
    CloudWatch.GetMetricStatisticsCommandInput,
    CloudWatch.GetMetricStatisticsCommandOutput
  >;
  "dynamodb:DescribeContinuousBackups": Action<
    DynamoDb.DescribeContinuousBackupsCommandInput,
    DynamoDb.DescribeContinuousBackupsCommandOutput
  >;
  "dynamodb:DescribeTable": Action<DynamoDb.DescribeTableCommandInput, DynamoDb.DescribeTableCommandOutput>;
  "dynamodb:DescribeTimeToLive": Action<
    DynamoDb.DescribeTimeToLiveCommandInput,
    DynamoDb.DescribeTimeToLiveCommandOutput
  >;
  "events:DescribeRule": Action<EventBridge.DescribeRuleCommandInput, EventBridge.DescribeRuleCommandOutput>;
  "lambda:GetAccountSettings": Action<
    Lambda.GetAccountSettingsCommandInput,
    Lambda.GetAccountSettingsCommandOutput
  >;
  "lambda:GetEventSourceMapping": Action<
    Lambda.GetEventSourceMappingCommandInput,
    Lambda.GetEventSourceMappingCommandOutput
  >;
  "lambda:GetFunctionConcurrency": Action<
    Lambda.GetFunctionConcurrencyCommandInput,
    Lambda.GetFunctionConcurrencyCommandOutput
  >;
  "logs:FilterLogEvents": Action<Logs.FilterLogEventsCommandInput, Logs.FilterLogEventsCommandOutput>;
  "secretsmanager:DescribeSecret": Action<
    Secrets.DescribeSecretCommandInput,
    Secrets.DescribeSecretCommandOutput
  >;
  "secretsmanager:GetSecretValue": Action<
    Secrets.GetSecretValueCommandInput,
    Secrets.GetSecretValueCommandOutput
  >;
  "sns:ListSubscriptionsByTopic": Action<
    Sns.ListSubscriptionsByTopicCommandInput,
    Sns.ListSubscriptionsByTopicCommandOutput
  >;
  "sqs:GetQueueAttributes": Action<Sqs.GetQueueAttributesCommandInput, Sqs.GetQueueAttributesCommandOutput>;
  "states:DescribeStateMachine": Action<
    StepFunctions.DescribeStateMachineCommandInput,
    StepFunctions.DescribeStateMachineCommandOutput
  >;
  "sts:GetCallerIdentity": Action<Sts.GetCallerIdentityCommandInput, Sts.GetCallerIdentityCommandOutput>;
}

export type AccountAction = keyof AccountActions;

/** Asks the account for one thing. Rejects with the client's own error. */
export type Ask = <Name extends AccountAction>(
  action: Name,
  input: AccountActions[Name]["input"],
) => Promise<AccountActions[Name]["output"]>;
