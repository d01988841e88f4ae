/** Where the operator looks for a deployed stage. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { connectToStack } from "#infra/operator/connection.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { newId } from "#shared/base/platform/id.ts";
import { runHere } from "#test/support/streams.ts";

const scratch = mkdtempSync(join(tmpdir(), "connection-"));
const profile = join(scratch, "config");
writeFileSync(profile, "[default]\nregion = eu-central-1\n");

const id = newId("request", Date.now());
const logLine = JSON.stringify({ level: "info", event: "call", at: new Date().toISOString(), request: id });
const resources = [
  ["AWS::Logs::LogGroup", "gateway-logs"],
  ["AWS::Lambda::Function", "gateway"],
]
  .map(
    ([type, name]) =>
      `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${name}</PhysicalResourceId></member>`,
  )
  .join("");

/** The regions that AWS was asked in. */
let asked: string[];
let status: number;
let stop: () => Promise<void>;

beforeEach(async () => {
  asked = [];
  status = 200;
  const members = Object.values(outputs).map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>value-of-${name}</OutputValue></member>`,
  );
  const server = createServer(async (request, response) => {
    asked.push(/Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? "")?.[1] ?? "");
    if (String(request.headers["x-amz-target"]).endsWith(".FilterLogEvents")) {
      response.writeHead(200, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify({ events: [{ message: logLine }] }));
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    response.writeHead(status, { "content-type": "text/xml" });
    if (body.includes("Action=ListStackResources"))
      response.end(
        `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${resources}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
      );
    else if (status !== 200)
      response.end(
        "<ErrorResponse><Error><Code>ValidationError</Code><Message>does not exist</Message></Error></ErrorResponse>",
      );
    else
      response.end(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members.join("")}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      );
  });
  const listening = await listen(server, 0);
  stop = listening.stop;
  const environment = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: listening.url,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: listening.url,
    AWS_CONFIG_FILE: profile,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: undefined,
    AWS_DEFAULT_REGION: undefined,
    AWS_PROFILE: undefined,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await stop();
});
afterAll(() => rmSync(scratch, { recursive: true }));

test("in the profile's region, where the environment names none", async () => {
  const { tables } = await connectToStack("prod");
  expect(asked).toEqual(["eu-central-1"]);
  expect(tables.keys).toBe("value-of-KeysTableName");
});

test("and its log lines are those of the log groups in its stack", async () => {
  const { log } = await connectToStack("prod");
  expect(await log.linesOf(id)).toEqual([JSON.parse(logLine)]);
  expect(asked).toEqual(["eu-central-1", "eu-central-1", "eu-central-1"]);
});

test("in the environment's region before it", async () => {
  vi.stubEnv("AWS_DEFAULT_REGION", "ap-south-1");
  await connectToStack("prod");
  vi.stubEnv("AWS_REGION", "us-west-2");
  await connectToStack("prod");
  expect(asked).toEqual(["ap-south-1", "us-west-2"]);
});

test("which its clients go to, with the shell's credentials", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", process.env.AWS_ENDPOINT_URL_CLOUDFORMATION);
  vi.stubEnv("AWS_REGION", "us-west-2");
  const { aws, tables } = await connectToStack("prod");
  status = 400;
  const read = aws("dynamodb", "GetItem", { TableName: tables.keys, Key: { pk: { S: "a" } } });
  await expect(read).rejects.toMatchObject({ name: "AwsError", status: 400 });
  expect(asked).toEqual(["us-west-2", "us-west-2"]);
});

test("without a region it says how to give one, or to stay on this machine", async () => {
  writeFileSync(join(scratch, "empty"), "[default]\n");
  vi.stubEnv("AWS_CONFIG_FILE", join(scratch, "empty"));
  await expect(connectToStack("prod")).rejects.toThrow("no AWS region is set: give --local");
});

test("and says where it looked when nothing is there", async () => {
  status = 400;
  await expect(connectToStack("prod")).rejects.toThrow("model-gateway-prod in eu-central-1: does not exist");
});

test("a pepper is not rotated where functions run a release that would take its versions for the pepper itself", async () => {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  const { code, error } = await runHere(["pepper", "rotate", "--stage", "prod"]);
  expect([code, error]).toEqual([
    2,
    "the stage runs a release that reads no versions of the pepper: deploy this one first\n",
  ]);
});
