/** The local runtime takes its wiring from the template, and its settings from where design §6 says. */
import { describe, expect, test } from "vitest";
import { parseCron } from "#infra/local/emulators/schedule.ts";
import { functionNameOf, readResources } from "#infra/local/stack/resources.ts";
import { createReader } from "#infra/local/stack/template.ts";
import { localCatalog, withDemoModels } from "#infra/local/start/local-catalog.ts";
import { readSettings } from "#infra/local/start/settings.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { channelId } from "#shared/books/catalog/channel-id.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { template } from "#test/support/local/template.ts";

describe("the template", () => {
  const resources = readResources(createReader(template), "/assembly");

  test("gives each function its bundle, its own environment and its URL", () => {
    const queue = "https://sqs.us-east-1.amazonaws.com/000000000000/Queue1";
    expect(resources.functions).toEqual([
      {
        name: "Front",
        directory: "/assembly/asset.abc",
        handler: "index.handler",
        timeoutSeconds: 900,
        memoryMb: 512,
        logGroup: "front-logs",
        hasUrl: true,
        hasBufferedUrl: false,
        environment: {
          TABLE: "Table1",
          QUEUE: queue,
          SECRET: "arn:aws:secretsmanager:us-east-1:000000000000:secret:Pepper",
          TABLE_ARN:
            "arn:aws:x:us-east-1:000000000000:Table1/arn:aws:dynamodb:us-east-1:000000000000:table/Table1",
          MAPPED: "Table1-amazonaws.com",
          HOST: "url.lambda-url.us-east-1.on.aws",
          JOINED: "a-Queue1",
        },
      },
      {
        ...{ name: "Back", directory: "/assembly/asset.def", handler: "index.handler" },
        ...{
          timeoutSeconds: 3,
          memoryMb: 128,
          logGroup: "/aws/lambda/Back",
          hasUrl: false,
          hasBufferedUrl: false,
          environment: {},
        },
      },
    ]);
    expect(resources.outputs).toEqual({ Where: "https://url.lambda-url.us-east-1.on.aws/" });
  });

  test("gives tables, queues, secrets, and what invokes a function", () => {
    const { AttributeDefinitions, KeySchema } = template.Resources.Table1.Properties;
    expect(resources.tables).toEqual([
      { TableName: "Table1", AttributeDefinitions, KeySchema, BillingMode: "PAY_PER_REQUEST" },
    ]);
    const RedrivePolicy =
      '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead-letters","maxReceiveCount":5}';
    expect(resources.queues).toEqual([
      { name: "dead-letters", attributes: {} },
      { name: "Queue1", attributes: { VisibilityTimeout: "181", RedrivePolicy } },
    ]);
    expect(resources.eventSources).toEqual([
      {
        ...{ functionName: "Back", queueName: "Queue1", batchSize: 100, windowSeconds: 1 },
        ...{ queueArn: "arn:aws:sqs:us-east-1:000000000000:Queue1", reportsFailures: true },
      },
    ]);
    expect(resources.schedules).toEqual([
      { expression: "rate(5 minutes)", targets: [{ functionName: "Back", input: { a: 1 } }] },
    ]);
    expect(resources.secrets.map(({ value }) => value)).toEqual([{ generatedLength: 64 }, "{}"]);
  });

  test("gives state machines with what they invoke, and the rules for their events", () => {
    const arn = "arn:aws:states:us-east-1:000000000000:stateMachine:Machine";
    const Resource = "arn:aws:lambda:us-east-1:000000000000:function:Back";
    expect(resources.stateMachines).toEqual([
      {
        name: "Machine",
        arn,
        definition: { StartAt: "Work", States: { Work: { Type: "Task", End: true, Resource } } },
      },
    ]);
    const detail = { stateMachineArn: [arn], status: ["FAILED", "TIMED_OUT", "ABORTED"] };
    expect(resources.eventRules).toEqual([
      { pattern: { source: ["aws.states"], detail }, functionNames: ["Front"] },
    ]);
  });

  test("says what it does not understand", () => {
    const broken = {
      Resources: { Q: { Type: "AWS::SQS::Queue", Properties: { QueueName: { "Fn::If": [] } } } },
    };
    expect(() => readResources(createReader(broken), "/")).toThrow("Fn::If is not known here");
    const dangling = { Resources: {}, Outputs: { O: { Value: { Ref: "Gone" } } } };
    expect(() => readResources(createReader(dangling), "/")).toThrow("there is no resource Gone");
  });
});

