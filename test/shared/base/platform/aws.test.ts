/**
 * The laws of the port to AWS, kept alike by the lean transport and by AWS's own clients, against a
 * service played by hand.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError, Bytes, isOverload, ThrottledError } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import {
  answer,
  ask,
  cut,
  done,
  half,
  refused,
  serve,
  silent,
  stopServices,
  write,
} from "#test/support/played-aws.ts";
import { type TransportName, transports } from "#test/support/transports.ts";

beforeEach(() => {
  // Neither transport waits between two attempts.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stopServices();
});

describe.each<TransportName>(["lean", "clients"])("over %s", (name) => {
  const open = (dynamodb: string, timeoutMs?: number) => transports[name]({ dynamodb }, timeoutMs);

  test("a call is one signed POST, and its answer the output", async () => {
    const { url, asked } = await serve(done);
    expect((await ask(open(url))).output).toMatchObject({ Attributes: { pk: { S: "a" } } });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toEqual(write);
    expect(asked[0]?.headers).toMatchObject({
      "x-amz-target": "DynamoDB_20120810.UpdateItem",
      "content-type": "application/x-amz-json-1.0",
      authorization: expect.stringMatching(/Credential=test\/\d{8}\/us-east-1\/dynamodb\/aws4_request/),
    });
  });

  test("bytes go as base64 and come as bytes, at any depth, and a map may have a field B", async () => {
    const stored = {
      pk: { S: '"B":"AA=="' },
      flat: { B: "AAEC/w==" },
      empty: { B: "" },
      deep: { L: [{ M: { B: { B: "AQ==" } } }, { M: { n: { N: "1" } } }] },
    };
    const { url, asked } = await serve(answer(200, { Item: stored }));
    const aws = open(url);
    const key = { TableName: "counters", Key: { pk: { S: "a" } } };
    const { Item = {} } = await aws("dynamodb", "GetItem", key);
    expect(Item.flat?.B).toBeInstanceOf(Uint8Array);
    expect(Item).toMatchObject({ pk: stored.pk, deep: { L: [{}, { M: { n: { N: "1" } } }] } });
    expect([...(Item.flat?.B ?? [])]).toEqual([0, 1, 2, 255]);
    expect([...(Item.deep?.L?.[0]?.M?.B?.B ?? [])]).toEqual([1]);
    const put = { ...Item, flat: { B: new Bytes([0, 1, 2, 255]) } };
    await aws("dynamodb", "PutItem", { TableName: "counters", Item: put });
    expect(asked[1]?.body).toEqual({ TableName: "counters", Item: stored });
  });

  test("a condition that failed is told with its item, and not repeated", async () => {
    const { url, asked } = await serve(
      refused("ConditionalCheckFailedException", { Item: { n: { N: "7" }, b: { B: "AQ==" } } }),
    );
    const { error, outcomeUnknown } = await ask(open(url));
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({
      code: "ConditionalCheckFailedException",
      status: 400,
      message: "ConditionalCheckFailedException: no: ConditionalCheckFailedException",
      body: { Item: { n: { N: "7" }, b: { B: expect.any(Uint8Array) } } },
    });
    expect([asked.length, outcomeUnknown]).toEqual([1, false]);
  });

  test("a transaction that was cancelled is told with its reasons, and not repeated", async () => {
    const CancellationReasons = [
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Message: "no", Item: { n: { N: "7" } } },
    ];
    const { url, asked } = await serve(refused("TransactionCanceledException", { CancellationReasons }));
    const transaction = open(url)("dynamodb", "TransactWriteItems", {
      TransactItems: [{ Put: { TableName: "counters", Item: { pk: { S: "a" } } } }],
      ClientRequestToken: "token",
    });
    await expect(transaction).rejects.toMatchObject({
      code: "TransactionCanceledException",
      body: { CancellationReasons },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({ ClientRequestToken: "token" });
  });

  test("a fault of the caller is told with its code, and not repeated", async () => {
    const { url, asked } = await serve(refused("ValidationException"));
    const { error, outcomeUnknown } = await ask(open(url));
    expect(error).toMatchObject({ name: "AwsError", code: "ValidationException", status: 400 });
    expect([asked.length, outcomeUnknown, isOverload(error)]).toEqual([1, false, false]);
  });

  test.each([
    ["load", refused("ProvisionedThroughputExceededException")],
    ["a transaction", refused("TransactionConflictException")],
  ])("%s is waited out, and leaves no outcome unknown", async (_, busy) => {
    const { url, asked } = await serve(busy, busy, done);
    expect(await ask(open(url))).toMatchObject({ output: { Attributes: {} }, outcomeUnknown: false });
    expect(asked).toHaveLength(3);
  });

  test.each(["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"])(
    "%s that does not end is load",
    async (code) => {
      const { url, asked } = await serve(refused(code));
      const { error, outcomeUnknown } = await ask(open(url));
      expect(error).toBeInstanceOf(ThrottledError);
      expect(error).toMatchObject({ code });
      expect([asked.length, outcomeUnknown, isOverload(error)]).toEqual([4, false, true]);
    },
  );

  test("a transaction that does not end is load, and no refusal of another kind", async () => {
    const { url, asked } = await serve(refused("TransactionConflictException"));
    const { error, outcomeUnknown } = await ask(open(url));
    expect(error).not.toBeInstanceOf(ThrottledError);
    expect([asked.length, outcomeUnknown, isOverload(error)]).toEqual([4, false, true]);
  });

  test.each([
    ["a failure of the service", refused("InternalServerError", {}, 500)],
    ["a proxy's page", answer(502, "<html>Bad gateway</html>")],
    ["a connection that breaks before the answer", cut],
    ["an answer that breaks off", half],
  ])(
    "%s is tried again, and leaves the outcome unknown although the next attempt succeeds",
    async (_, failure) => {
      const { url, asked } = await serve(failure, done);
      expect(await ask(open(url))).toMatchObject({ output: { Attributes: {} }, outcomeUnknown: true });
      expect(asked).toHaveLength(2);
    },
  );

  test("a failure of the service that does not end is told with its status", async () => {
    const { url, asked } = await serve(refused("InternalServerError", {}, 500));
    const { error, outcomeUnknown } = await ask(open(url));
    expect(error).toMatchObject({ name: "AwsError", code: "InternalServerError", status: 500 });
    expect([asked.length, outcomeUnknown, isOverload(error)]).toEqual([4, true, false]);
  });

  test("a proxy's page that does not end has its status and no code", async () => {
    const { url } = await serve(answer(503, "<html>Busy</html>"));
    expect((await ask(open(url))).error).toMatchObject({ name: "AwsError", code: "Unknown", status: 503 });
  });

  test.each([
    ["breaks", cut],
    ["stays silent", silent],
    ["breaks off its answer", half],
  ])("a connection that %s is a failure of transport that leaves the outcome unknown", async (_, failure) => {
    const { url } = await serve(failure);
    const { error, outcomeUnknown } = await ask(open(url, 200));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ phase: "sent" });
    expect(outcomeUnknown).toBe(true);
  });

  test("where nobody listens nothing was sent, and nothing is unknown", async () => {
    const { url, stop } = await serve(done);
    await stop();
    const { error, outcomeUnknown } = await ask(open(url));
    expect(error).toBeInstanceOf(TransportError);
    expect([(error as TransportError).phase, outcomeUnknown]).toEqual(["connect", false]);
  });

  test("each service is asked where it is, in its own words", async () => {
    const { url, asked } = await serve(answer(200, {}));
    const aws = transports[name]({ sqs: url, states: url, secretsmanager: url });
    // The host of a queue's URL is not where the client sends to.
    const QueueUrl = "http://sqs.example/1/usage";
    await aws("sqs", "DeleteMessage", { QueueUrl, ReceiptHandle: "r" });
    await aws("states", "StopExecution", { executionArn: "arn" });
    await aws("secretsmanager", "GetSecretValue", { SecretId: "id" });
    expect(asked.map(({ headers, body }) => [headers["x-amz-target"], body])).toEqual([
      ["AmazonSQS.DeleteMessage", { QueueUrl, ReceiptHandle: "r" }],
      ["AWSStepFunctions.StopExecution", { executionArn: "arn" }],
      ["secretsmanager.GetSecretValue", { SecretId: "id" }],
    ]);
    expect(asked.map(({ headers }) => /us-east-1\/\w+/.exec(headers.authorization ?? "")?.[0])).toEqual([
      "us-east-1/sqs",
      "us-east-1/states",
      "us-east-1/secretsmanager",
    ]);
  });

  test("an execution that is there already is told by its code", async () => {
    const { url } = await serve(answer(400, { __type: "ExecutionAlreadyExists", message: "there" }));
    const start = { stateMachineArn: "arn", name: "a", input: "{}" };
    await expect(transports[name]({ states: url })("states", "StartExecution", start)).rejects.toMatchObject({
      code: "ExecutionAlreadyExists",
    });
  });
});
