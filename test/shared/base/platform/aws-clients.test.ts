/** What AWS's own clients bring besides the laws of the port (aws.test.ts): credentials, partitions, endpoints. */
import { afterEach, expect, test, vi } from "vitest";
import { createClients } from "#shared/base/platform/aws-clients.ts";
import { dynamoDb } from "#shared/base/platform/clients/dynamodb.ts";
import { sqs } from "#shared/base/platform/clients/sqs.ts";
import { answer, ask, done, serve, stopServices } from "#test/support/played-aws.ts";
import { transports } from "#test/support/transports.ts";

afterEach(async () => {
  vi.unstubAllEnvs();
  await stopServices();
});

const keys = { accessKeyId: "test", secretAccessKey: "test" };

test("clients that find no credentials say so themselves, and leave no outcome unknown", async () => {
  const { url, asked } = await serve(done);
  const credentials = async () => {
    throw Object.assign(new Error("no credentials here"), { name: "CredentialsProviderError" });
  };
  const options = { region: "us-east-1", credentials, endpoints: { dynamodb: url } };
  const { error, outcomeUnknown } = await ask(createClients({ dynamodb: dynamoDb }, options));
  expect(error).toMatchObject({ name: "CredentialsProviderError", message: "no credentials here" });
  expect([asked.length, outcomeUnknown]).toEqual([0, false]);
});

test("clients go where the region's partition is", async () => {
  const hosts = async (region: string, useFipsEndpoint: boolean) => {
    let host = "";
    const client = await dynamoDb({
      region,
      useFipsEndpoint,
      credentials: keys,
      requestHandler: {
        handle: async ({ hostname }: { hostname: string }) => {
          host = hostname;
          throw new Error("enough");
        },
      } as never,
    });
    await client.send("GetItem", { TableName: "t", Key: {} }, { applyToStack() {} }).catch(() => {});
    return host;
  };
  expect(await hosts("cn-north-1", false)).toBe("dynamodb.cn-north-1.amazonaws.com.cn");
  expect(await hosts("us-east-1", true)).toBe("dynamodb-fips.us-east-1.amazonaws.com");
  expect(await hosts("us-gov-west-1", false)).toBe("dynamodb.us-gov-west-1.amazonaws.com");
});

test("clients find an endpoint in the environment, and send to it and not to a queue's own host", async () => {
  const { url, asked } = await serve(answer(200, {}));
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", url);
  const aws = createClients({ sqs }, { region: "us-east-1", credentials: keys });
  await aws("sqs", "DeleteMessage", { QueueUrl: "http://127.0.0.1:9/1/usage", ReceiptHandle: "r" });
  expect(asked).toHaveLength(1);
});

test("clients reach an emulator whatever kind of endpoint the environment asks for", async () => {
  const { url } = await serve(done);
  vi.stubEnv("AWS_USE_FIPS_ENDPOINT", "true");
  vi.stubEnv("AWS_USE_DUALSTACK_ENDPOINT", "true");
  const { output } = await ask(transports.clients({ dynamodb: url }));
  expect(output).toMatchObject({ Attributes: { pk: { S: "a" } } });
});

test("clients send a request as often as they may, and no more", async () => {
  const { url, asked } = await serve(answer(500, { __type: "InternalServerError" }));
  const options = { region: "us-east-1", credentials: keys, endpoints: { dynamodb: url } };
  const { error } = await ask(createClients({ dynamodb: dynamoDb }, { ...options, attemptsMax: 1 }));
  expect(error).toMatchObject({ code: "InternalServerError" });
  expect(asked).toHaveLength(1);
});

test("clients are those that were given, with the actions they were given", async () => {
  const { url } = await serve(done);
  const aws = createClients({ dynamodb: dynamoDb }, { region: "us-east-1", endpoints: { dynamodb: url } });
  await expect(aws("sqs", "PurgeQueue", { QueueUrl: "q" })).rejects.toThrow("no client of sqs was given");
  await expect(aws("dynamodb", "ListTables", {})).rejects.toThrow("the client has no action ListTables");
});
