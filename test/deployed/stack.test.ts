/** The synthesized template: how functions run, what is public, what survives. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledCatalogName } from "#infra/bundles/bundle-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { buildApp } from "#infra/deploy/build-app.ts";
import { offerInFile, offerName } from "#infra/deploy/price-confirmation.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { digestOf, type Offer } from "#shared/books/prices/offer.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "stack-test-"));
const catalogMark = "2026-11-21-another-catalog";
/** The policies of what outlives its stack: deletion and replacement. */
const kept = ["RetainExceptOnCreate", "Retain"];
let prod: Synthesized;
let dev: Synthesized;

beforeAll(() => {
  const catalogFile = join(scratch, "other-catalog.json");
  writeFileSync(catalogFile, JSON.stringify({ version: catalogMark, providers: {}, models: [], plans: {} }));
  // Bundles take most of a synthesis: those of one stage say what those of the other would.
  prod = new Synthesized("prod", scratch, undefined, unbundled);
  dev = new Synthesized("dev", scratch, catalogFile);
});

afterAll(() => rmSync(scratch, { recursive: true }));

describe("functions", () => {
  it.each([
    ["Gateway", 512, 900],
    ["Settle", 256, 30],
    ["Sweep", 256, 300],
    ["VideoTask", 256, 120],
    ["Learner", 256, 60],
    ["Console", 512, 30],
  ])("%s runs on Node 24, arm64, traced, with JSON logs that end", (name, memory, timeout) => {
    expect(prod.one("AWS::Lambda::Function", name).Properties).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      MemorySize: memory,
      Timeout: timeout,
      Handler: "index.handler",
      TracingConfig: { Mode: "Active" },
      LoggingConfig: { LogFormat: "JSON" },
    });
    expect(prod.one("AWS::Logs::LogGroup", `${name}Logs`).Properties.RetentionInDays).toBe(90);
  });

  it("sweeps every five minutes", () => {
    const rule = prod.one("AWS::Events::Rule", "SweepSchedule").Properties;
    expect(rule).toMatchObject({ ScheduleExpression: "rate(5 minutes)", State: "ENABLED" });
    expect(rule.Targets.map(({ Arn }: { Arn: unknown }) => text(Arn))).toEqual(["SweepAliaslive"]);
  });

  it("seals at ten past every hour, so that a day is sealed ten minutes after its two hours", () => {
    const rule = prod.one("AWS::Events::Rule", "SealSchedule").Properties;
    expect(rule).toMatchObject({ ScheduleExpression: "cron(10 * * * ? *)", State: "ENABLED" });
    const targets = rule.Targets.map(({ Arn, Input }: { Arn: unknown; Input: string }) => [text(Arn), Input]);
    expect(targets).toEqual([["SweepAliaslive", '{"seal":true}']]);
  });
});

describe("the URL", () => {
  it("streams from the alias, open to everyone", () => {
    const url = prod.one("AWS::Lambda::Url", "GatewayAliasliveFunctionUrl");
    expect(url?.Properties).toMatchObject({
      InvokeMode: "RESPONSE_STREAM",
      AuthType: "NONE",
      Qualifier: "live",
    });
    expect(text(url?.Properties.TargetFunctionArn)).toBe("Gateway");
    // The gateway answers browsers itself: AWS would send each of those headers a second time.
    expect(url?.Properties).not.toHaveProperty("Cors");
  });

  it("has both permissions that a public URL needs, on the alias", () => {
    const permissions = prod
      .all("AWS::Lambda::Permission")
      .map(([, { Properties }]) => Properties)
      .filter(({ Principal }) => Principal === "*");
    for (const alias of ["GatewayAliaslive", "ConsoleAliaslive"]) {
      const own = permissions.filter(({ FunctionName }) => text(FunctionName) === alias);
      expect(own.map(({ FunctionName, Principal, ...rest }) => rest)).toEqual([
        { Action: "lambda:InvokeFunctionUrl", FunctionUrlAuthType: "NONE" },
        { Action: "lambda:InvokeFunction", InvokedViaFunctionUrl: true },
      ]);
    }
    expect(permissions).toHaveLength(4);
  });

  it("keeps the versions before, where calls in flight end and to which one can go back by hand", () => {
    const versions = prod.all("AWS::Lambda::Version");
    expect(versions).toHaveLength(6);
    for (const [, { DeletionPolicy, UpdateReplacePolicy }] of versions) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(kept);
    }
  });
});

