/** A local gateway's AWS, recorded: which permissions the operator's commands would need in an account. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadyFile } from "#infra/local/stack/ready-file.ts";
import { writePrivately } from "#infra/local/stack/ready-file.ts";
import { startProxy } from "../support/proxy.ts";

export interface Recorded {
  /** A ready file through which everything that is asked of AWS is recorded. */
  readyFile: string;
  /** The permissions that were used since it was last asked: `ACTION RESOURCE`, each once. */
  take(): string[];
  stop(): Promise<void>;
}

/** The kinds of writes in a transaction, and the action that IAM asks for each. */
const transacted: Record<string, string> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
};

/** Starts recording before the gateway of a ready file. What it writes goes to `folder`. */
export async function recordAws(readyFile: string, folder: string): Promise<Recorded> {
  const ready = JSON.parse(readFileSync(readyFile, "utf8")) as ReadyFile;
  const { endpoints } = ready;
  const names = namesOf(endpoints);
  let used = new Set<string>();
  const record = (service: string, action: string, input: Record<string, unknown>) => {
    for (const each of partsOf(action, input))
      used.add(`${service}:${each.action} ${resourceOf(each.input, names)}`);
    return undefined;
  };
  const services = { dynamodb: "dynamodb", sqs: "sqs", secrets: "secretsmanager", states: "states" } as const;
  const proxies = await Promise.all(
    (Object.keys(services) as (keyof typeof services)[]).map(async (name) => {
      const on = (action: string, input: Record<string, unknown>) => record(services[name], action, input);
      return [name, await startProxy(endpoints[name], on)] as const;
    }),
  );
  const recorded = { ...endpoints, ...Object.fromEntries(proxies.map(([name, { url }]) => [name, url])) };
  const file = join(folder, "recorded.json");
  writePrivately(file, { ...ready, endpoints: recorded });
  return {
    readyFile: file,
    take() {
      const taken = [...used].sort();
      used = new Set();
      return taken;
    },
    async stop() {
      await Promise.all(proxies.map(([, { stop }]) => stop()));
    },
  };
}

/** Our own names for the resources of a gateway, by their real ones. */
function namesOf({ tables, ...rest }: ReadyFile["endpoints"]): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(tables).map(([name, real]): [string, string] => [real, name]),
    [rest.usageQueueUrl, "usageQueue"],
    [rest.deadLetterQueueUrl, "usageDeadLetters"],
    [rest.lessonQueueUrl, "lessonQueue"],
    [rest.lessonDeadLetterQueueUrl, "lessonDeadLetters"],
    [rest.pepperSecretArn, "pepper"],
    [rest.accountsSecretArn, "accountsSecret"],
    [rest.providersSecretArn, "providers"],
    [rest.platformsSecretArn, "platforms"],
    [rest.videoWorkflowArn, "workflow"],
  ]);
}

interface Part {
  action: string;
  input: Record<string, unknown>;
}

/** What a request asks of each of its tables. */
function partsOf(action: string, input: Record<string, unknown>): Part[] {
  if (action === "TransactWriteItems") return writesOf(input);
  if (action !== "BatchGetItem") return [{ action, input }];
  return Object.keys(input.RequestItems ?? {}).map((TableName) => ({ action, input: { TableName } }));
}

function writesOf(input: Record<string, unknown>): Part[] {
  const items = (input.TransactItems ?? []) as Record<string, Record<string, unknown>>[];
  return items.flatMap((item) =>
    Object.entries(item).map(([kind, write]) => ({ action: transacted[kind] ?? kind, input: write })),
  );
}

function resourceOf(input: Record<string, unknown>, names: ReadonlyMap<string, string>): string {
  const { TableName, IndexName, QueueUrl, SecretId, stateMachineArn, executionArn } = input;
  if (executionArn !== undefined) return "executions";
  const real = String(TableName ?? QueueUrl ?? SecretId ?? stateMachineArn);
  const name = names.get(real) ?? real;
  return IndexName === undefined ? name : `${name}/index`;
}
