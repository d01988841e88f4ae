/** Books a batch of usage events, and counts their answers. Only what the ledger did not take goes back to the queue. */
import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { settleBatch } from "#shared/edges/jobs/settle.ts";
import { settleDeps } from "./deps.ts";

const deps = settleDeps();

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (batch: SQSEvent) => {
  const messages = batch.Records.map(({ messageId, body }) => ({ id: messageId, body }));
  const failed = await settleBatch(messages, deps);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
});
