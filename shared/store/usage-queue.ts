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
