/** Feeds a function from a queue, as Lambda's event source mapping does. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Message as SqsMessage } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSRecord } from "aws-lambda";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { EventSource } from "../stack/resources.ts";
import { queueUrlOf, region } from "../stack/template.ts";

export interface EventSourcePoller {
  /** Resolves once every message that was waiting at the start has been offered to the function. */
  drained: Promise<void>;
  /** Takes no more messages; resolves when the running batch is done. */
  stop(): Promise<void>;
}

/** SQS gives each of these with every message; the client's type leaves them open. */
type Message = SqsMessage & Record<"MessageId" | "ReceiptHandle" | "Body" | "MD5OfBody", string>;

/**
 * AWS offers a failed message again after minutes, so that a dead poller's batch is not lost. This poller dies with the
 * queue, so seconds are enough, and dead letters come while one watches. At a scale below 1 it is at once: SQS counts
 * in whole seconds.
 */
const retrySeconds = 1;

/** What one `ReceiveMessage` may ask for (SQS's own limit). */
const receiveMax = 10;

interface Options {
  /** How many real seconds a second of waiting lasts, for more messages or for the next try; 1 as deployed. */
  scale: number;
  /** Told of batches that the function, or the queue, did not take. */
  report: (error: unknown) => void;
}

/** Polls until stopped. */
export function startEventSource(
  mapping: EventSource,
  aws: Aws,
  invoke: (event: { Records: SQSRecord[] }) => Promise<unknown>,
  { scale, report }: Options,
): EventSourcePoller {
  const source = { ...mapping, windowSeconds: mapping.windowSeconds * scale };
  const queue = openQueue(aws, source, Math.floor(retrySeconds * scale));
  const drained = Promise.withResolvers<void>();
  const state = { stopped: false, busy: Promise.resolve() };

  const run = async () => {
    while (!state.stopped) {
      try {
        const batch = await collect(queue, source, drained.resolve);
        if (batch.length === 0) continue;
        state.busy = deliver(queue, source, batch, invoke, report);
        await state.busy;
      } catch (error) {
        if (state.stopped) return;
        report(error);
        await sleep(retrySeconds * 1000);
      }
    }
  };
  void run();
  return {
    drained: drained.promise,
    async stop() {
      state.stopped = true;
      await state.busy;
    },
  };
}

/** Waits for a first message, then as long as the window says, or until the batch is full. */
async function collect(queue: Queue, source: EventSource, empty: () => void): Promise<Message[]> {
  const batch: Message[] = [];
  const take = async (waitSeconds: number) => {
    for (;;) {
      const messages = await queue.receive(
        Math.min(receiveMax, source.batchSize - batch.length),
        waitSeconds,
      );
      batch.push(...messages);
      if (messages.length === 0 || batch.length >= source.batchSize) return;
    }
  };
  await take(0);
  if (batch.length === 0) {
    empty();
    batch.push(...(await queue.receive(Math.min(receiveMax, source.batchSize), 1)));
  }
  if (batch.length > 0 && batch.length < source.batchSize && source.windowSeconds > 0) {
    await sleep(source.windowSeconds * 1000);
    await take(0);
  }
  return batch;
}

async function deliver(
  queue: Queue,
  source: EventSource,
  batch: Message[],
  invoke: (event: { Records: SQSRecord[] }) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  let failed: Set<string>;
  try {
    const answer = await invoke({ Records: batch.map((message) => toRecord(message, source.queueArn)) });
    failed = source.reportsFailures ? failuresIn(answer, batch) : new Set();
  } catch (error) {
    report(error);
    failed = new Set(batch.map(({ MessageId }) => MessageId));
  }
  for (const message of batch) {
    if (failed.has(message.MessageId)) await queue.offerAgain(message);
    else await queue.remove(message);
  }
}

/** The ids that stay in the queue. An answer that names an unknown id, or no id, fails the whole batch. */
function failuresIn(answer: unknown, batch: Message[]): Set<string> {
  const failures = (answer as SQSBatchResponse | null | undefined)?.batchItemFailures ?? [];
  const sent = new Set(batch.map(({ MessageId }) => MessageId));
  const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
  return failed.isSubsetOf(sent) ? failed : sent;
}

function toRecord(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: (message.Attributes ?? {}) as unknown as SQSRecord["attributes"],
    // No message here has any.
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

interface Queue {
  receive(max: number, waitSeconds: number): Promise<Message[]>;
  remove(message: Message): Promise<void>;
  offerAgain(message: Message): Promise<void>;
}

function openQueue(aws: Aws, { queueName }: EventSource, VisibilityTimeout: number): Queue {
  const QueueUrl = queueUrlOf(queueName);
  return {
    async receive(max, waitSeconds) {
      const { Messages = [] } = await aws("sqs", "ReceiveMessage", {
        QueueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ["All"],
      });
      return Messages as Message[];
    },
    async remove({ ReceiptHandle }) {
      await aws("sqs", "DeleteMessage", { QueueUrl, ReceiptHandle });
    },
    async offerAgain({ ReceiptHandle }) {
      await aws("sqs", "ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout });
    },
  };
}
