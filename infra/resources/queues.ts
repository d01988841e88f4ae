/** The queues of the stack: usage events on their way to the ledger, and lessons on their way to the cache. */
import { Duration, Names, type RemovalPolicy, Validations } from "aws-cdk-lib";
import { EventSourceMapping, type IFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { limits } from "#shared/base/limits.ts";
import { hiddenSeconds, usageBatchMax, usageTries, usageWindowSeconds } from "../stage/queue-settings.ts";
import type { Stage } from "../stage/stage.ts";
import type { GatewayFunction } from "./gateway-function.ts";

/** Nobody waits for a lesson, and entries of one page that come together share a write. */
const lessonWindowSeconds = 5;

export interface Queues {
  usage: WorkQueue;
  lessons: WorkQueue;
}

/** Creates both queues with their dead letters. */
export function createQueues(scope: Construct, stage: Stage): Queues {
  const { removalPolicy } = stage;
  return {
    usage: new WorkQueue(scope, "UsageQueue", {
      name: "Usage",
      retention: Duration.days(7),
      tries: usageTries,
      batchSize: usageBatchMax,
      windowSeconds: usageWindowSeconds,
      concurrency: stage.settleConcurrency,
      timeoutSeconds: stage.settle.timeoutSeconds,
      removalPolicy,
    }),
    lessons: new WorkQueue(scope, "LessonQueue", {
      name: "Lessons",
      // An entry lasts a day, as a rule. An older lesson teaches nothing.
      retention: Duration.days(1),
      tries: limits.lessonTriesMax,
      batchSize: 10,
      windowSeconds: lessonWindowSeconds,
      concurrency: stage.learnerConcurrency,
      timeoutSeconds: stage.learner.timeoutSeconds,
      removalPolicy,
    }),
  };
}

/** What differs from queue to queue. */
interface Work {
  /** The name of the queue in its construct. */
  name: string;
  /** How long a message waits at most to be worked on. */
  retention: Duration;
  /** How often a message is tried before it is a dead letter. */
  tries: number;
  /** How many messages an invocation gets at most, and how long it is waited for them. */
  batchSize: number;
  windowSeconds: number;
  /** How many functions work at a time. */
  concurrency: number;
  /** The time limit of the function. */
  timeoutSeconds: number;
  removalPolicy: RemovalPolicy;
}

/** A standard queue: what its function does is done once anyhow, and FIFO has a tenth of the throughput (aws.md §6). */
class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #work: Work;

  constructor(scope: Construct, id: string, work: Work) {
    super(scope, id);
    this.#work = work;
    const { removalPolicy } = work;
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, removalPolicy };
    // A dead letter keeps the age it had in the queue, so this queue must keep messages longer than that one.
    this.deadLetters = new Queue(this, "DeadLetters", {
      ...common,
      retentionPeriod: Duration.seconds(limits.deadLetterSeconds),
    });
    Validations.of(this.deadLetters).acknowledge({
      id: "Serverless-SQSRedrivePolicy",
      reason: "It is the last stop: an alarm rings for every message in it, and a person redrives it.",
    });
    this.queue = new Queue(this, work.name, {
      ...common,
      retentionPeriod: work.retention,
      visibilityTimeout: Duration.seconds(hiddenSeconds(work.timeoutSeconds, work.windowSeconds)),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: work.tries },
    });
  }

  /** Lets the function work on messages of this queue. A message that fails does not fail the rest of its batch. */
  feed(worker: GatewayFunction): void {
    const { batchSize, windowSeconds, concurrency } = this.#work;
    // It is named after the function, as it was before there was an alias. So an update changes it in place, and no
    // second mapping has to be made while the first one lives (aws.md §6.1).
    new EventSourceMapping(worker, `SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`, {
      target: worker.live as IFunction,
      eventSourceArn: this.queue.queueArn,
      batchSize,
      maxBatchingWindow: Duration.seconds(windowSeconds),
      reportBatchItemFailures: true,
      maxConcurrency: concurrency,
    });
    this.queue.grantConsumeMessages(worker);
    Validations.of(worker).acknowledge({
      id: "Serverless-LambdaEventSourceMappingDestination",
      reason:
        "A mapping from SQS has no destination of its own; the queue's redrive policy is the destination.",
    });
  }
}
