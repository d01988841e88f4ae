/** An AWS account with a stage that is as it should be. A test changes one answer of it. */
import type { BedrockModel } from "#infra/catalog/bedrock-models.ts";
import type { AccountAction, ActionOutput, Ask, CommandInput } from "#infra/operator/account/actions.ts";
import type { CheckResult } from "#infra/operator/doctor/check.ts";
import type { Fetch } from "#infra/operator/doctor/gateway.ts";
import { examineStage } from "#infra/operator/doctor/stage.ts";
import { outputs, stackName } from "#infra/stage/outputs.ts";
import { send } from "#shared/base/platform/http-client.ts";
import type { CloudDoors } from "#shared/edges/operator/ask-clouds.ts";
import type { CloudProvider } from "#shared/edges/operator/cloud-providers.ts";
import type { PriceAges } from "#shared/edges/operator/price-ages.ts";
import { tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { testClouds } from "./clouds.ts";

export const now = Date.parse("2026-11-23T12:00:00Z");
const made = new Date("2026-11-01T00:00:00Z");

/** Answers by action: a function of the input. What it throws is AWS's refusal. */
type Answers = {
  [Name in AccountAction]: (input: CommandInput<Name>) => ActionOutput<Name>;
};

/** The resources of the stack by their type: the names in the template, without their hashes. */
const resources: Record<string, readonly string[]> = {
  "AWS::Lambda::Function": ["Gateway", "Settle", "Sweep", "VideoTask", "Learner", "Console"],
  "AWS::Lambda::EventSourceMapping": ["SettleSqs", "LearnerSqs"],
  "AWS::Events::Rule": ["SweepSchedule", "SealSchedule", "ReconcileSchedule", "VideoWorkflowEnded"],
  "AWS::StepFunctions::StateMachine": ["VideoWorkflowMachine"],
  "AWS::SNS::Topic": ["AlarmsTopic"],
  "AWS::CloudWatch::Alarm": ["AlarmsDeadLetters", "AlarmsUsageAge"],
  "AWS::Logs::LogGroup": ["GatewayLogs", "SweepLogs", "ConsoleLogs"],
};

/** A physical name for a name of the template. */
export const physical = (id: string) =>
  id === "AlarmsTopic" ? `arn:aws:sns:eu-central-1:1:${id}` : `real-${id}`;

const theCatalog = {
  file: "catalog.json",
  version: "2026-11-22",
  digest: "0123456789ab",
  providers: {
    acme: { protocols: { openai: "https://api.acme.com/v1" }, secret: "ACME_KEY" },
    other: {
      protocols: { openai: "https://other.com/v1" },
      secret: "OTHER_1",
      secrets: ["OTHER_1", "OTHER_2"],
    },
  },
};

const addresses: Record<string, string> = {
  gatewayUrl: "https://gateway.example/",
  consoleUrl: "https://console.example/",
};

/** A table that is there with its indexes. `output` is the value of its output. */
export function activeTable(output: string | undefined, more: object = {}) {
  const [, schema] = Object.entries(tableSchemas).find(([name]) => `${name}Table` === output) ?? [];
  const GlobalSecondaryIndexes = Object.keys(schema?.indexes ?? {}).map((IndexName) => ({
    IndexName,
    IndexStatus: "ACTIVE" as const,
  }));
  return { Table: { TableStatus: "ACTIVE" as const, GlobalSecondaryIndexes, ...more } };
}

const wellAnswers: Answers = {
  "bedrock:GetFoundationModelAvailability": ({ modelId }) => ({
    modelId,
    agreementAvailability: { status: "AVAILABLE" },
    authorizationStatus: "AUTHORIZED",
    entitlementAvailability: "AVAILABLE",
    regionAvailability: "AVAILABLE",
  }),
  "cloudformation:DescribeStacks": () => ({
    Stacks: [
      {
        StackName: stackName("prod"),
        CreationTime: made,
        LastUpdatedTime: made,
        StackStatus: "UPDATE_COMPLETE",
        EnableTerminationProtection: true,
        Outputs: Object.entries(outputs).flatMap(([name, OutputKey]) =>
          ["webGatewayUrl", "serviceUrl", "serviceTarget"].includes(name)
            ? []
            : [{ OutputKey, OutputValue: addresses[name] ?? name }],
        ),
      },
    ],
  }),
  // In two pages, as AWS gives many.
  "cloudformation:ListStackResources": ({ NextToken }) => {
    const all = Object.entries(resources).flatMap(([ResourceType, ids]) =>
      ids.map((id) => ({
        ResourceType,
        LogicalResourceId: `${id}0123ABCD`,
        PhysicalResourceId: physical(id),
        LastUpdatedTimestamp: made,
        ResourceStatus: "CREATE_COMPLETE" as const,
      })),
    );
    return NextToken
      ? { StackResourceSummaries: all.slice(5) }
      : { StackResourceSummaries: all.slice(0, 5), NextToken: "more" };
  },
  "cloudwatch:DescribeAlarmContributors": () => ({ AlarmContributors: [] }),
  "cloudwatch:DescribeAlarms": ({ AlarmNames = [] }) => ({
    MetricAlarms: AlarmNames.map((AlarmName) => ({ AlarmName, StateValue: "OK", ActionsEnabled: true })),
  }),
  "cloudwatch:GetMetricStatistics": () => ({ Datapoints: [{ Maximum: 2 }, { Maximum: 1 }] }),
  "dynamodb:DescribeContinuousBackups": () => ({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: "ENABLED",
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" },
    },
  }),
  "dynamodb:DescribeTable": ({ TableName }) => activeTable(TableName, { DeletionProtectionEnabled: true }),
  "dynamodb:DescribeTimeToLive": () => ({
    TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "expires_at" },
  }),
  "dynamodb:Query": () => ({ Items: [] }),
  "events:DescribeRule": () => ({ State: "ENABLED" }),
  "lambda:GetAccountSettings": () => ({
    AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 200 },
  }),
  "lambda:GetEventSourceMapping": () => ({ State: "Enabled", ScalingConfig: { MaximumConcurrency: 10 } }),
  "lambda:GetFunctionConcurrency": () => ({ ReservedConcurrentExecutions: 800 }),
  // The first page of a filter may be empty.
  "logs:FilterLogEvents": ({ nextToken }) =>
    nextToken ? { events: [{ timestamp: now - 60_000 }] } : { events: [], nextToken: "more" },
  "secretsmanager:DescribeSecret": () => ({ VersionIdsToStages: { v1: ["AWSCURRENT"] } }),
  "secretsmanager:GetSecretValue": ({ SecretId }) => ({
    SecretString: JSON.stringify(
      SecretId === "platformsSecret"
        ? { alipay: { key: "sk-secret-4" }, stripe: {}, sms: { service: "aliyun", key: "sk-secret-5" } }
        : { ACME_KEY: "sk-secret-1", OTHER_1: "sk-secret-2", OTHER_2: "sk-secret-3" },
    ),
  }),
  "ses:GetAccount": () => ({
    SendingEnabled: true,
    ProductionAccessEnabled: true,
    SendQuota: { Max24HourSend: 50_000 },
  }),
  "ses:GetEmailIdentity": ({ EmailIdentity = "" }) => ({
    VerifiedForSendingStatus: !EmailIdentity.includes("@"),
  }),
  "sns:ListSubscriptionsByTopic": () => ({
    Subscriptions: [{ SubscriptionArn: "arn:aws:sns:eu-central-1:1:topic:1", Endpoint: "ops@example.com" }],
  }),
  "sqs:GetQueueAttributes": () => ({
    Attributes: { ApproximateNumberOfMessages: "0", ApproximateNumberOfMessagesNotVisible: "0" },
  }),
  "states:DescribeStateMachine": () => ({
    status: "ACTIVE",
    stateMachineArn: "a",
    name: "n",
    definition: "{}",
    roleArn: "r",
    type: "STANDARD",
    creationDate: made,
  }),
  "sts:GetCallerIdentity": () => ({ Arn: "arn:aws:iam::1:user/ops", Account: "1" }),
};