test.each([
  "Back",
  "Back:live",
  "arn:aws:lambda:us-east-1:0:function:Back",
  "arn:aws:lambda:us-east-1:0:function:Back:live",
])("%s is the function Back", (target) => expect(functionNameOf(target)).toBe("Back"));

test.each([
  ["cron(0/15 * * * ? *)", "2026-11-21T05:30:00Z", true],
  ["cron(0/15 * * * ? *)", "2026-11-21T05:31:00Z", false],
  ["cron(5 0 1 * ? *)", "2026-12-01T00:05:00Z", true],
  ["cron(5 0 1 * ? *)", "2026-12-02T00:05:00Z", false],
  ["cron(0 8-10,20 ? * 2-6 *)", "2026-11-20T20:00:00Z", true],
  ["cron(0 8-10,20 ? * 2-6 *)", "2026-11-21T20:00:00Z", false],
])("%s at %s is due: %s", (expression, at, due) => {
  expect(parseCron(expression)(new Date(at))).toBe(due);
});

test("a schedule that is not understood is refused", () => {
  expect(() => parseCron("cron(0 0 L * ? *)")).toThrow("is not known here");
});

test.each([
  [["--prot=1"], "there is no option --prot; did you mean --port?"],
  [["--readyfile", "f"], "did you mean --ready-file?"],
  [["--catalog", "c.json"], "did you mean CATALOG=PATH npm start?"],
  [["--data-dri=d"], "did you mean DATA_DIR=DIR npm start?"],
  [["--port", "65536"], "--port 65536 is not a port, which is a number from 0 to 65535"],
  [["--port", "x"], "--port x is not a port"],
  [["8788"], "npm start takes no 8788; did you mean --port 8788?"],
  [["now"], "npm start takes no now."],
])("%j is refused, with what may have been meant: %s", (argv, message) => {
  expect(() => readSettings(argv, {})).toThrow(message);
});

test("settings come from the flags and the environment", () => {
  const settings = readSettings(["--ready-file", "/r.json"], {
    PORT: "0",
    CATALOG: "/c.json",
    DATA_DIR: "/d",
  });
  expect(settings).toMatchObject({ port: 0, readyFile: "/r.json", catalogFile: "/c.json", dataDir: "/d" });
  expect(readSettings([], {})).toMatchObject({
    port: 8787,
    taskWaitScale: 1,
    streamWaitScale: 1,
    queueWaitScale: 1,
  });
  expect(readSettings([], { TASK_WAIT_SCALE: "0.01" }).taskWaitScale).toBe(0.01);
  expect(readSettings([], { STREAM_WAIT_SCALE: "0.05" })).toMatchObject({
    streamWaitScale: 0.05,
    taskWaitScale: 1,
  });
  expect(readSettings([], { QUEUE_WAIT_SCALE: "0.1" }).queueWaitScale).toBe(0.1);
  for (const name of ["TASK_WAIT_SCALE", "STREAM_WAIT_SCALE", "QUEUE_WAIT_SCALE"])
    for (const scale of ["0", "2", "fast"])
      expect(() => readSettings([], { [name]: scale })).toThrow(`${name}=${scale}`);
  expect(readSettings([], { TASK_LIFETIME_SECONDS: "60" }).taskLifetimeSeconds).toBe("60");
  for (const seconds of ["0", "86401", "1.5", "-1", "day"])
    expect(() => readSettings([], { TASK_LIFETIME_SECONDS: seconds })).toThrow("from 1 to 86400");
  expect(() => readSettings([], { PORT: "99999" })).toThrow("PORT=99999");
  expect(() => readSettings(["--unknown"], {})).toThrow("there is no option --unknown. npm start -- --help");
  expect(readSettings(["--port", "9000"], { PORT: "0" }).port).toBe(9000);
  expect(readSettings(["--port=0"], {}).port).toBe(0);
});

