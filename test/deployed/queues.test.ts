/** The queues of the synthesized template: how often a message is tried, and what works on it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { bounds } from "#shared/calls/cache/semantic/bounds.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "queues-test-"));
let prod: Synthesized;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
});

afterAll(() => rmSync(scratch, { recursive: true }));

/** What invokes the alias of this name with messages. */
function mappingOf(name: string) {
  const mappings = prod.all("AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => Properties);
  const found = mappings.filter(({ FunctionName }) => text(FunctionName) === name);
  expect(found).toHaveLength(1);
  return found[0];
}

describe("the usage queue", () => {
  it("gives failures five tries and then keeps them longer than itself", () => {
    const { Properties: queue } = prod.one("AWS::SQS::Queue", "UsageQueueUsage");
    const { Properties: letters } = prod.one("AWS::SQS::Queue", "UsageQueueDeadLetters");
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(5);
    expect(text(queue.RedrivePolicy.deadLetterTargetArn)).toBe("UsageQueueDeadLetters");
    expect(letters.MessageRetentionPeriod).toBe(14 * 86_400);
    expect(letters.MessageRetentionPeriod).toBeGreaterThan(queue.MessageRetentionPeriod);
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(
      6 * prod.one("AWS::Lambda::Function", "Settle").Properties.Timeout,
    );
  });

  it("is settled in batches of which only the failures return", () => {
    const mapping = mappingOf("SettleAliaslive:live");
    expect(mapping).toMatchObject({
      BatchSize: 380,
      MaximumBatchingWindowInSeconds: 1,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    expect(text(mapping.EventSourceArn)).toBe("UsageQueueUsage");
  });

  it("is settled by as many functions at a time as the stage says", () => {
    const stage = new Synthesized("dev", scratch, undefined, unbundled, { settleConcurrency: 40 });
    const most = stage
      .all("AWS::Lambda::EventSourceMapping")
      .map(([, { Properties }]) => [
        text(Properties.FunctionName),
        Properties.ScalingConfig.MaximumConcurrency,
      ]);
    expect(Object.fromEntries(most)).toEqual({ "SettleAliaslive:live": 40, "LearnerAliaslive:live": 4 });
  });

  it("refuses plain HTTP, as the dead letters and the alarm topic do", () => {
    const policies = [...prod.all("AWS::SQS::QueuePolicy"), ...prod.all("AWS::SNS::TopicPolicy")];
    expect(policies).toHaveLength(5);
    for (const [, { Properties }] of policies) {
      expect(Properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: "Deny",
          Condition: { Bool: { "aws:SecureTransport": "false" } },
        }),
      );
    }
  });
});

describe("the queue of lessons", () => {
  it("gives failures four tries, and keeps no lesson longer than most entries last", () => {
    const { Properties: queue } = prod.one("AWS::SQS::Queue", "LessonQueueLessons");
    const { Properties: letters } = prod.one("AWS::SQS::Queue", "LessonQueueDeadLetters");
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(limits.lessonTriesMax);
    expect(text(queue.RedrivePolicy.deadLetterTargetArn)).toBe("LessonQueueDeadLetters");
    expect(queue.MessageRetentionPeriod).toBe(86_400);
    expect(letters.MessageRetentionPeriod).toBe(14 * 86_400);
    const { Timeout } = prod.one("AWS::Lambda::Function", "Learner").Properties;
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    // An embedding, and both questions of an audit, one after the other.
    expect(Timeout * 1000).toBeGreaterThan(bounds.learnEmbedMs + 2 * bounds.learnJudgeMs);
  });

  it("is learned in batches of which only the failures return, by few at a time", () => {
    const mapping = mappingOf("LearnerAliaslive:live");
    expect(mapping).toMatchObject({
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 5,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 4 },
    });
    expect(text(mapping.EventSourceArn)).toBe("LessonQueueLessons");
  });
});
