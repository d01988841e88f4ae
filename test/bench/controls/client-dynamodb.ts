/** A control of the bundles' figures: AWS's own client of DynamoDB, and nothing else. */
import { createClients } from "#shared/platform/aws-clients.ts";
import { dynamoDb } from "#shared/platform/clients/dynamodb.ts";

export const aws = createClients({ dynamodb: dynamoDb });
export const client = dynamoDb({});
