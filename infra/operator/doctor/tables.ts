/** The tables of a stage: that they are there, as they were declared, and cannot be lost. */
import { type TableName, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { type Check, counted, fail, isMissing, ok } from "./check.ts";
import { isKept, outputOf, type StagePlace } from "./stage-place.ts";

export function tableChecks(place: StagePlace): Check[] {
  return [
    {
      name: "tables",
      async run() {
        const names = Object.keys(tableSchemas) as TableName[];
        const problems = (await Promise.all(names.map((name) => problemsOf(name, place)))).flat();
        if (problems.length > 0) {
          return fail(
            problems.join("; "),
            "deploy the stage again: what a deployment does not repair was changed by hand",
          );
        }
        const kept = names.filter((name) => tableSchemas[name].kept);
        return ok(
          `${counted(names.length, "table")} are ACTIVE; ${kept.join(", ")} can be restored to any second of 35 days`,
        );
      },
    },
  ];
}

/** What is wrong with a table. Throws where it cannot be told. */
async function problemsOf(name: TableName, place: StagePlace): Promise<string[]> {
  const { ask, stage } = place;
  const { kept, expiry, indexes } = tableSchemas[name];
  const TableName = outputOf(place, `${name}Table`);
  if (!TableName) return [`the stack names no table ${name}`];
  try {
    const [{ Table }, backups, expiring] = await Promise.all([
      ask("dynamodb:DescribeTable", { TableName }),
      kept ? ask("dynamodb:DescribeContinuousBackups", { TableName }) : undefined,
      expiry === null ? undefined : ask("dynamodb:DescribeTimeToLive", { TableName }),
    ]);
    const { PointInTimeRecoveryDescription: recovery } = backups?.ContinuousBackupsDescription ?? {};
    const found = Table?.GlobalSecondaryIndexes ?? [];
    const active = found.filter((each) => each.IndexStatus === "ACTIVE").map((each) => each.IndexName);
    const missing = Object.keys(indexes).filter((index) => !active.includes(index));
    const { TimeToLiveStatus, AttributeName } = expiring?.TimeToLiveDescription ?? {};
    const wrong: [boolean, string][] = [
      [Table?.TableStatus !== "ACTIVE", `is ${Table?.TableStatus}`],
      [missing.length > 0, `has no index ${missing.join(", ")} that is ACTIVE`],
      [kept && isKept(stage) && !Table?.DeletionProtectionEnabled, "can be deleted by one command"],
      [kept && recovery?.PointInTimeRecoveryStatus !== "ENABLED", "has no point-in-time recovery"],
      [expiry !== null && TimeToLiveStatus !== "ENABLED", "never expires its items"],
      [
        expiry !== null && AttributeName !== undefined && AttributeName !== expiry,
        `expires by ${AttributeName}`,
      ],
    ];
    return wrong.flatMap(([isWrong, what]) => (isWrong ? [`${name} (${TableName}) ${what}`] : []));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [`${name} (${TableName}) is not there`];
  }
}
