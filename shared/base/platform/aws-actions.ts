/**
 * The actions of AWS that are called here (by the product, its local stand-ins and their tests), with the input and
 * output types of AWS's own clients. Types only: nothing of the clients enters a bundle through this file.
 */
import type * as DynamoDb from "@aws-sdk/client-dynamodb";
import type * as Secrets from "@aws-sdk/client-secrets-manager";
import type * as StepFunctions from "@aws-sdk/client-sfn";
import type * as Sqs from "@aws-sdk/client-sqs";

/** What an action takes, and what it gives; the clients' own notes about a call are not part of its output. */
interface Action<Input, Output> {
  input: Input;
  output: Omit<Output, "$metadata">;
}

/** Every action by its service and name. */
interface Actions {
  dynamodb: {
    BatchGetItem: Action<DynamoDb.BatchGetItemCommandInput, DynamoDb.BatchGetItemCommandOutput>;
    BatchWriteItem: Action<DynamoDb.BatchWriteItemCommandInput, DynamoDb.BatchWriteItemCommandOutput>;
    CreateTable: Action<DynamoDb.CreateTableCommandInput, DynamoDb.CreateTableCommandOutput>;
    DescribeContinuousBackups: Action<
      DynamoDb.DescribeContinuousBackupsCommandInput,
      DynamoDb.DescribeContinuousBackupsCommandOutput
    >;
    DescribeTable: Action<DynamoDb.DescribeTableCommandInput, DynamoDb.DescribeTableCommandOutput>;
    DescribeTimeToLive: Action<
      DynamoDb.DescribeTimeToLiveCommandInput,
      DynamoDb.DescribeTimeToLiveCommandOutput
    >;
    DeleteItem: Action<DynamoDb.DeleteItemCommandInput, DynamoDb.DeleteItemCommandOutput>;
    GetItem: Action<DynamoDb.GetItemCommandInput, DynamoDb.GetItemCommandOutput>;
    ListTagsOfResource: Action<
      DynamoDb.ListTagsOfResourceCommandInput,
      DynamoDb.ListTagsOfResourceCommandOutput
    >;
    ListTables: Action<DynamoDb.ListTablesCommandInput, DynamoDb.ListTablesCommandOutput>;
    PutItem: Action<DynamoDb.PutItemCommandInput, DynamoDb.PutItemCommandOutput>;
    Query: Action<DynamoDb.QueryCommandInput, DynamoDb.QueryCommandOutput>;
    RestoreTableToPointInTime: Action<
      DynamoDb.RestoreTableToPointInTimeCommandInput,
      DynamoDb.RestoreTableToPointInTimeCommandOutput
    >;
    Scan: Action<DynamoDb.ScanCommandInput, DynamoDb.ScanCommandOutput>;
    TagResource: Action<DynamoDb.TagResourceCommandInput, DynamoDb.TagResourceCommandOutput>;
    TransactWriteItems: Action<
      DynamoDb.TransactWriteItemsCommandInput,
      DynamoDb.TransactWriteItemsCommandOutput
    >;
    UpdateContinuousBackups: Action<
      DynamoDb.UpdateContinuousBackupsCommandInput,
      DynamoDb.UpdateContinuousBackupsCommandOutput
    >;
    UpdateItem: Action<DynamoDb.UpdateItemCommandInput, DynamoDb.UpdateItemCommandOutput>;
    UpdateTable: Action<DynamoDb.UpdateTableCommandInput, DynamoDb.UpdateTableCommandOutput>;
    UpdateTimeToLive: Action<DynamoDb.UpdateTimeToLiveCommandInput, DynamoDb.UpdateTimeToLiveCommandOutput>;
  };
  sqs: {
    ChangeMessageVisibility: Action<
      Sqs.ChangeMessageVisibilityCommandInput,
      Sqs.ChangeMessageVisibilityCommandOutput
    >;
    ChangeMessageVisibilityBatch: Action<
      Sqs.ChangeMessageVisibilityBatchCommandInput,
      Sqs.ChangeMessageVisibilityBatchCommandOutput
    >;
    CreateQueue: Action<Sqs.CreateQueueCommandInput, Sqs.CreateQueueCommandOutput>;
    DeleteMessage: Action<Sqs.DeleteMessageCommandInput, Sqs.DeleteMessageCommandOutput>;
    GetQueueAttributes: Action<Sqs.GetQueueAttributesCommandInput, Sqs.GetQueueAttributesCommandOutput>;
    PurgeQueue: Action<Sqs.PurgeQueueCommandInput, Sqs.PurgeQueueCommandOutput>;
    ReceiveMessage: Action<Sqs.ReceiveMessageCommandInput, Sqs.ReceiveMessageCommandOutput>;
    SendMessage: Action<Sqs.SendMessageCommandInput, Sqs.SendMessageCommandOutput>;
    SendMessageBatch: Action<Sqs.SendMessageBatchCommandInput, Sqs.SendMessageBatchCommandOutput>;
    SetQueueAttributes: Action<Sqs.SetQueueAttributesCommandInput, Sqs.SetQueueAttributesCommandOutput>;
  };
  secretsmanager: {
    DescribeSecret: Action<Secrets.DescribeSecretCommandInput, Secrets.DescribeSecretCommandOutput>;
    GetSecretValue: Action<Secrets.GetSecretValueCommandInput, Secrets.GetSecretValueCommandOutput>;
    PutSecretValue: Action<Secrets.PutSecretValueCommandInput, Secrets.PutSecretValueCommandOutput>;
    UpdateSecretVersionStage: Action<
      Secrets.UpdateSecretVersionStageCommandInput,
      Secrets.UpdateSecretVersionStageCommandOutput
    >;
  };
  states: {
    DescribeExecution: Action<
      StepFunctions.DescribeExecutionCommandInput,
      StepFunctions.DescribeExecutionCommandOutput
    >;
    GetExecutionHistory: Action<
      StepFunctions.GetExecutionHistoryCommandInput,
      StepFunctions.GetExecutionHistoryCommandOutput
    >;
    ListExecutions: Action<
      StepFunctions.ListExecutionsCommandInput,
      StepFunctions.ListExecutionsCommandOutput
    >;
    StartExecution: Action<
      StepFunctions.StartExecutionCommandInput,
      StepFunctions.StartExecutionCommandOutput
    >;
    StopExecution: Action<StepFunctions.StopExecutionCommandInput, StepFunctions.StopExecutionCommandOutput>;
  };
}

export type ServiceName = keyof Actions;
export type ActionName<Service extends ServiceName> = keyof Actions[Service] & string;

/** What an action takes. */
export type ActionInput<
  Service extends ServiceName,
  Name extends ActionName<Service>,
> = Actions[Service][Name] extends {
  input: infer Given;
}
  ? Given
  : never;

/** What an action gives. */
export type Output<
  Service extends ServiceName,
  Name extends ActionName<Service>,
> = Actions[Service][Name] extends { output: infer Given } ? Given : never;
