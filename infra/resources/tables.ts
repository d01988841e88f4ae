/** The tables, shaped by `shared/edges/store/dynamodb/table-schema.ts`, and who may do what with their items. */
import { RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  type ITableV2,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { accountPrefixes } from "#shared/edges/store/dynamodb/account-keys.ts";
import { prefixes } from "#shared/edges/store/dynamodb/item-keys.ts";
import {
  indexName,
  type TableIndex,
  type TableName,
  type TableSchema,
  tableSchemas,
} from "#shared/edges/store/dynamodb/table-schema.ts";
import type { Stage } from "../stage/stage.ts";

/** A table of the stack, or one that is given by name: what functions, alarms, the dashboard and other apps need of it. */
export type Table = Pick<
  ITableV2,
  | "tableName"
  | "tableArn"
  | "metric"
  | "metricConsumedReadCapacityUnits"
  | "metricConsumedWriteCapacityUnits"
  | "grantReadData"
>;
export type StageTables = Record<TableName, Table>;

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * Creates the tables, billed on demand, or uses those that the stage names (infra/operator/restore.md "Tables by
 * name"). Board and cache go with their stack. The others can be restored to any second of 35 days.
 */
export function createTables(scope: Construct, stage: Stage): StageTables {
  const given: Partial<Record<string, string>> = stage.tables ?? {};
  const made = Object.entries(tableSchemas).map(([name, schema]) => {
    const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}Table`;
    return [name, tableOf(scope, stage, id, schema, given[name])];
  });
  return Object.fromEntries(made) as StageTables;
}

/** The table of that name, which the stack then neither creates nor changes nor deletes; a table of the stack without one. */
function tableOf(
  scope: Construct,
  stage: Stage,
  id: string,
  schema: TableSchema,
  name: string | undefined,
): Table {
  if (name === undefined) return createTable(scope, stage, id, schema);
  const names = Object.keys(schema.indexes);
  const indexes = names.length > 0 ? { globalIndexes: names } : {};
  return TableV2.fromTableAttributes(scope, id, { tableName: name, ...indexes });
}

function createTable(scope: Construct, stage: Stage, id: string, schema: TableSchema): TableV2 {
  const { kept } = schema;
  const indexes = Object.entries(schema.indexes).map(([name, index]) => indexOf(name, index));
  const table = new TableV2(scope, id, {
    partitionKey: text(schema.partition),
    ...(schema.sort ? { sortKey: text(schema.sort) } : {}),
    ...(indexes.length > 0 ? { globalSecondaryIndexes: indexes } : {}),
    ...(schema.expiry ? { timeToLiveAttribute: schema.expiry } : {}),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: kept },
    deletionProtection: kept && stage.deletionProtection,
    removalPolicy: kept ? stage.removalPolicy : RemovalPolicy.DESTROY,
  });
  if (!kept) {
    Validations.of(table).acknowledge({
      id: "AwsSolutions-DDB3",
      reason: "Calls do without what is in it, and make it anew: there is nothing to restore.",
    });
  }
  return table;
}

function indexOf(name: string, index: TableIndex): GlobalSecondaryIndexPropsV2 {
  return {
    indexName: name,
    partitionKey: text(index.partition),
    sortKey: text(index.sort),
    projectionType: ProjectionType[index.projection],
  };
}

/** What a function may do with a table. */
export interface TableGrant {
  actions: `dynamodb:${string}`[];
  /** Only on items whose partition key matches one of these patterns. */
  partitions?: string[];
  /** On this index instead of on the table itself. */
  index?: string;
}

/**
 * AWS keeps the ledger append-only (design §3). A function can put entries and the prices they were charged at, and can
 * change neither. It can update rollups and their seals. It can delete nothing.
 */
export const posting: TableGrant[] = [
  { actions: ["dynamodb:GetItem"] },
  { actions: ["dynamodb:PutItem"], partitions: [`${prefixes.entry}*`] },
  { actions: ["dynamodb:PutItem"], partitions: [`${prefixes.price}*`] },
  { actions: ["dynamodb:UpdateItem"], partitions: [`${prefixes.rollup}*`] },
];

/** Idempotency keys and the answers kept for them are put, each under its own condition. */
export const replaying: TableGrant = { actions: ["dynamodb:PutItem"], partitions: [`${prefixes.replay}*`] };

/**
 * Intents are put. This cannot overwrite a meter of the same table (`intentKey` in edges/store/dynamodb/item-keys.ts).
 */
export const intending: TableGrant = { actions: ["dynamodb:PutItem"], partitions: ["I#*"] };

/** Who serves many calls at a time puts the intents of several at once, each only where none is. It deletes nothing. */
export const intendingTogether: TableGrant = { ...intending, actions: ["dynamodb:PartiQLInsert"] };

/** Channels' health: answers and faults are added, and states are written on conditions. Nothing else is there. */
export const noting: TableGrant = {
  actions: ["dynamodb:UpdateItem"],
  partitions: [`${prefixes.board}*`],
};

/** What decides an order of channels reads it too. */
export const consulting: TableGrant = { ...noting, actions: ["dynamodb:Query", "dynamodb:UpdateItem"] };

/** Whoever shows how channels do reads it alone. */
export const watching: TableGrant = { ...noting, actions: ["dynamodb:Query"] };

/** What a cache had is added up. */
export const counting: TableGrant = {
  actions: ["dynamodb:UpdateItem"],
  partitions: [`${prefixes.cache}*`],
};

/** Cached answers, and what helps to find them, are read and put. An answer that is wrong is ended. */
export const caching: TableGrant = {
  ...counting,
  actions: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"],
};

/** Refused calls are added, and whoever shows calls reads them. */
export const showingRefused: TableGrant = {
  actions: ["dynamodb:GetItem", "dynamodb:Query"],
  partitions: [`${prefixes.refused}*`],
};
export const refusing: TableGrant = {
  ...showingRefused,
  actions: [...showingRefused.actions, "dynamodb:UpdateItem"],
};

/** Who serves many calls at a time reads the entries of several at once. */
export const cachingTogether: TableGrant = { ...counting, actions: ["dynamodb:BatchGetItem"] };

/** Organizations, their subscriptions and their keys are read, put and updated, and never deleted. */
export const registering: TableGrant[] = [
  {
    actions: [
      ...(["dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:GetItem"] as const),
      ...(["dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"] as const),
    ],
  },
];

/** Tasks are read, put and updated, and never deleted. */
export const keeping: TableGrant[] = [
  { actions: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
];

/**
 * Who somebody is, and of what: all in the user's partition, and nothing else of the table. A key is made on the condition
 * that whoever makes it still has the role.
 */
export const identifying: TableGrant = {
  actions: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:ConditionCheckItem"],
  partitions: [`${accountPrefixes.user}*`],
};

/** How many calls a session has made in a minute is counted (`createPace`). */
export const pacing: TableGrant = {
  actions: ["dynamodb:UpdateItem"],
  partitions: [`${accountPrefixes.velocity}calls:*`],
};

// Operators alone read and write vendors' bills, close months, and make tokens.
const {
  audit: auditPrefix,
  channels: channelsPrefix,
  bills: _billsPrefix,
  closes: _closesPrefix,
  adminTokens: _operatorsAlone,
  ...changedPrefixes
} = accountPrefixes;

/** What somebody did is put into the audit log, and AWS lets nobody change it there. */
export const auditing: TableGrant = { actions: ["dynamodb:PutItem"], partitions: [`${auditPrefix}*`] };

/** The records of channels that operators have taken out are read. Operators alone write them. */
export const recalling: TableGrant = { actions: ["dynamodb:Query"], partitions: [`${channelsPrefix}*`] };

/** Who ends a video reads the organization's webhooks, and puts a line into the log where one of them is told of it. */
export const tellingVideos: TableGrant[] = [
  { actions: ["dynamodb:GetItem"], partitions: [`${accountPrefixes.organization}*`] },
  auditing,
];

/** The sweep orders for organizations that want it when their wallet is low, and notes the end of such an order. */
export const toppingUp: TableGrant[] = [
  {
    actions: ["dynamodb:GetItem", "dynamodb:PutItem"],
    partitions: [`${accountPrefixes.organization}*`, `${accountPrefixes.order}*`],
  },
  {
    actions: ["dynamodb:UpdateItem"],
    partitions: [`${accountPrefixes.organization}*`, `${accountPrefixes.velocity}orders:*`],
  },
];

/** Lists that operators ask for read a whole table. */
export const listing: TableGrant = { actions: ["dynamodb:Scan"] };

/**
 * The console reads and writes accounts, orders and invoices, and deletes none. It writes no token of the operators' API, so
 * that whoever takes it over makes none.
 */
export const accounting: TableGrant[] = [
  {
    actions: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:ConditionCheckItem"],
  },
  { actions: ["dynamodb:Query"], index: indexName("accounts", "due") },
  {
    actions: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: Object.values(changedPrefixes).map((prefix) => `${prefix}*`),
  },
  auditing,
];