test("providers without a credential are led to the demo provider", () => {
  const provider = (secret: string) => ({
    protocols: { openai: "https://real.example/v1", anthropic: "https://real.example" },
    auth: "bearer" as const,
    secret,
  });
  const catalog = {
    ...{ version: "1", pricing_groups: {}, models: [], plans: {}, payg: { routing: "basic" } },
    providers: {
      real: provider("REAL_KEY"),
      other: provider("OTHER_KEY"),
      some: { ...provider("SOME_1"), secrets: ["SOME_1", "SOME_2"] },
      none: { ...provider("NONE_1"), secrets: ["NONE_1", "NONE_2"] },
    },
  } satisfies Catalog;
  const local = localCatalog(catalog, "http://demo", { REAL_KEY: "sk-real", SOME_2: "sk-some" });
  expect(local.played).toEqual(["other", "none"]);
  expect(local.catalog.providers.some).toEqual(catalog.providers.some);
  expect(local.catalog.providers.real).toEqual(catalog.providers.real);
  expect(local.catalog.providers.other?.protocols).toEqual({
    openai: "http://demo/other/openai",
    anthropic: "http://demo/other/anthropic",
  });
  expect(local.secrets).toEqual({
    REAL_KEY: "sk-real",
    OTHER_KEY: "demo",
    SOME_2: "sk-some",
    NONE_1: "demo",
    NONE_2: "demo",
  });
});

test("the demo models are there beside the catalog, on providers that are played", () => {
  const shipped = parseCatalog(catalogFile);
  const own = { catalog: shipped, played: ["openai"], secrets: { OPENAI_API_KEY: "demo" } };
  const local = withDemoModels(own, "http://127.0.0.1:9");
  expect(parseCatalog(structuredClone(local.catalog))).toEqual(local.catalog);
  expect(local.catalog.models.slice(0, -3)).toEqual(shipped.models);
  const model = createCatalog(local.catalog).find("demo/three-ways");
  expect(model?.protocols).toEqual(["openai", "responses", "anthropic", "gemini"]);
  expect(model?.channels).toMatchObject(
    ["north", "south", "west"].map((provider) => ({
      ...{ id: channelId(provider, "three-ways", "DEMO_KEY"), secret: "DEMO_KEY" },
      ...{ provider, model: "three-ways", priority: 1, weight: 1 },
    })),
  );
  expect(local.catalog.providers.west?.protocols.gemini).toBe("http://127.0.0.1:9/west/gemini");
  expect(local).toMatchObject({ played: ["openai"], secrets: { OPENAI_API_KEY: "demo", DEMO_KEY: "demo" } });
  expect(shipped.models.map(({ id }) => id)).not.toContain("demo/three-ways");
  expect(local.catalog.cache).toEqual({ embedder: "demo/embedder", verifier: "demo/judge" });
});

test("the cache asks the catalog's own models where they are called for real", () => {
  const shipped = parseCatalog(catalogFile);
  const cacheWith = (played: string[]) =>
    withDemoModels({ catalog: shipped, played, secrets: {} }, "http://127.0.0.1:9").catalog.cache;
  expect(cacheWith(["anthropic"])).toEqual(shipped.cache);
  expect(cacheWith(["anthropic", "openai"])).toEqual({ embedder: "demo/embedder", verifier: "demo/judge" });
});
