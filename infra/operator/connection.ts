/** Where the operator works: the local gateway that is running, or a deployed stack. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { ServiceName } from "#shared/base/platform/aws-actions.ts";
import { type ClientOptions, createClients, type OpenClient } from "#shared/base/platform/aws-clients.ts";
import { localCredentials } from "../local/stack/function-environment.ts";
import { logFiles } from "../local/stack/log-file.ts";
import type { ReadyFile } from "../local/stack/ready-file.ts";
import { outputs, pepperFormat, placesOf, type StackPlaces, stackName } from "../stage/outputs.ts";
import type { ServiceInPolicies } from "./account/actions.ts";
import { type FilterLogEvents, fileLog, type OperatorLog, stageLog } from "./logs.ts";

export interface StackConnection extends StackPlaces {
  aws: Aws;
  /** The catalog that is in force there: of a stage, the one that its next deployment would take. */
  catalogFile?: string;
  /** Whether the functions there know versions of the pepper. */
  knowsPepperVersions: boolean;
  log: OperatorLog;
  /** What only a deployed stage has. */
  deployed?: Deployed;
}

/** A stage, and the port to AWS with the actions of a restore. */
interface Deployed {
  stage: string;
  control: Aws;
}

export type AwsCredentials = CloudFormationClient["config"]["credentials"];

/** The ready file of the gateway that runs from this folder. */
export const localReadyFile = join(import.meta.dirname, "../../.local/ready.json");

/** AWS's clients, each loaded when a command first needs it: one takes longer to load than a local command takes. */
const clients: Partial<Record<ServiceName, OpenClient>> = {
  dynamodb: async (settings) =>
    (await import("#shared/base/platform/clients/dynamodb.ts")).dynamoDb(settings),
  sqs: async (settings) => (await import("#shared/base/platform/clients/sqs.ts")).sqs(settings),
  secretsmanager: whole("secretsmanager"),
  states: async (settings) =>
    (await import("#shared/base/platform/clients/step-functions.ts")).stepFunctions(settings),
};

/** The clients of a restore, with the actions on tables and secrets that no function has. No other command loads them. */
const controls: Partial<Record<ServiceName, OpenClient>> = {
  dynamodb: whole("dynamodb"),
  secretsmanager: whole("secretsmanager"),
};

/** A client with all actions of its service. */
function whole(service: ServiceInPolicies): OpenClient {
  return async (settings) => (await import("./account/clients.ts")).openClient(service, settings);
}

function connect(options: ClientOptions): Aws {
  return createClients(clients, options);
}

/** What a running gateway says of itself. Throws where none runs. */
export function readyFileOf(path: string): Pick<ReadyFile, "endpoints"> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ReadyFile;
  } catch {
    throw new Error(`no local gateway is running (${path} cannot be read); start one with npm start`);
  }
}

/** Connects to the local gateway that wrote `readyFile`. Throws when there is none. */
export function connectLocally(readyFile: string): StackConnection {
  const { dynamodb, sqs, secrets, states, region, assembly, log, ...rest } = readyFileOf(readyFile).endpoints;
  const aws = connect({
    region,
    credentials: localCredentials,
    endpoints: { dynamodb, sqs, secretsmanager: secrets, states },
  });
  // It runs this release.
  const knowsPepperVersions = true;
  return {
    aws,
    ...rest,
    knowsPepperVersions,
    catalogFile: join(assembly, "catalog.json"),
    log: fileLog(logFiles(log)),
  };
}

/** The shell's region, of the environment or else of the profile, and its credentials. Throws without a region. */
export async function regionHere(): Promise<{
  client: CloudFormationClient;
  region: string;
  credentials: AwsCredentials;
}> {
  // Only a stage needs it.
  const { CloudFormationClient } = await import("@aws-sdk/client-cloudformation");
  const named = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  const client = new CloudFormationClient(named ? { region: named } : {});
  const region = await client.config.region().catch((error: Error) => {
    const meant = "give --local for the gateway of npm start, or set AWS_REGION for a deployed stage";
    throw new Error(`no AWS region is set: ${meant}`, { cause: error });
  });
  return { client, region, credentials: client.config.credentials };
}

/**
 * Connects to a stage's stack by its outputs, as `regionHere` finds region and credentials. Throws when none is there.
 */
export async function connectToStack(stage: string): Promise<StackConnection> {
  const { DescribeStacksCommand } = await import("@aws-sdk/client-cloudformation");
  const { client, region } = await regionHere();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName: stackName(stage) }))
    .catch((error: Error) => {
      throw new Error(`${stackName(stage)} in ${region}: ${error.message}`, { cause: error });
    });
  const found = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const output = (name: keyof typeof outputs): string => {
    const value = found.get(outputs[name]);
    if (!value) throw new Error(`the stack ${stackName(stage)} has no output ${outputs[name]}`);
    return value;
  };
  // Only a stage needs it.
  const { catalogOfStage } = await import("../stage/stage-file.ts");
  const catalogFile = catalogOfStage(stage);
  // Found once, for all clients: to sign in or to ask for a role anew would take a second each.
  const settings = { region, credentials: client.config.credentials };
  return {
    ...(catalogFile !== undefined && { catalogFile }),
    aws: connect(settings),
    deployed: { stage, control: createClients(controls, settings) },
    ...placesOf(output),
    knowsPepperVersions: found.get(outputs.pepperFormat) === pepperFormat,
    log: stageLog(() => logGroupsOf(client, stage), filterLogEventsIn(region)),
  };
}

/** The log groups of a stage's functions, as its stack lists them. */
async function logGroupsOf(client: CloudFormationClient, stage: string): Promise<string[]> {
  const { paginateListStackResources } = await import("@aws-sdk/client-cloudformation");
  const groups: string[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName(stage) })) {
    for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? []) {
      if (ResourceType === "AWS::Logs::LogGroup" && PhysicalResourceId) groups.push(PhysicalResourceId);
    }
  }
  return groups;
}

/** Asks CloudWatch Logs, whose client only the commands on log lines load. */
function filterLogEventsIn(region: string): FilterLogEvents {
  return async (input) => {
    const { CloudWatchLogsClient, FilterLogEventsCommand } = await import("@aws-sdk/client-cloudwatch-logs");
    return await new CloudWatchLogsClient({ region }).send(new FilterLogEventsCommand(input));
  };
}