/** What AWS answers when these credentials may not do something. */
export function denied(): never {
  throw Object.assign(new Error("User is not authorized"), { name: "AccessDeniedException" });
}

/** What AWS answers of a thing that is not there. */
export function missing(): never {
  throw Object.assign(new Error("not found"), { name: "ResourceNotFoundException" });
}

export interface Changes {
  answers?: Partial<Answers>;
  /** What the gateway says on `/health`, or how asking it fails. */
  fetch?: Fetch;
  stage?: string;
  /** What the stage's file names. */
  notifyBase?: string;
  mailFrom?: string;
  /** How far this machine's clock is ahead, milliseconds. */
  ahead?: number;
  /** What agents send, and models have no rate for. */
  unrated?: string[];
  /** How old prices are. */
  ages?: PriceAges;
  /** What is called at Bedrock by a role. */
  bedrock?: BedrockModel[];
  /** What is called at other clouds. */
  clouds?: CloudProvider[];
  /** How these are asked. */
  doors?: Partial<CloudDoors>;
}

const freshAges: PriceAges = {
  oldest: "2026-11-01",
  newest: "2026-11-20",
  ...{ old: 0, undated: 0, prices: 2 },
};

/** What a healthy gateway says. */
export const healthy = () =>
  Response.json({
    status: "ok",
    version: "1.0.0",
    catalog: { version: theCatalog.version, digest: theCatalog.digest },
  });

/** Looks at the account with some of its answers changed. Gives what was found, and every action that was used. */
export async function examined({
  answers,
  fetch = async () => healthy(),
  stage = "prod",
  notifyBase,
  mailFrom,
  ahead = 0,
  unrated = [],
  ages = freshAges,
  bedrock = [],
  clouds = [],
  doors,
}: Changes = {}) {
  const used = new Set<AccountAction>();
  const given = { ...wellAnswers, ...answers };
  const ask = (async (name: AccountAction, input: never) => {
    used.add(name);
    return given[name](input);
  }) as Ask;
  const regions: string[] = [];
  const askIn = (region: string) => {
    regions.push(region);
    return ask;
  };
  const checks: CheckResult[] = await examineStage(stage, {
    ask,
    askIn,
    region: "eu-central-1",
    dated: Promise.resolve({ said: now, at: now + ahead }),
    noMoreAnswers() {},
    fetch,
    now: () => now,
    version: "1.0.0",
    catalog: { ...theCatalog, unrated, ages, bedrock, clouds },
    doors: { clouds: testClouds(), send, probe: false, ...doors },
    notifyBase,
    mailFrom,
    progress: { count() {}, state() {} },
  });
  const of = (name: string) => checks.find(({ check }) => check === name);
  return { checks, of, regions, used: [...used].sort() };
}
