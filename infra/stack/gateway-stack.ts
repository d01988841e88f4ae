/** The whole deployment in reading order: tables, secrets, functions, fronts, alarms, canaries, the dashboard. */
import { CfnOutput, Duration, Stack, type StackProps, Tags, Validations } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { variables } from "#shared/base/platform/env.ts";
import { prefixes } from "#shared/edges/store/dynamodb/item-keys.ts";
import { indexName, type TableName, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import type { CodeSource } from "../bundles/code.ts";
import type { CalledCatalog } from "../catalog/bedrock-models.ts";
import { Alarms } from "../monitoring/alarms.ts";
import { shiftTraffic } from "../monitoring/canaries.ts";
import { StageDashboard } from "../monitoring/dashboard/dashboard.ts";
import { useAzure } from "../resources/azure-grants.ts";
import { useBedrock } from "../resources/bedrock-grants.ts";
import { type ConsoleFront, createConsole } from "../resources/console.ts";
import { createDomain } from "../resources/domain.ts";
import { createFronts, type Fronts, hostOf, mainFront } from "../resources/fronts.ts";
import { acknowledgeNoDeadLetters, GatewayFunction } from "../resources/gateway-function.ts";
import { useSecret, useTable } from "../resources/grants.ts";
import { OperatorRole } from "../resources/operator-role.ts";
import { createSealingKey, letOpen } from "../resources/own-keys.ts";
import { createQueues, type Queues } from "../resources/queues.ts";
import { LiveFunction } from "../resources/rule-target.ts";
import { createSecrets, type StageSecrets } from "../resources/secrets.ts";
import {
  auditing,
  caching,
  counting,
  createTables,
  intending,
  keeping,
  noting,
  posting,
  recalling,
  type StageTables,
  tellingVideos,
  toppingUp,
  watching,
} from "../resources/tables.ts";
import { Telemetry } from "../resources/telemetry.ts";
import { TableTrail } from "../resources/trail.ts";
import { VideoWorkflow } from "../resources/video-workflow.ts";
import { outputs, pepperFormat } from "../stage/outputs.ts";
import type { Stage } from "../stage/stage.ts";

const tableNames = Object.keys(tableSchemas) as TableName[];

/** What the gateway is made of, whatever it stands in. */
interface GatewayProps {
  stage: Stage;
  code: CodeSource;
  /** What the code is bundled with. Only what it calls at AWS is granted. */
  catalog: CalledCatalog;
  /** The folder of the assembly. */
  outdir: string;
}

interface GatewayStackProps extends StackProps, GatewayProps {}

/** A stage as a stack of its own. */
export class GatewayStack extends Stack {
  constructor(scope: Construct, id: string, { stage, code, catalog, outdir, ...props }: GatewayStackProps) {
    // The stack's own tags, which CloudFormation passes on, and those of every resource, which a template shows.
    super(scope, id, { terminationProtection: stage.deletionProtection, tags: stage.tags, ...props });
    for (const [name, value] of Object.entries(stage.tags)) Tags.of(this).add(name, value);
    const { values } = buildGateway(this, { stage, code, catalog, outdir });
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

/** The gateway in its scope. */
interface BuiltGateway {
  tables: StageTables;
  secrets: StageSecrets;
  fronts: Fronts;
  console: ConsoleFront | undefined;
  /** Where its parts are, by the names of the stack's outputs (outputs.ts). */
  values: Record<string, string>;
}

/**
 * Builds the gateway into a scope: the stack of a stage, or a construct in another app's stack (construct.md). It is a
 * function and no construct, because a construct in between would change the logical ids of stages that are deployed,
 * and CloudFormation would replace their tables.
 */
export function buildGateway(scope: Construct, { stage, code, catalog, outdir }: GatewayProps): BuiltGateway {
  const tables = createTables(scope, stage);
  const secrets = createSecrets(scope, stage);
  const sealing = createSealingKey(scope, stage);
  const queues = createQueues(scope, stage);
  const telemetry = stage.telemetry && new Telemetry(scope, "Telemetry", stage.name, stage.telemetry);

  const parts = { stage, tables, secrets, sealing, queues, code, catalog };
  const settle = createSettle(scope, parts);
  const sweep = createSweep(scope, parts);
  const videoTask = createVideoTask(scope, parts);
  const learner = createLearner(scope, parts);

  if (sealing) letOpen(videoTask, sealing);
  for (const teller of [settle, videoTask]) telemetry?.letTell(teller);
  for (const ender of [sweep, videoTask]) {
    ender.addEnvironment(variables.taskLifetime, String(stage.taskLifetimeSeconds));
  }
  const workflow = new VideoWorkflow(scope, "VideoWorkflow", { stage, worker: videoTask });
  workflow.letStart(sweep);
  workflow.repairWith(sweep);

  const fronts = createFronts(scope, { ...parts, workflow, telemetry, outdir });
  const { url, web, service } = fronts;
  const domain = stage.domain && createDomain(scope, stage.domain, hostOf(fronts));
  const gatewayUrl = domain?.address ?? mainFront(fronts)?.address ?? "";
  const consoleFront = createConsole(scope, { ...parts, gatewayUrl });
  const workers = { settle, sweep, videoTask, learner, console: consoleFront?.console };
  const reconciling = consoleFront?.reconciling;
  const seen = { stage, fronts, ...workers, reconciling, workflow, queues, tables };
  const alarms = new Alarms(scope, "Alarms", { ...seen, email: stage.alarmEmail });
  shiftTraffic(scope, { stage, fronts, ...workers, alarms: alarms.rollback });
  new StageDashboard(scope, "Dashboard", { ...seen, alarms });
  const { role: operatorRole } = new OperatorRole(scope, "Operator", { ...parts, workflow });
  const functions = [
    ...[
      ...[url?.gateway, web?.gateway, service?.gateway],
      ...[settle, sweep, videoTask, consoleFront?.console],
    ].flatMap((each) => each?.role ?? []),
  ];
  if (stage.cloudTrail) new TableTrail(scope, "Trail", { tables, functions });

  const values = {
    ...(domain && { [outputs.domainUrl]: domain.address, [outputs.domainTarget]: domain.target }),
    ...(url && { [outputs.gatewayUrl]: url.address }),
    ...(web && { [outputs.webGatewayUrl]: web.address }),
    ...(service && {
      [outputs.serviceUrl]: service.address,
      [outputs.serviceTarget]: service.balancer.loadBalancerDnsName,
    }),
    ...(consoleFront && { [outputs.consoleUrl]: consoleFront.address }),
    ...(consoleFront?.newsBus && { [outputs.newsBus]: consoleFront.newsBus }),
    ...Object.fromEntries(tableNames.map((name) => [outputs[`${name}Table`], tables[name].tableName])),
    [outputs.usageQueue]: queues.usage.queue.queueUrl,
    [outputs.usageDeadLetters]: queues.usage.deadLetters.queueUrl,
    [outputs.lessonQueue]: queues.lessons.queue.queueUrl,
    [outputs.lessonDeadLetters]: queues.lessons.deadLetters.queueUrl,
    [outputs.pepperSecret]: secrets.pepper.id,
    [outputs.pepperFormat]: pepperFormat,
    [outputs.providersSecret]: secrets.providers.id,
    [outputs.accountsSecret]: secrets.accounts.id,
    [outputs.platformsSecret]: secrets.platforms.id,
    ...(telemetry && { [outputs.telemetrySecret]: telemetry.headers.id }),
    [outputs.videoWorkflow]: workflow.machine.stateMachineArn,
    [outputs.operatorRole]: operatorRole.roleArn,
  };
  return { tables, secrets, fronts, console: consoleFront, values };
}

interface Parts {
  stage: Stage;
  tables: StageTables;
  secrets: StageSecrets;
  queues: Queues;
  code: CodeSource;
  catalog: CalledCatalog;
}

/** Posts usage events, and corrects meters that the sweeper estimated. Counts answers on the board and in the cache. */
function createSettle(scope: Construct, { stage, tables, queues, code }: Parts): GatewayFunction {
  const settle = new GatewayFunction(scope, "Settle", {
    name: "settle",
    stage,
    size: stage.settle,
    code,
  });
  useTable(settle, "ledgerTable", tables.ledger, posting);
  useTable(settle, "countersTable", tables.counters, [{ actions: ["dynamodb:UpdateItem"] }]);
  useTable(settle, "boardTable", tables.board, [noting]);
  useTable(settle, "cacheTable", tables.cache, [counting]);
  queues.usage.feed(settle);
  acknowledgeNoDeadLetters(settle, "It is fed by the usage queue, which has dead letters of its own.");
  return settle;
}

/**
 * Closes calls whose process died, takes up tasks whose execution broke, and gives each wallet as many shards as its
 * calls need. Tells of thresholds that are reached. Every hour it seals the days and months that are over.
 */
function createSweep(scope: Construct, { stage, tables, code }: Parts): GatewayFunction {
  const sweep = new GatewayFunction(scope, "Sweep", { name: "sweep", stage, size: stage.sweep, code });
  useTable(sweep, "countersTable", tables.counters, [
    { actions: ["dynamodb:Query"], index: indexName("counters", "meters") },
    { actions: ["dynamodb:Query"], index: indexName("counters", "marked") },
    { actions: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:UpdateItem"] },
    intending,
  ]);
  useTable(sweep, "ledgerTable", tables.ledger, [
    ...posting,
    { actions: ["dynamodb:Query"], partitions: [`${prefixes.rollup}*`] },
  ]);
  useTable(sweep, "keysTable", tables.keys, [
    { actions: ["dynamodb:Scan"] },
    {
      actions: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"],
      partitions: [`${prefixes.organization}*`],
    },
  ]);
  useTable(sweep, "tasksTable", tables.tasks, keeping);
  useTable(sweep, "accountsTable", tables.accounts, [auditing, recalling, ...toppingUp]);
  useTable(sweep, "boardTable", tables.board, [noting]);
  const schedules = [
    new Rule(scope, "SweepSchedule", {
      schedule: Schedule.rate(Duration.minutes(stage.sweepMinutes)),
      targets: [new LiveFunction(sweep)],
    }),
    new Rule(scope, "SealSchedule", {
      schedule: Schedule.cron({ minute: "10" }),
      targets: [new LiveFunction(sweep, RuleTargetInput.fromObject({ seal: true }))],
    }),
  ];
  const reason =
    "Every run does all the work there is, so the next one makes up for a lost one; an alarm counts failures.";
  acknowledgeNoDeadLetters(sweep, reason);
  for (const schedule of schedules) {
    Validations.of(schedule).acknowledge({ id: "Serverless-EventBusDLQ", reason });
  }
  return sweep;
}

/** Does one step of a video task when the workflow says so: submit it, poll it, or settle it at its end. */
function createVideoTask(scope: Construct, { stage, tables, secrets, code }: Parts): GatewayFunction {
  const videoTask = new GatewayFunction(scope, "VideoTask", {
    name: "video-task",
    stage,
    size: stage.videoTask,
    code,
  });
  // The request of a task is kept in several items, which one query reads.
  useTable(videoTask, "tasksTable", tables.tasks, [...keeping, { actions: ["dynamodb:Query"] }]);
  useTable(videoTask, "countersTable", tables.counters, [
    { actions: ["dynamodb:GetItem", "dynamodb:UpdateItem"] },
  ]);
  useTable(videoTask, "ledgerTable", tables.ledger, posting);
  useTable(videoTask, "accountsTable", tables.accounts, tellingVideos);
  useTable(videoTask, "boardTable", tables.board, [watching]);
  useSecret(videoTask, "providersSecret", secrets.providers);
  acknowledgeNoDeadLetters(videoTask, "It is invoked synchronously by the workflow, which polls again.");
  return videoTask;
}

/** Learns what calls have left for the semantic cache. It has no part of the books. */
function createLearner(
  scope: Construct,
  { stage, tables, secrets, queues, code, catalog }: Parts,
): GatewayFunction {
  const learner = new GatewayFunction(scope, "Learner", {
    name: "learner",
    stage,
    size: stage.learner,
    code,
  });
  useTable(learner, "cacheTable", tables.cache, [caching]);
  useSecret(learner, "pepperSecret", secrets.pepper);
  useSecret(learner, "providersSecret", secrets.providers);
  const asked = Object.values(catalog.cache ?? {});
  useBedrock(learner, catalog, (id) => asked.includes(id));
  useAzure(learner, catalog, (id) => asked.includes(id));
  queues.lessons.feed(learner);
  acknowledgeNoDeadLetters(learner, "It is fed by the queue of lessons, which has dead letters of its own.");
  return learner;
}
