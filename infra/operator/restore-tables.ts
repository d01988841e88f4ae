/** Restores the kept tables to one instant, under new names (infra/operator/restore.md "What restore does"). */
import type { TableDescription } from "@aws-sdk/client-dynamodb";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import {
  type KeptTable,
  keptTables,
  type TableSchema,
  tableSchemas,
} from "#shared/edges/store/dynamodb/table-schema.ts";
import type { KeptTables } from "../stage/given-tables.ts";

/** What a restore is to do. */
export interface RestorePlan {
  /** Unix milliseconds, a whole second. */
  instant: number;
  /** The time that all five tables can be restored to, Unix milliseconds, both inclusive. */
  window: { earliest: number; latest: number };
  tables: PlannedTable[];
}

interface PlannedTable {
  table: KeptTable;
  source: string;
  target: string;
  /** What is there of the target already. */
  found: "nothing" | "restored";
}

interface RestoreRequest {
  sources: KeptTables;
  /** Unix milliseconds; the latest possible instant if undefined. */
  at: number | undefined;
  nameOf(table: KeptTable, instant: number): string;
}

/** An instant as it is told. */
export const told = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

/**
 * Plans a restore, and changes nothing. Throws in three cases: a table cannot be restored at all, the instant is outside
 * of what all five can be restored to, or a target is another table.
 */
export async function planRestore({ sources, at, nameOf }: RestoreRequest, aws: Aws): Promise<RestorePlan> {
  const windows = await Promise.all(keptTables.map((table) => windowOf(sources[table], aws)));
  const window = {
    earliest: Math.max(...windows.map(({ earliest }) => earliest)),
    latest: Math.min(...windows.map(({ latest }) => latest)),
  };
  // A table can be restored to a second, and to nothing in between.
  const instant = Math.floor((at ?? window.latest) / 1000) * 1000;
  if (instant < window.earliest || instant > window.latest) {
    const bounds = `${told(window.earliest)} to ${told(window.latest)}`;
    throw new Error(`${told(instant)} is outside of what the five tables can be restored to: ${bounds}`);
  }
  const tables = await Promise.all(
    keptTables.map(async (table): Promise<PlannedTable> => {
      const planned = { table, source: sources[table], target: nameOf(table, instant) };
      return { ...planned, found: await foundOf(planned, instant, aws) };
    }),
  );
  return { instant, window, tables };
}

async function windowOf(name: string, aws: Aws): Promise<RestorePlan["window"]> {
  const { ContinuousBackupsDescription } = await aws("dynamodb", "DescribeContinuousBackups", {
    TableName: name,
  });
  const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = recovery ?? {};
  if (recovery?.PointInTimeRecoveryStatus !== "ENABLED" || !earliest || !latest)
    throw new Error(`the table ${name} cannot be restored: it has no point-in-time recovery`);
  // The first whole second that is inside, and the last one.
  return { earliest: Math.ceil(earliest.getTime() / 1000) * 1000, latest: latest.getTime() };
}

/** What there is of a target. Throws where it is another table, or the same table at another instant. */
async function foundOf(
  { source, target }: Pick<PlannedTable, "source" | "target">,
  instant: number,
  aws: Aws,
): Promise<PlannedTable["found"]> {
  const found = await describe(target, aws);
  if (!found) return "nothing";
  const { SourceTableArn, RestoreDateTime } = found.RestoreSummary ?? {};
  const at = RestoreDateTime?.getTime();
  if (at === instant && SourceTableArn?.endsWith(`:table/${source}`)) return "restored";
  if (at !== undefined && SourceTableArn?.endsWith(`:table/${source}`)) {
    const ways = `give --at ${told(at)} to go on with it, or another --suffix`;
    throw new Error(`the table ${target} is there, restored to ${told(at)}: ${ways}`);
  }
  throw new Error(`there is a table ${target} that does not come from ${source}: give another --suffix`);
}

async function describe(name: string, aws: Aws): Promise<TableDescription | undefined> {
  try {
    return (await aws("dynamodb", "DescribeTable", { TableName: name })).Table;
  } catch (error) {
    if (error instanceof AwsError && error.code === "ResourceNotFoundException") return undefined;
    throw error;
  }
}

interface RestoreDeps {
  aws: Aws;
  /** Waits before it looks again. */
  pause(ms: number): Promise<void>;
  /** Told what is being done. */
  state(text: string): void;
}

/** How often a table that is being restored is looked at. AWS says that a restore takes 20 minutes at least. */
const lookMs = 15_000;

/** Carries out a plan. Resolves when all five tables can be used and have their settings. */
export async function restoreTables(plan: RestorePlan, deps: RestoreDeps): Promise<void> {
  for (const { source, target, found } of plan.tables) {
    if (found === "restored") continue;
    await deps.aws("dynamodb", "RestoreTableToPointInTime", {
      ...{ SourceTableName: source, TargetTableName: target, RestoreDateTime: new Date(plan.instant) },
      UseLatestRestorableTime: false,
    });
  }
  await untilActive(plan, deps);
  for (const table of plan.tables) await equip(table, deps);
}

