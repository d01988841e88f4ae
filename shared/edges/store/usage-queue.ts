/**
 * The usage queue on SQS: sent to by the gateway, looked at by the audit, refilled from its dead letters by operators.
 */

import type { Message as SqsMessage } from "@aws-sdk/client-sqs";
import type { Aws } from "../../base/platform/aws.ts";
import type { DeadLetter, UsageEvent } from "../../books/ledger/usage-event.ts";
import { endOfTurn, joining, type Tick, type Waiting } from "./joining.ts";

/** Where usage events go. Resolves when the queue has acknowledged, rejects when it has not. */
export interface UsageQueue {
  send(event: UsageEvent): Promise<void>;
}

/** The most that SQS takes in one `SendMessageBatch`: entries, and bytes of all their bodies. */
const entriesMax = 10;
const batchBytesMax = 256 * 1024;

/** An event as a message. The organization is the message group: one customer's flood delays no other's bills. */
interface Message {
  MessageBody: string;
  MessageGroupId: string;
}

/** Sends events of one `tick` in batches. One that is not acknowledged in a batch is sent by itself. */
export function createUsageQueue(aws: Aws, url: string, tick: Tick = endOfTurn): UsageQueue {
  const send = joining<Message, void>((messages) => {
    for (const batch of batchesOf(messages)) void sendBatch(aws, url, batch);
  }, tick);
  return {
    send: (event) => send({ MessageBody: textOf(event), MessageGroupId: event.organization }),
  };
}

/** SQS takes the characters of XML alone, so U+FFFE and U+FFFF, which a customer's `user` may have, are escaped. */
function textOf(event: UsageEvent): string {
  return JSON.stringify(event).replace(/[\uFFFE\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

type WaitingMessage = Message & Waiting<void>;

function batchesOf(messages: WaitingMessage[]): WaitingMessage[][] {
  const batches: WaitingMessage[][] = [];
  let left = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.MessageBody);
    const last = batches.at(-1);
    if (last && last.length < entriesMax && bytes <= left) {
      last.push(message);
      left -= bytes;
    } else {
      batches.push([message]);
      left = batchBytesMax - bytes;
    }
  }
  return batches;
}

async function sendBatch(aws: Aws, url: string, batch: WaitingMessage[]): Promise<void> {
  const unsent = batch.length === 1 ? batch : await sendTogether(aws, url, batch);
  for (const { MessageBody, MessageGroupId, resolve, reject } of unsent) {
    aws("sqs", "SendMessage", { QueueUrl: url, MessageBody, MessageGroupId }).then(() => resolve(), reject);
  }
}

/**
 * Sends a batch and gives the messages that are not acknowledged. None if the whole batch failed: those are rejected.
 */
async function sendTogether(aws: Aws, url: string, batch: WaitingMessage[]): Promise<WaitingMessage[]> {
  const Entries = batch.map(({ MessageBody, MessageGroupId }, at) => ({
    Id: String(at),
    MessageBody,
    MessageGroupId,
  }));
  try {
    const { Successful = [] } = await aws("sqs", "SendMessageBatch", { QueueUrl: url, Entries });
    const acknowledged = new Set(Successful.map(({ Id }) => Id));
    const isSent = (at: number) => acknowledged.has(String(at));
    for (const [at, { resolve }] of batch.entries()) if (isSent(at)) resolve();
    return batch.filter((_, at) => !isSent(at));
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return [];
  }
}

/** Messages in a queue: waiting, delayed or being worked on. An approximation, as SQS gives it. */
export async function queueDepth(aws: Aws, url: string): Promise<number> {
  const names = [
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
  ] as const;
  const { Attributes } = await aws("sqs", "GetQueueAttributes", {
    QueueUrl: url,
    AttributeNames: [...names],
  });
  return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
}

/** SQS gives each of these with every message; the client's type leaves them open. */
type Received = SqsMessage & Record<"MessageId" | "Body" | "ReceiptHandle", string>;

/** What one `ReceiveMessage` may ask for (SQS's own limit). */
const receiveMax = 10;

/** Receives what a queue has, for at most a second: none when it is empty, or others have all of it in hand. */
async function receive(
  aws: Aws,
  url: string,
  asked: { MaxNumberOfMessages: number; VisibilityTimeout?: number },
): Promise<Received[]> {
  const { Messages = [] } = await aws("sqs", "ReceiveMessage", {
    QueueUrl: url,
    WaitTimeSeconds: 1,
    MessageSystemAttributeNames: ["MessageGroupId", "SentTimestamp"],
    ...asked,
  });
  return Messages as Received[];
}

/**
 * Moves the dead letters there now back, and gives how many; tells `onMoved` of each. A message is deleted after its
 * copy is acknowledged, so it may come twice and counts once (billing.md fault 17).
 */
export async function redrive(
  aws: Aws,
  urls: { queue: string; deadLetters: string },
  onMoved: () => void = () => {},
): Promise<number> {
  const waiting = await queueDepth(aws, urls.deadLetters);
  let moved = 0;
  while (moved < waiting) {
    const messages = await receive(aws, urls.deadLetters, {
      MaxNumberOfMessages: Math.min(receiveMax, waiting - moved),
    });
    if (messages.length === 0) break;
    for (const { Body: MessageBody, ReceiptHandle, Attributes } of messages) {
      const group = Attributes?.MessageGroupId;
      const grouped = group === undefined ? {} : { MessageGroupId: group };
      await aws("sqs", "SendMessage", { QueueUrl: urls.queue, MessageBody, ...grouped });
      await aws("sqs", "DeleteMessage", { QueueUrl: urls.deadLetters, ReceiptHandle });
      moved += 1;
      onMoved();
    }
  }
  return moved;
}

/** How long a letter stays hidden if the process that looks at it dies. Most looks take less. */
const lookSeconds = 30;

/**
 * Looks at all dead letters and leaves them. `unread`: another reader has them, or there are too many. Reading raises a
 * count of receives, which does no harm here.
 */
export async function readDeadLetters(
  aws: Aws,
  url: string,
): Promise<{ deadLetters: DeadLetter[]; unread: number }> {
  const waiting = await queueDepth(aws, url);
  const found = new Map<string, Received>();
  while (found.size < waiting) {
    const messages = await receive(aws, url, {
      MaxNumberOfMessages: receiveMax,
      VisibilityTimeout: lookSeconds,
    });
    const before = found.size;
    for (const message of messages) found.set(message.MessageId, message);
    if (found.size === before) break;
  }
  await putBack(aws, url, [...found.values()]);
  const deadLetters = [...found.values()].map(({ MessageId: id, Body: body, Attributes }) => ({
    id,
    body,
    organization: Attributes?.MessageGroupId,
    sent_at: Number(Attributes?.SentTimestamp),
  }));
  return { deadLetters, unread: Math.max(0, waiting - deadLetters.length) };
}

/** Lets others see received messages again at once. */
async function putBack(aws: Aws, url: string, messages: Received[]): Promise<void> {
  for (let at = 0; at < messages.length; at += receiveMax) {
    const Entries = messages
      .slice(at, at + receiveMax)
      .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    await aws("sqs", "ChangeMessageVisibilityBatch", { QueueUrl: url, Entries });
  }
}

/** The usage queue as the audit looks at it: how much is in it, and what lies among its dead letters. */
export function createQueueView(aws: Aws, urls: { usage: string; deadLetters: string }) {
  return {
    depth: () => queueDepth(aws, urls.usage),
    deadLetters: () => readDeadLetters(aws, urls.deadLetters),
  };
}
