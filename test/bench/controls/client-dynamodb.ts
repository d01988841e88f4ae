/** A control of the bundles' figures: AWS's own client of DynamoDB, which is asked for an item at once. */
import { createClients } from "#shared/base/platform/aws-clients.ts";
import { dynamoDb } from "#shared/base/platform/clients/dynamodb.ts";

const aws = createClients({ dynamodb: dynamoDb });
// Nothing answers it.
aws("dynamodb", "GetItem", { TableName: "items", Key: { id: { S: "1" } } }).catch(() => {});
