/**
 * A stage in memory whose tables can be restored. It has its own tables and those that are made of them, and AWS's
 * actions on tables, which do what AWS documents. Every action that changes a table is written down.
 */
import { told } from "#infra/operator/restore-tables.ts";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import {
  type KeptTable,
  keptTables,
  type TableSchema,
  tableSchemas,
} from "#shared/edges/store/dynamodb/table-schema.ts";
import { awsOverMemory } from "./aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "./memory-dynamodb.ts";

/** The names of the stage's tables. */
export const sources = {
  keys: "keys",
  counters: "counters",
  ledger: "ledger",
  tasks: "tasks",
  accounts: "accounts",
  board: "board",
  cache: "cache",
};
export const targetOf = (table: string) => `stage-${table}-new`;

/** A table as AWS describes it, but for its keys. */
interface Described {
  status: string;
  /** How often it is described before it is there. */
  looks: number;
  summary?: { SourceTableArn: string; RestoreDateTime: Date };
  recovery: boolean;
  expiry: boolean;
  isProtected: boolean;
  tags: { Key: string; Value: string }[];
}

type Asked = [action: string, table: string, more?: unknown];

interface Restorable {
  aws: Aws;
  control: Aws;
  /** What was asked of tables, but for what only looks. */
  asked: Asked[];
  tables: Map<string, Described>;
  /** The usage events among the dead letters. */
  letters: UsageEvent[];
  /** Remembers the items of all tables as they are now: what a restore will find. */
  mark(): void;
  window: { earliest: number; latest: number };
  pepperChangedAt: number;
  /** How many times the backups of a new table are not available yet. */
  early: number;
}

const arnOf = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;

/** The kept table that a name is of, and whether it is a restored one. */
function readName(name: string): { table: KeptTable; isNew: boolean } {
  const found = /^stage-(\w+)-new$/.exec(name);
  return { table: (found?.[1] ?? name) as KeptTable, isNew: found !== null };
}

export function createRestorable(now: () => number): Restorable {
  const [old, fresh] = [createMemoryDynamoDb({ now }), createMemoryDynamoDb({ now })];
  let marked: Map<KeptTable, object[]> = new Map();
  const made: Described = {
    ...{ status: "ACTIVE", looks: 0, recovery: true, expiry: true, isProtected: true },
    tags: [
      { Key: "aws:cloudformation:stack-name", Value: "stage" },
      { Key: "team", Value: "models" },
    ],
  };
  const stage: Restorable = {
    ...{ asked: [], letters: [], early: 0, pepperChangedAt: 0 },
    tables: new Map(keptTables.map((table) => [table, structuredClone(made)])),
    window: { earliest: 0, latest: Number.MAX_SAFE_INTEGER },
    mark() {
      marked = new Map(keptTables.map((table) => [table, structuredClone(old.items(table))]));
    },
    aws: dataOf(old, fresh, () => stage.letters),
    control: (async (_service: string, action: string, input: Record<string, unknown>) =>
      controlOf({ stage, fill }, action, input)) as Aws,
  };
  const fill = (table: KeptTable) => {
    for (const Item of marked.get(table) ?? []) fresh.act("PutItem", { TableName: table, Item });
  };
  return stage;
}

/** The port of the stores: each action goes to the database that has its tables. */
function dataOf(old: MemoryDynamoDb, fresh: MemoryDynamoDb, letters: () => UsageEvent[]): Aws {
  const ports = { old: awsOverMemory(old), fresh: awsOverMemory(fresh) };
  return (async (service: string, action: string, input: object) => {
    if (service === "sqs") return queue(action, input as { QueueUrl: string }, letters());
    const text = JSON.stringify(input);
    // A batch of reads names its tables as members.
    const isNew = /"TableName":"stage-|"stage-\w+-new":/.test(text);
    const plain = text.replaceAll(/"stage-(\w+)-new"/g, '"$1"');
    const port = ports[isNew ? "fresh" : "old"];
    const answer = await port("dynamodb", action as "GetItem", JSON.parse(plain) as never);
    return isNew ? named(answer as object) : answer;
  }) as Aws;
}

/** The answer of a batch of reads has the items of each table under its name. */
function named(answer: { Responses?: Record<string, unknown> }): object {
  if (!answer.Responses) return answer;
  const tables = Object.entries(answer.Responses).map(([name, items]) => [`stage-${name}-new`, items]);
  return { ...answer, Responses: Object.fromEntries(tables) };
}