describe("what is kept", () => {
  const stores = ["AWS::DynamoDB::GlobalTable", "AWS::SQS::Queue", "AWS::SecretsManager::Secret"];
  const lost = ["BoardTable", "CacheTable"];
  it("outlives its stack, except in dev, and not the deployment that fails to create it", () => {
    for (const type of [...stores, "AWS::Logs::LogGroup"]) {
      const lasting = prod.all(type).filter(([name]) => !lost.includes(name));
      expect(lasting.length).toBeGreaterThan(0);
      for (const [, { DeletionPolicy, UpdateReplacePolicy }] of lasting) {
        expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(kept);
      }
      for (const [, { DeletionPolicy }] of dev.all(type)) expect(DeletionPolicy).toBe("Delete");
    }
  });

  it.each(["KeysTable", "CountersTable", "LedgerTable", "TasksTable", "AccountsTable"])(
    "%s can be restored, is protected outside dev, and costs by use",
    (name) => {
      const { Properties: table } = prod.one("AWS::DynamoDB::GlobalTable", name);
      expect(table.BillingMode).toBe("PAY_PER_REQUEST");
      expect(table.Replicas).toHaveLength(1);
      const restorable = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
      expect(table.Replicas[0]).toMatchObject({ ...restorable, DeletionProtectionEnabled: true });
      expect(dev.one("AWS::DynamoDB::GlobalTable", name).Properties.Replicas[0]).toMatchObject({
        ...restorable,
        DeletionProtectionEnabled: false,
      });
    },
  );

  it.each(lost)("%s goes with its stack, has no backups, and its items expire", (name) => {
    for (const stage of [prod, dev]) {
      const { Properties, ...policies } = stage.one("AWS::DynamoDB::GlobalTable", name);
      expect(policies).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
      expect(Properties.BillingMode).toBe("PAY_PER_REQUEST");
      expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: "expires_at", Enabled: true });
      expect(Properties.Replicas).toHaveLength(1);
      expect(Properties.Replicas[0]).toMatchObject({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
        DeletionProtectionEnabled: false,
      });
    }
  });

  it("finds meters by two indexes and lets intents expire", () => {
    const { Properties: counters } = prod.one("AWS::DynamoDB::GlobalTable", "CountersTable");
    expect(counters.KeySchema).toEqual([{ AttributeName: "pk", KeyType: "HASH" }]);
    expect(counters.TimeToLiveSpecification).toEqual({ AttributeName: "expires_at", Enabled: true });
    const indexOn = (IndexName: string, partition: string, sort: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partition, KeyType: "HASH" },
        { AttributeName: sort, KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "KEYS_ONLY" },
    });
    expect(counters.GlobalSecondaryIndexes).toEqual([
      indexOn("meters", "kind", "pk"),
      indexOn("marked", "mark", "marked"),
    ]);
  });

  it("is not deleted with its URL by a slip, except in dev", () => {
    expect([prod.stack, dev.stack].map(({ terminationProtection }) => terminationProtection)).toEqual([
      true,
      false,
    ]);
  });

  it("is created without protection, which changes nothing but that", () => {
    const begun = new Synthesized("prod", scratch, undefined, { ...unbundled, protection: "off" });
    expect(begun.stack.terminationProtection).toBe(false);
    const unprotected = structuredClone(prod.resources);
    for (const { Type, Properties } of Object.values(unprotected)) {
      if (Type === "AWS::DynamoDB::GlobalTable") Properties.Replicas[0].DeletionProtectionEnabled = false;
    }
    expect(begun.resources).toEqual(unprotected);
    expect(begun.resources).not.toEqual(prod.resources);
  });
});

