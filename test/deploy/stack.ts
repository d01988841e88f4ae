/** A stage's stack as the account has it. */
import assert from "node:assert/strict";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type Stack,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { stackName } from "#infra/stage/outputs.ts";
import type { Keys } from "./account.ts";
import { type Emulator, region } from "./emulator.ts";

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

/** A deployed template. */
export interface Template {
  Resources: Record<string, Resource>;
}

/** What a stage consists of at one moment. */
export interface Seen {
  /** The physical names of its resources, by their names in the template. */
  names: Map<string, { type: string; name: string }>;
  outputs: Record<string, string>;
  template: Template;
}

export interface Cloud {
  /** The stack of a stage, also one that failed; undefined if there is none. */
  find(stage: string): Promise<Stack | undefined>;
  see(stage: string): Promise<Seen>;
  /** Names of tables, queues and secrets that a stage has left in the account. */
  leftOf(stage: string): Promise<string[]>;
  /** The tables of a stage that AWS refuses to delete. */
  protectedTables(stage: string): Promise<string[]>;
  protectStack(stage: string, isProtected: boolean): Promise<void>;
  /** What the functions of a stage have logged: the lines by the name of the log group in the template. */
  logsOf(seen: Seen): Promise<Map<string, string[]>>;
  fillSecret(arn: string, value: object): Promise<void>;
}

/** Looks at the account with the credentials `keys`. */
export function cloudOf({ endpoint }: Pick<Emulator, "endpoint">, keys: Keys): Cloud {
  const settings = { endpoint, region, credentials: keys };
  const formation = new CloudFormationClient(settings);
  const dynamo = new DynamoDBClient(settings);
  const secrets = new SecretsManagerClient(settings);
  const queues = new SQSClient(settings);
  const logs = new CloudWatchLogsClient(settings);
  const tablesOf = async (stage: string) =>
    ((await dynamo.send(new ListTablesCommand({}))).TableNames ?? []).filter((name) => isOf(stage, name));
  const find = async (stage: string) => {
    try {
      return (await formation.send(new DescribeStacksCommand({ StackName: stackName(stage) }))).Stacks?.[0];
    } catch (error) {
      if (error instanceof Error && error.message.includes("does not exist")) return undefined;
      throw error;
    }
  };
  return {
    find,
    async see(stage) {
      const name = { StackName: stackName(stage) };
      const names: Seen["names"] = new Map();
      for await (const page of paginateListStackResources({ client: formation }, name)) {
        for (const each of page.StackResourceSummaries ?? []) {
          const found = { type: each.ResourceType ?? "", name: each.PhysicalResourceId ?? "" };
          names.set(each.LogicalResourceId ?? "", found);
        }
      }
      const { TemplateBody = "" } = await formation.send(new GetTemplateCommand(name));
      const outputs = (await find(stage))?.Outputs?.map(({ OutputKey, OutputValue }) => [
        OutputKey,
        OutputValue,
      ]);
      return {
        names,
        outputs: Object.fromEntries(outputs ?? []),
        template: JSON.parse(TemplateBody) as Template,
      };
    },
    async leftOf(stage) {
      const { QueueUrls = [] } = await queues.send(new ListQueuesCommand({}));
      const { SecretList = [] } = await secrets.send(new ListSecretsCommand({}));
      const others = [
        ...QueueUrls.map((url) => url.split("/").at(-1) ?? ""),
        ...SecretList.map(({ Name = "" }) => Name),
      ];
      return [...(await tablesOf(stage)), ...others.filter((name) => isOf(stage, name))];
    },
    async protectedTables(stage) {
      const described = await Promise.all(
        (await tablesOf(stage)).map((TableName) => dynamo.send(new DescribeTableCommand({ TableName }))),
      );
      return described.flatMap(({ Table }) =>
        Table?.DeletionProtectionEnabled ? [Table.TableName ?? ""] : [],
      );
    },
    async protectStack(stage, isProtected) {
      const StackName = stackName(stage);
      await formation.send(
        new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: isProtected }),
      );
    },
    logsOf: ({ names }) => linesOf(names, logs),
    async fillSecret(SecretId, value) {
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(value) }));
    },
  };
}

/** What the log groups among these resources have. */
async function linesOf(names: Seen["names"], client: CloudWatchLogsClient): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const [id, { type, name }] of names) {
    if (type !== "AWS::Logs::LogGroup") continue;
    const pages = paginateFilterLogEvents({ client }, { logGroupName: name });
    const events = (await Array.fromAsync(pages)).flatMap((page) => page.events ?? []);
    found.set(
      id,
      events.map(({ message = "" }) => message),
    );
  }
  return found;
}

/** The physical name of the one resource of a type whose name in the template begins with `name`. */
export function named({ seen }: { seen: Seen }, type: string, name: string): string {
  const found = [...seen.names].filter(([id, each]) => each.type === type && id.startsWith(name));
  assert.equal(found.length, 1, `${type} ${name}`);
  return found[0]?.[1].name ?? "";
}

function isOf(stage: string, name: string): boolean {
  return name.startsWith(`${stackName(stage)}-`);
}
