/** AWS's clients with the actions of a restore. The bundles of functions have clients without them. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { adapted, type OpenClient } from "#shared/base/platform/aws-clients.ts";

export const tableControl: OpenClient = (settings) =>
  adapted(new DynamoDBClient(settings), {
    DescribeContinuousBackups: DescribeContinuousBackupsCommand,
    DescribeTable: DescribeTableCommand,
    DescribeTimeToLive: DescribeTimeToLiveCommand,
    ListTagsOfResource: ListTagsOfResourceCommand,
    RestoreTableToPointInTime: RestoreTableToPointInTimeCommand,
    TagResource: TagResourceCommand,
    UpdateContinuousBackups: UpdateContinuousBackupsCommand,
    UpdateTable: UpdateTableCommand,
    UpdateTimeToLive: UpdateTimeToLiveCommand,
  });

export const secretControl: OpenClient = (settings) =>
  adapted(new SecretsManagerClient(settings), { DescribeSecret: DescribeSecretCommand });
