/** The queue between the gateway and the ledger, its dead letters, and the mapping that settles from it. */
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
 * A standard queue: entries are put once whatever is delivered twice or out of order, so FIFO would buy
 * nothing for a tenth of the throughput (aws.md §6).
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
    // A moved message keeps its age, so the dead letters must be kept longer than the queue keeps its own.
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
      // AWS asks for six times the function's timeout, and the window, before a batch is given to another.
      visibilityTimeout: Duration.seconds(6 * stage.settle.timeoutSeconds + batchingWindowSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }

  /** Lets the function settle from this queue; a message that fails does not take its batch with it. */
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
