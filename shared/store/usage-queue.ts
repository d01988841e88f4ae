import type { UsageEvent } from "../billing/usage-event.ts";
import type { Aws } from "../platform/aws.ts";

/** Where usage events go. Resolves when the queue has acknowledged, rejects when it has not. */
export interface UsageQueue {
  send(event: UsageEvent): Promise<void>;
}

/** The usage queue on SQS. The organization is the message group: one customer's flood delays no other's bills. */
export function createUsageQueue(aws: Aws, url: string): UsageQueue {
  return {
    async send(event) {
      await aws("sqs", "SendMessage", {
        QueueUrl: url,
        MessageBody: JSON.stringify(event),
        MessageGroupId: event.organization,
      });
    },
  };
}

/** Messages in a queue: waiting, delayed or being worked on. An approximation, as SQS gives it. */
export async function queueDepth(aws: Aws, url: string): Promise<number> {
  const names = [
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
  ];
  const { Attributes } = await aws<{ Attributes?: Record<string, string> }>("sqs", "GetQueueAttributes", {
    QueueUrl: url,
    AttributeNames: names,
  });
  return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
}

interface Message {
  Body: string;
  ReceiptHandle: string;
  Attributes?: { MessageGroupId?: string };
}

/** What one `ReceiveMessage` may ask for (SQS's own limit). */
const receiveMax = 10;

/**
 * Moves at most `max` messages from one queue to another and gives how many. Each is deleted only after the
 * other queue has acknowledged it: cut anywhere, it may come twice, and is recorded once (billing.md §5, 17).
 */
export async function moveMessages(
  aws: Aws,
  urls: { from: string; to: string },
  max: number,
): Promise<number> {
  let moved = 0;
  while (moved < max) {
    const { Messages = [] } = await aws<{ Messages?: Message[] }>("sqs", "ReceiveMessage", {
      QueueUrl: urls.from,
      MaxNumberOfMessages: Math.min(receiveMax, max - moved),
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["MessageGroupId"],
    });
    if (Messages.length === 0) break;
    for (const { Body: MessageBody, ReceiptHandle, Attributes } of Messages) {
      const group = Attributes?.MessageGroupId;
      const grouped = group === undefined ? {} : { MessageGroupId: group };
      await aws("sqs", "SendMessage", { QueueUrl: urls.to, MessageBody, ...grouped });
      await aws("sqs", "DeleteMessage", { QueueUrl: urls.from, ReceiptHandle });
      moved += 1;
    }
  }
  return moved;
}