describe("the app", () => {
  it("publishes what the operator needs under stable names", () => {
    expect(prod.outputs).toEqual({
      [outputs.gatewayUrl]: "GatewayAliasliveFunctionUrl",
      [outputs.consoleUrl]: "ConsoleAliasliveFunctionUrl",
      [outputs.keysTable]: "KeysTable",
      [outputs.countersTable]: "CountersTable",
      [outputs.ledgerTable]: "LedgerTable",
      [outputs.tasksTable]: "TasksTable",
      [outputs.accountsTable]: "AccountsTable",
      [outputs.boardTable]: "BoardTable",
      [outputs.cacheTable]: "CacheTable",
      [outputs.usageQueue]: "UsageQueueUsage",
      [outputs.usageDeadLetters]: "UsageQueueDeadLetters",
      [outputs.lessonQueue]: "LessonQueueLessons",
      [outputs.lessonDeadLetters]: "LessonQueueDeadLetters",
      [outputs.pepperSecret]: "Pepper",
      [outputs.pepperFormat]: "versions",
      [outputs.providersSecret]: "Providers",
      [outputs.accountsSecret]: "Accounts",
      [outputs.platformsSecret]: "Platforms",
      [outputs.videoWorkflow]: "VideoWorkflowMachine",
      [outputs.operatorRole]: "OperatorRole",
    });
  });

  it("fails its synthesis on a finding that nobody acknowledged", () => {
    new Topic(dev.stack, "Naked");
    expect(() => dev.app.synth({ force: true })).toThrow(/AwsSolutions-SNS3/);
  });

  it("caps the gateway alone, so that its streams leave settling what it needs", () => {
    const settings = { gatewayConcurrency: 900, gatewayMemoryMb: 256 };
    const place = { outdir: join(scratch, "capped"), context: unbundled, isLocal: true };
    const { stack } = buildApp({ stage: "dev", settings, ...place });
    const reserved = stack.node.findAll().flatMap((each) => (each instanceof CfnFunction ? [each] : []));
    const caps = reserved.map(({ node, reservedConcurrentExecutions }) => [
      node.path.split("/")[1],
      reservedConcurrentExecutions,
    ]);
    expect(Object.fromEntries(caps)).toMatchObject({
      ...{ Gateway: 900, Settle: undefined, Sweep: undefined, VideoTask: undefined, Learner: undefined },
    });
    const small = reserved.find(({ node }) => node.path.split("/")[1] === "Gateway");
    expect(small?.memorySize).toBe(256);
    const gateway = prod.one("AWS::Lambda::Function", "Gateway").Properties;
    expect(gateway).not.toHaveProperty("ReservedConcurrentExecutions");
    expect(gateway).toMatchObject({ MemorySize: 512 });
  });

  it("refuses a setting of the stage in the context, where the next deployment could forget it", () => {
    const context = { taskLifetimeSeconds: 3600 };
    expect(() => buildApp({ outdir: join(scratch, "misplaced"), context })).toThrow(
      'Write "taskLifetimeSeconds" into infra/stages/prod.json, and leave it out here',
    );
  });

  it("notes in its template what the bundled catalog offers", () => {
    const offerIn = ({ stack }: Synthesized) => stack.templateOptions.metadata?.[offerName] as Offer;
    expect(offerIn(prod)).toEqual(offerInFile(defaultCatalog));
    expect(offerIn(dev)).toEqual({});
  });

  it("refuses a catalog that offers something else than what was confirmed", () => {
    const build = (offer: string) =>
      buildApp({ outdir: join(scratch, "confirmed"), context: { ...unbundled, offer }, isLocal: true });
    expect(() => build("0123456789ab")).toThrow("The catalog has changed since its prices were compared.");
    expect(() => build(digestOf(offerInFile(defaultCatalog)))).not.toThrow();
  });

  it("refuses a context that is no text, which it would else not see", () => {
    const context = { protection: true };
    expect(() => buildApp({ settings: {}, outdir: join(scratch, "number"), context })).toThrow(
      "protection in the context must be a text",
    );
  });

  it("refuses a catalog that would not start", () => {
    const broken = join(scratch, "broken.json");
    writeFileSync(broken, JSON.stringify({ version: "1", models: "none" }));
    expect(() => buildApp({ outdir: join(scratch, "broken"), catalogFile: broken })).toThrow(
      /catalog .*broken\.json: /,
    );
  });

  it("lays the catalog it is given beside the code, in place of the default one", () => {
    const besides = (bundle: string) => {
      const names = readdirSync(dirname(bundle));
      const [file = ""] = names.filter((name) => name.endsWith(".json"));
      const code = names.filter((name) => name !== file).map((name) => join(dirname(bundle), name));
      // The code names the very file that is there.
      expect(code.some((each) => readFileSync(each, "utf8").includes(file))).toBe(true);
      return readFileSync(join(dirname(bundle), file), "utf8");
    };
    expect(besides(dev.bundle("Gateway"))).toContain(catalogMark);
    // The file said nothing of pricing groups; what is laid there has the schema's default for them.
    expect(besides(dev.bundle("Gateway"))).toContain('"pricing_groups":{}');
    const byDefault = readFileSync(join(scratch, "prod", bundledCatalogName), "utf8");
    expect(byDefault).not.toContain(catalogMark);
    expect(byDefault).toContain('"openai/gpt-5-4-mini"');
  });

  it("has the pages in the code of the gateway, and of no other function", () => {
    const functions = dev
      .all("AWS::Lambda::Function")
      .filter(([, { Metadata }]) => Metadata?.["aws:asset:path"]);
    const withPages = functions.filter(([name]) => readdirSync(dirname(dev.bundle(name))).includes("pages"));
    expect(functions.length).toBeGreaterThan(3);
    expect(withPages.map(([name]) => name)).toEqual(["Gateway"]);
  });
});
