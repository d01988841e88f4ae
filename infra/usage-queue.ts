/** The queue between the gateway and the ledger, its dead letters, and what invokes `settle` with its messages. */
import { Duration, Validations } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { limits } from "#shared/limits.ts";
import type { GatewayFunction } from "./gateway-function.ts";
import type { Stage } from "./stage.ts";

/** Reports may lag by this and no more than a moment besides (design §6: they lag at most the queue). */
export const batchingWindowSeconds = 1;

/**
 * A standard queue. An entry is put once, also when its event comes twice or out of order. A FIFO queue would add
 * nothing and have a tenth of the throughput (aws.md §6).
 */
export class UsageQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: stage.removalPolicy,
    };
    // A dead letter keeps the age it had in the queue, so this queue must keep messages longer than that one.
    this.deadLetters = new Queue(this, "DeadLetters", {
      ...common,
      retentionPeriod: Duration.seconds(limits.deadLetterSeconds),
    });
    Validations.of(this.deadLetters).acknowledge({
      id: "Serverless-SQSRedrivePolicy",
      reason: "It is the last stop: an alarm rings for every message in it, and a person redrives it.",
    });
    this.queue = new Queue(this, "Usage", {
      ...common,
      retentionPeriod: Duration.days(7),
      // AWS asks for six times the function's timeout plus the batching window.
      visibilityTimeout: Duration.seconds(6 * stage.settle.timeoutSeconds + batchingWindowSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }

  /** Lets the function settle messages of this queue. A message that fails does not fail the rest of its batch. */
  settleWith(settle: GatewayFunction, stage: Stage): void {
    settle.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 100,
        maxBatchingWindow: Duration.seconds(batchingWindowSeconds),
        reportBatchItemFailures: true,
        maxConcurrency: stage.settleConcurrency,
      }),
    );
    Validations.of(settle).acknowledge({
      id: "Serverless-LambdaEventSourceMappingDestination",
      reason:
        "A mapping from SQS has no destination of its own; the queue's redrive policy is the destination.",
    });
  }
}
