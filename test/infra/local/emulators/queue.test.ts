/** The local stand-in of SQS and of its event source mappings behaves as AWS does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { startEventSource } from "#infra/local/emulators/event-source.ts";
import { createQueues, startSqs } from "#infra/local/emulators/sqs.ts";
import { queueUrlOf } from "#infra/local/stack/template.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { awsAt, cleanUp, cleanups, startFixture } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

describe("an event source", () => {
  const source = {
    functionName: "batch",
    queueName: "usage",
    queueArn: "arn:aws:sqs:us-east-1:000000000000:usage",
    batchSize: 100,
    windowSeconds: 0,
    reportsFailures: true,
  };
  const unhurried = { scale: 1, report: () => {} };
  const hurried = { ...unhurried, scale: 0.1 };

  async function startQueues(directory?: string) {
    const sqs = await startSqs(directory);
    cleanups.push(sqs.stop);
    const aws = awsAt({ sqs: sqs.endpoint });
    const deadLetterTargetArn = "arn:aws:sqs:us-east-1:000000000000:dead";
    await createQueues(aws, [
      {
        name: "usage",
        attributes: {
          VisibilityTimeout: "60",
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
        },
      },
      { name: "dead", attributes: {} },
    ]);
    return aws;
  }

  const send = (aws: Aws, body: string) =>
    aws("sqs", "SendMessage", { QueueUrl: queueUrlOf("usage"), MessageBody: body });

  test("a queue takes the characters of XML, also those outside of the basic plane, and no others", async () => {
    const aws = await startQueues();
    await expect(send(aws, "😀 é 水 \u{10FFFF}")).resolves.toBeDefined();
    for (const wrong of ["\u0001", "\uFFFE", "\uFFFF"]) {
      await expect(send(aws, wrong), JSON.stringify(wrong)).rejects.toThrow("InvalidMessageContents");
    }
  });

  test("refuses an action that it does not know, and a body that is no JSON", async () => {
    const { endpoint, stop } = await startSqs();
    cleanups.push(stop);
    const ask = async (action: string, body: string) => {
      const headers = { "x-amz-target": `AmazonSQS.${action}`, "content-type": "application/x-amz-json-1.0" };
      const answer = await fetch(endpoint, { method: "POST", headers, body });
      return [answer.status, ((await answer.json()) as { __type: string }).__type.split("#")[1]];
    };
    expect(await ask("AddPermission", "{}")).toEqual([400, "InvalidAction"]);
    expect(await ask("../sqsStore", "{}")).toEqual([400, "InvalidAction"]);
    expect(await ask("ListQueues", "{")).toEqual([400, "SerializationException"]);
    expect(await ask("ReceiveMessage", "{}")).toEqual([400, "InvalidParameterValue"]);
  });

  test("its end ends who waits for messages", async () => {
    const sqs = await startSqs();
    const aws = awsAt({ sqs: sqs.endpoint });
    await createQueues(aws, [{ name: "usage", attributes: {} }]);
    const waiting = receive(aws, "usage", 20).catch(() => "ended");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begun = performance.now();
    await sqs.stop();
    await waiting;
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  const receive = async (aws: Aws, queue: string, waitSeconds: number) => {
    const answer = await aws("sqs", "ReceiveMessage", {
      QueueUrl: queueUrlOf(queue),
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
    });
    return (answer.Messages ?? []).map(({ Body }) => Body);
  };

  test("takes a batch, and says of each entry whether it has it", async () => {
    const aws = await startQueues();
    const bodies = ["one", "\u0000", "two"];
    const Entries = bodies.map((MessageBody, at) => ({
      Id: String(at),
      MessageBody,
      MessageGroupId: "org_1",
    }));
    const answer = await aws("sqs", "SendMessageBatch", { QueueUrl: queueUrlOf("usage"), Entries });
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(["0", "2"]);
    expect(answer.Failed?.map(({ Id }) => Id)).toEqual(["1"]);
    expect((await receive(aws, "usage", 1)).sort()).toEqual(["one", "two"]);
  });

  test.each([undefined, "on disk"])("gives a message that was put back again at once (%s)", async (kept) => {
    const directory = kept && mkdtempSync(join(tmpdir(), "queue-"));
    if (directory) cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    const aws = await startQueues(directory);
    await send(aws, "one");
    const QueueUrl = queueUrlOf("usage");
    for (let look = 0; look < 2; look++) {
      const { Messages } = await aws("sqs", "ReceiveMessage", { QueueUrl });
      expect(Messages).toMatchObject([{ Body: "one" }]);
      const Entries = [{ Id: "0", ReceiptHandle: Messages?.[0]?.ReceiptHandle, VisibilityTimeout: 0 }];
      await aws("sqs", "ChangeMessageVisibilityBatch", { QueueUrl, Entries });
    }
  });

  test("takes what succeeded off the queue and leads only the poison to the dead letters", async () => {
    const aws = await startQueues();
    const local = await startFixture("batch");
    for (const body of ["one", "poison", "two"]) await send(aws, body);
    const seen: string[][] = [];
    const poller = startEventSource(
      source,
      aws,
      (event) => {
        seen.push(event.Records.map(({ body }) => body));
        return local.invoke(event);
      },
      unhurried,
    );
    cleanups.push(poller.stop);
    await poller.drained;
    expect(seen[0]).toEqual(["one", "poison", "two"]);
    expect(await receive(aws, "dead", 20)).toEqual(["poison"]);
    expect(seen.slice(1)).toEqual([["poison"]]);
    await poller.stop();
    expect(await receive(aws, "usage", 0)).toEqual([]);
  });

  test("offers the whole batch again when the function throws", async () => {
    const aws = await startQueues();
    await send(aws, "one");
    await send(aws, "two");
    const offered: string[][] = [];
    const again = Promise.withResolvers<void>();
    const poller = startEventSource(
      source,
      aws,
      async ({ Records }) => {
        offered.push(Records.map(({ body }) => body));
        if (offered.length === 1) throw new Error("not now");
        // They are visible again one after the other, so they may come in two batches.
        if (offered.flat().length === 4) again.resolve();
        return { batchItemFailures: [] };
      },
      hurried,
    );
    cleanups.push(poller.stop);
    await again.promise;
    expect(offered[0]).toEqual(["one", "two"]);
    expect(offered.slice(1).flat().sort()).toEqual(["one", "two"]);
  });

  test("fails the whole batch on an answer that names a message of no batch", async () => {
    const aws = await startQueues();
    await send(aws, "one");
    let calls = 0;
    const again = Promise.withResolvers<void>();
    const poller = startEventSource(
      source,
      aws,
      async () => {
        if (++calls === 2) again.resolve();
        return { batchItemFailures: [{ itemIdentifier: "" }] };
      },
      hurried,
    );
    cleanups.push(poller.stop);
    await again.promise;
  });

  test("waits a part of the time at a scale, and offers what failed again at once", async () => {
    const aws = await startQueues();
    const asked: unknown[] = [];
    const watched = ((service: "sqs", action: "ChangeMessageVisibility", input: never) => {
      if (action === "ChangeMessageVisibility") asked.push(input);
      return aws(service, action, input);
    }) as Aws;
    await send(aws, "poison");
    const slow = { ...source, windowSeconds: 10_000 };
    const poller = startEventSource(
      slow,
      watched,
      async ({ Records }) => ({
        batchItemFailures: Records.map(({ messageId: itemIdentifier }) => ({ itemIdentifier })),
      }),
      { ...unhurried, scale: 0.00001 },
    );
    cleanups.push(poller.stop);
    expect(await receive(aws, "dead", 20)).toEqual(["poison"]);
    expect(asked).toMatchObject([{ VisibilityTimeout: 0 }, { VisibilityTimeout: 0 }]);
  });

  test("keeps messages on disk, and offers those of a dead receiver at once", async () => {
    const directory = mkdtempSync(join(tmpdir(), "queues-"));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const first = await startSqs(directory);
    const before = awsAt({ sqs: first.endpoint });
    await createQueues(before, [{ name: "usage", attributes: { VisibilityTimeout: "600" } }]);
    await send(before, "waiting");
    await send(before, "received");
    expect(await receive(before, "usage", 0)).toHaveLength(2);
    await send(before, "late");
    await first.stop();
    const after = await startQueues(directory);
    expect((await receive(after, "usage", 0)).sort()).toEqual(["late", "received", "waiting"]);
  });
});
