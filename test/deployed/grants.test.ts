/** What each function may do, exactly: a new grant must be written down here. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { partsFile, readParts } from "#infra/cost/parts.ts";
import { partsOf } from "#infra/resources/operator-permission.ts";
import { allPermissions } from "#infra/resources/operator-permissions.ts";
import { variables } from "#shared/base/platform/env.ts";
import { newId } from "#shared/base/platform/id.ts";
import { auditKey, evidenceKey, monthKey, pageKey } from "#shared/edges/store/dynamodb/cache-keys.ts";
import {
  adjustmentKey,
  cacheEntryKey,
  channelStateKey,
  entryKey,
  intentKey,
  priceKey,
  replayAnswerKey,
  replayKey,
  rollupKey,
  sealKey,
  windowKey,
} from "#shared/edges/store/dynamodb/item-keys.ts";
import * as shared from "#test/support/grant-lines.ts";
import { paidParts, placesIn } from "#test/support/stage-parts.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "grants-test-"));
let prod: Synthesized;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
});

afterAll(() => rmSync(scratch, { recursive: true }));

const machine = "VideoWorkflowMachine";

describe("what a function may do, exactly", () => {
  it("gateway", () => {
    expect(prod.grants("GatewayRole")).toEqual(
      [
        ...shared.running("Gateway"),
        ...shared.posting,
        shared.stating,
        "dynamodb:Query LedgerTable",
        ...shared.identifying,
        "dynamodb:BatchGetItem KeysTable",
        "dynamodb:ConditionCheckItem KeysTable",
        "dynamodb:GetItem KeysTable",
        "dynamodb:PutItem KeysTable",
        "dynamodb:Query KeysTable",
        "dynamodb:UpdateItem KeysTable",
        "dynamodb:GetItem CountersTable",
        "dynamodb:PartiQLInsert CountersTable I#*",
        "dynamodb:PutItem CountersTable I#*",
        "dynamodb:PutItem CountersTable Y#*",
        "dynamodb:UpdateItem CountersTable",
        ...shared.keeping,
        "dynamodb:Query TasksTable",
        "dynamodb:Query BoardTable H#*",
        "dynamodb:UpdateItem BoardTable H#*",
        "dynamodb:BatchGetItem CacheTable C#*",
        "dynamodb:GetItem CacheTable C#*",
        "dynamodb:Query CacheTable C#*",
        "dynamodb:PutItem CacheTable C#*",
        "dynamodb:GetItem CacheTable F#*",
        "dynamodb:Query CacheTable F#*",
        "dynamodb:UpdateItem CacheTable F#*",
        "dynamodb:UpdateItem CacheTable C#*",
        "secretsmanager:GetSecretValue Accounts",
        "secretsmanager:GetSecretValue Pepper",
        "secretsmanager:GetSecretValue Providers",
        "kms:Decrypt OwnKeys",
        "sqs:SendMessage UsageQueueUsage",
        "sqs:SendMessage LessonQueueLessons",
        `states:StartExecution ${machine}`,
        `states:StopExecution arn:AWS::Partition:states:AWS::Region:AWS::AccountId:execution:${machine}:*`,
      ].sort(),
    );
    expect(prod.environment("Gateway")).toEqual({
      [variables.keysTable]: "KeysTable",
      [variables.countersTable]: "CountersTable",
      [variables.ledgerTable]: "LedgerTable",
      [variables.tasksTable]: "TasksTable",
      [variables.accountsTable]: "AccountsTable",
      [variables.accountsSecret]: "Accounts",
      [variables.boardTable]: "BoardTable",
      [variables.cacheTable]: "CacheTable",
      [variables.videoWorkflow]: machine,
      [variables.usageQueue]: "UsageQueueUsage",
      [variables.lessonQueue]: "LessonQueueLessons",
      [variables.pepperSecret]: "Pepper",
      [variables.providersSecret]: "Providers",
    });
  });

  it("settle", () => {
    expect(prod.grants("SettleRole")).toEqual(
      [
        ...shared.running("Settle"),
        ...shared.posting,
        "dynamodb:UpdateItem CountersTable",
        "dynamodb:UpdateItem BoardTable H#*",
        "dynamodb:UpdateItem CacheTable C#*",
        ...shared.receiving("UsageQueueUsage"),
      ].sort(),
    );
    expect(prod.environment("Settle")).toEqual({
      [variables.countersTable]: "CountersTable",
      [variables.ledgerTable]: "LedgerTable",
      [variables.boardTable]: "BoardTable",
      [variables.cacheTable]: "CacheTable",
    });
  });

  it("learner: the cache alone, and no part of the books", () => {
    expect(prod.grants("LearnerRole")).toEqual(
      [
        ...shared.running("Learner"),
        shared.stating,
        "dynamodb:GetItem CacheTable C#*",
        "dynamodb:Query CacheTable C#*",
        "dynamodb:PutItem CacheTable C#*",
        "dynamodb:UpdateItem CacheTable C#*",
        "secretsmanager:GetSecretValue Pepper",
        "secretsmanager:GetSecretValue Providers",
        ...shared.receiving("LessonQueueLessons"),
      ].sort(),
    );
    expect(prod.environment("Learner")).toEqual({
      [variables.cacheTable]: "CacheTable",
      [variables.pepperSecret]: "Pepper",
      [variables.providersSecret]: "Providers",
    });
  });

  it("sweep", () => {
    expect(prod.grants("SweepRole")).toEqual(
      [
        ...shared.running("Sweep"),
        ...shared.posting,
        "dynamodb:BatchGetItem CountersTable",
        "dynamodb:GetItem CountersTable",
        "dynamodb:PutItem CountersTable I#*",
        "dynamodb:Query CountersTable/index/marked",
        "dynamodb:Query CountersTable/index/meters",
        "dynamodb:UpdateItem CountersTable",
        ...shared.keeping,
        `states:StartExecution ${machine}`,
        "dynamodb:Query LedgerTable R#*",
        "dynamodb:Scan KeysTable",
        "dynamodb:Query KeysTable O#*",
        ...shared.toppingUp,
        "dynamodb:Query AccountsTable L#*",
        "dynamodb:UpdateItem BoardTable H#*",
        "dynamodb:GetItem KeysTable O#*",
        "dynamodb:UpdateItem KeysTable O#*",
      ].sort(),
    );
    expect(prod.environment("Sweep")).toEqual({
      ...{ [variables.boardTable]: "BoardTable", [variables.keysTable]: "KeysTable" },
      [variables.accountsTable]: "AccountsTable",
      [variables.countersTable]: "CountersTable",
      [variables.ledgerTable]: "LedgerTable",
      [variables.tasksTable]: "TasksTable",
      [variables.videoWorkflow]: machine,
      [variables.taskLifetime]: "86400",
    });
  });

  it("the worker of video tasks: no keys, no queue, no executions", () => {
    expect(prod.grants("VideoTaskRole")).toEqual(
      [
        ...shared.running("VideoTask"),
        ...shared.posting,
        ...shared.keeping,
        ...shared.tellingVideos,
        "dynamodb:Query TasksTable",
        "dynamodb:GetItem CountersTable",
        "dynamodb:UpdateItem CountersTable",
        "dynamodb:Query BoardTable H#*",
        "kms:Decrypt OwnKeys",
        "secretsmanager:GetSecretValue Providers",
      ].sort(),
    );
    expect(prod.environment("VideoTask")).toEqual({
      ...{ [variables.boardTable]: "BoardTable", [variables.accountsTable]: "AccountsTable" },
      [variables.countersTable]: "CountersTable",
      [variables.ledgerTable]: "LedgerTable",
      [variables.tasksTable]: "TasksTable",
      [variables.providersSecret]: "Providers",
      [variables.taskLifetime]: "86400",
    });
  });

  it("the video workflow: its worker alone, besides what logs and traces need", () => {
    const grants = prod.grants("VideoWorkflowRole");
    expect(grants.filter((grant) => !/^(logs|xray):\w+ \*$/.test(grant))).toEqual([
      "lambda:InvokeFunction VideoTask",
      "lambda:InvokeFunction VideoTaskAliaslive",
    ]);
    expect(grants.filter((grant) => /:(Put|Create)/.test(grant))).toEqual([
      "logs:CreateLogDelivery *",
      "logs:PutResourcePolicy *",
      "xray:PutTelemetryRecords *",
      "xray:PutTraceSegments *",
    ]);
  });

  it("operators: what the commands use, on the parts of this stage alone", () => {
    const names = placesIn(prod);
    const expected = allPermissions()
      .map(partsOf)
      .flatMap(({ action, place }) => (names[place] ?? [place]).map((name) => `${action} ${name}`));
    expect(prod.grants("OperatorRole")).toEqual(expected.sort());
    expect(expected.filter((line) => line.endsWith(" *"))).toEqual([
      "bedrock:GetFoundationModelAvailability *",
      "cloudwatch:DescribeAlarmContributors *",
      "cloudwatch:DescribeAlarms *",
      "cloudwatch:GetMetricStatistics *",
      "lambda:GetAccountSettings *",
      "ses:GetAccount *",
      "ses:GetEmailIdentity *",
    ]);
    const { AssumeRolePolicyDocument } = prod.one("AWS::IAM::Role", "OperatorRole").Properties;
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      expect.objectContaining({ Condition: { Bool: { "aws:MultiFactorAuthPresent": "true" } } }),
    ]);
  });

  it("a trail is kept of everybody who touches the kept tables, and not of the functions", () => {
    const [[, trail] = []] = prod.all("AWS::CloudTrail::Trail");
    const [selector] = trail?.Properties.AdvancedEventSelectors ?? [];
    const values = Object.fromEntries(
      selector.FieldSelectors.map(({ Field, ...rest }: Record<string, unknown[]>) => [
        Field,
        Object.entries(rest).map(([operator, all]) => [operator, all.map(text)]),
      ]),
    );
    const kept = ["Keys", "Counters", "Ledger", "Tasks", "Accounts"].map((name) => `${name}Table`);
    const roles = ["Gateway", "Settle", "Sweep", "VideoTask", "Console"].map((name) => `${name}Role`);
    expect(values).toEqual({
      eventCategory: [["Equals", ["Data"]]],
      "resources.type": [["Equals", ["AWS::DynamoDB::Table"]]],
      "resources.ARN": [["StartsWith", kept]],
      "userIdentity.arn": [
        [
          "NotStartsWith",
          roles.map((role) => `arn:AWS::Partition:sts::AWS::AccountId:assumed-role/${role}/`),
        ],
      ],
    });
  });

  it("binds puts and updates to the partitions that the store writes to", () => {
    const request = newId("request", 0);
    const written = [
      ["I#", intentKey(request)],
      ["Y#", replayKey("hash")],
      ["Y#", replayAnswerKey(request)],
      ["L#", entryKey("org", request)],
      ["L#", adjustmentKey("org", request)],
      ["P#", priceKey("0123456789ab", "acme/Sonic-1-5")],
      [
        "R#",
        rollupKey({ organization: "org", project: "" }, "1970-01-01T00", { model: "m", key: "k", owner: "" }),
      ],
      ["R#", sealKey("org", "")],
      ["H#", windowKey("acme/Sonic-1-5", 0)],
      ["H#", channelStateKey("acme/Sonic-1-5", "a1b2c3")],
      ["C#", cacheEntryKey("scope", "name")],
      ["C#", evidenceKey("scope", "context")],
      ["C#", pageKey("scope", "context", "0")],
      ["C#", auditKey("scope", request)],
      ["C#", monthKey("org", "1970-01", "")],
    ] as const;
    for (const [prefix, key] of written) expect(key.pk).toEqual({ S: expect.stringMatching(`^${prefix}`) });
  });

  it("deletes no item, whatever the role", () => {
    const policies = prod.all("AWS::IAM::Policy").map(([, { Properties }]) => JSON.stringify(Properties));
    expect(policies).toHaveLength(8);
    for (const policy of policies) {
      expect(policy).not.toMatch(/dynamodb:(\*|Delete|PartiQL(?!Insert)|Batch(?!GetItem))/);
    }
    const managed = prod.all("AWS::IAM::Role").filter(([, { Properties }]) => Properties.ManagedPolicyArns);
    expect(managed.map(([name]) => name)).toEqual(["DeploymentRole"]);
  });
});

// `COST=write` writes the file anew.
it("what is paid for by the month is what operator cost counts", () => {
  const console = { enabled: false };
  const without = new Synthesized("prod", scratch, undefined, unbundled, { console });
  const parts = { withConsole: paidParts(prod), withoutConsole: paidParts(without) };
  if (process.env.COST === "write") writeFileSync(partsFile, `${JSON.stringify(parts, null, 2)}\n`);
  expect(readParts()).toEqual(parts);
});