/** An empty queue, and its dead letters. */
function queue(action: string, { QueueUrl }: { QueueUrl: string }, letters: UsageEvent[]): object {
  const own = QueueUrl === "dead" ? letters : [];
  if (action === "GetQueueAttributes")
    return { Attributes: { ApproximateNumberOfMessages: String(own.length) } };
  if (action !== "ReceiveMessage") return {};
  const Messages = own.map((event) => ({
    ...{ MessageId: event.id, ReceiptHandle: event.id, Body: JSON.stringify(event) },
    Attributes: { MessageGroupId: event.organization, SentTimestamp: String(event.ended_at) },
  }));
  return { Messages };
}

interface Control {
  stage: Restorable;
  fill(table: KeptTable): void;
}

function controlOf({ stage, fill }: Control, action: string, input: Record<string, unknown>): object {
  if (action === "DescribeSecret") return { LastChangedDate: new Date(stage.pepperChangedAt) };
  const arn = input.ResourceArn as string | undefined;
  const name = (input.TableName ?? input.TargetTableName ?? arn?.replace(/.*:table\//, "")) as string;
  const found = stage.tables.get(name);
  if (action === "RestoreTableToPointInTime") {
    const { SourceTableName, RestoreDateTime } = input as { SourceTableName: string; RestoreDateTime: Date };
    stage.asked.push([action, name, [SourceTableName, told(RestoreDateTime.getTime())]]);
    if (found) throw new AwsError("TableAlreadyExistsException", 400, {});
    stage.tables.set(name, {
      ...{ status: "CREATING", looks: 2, recovery: false, expiry: false, isProtected: false, tags: [] },
      summary: { SourceTableArn: arnOf(SourceTableName), RestoreDateTime },
    });
    fill(readName(name).table);
    return {};
  }
  if (!found) throw new AwsError("ResourceNotFoundException", 400, {});
  return onTable(stage, found, { name, action, input });
}

function onTable(
  stage: Restorable,
  found: Described,
  { name, action, input }: { name: string; action: string; input: Record<string, unknown> },
): object {
  switch (action) {
    case "DescribeTable":
      return { Table: describedOf(name, found) };
    case "DescribeContinuousBackups":
      return {
        ContinuousBackupsDescription: {
          PointInTimeRecoveryDescription: {
            PointInTimeRecoveryStatus: found.recovery ? "ENABLED" : "DISABLED",
            RecoveryPeriodInDays: 35,
            EarliestRestorableDateTime: new Date(stage.window.earliest),
            LatestRestorableDateTime: new Date(stage.window.latest),
          },
        },
      };
    case "DescribeTimeToLive":
      return { TimeToLiveDescription: { TimeToLiveStatus: found.expiry ? "ENABLED" : "DISABLED" } };
    case "ListTagsOfResource":
      return { Tags: found.tags };
  }
  const { TableName: _, ResourceArn: __, ...more } = input;
  stage.asked.push([action, name, more]);
  if (action === "UpdateContinuousBackups" && stage.early > 0) {
    stage.early -= 1;
    throw new AwsError("ContinuousBackupsUnavailableException", 400, {});
  }
  if (action === "UpdateTimeToLive" && found.expiry) throw new AwsError("ValidationException", 400, {});
  if (action === "UpdateContinuousBackups") found.recovery = true;
  if (action === "UpdateTimeToLive") found.expiry = true;
  if (action === "UpdateTable") found.isProtected = true;
  if (action === "TagResource") found.tags = (input.Tags as Described["tags"]) ?? [];
  return {};
}

/** A table that is being restored is there after a few looks. */
function describedOf(name: string, found: Described): object {
  if (found.looks > 0) found.looks -= 1;
  else found.status = "ACTIVE";
  const { partition, sort, indexes }: TableSchema = tableSchemas[readName(name).table];
  const keys = (partitionKey: string, sortKey: string | null) => [
    { AttributeName: partitionKey, KeyType: "HASH" },
    ...(sortKey === null ? [] : [{ AttributeName: sortKey, KeyType: "RANGE" }]),
  ];
  return {
    TableArn: arnOf(name),
    TableStatus: found.status,
    KeySchema: keys(partition, sort),
    DeletionProtectionEnabled: found.isProtected,
    ...(found.summary && { RestoreSummary: { ...found.summary, RestoreInProgress: found.looks > 0 } }),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
      ...{ IndexName, IndexStatus: found.status },
      KeySchema: keys(index.partition, index.sort),
      Projection: { ProjectionType: index.projection },
    })),
  };
}
