/** The queues of the stack: usage events on their way to the ledger, and lessons on their way to the cache. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { limits } from "#shared/base/limits.ts";
import { usageBatchMax, usageWindowSeconds } from "../stage/queue-settings.ts";
import type { Stage } from "../stage/stage.ts";
import { WorkQueue } from "./work-queue.ts";

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
      tries: 5,
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
