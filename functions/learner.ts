/**
 * The learner of the semantic cache: notes kept questions on their pages, and compares the answers of audits. Only
 * messages that could not be learned go back to the queue.
 */
import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { learnBatch } from "#shared/edges/jobs/learn.ts";
import { learnerDeps } from "./learner-deps.ts";

const deps = learnerDeps();

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (batch: SQSEvent) => {
  const messages = batch.Records.map(({ messageId, body, attributes }) => ({
    id: messageId,
    body,
    tries: Number(attributes.ApproximateReceiveCount),
  }));
  const failed = await learnBatch(messages, deps);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
});
