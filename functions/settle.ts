/**
 * The settling function: records a batch of usage events in the ledger. Only messages that failed go back to the queue.
 */
import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { settleBatch } from "#shared/operations/jobs/settle.ts";
import { log } from "#shared/platform/log.ts";
import { settleDeps } from "./deps.ts";

const { ledger } = settleDeps();

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (batch: SQSEvent) => {
  const messages = batch.Records.map(({ messageId, body }) => ({ id: messageId, body }));
  const failed = await settleBatch(messages, ledger, log);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
});