async function untilActive({ tables }: RestorePlan, { aws, pause, state }: RestoreDeps): Promise<void> {
  for (let looks = 0; ; looks++) {
    const states = await Promise.all(
      tables.map(async ({ table, target }) => {
        const found = await describe(target, aws);
        const indexes = found?.GlobalSecondaryIndexes ?? [];
        const isReady =
          found?.TableStatus === "ACTIVE" && indexes.every(({ IndexStatus }) => IndexStatus === "ACTIVE");
        return {
          isReady,
          text: `${table} ${isReady ? "is there" : (found?.TableStatus ?? "is not there yet")}`,
        };
      }),
    );
    if (states.every(({ isReady }) => isReady)) return;
    const minutes = Math.floor((looks * lookMs) / 60_000);
    state(`restoring for ${minutes} min: ${states.map(({ text }) => text).join(", ")}`);
    await pause(lookMs);
  }
}

/**
 * Gives a restored table what AWS does not restore: point-in-time recovery, expiry, tags and the protection against
 * deletion, each as the source has it. Throws where its keys or indexes are not those of the source.
 */
async function equip({ table, source, target }: PlannedTable, deps: RestoreDeps): Promise<void> {
  const { aws, state } = deps;
  state(`settings of ${target}`);
  const [from, to] = await Promise.all([describe(source, aws), describe(target, aws)]);
  if (!from || !to || shapeOf(from) !== shapeOf(to))
    throw new Error(`${target} has other keys or indexes than ${source}: do not use it`);
  await enableRecovery(source, target, deps);
  await enableExpiry(tableSchemas[table], target, aws);
  const { Tags = [] } = await aws("dynamodb", "ListTagsOfResource", { ResourceArn: from.TableArn });
  // AWS keeps the names that begin with aws: for itself.
  const own = Tags.filter(({ Key }) => !Key?.startsWith("aws:"));
  if (own.length > 0) await aws("dynamodb", "TagResource", { ResourceArn: to.TableArn, Tags: own });
  const isProtected = from.DeletionProtectionEnabled === true;
  if (isProtected && !to.DeletionProtectionEnabled)
    await aws("dynamodb", "UpdateTable", { TableName: target, DeletionProtectionEnabled: true });
}

function shapeOf({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription): string {
  const named = GlobalSecondaryIndexes.toSorted((a, b) => (`${a.IndexName}` < `${b.IndexName}` ? -1 : 1));
  const indexes = named.map(({ IndexName, KeySchema: keys, Projection }) => [
    IndexName,
    keys?.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]),
    Projection?.ProjectionType,
  ]);
  return JSON.stringify([KeySchema?.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]), indexes]);
}

/** AWS may say for a while that the backups of a new table are not available yet. */
const recoveryAttempts = 20;

async function enableRecovery(source: string, target: string, { aws, pause }: RestoreDeps): Promise<void> {
  const { ContinuousBackupsDescription } = await aws("dynamodb", "DescribeContinuousBackups", {
    TableName: source,
  });
  const { RecoveryPeriodInDays: days } = ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  for (let attempt = 1; ; attempt++) {
    try {
      await aws("dynamodb", "UpdateContinuousBackups", {
        TableName: target,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled: true,
          ...(days !== undefined && { RecoveryPeriodInDays: days }),
        },
      });
      return;
    } catch (error) {
      const isEarly = error instanceof AwsError && error.code === "ContinuousBackupsUnavailableException";
      if (!isEarly || attempt === recoveryAttempts) throw error;
      await pause(lookMs);
    }
  }
}

/** To enable what is enabled would be an error. */
async function enableExpiry({ expiry }: TableSchema, target: string, aws: Aws): Promise<void> {
  if (expiry === null) return;
  const { TimeToLiveDescription } = await aws("dynamodb", "DescribeTimeToLive", { TableName: target });
  const status = TimeToLiveDescription?.TimeToLiveStatus;
  if (status === "ENABLED" || status === "ENABLING") return;
  await aws("dynamodb", "UpdateTimeToLive", {
    TableName: target,
    TimeToLiveSpecification: { AttributeName: expiry, Enabled: true },
  });
}

/** The calls to AWS that a plan takes, in order, as a dry run tells them. */
export function stepsOf({ instant, tables }: RestorePlan): string[] {
  const made = tables.filter(({ found }) => found === "nothing");
  return [
    ...made.map(
      ({ source, target }) => `RestoreTableToPointInTime ${source} to ${target} at ${told(instant)}`,
    ),
    ...tables.map(({ target }) => `DescribeTable ${target} until it is ACTIVE`),
    ...tables.flatMap(({ table, target }) => [
      `UpdateContinuousBackups ${target}: point-in-time recovery`,
      ...(tableSchemas[table].expiry ? [`UpdateTimeToLive ${target}: ${tableSchemas[table].expiry}`] : []),
      `TagResource ${target}: the tags of its source`,
      `UpdateTable ${target}: protected against deletion, if its source is`,
    ]),
    "the caches of answers of all organizations begin anew, and everybody is signed out",
    "what is lost is read from the tables of the stage, from dead letters and from the log",
    "the restored tables are audited",
  ];
}
