import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { adapted, type OpenClient } from "../aws-clients.ts";

/** AWS's client of DynamoDB, with the actions of the stores. */
export const dynamoDb: OpenClient = (settings) =>
  adapted(new DynamoDBClient(settings), {
    BatchGetItem: BatchGetItemCommand,
    GetItem: GetItemCommand,
    PutItem: PutItemCommand,
    Query: QueryCommand,
    Scan: ScanCommand,
    TransactWriteItems: TransactWriteItemsCommand,
    UpdateItem: UpdateItemCommand,
  });
