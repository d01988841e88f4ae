/** The parts of the stack that have a stand-in on this machine, as the template describes them. */
import { join } from "node:path";
import type { StateMachineDefinition } from "aws-local-stepfunctions";
import type { ResolvedResource, TemplateReader } from "./template.ts";

export interface FunctionResource {
  name: string;
  /** Where the bundle is; `handler` is `<module>.<export>` in it. */
  directory: string;
  handler: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  /** The log group that CloudWatch would keep its lines in. */
  logGroup: string;
  /** Whether a function URL leads here that streams: to the gateway. */
  hasUrl: boolean;
  /** Whether one leads here whose answers are whole: to the console. */
  hasBufferedUrl: boolean;
}

/** The input of DynamoDB's `CreateTable`. */
export type TableResource = { TableName: string } & Record<string, unknown>;

export interface QueueResource {
  name: string;
  attributes: Record<string, string>;
}

export interface EventSource {
  functionName: string;
  queueName: string;
  queueArn: string;
  batchSize: number;
  windowSeconds: number;
  reportsFailures: boolean;
}

interface ScheduleResource {
  expression: string;
  targets: { functionName: string; input: unknown }[];
}

export interface EventRuleResource {
  /** The events that go to the targets. */
  pattern: EventPattern;
  functionNames: string[];
}

/** A pattern of events: each field lists the values that it may have, or is a pattern of its own. */
export type EventPattern = { [field: string]: unknown[] | EventPattern };

export interface StateMachineResource {
  name: string;
  arn: string;
  definition: StateMachineDefinition;
}

export interface SecretResource {
  arn: string;
  /** The value in the template, or the length of the value to generate. */
  value: string | { generatedLength: number };
}

export interface StackResources {
  functions: FunctionResource[];
  tables: TableResource[];
  queues: QueueResource[];
  eventSources: EventSource[];
  schedules: ScheduleResource[];
  eventRules: EventRuleResource[];
  /** The ARNs of event buses. */
  eventBuses: string[];
  stateMachines: StateMachineResource[];
  secrets: SecretResource[];
  outputs: Record<string, string>;
}

/** Reads the stack; bundles are looked for below `assembly`, the folder of the synthesized template. */
export function readResources(template: TemplateReader, assembly: string): StackResources {
  const urls = new Map(
    template
      .resources("AWS::Lambda::Url")
      .map(({ property }) => [
        functionNameOf(text(property("TargetFunctionArn"))),
        property("InvokeMode") === "RESPONSE_STREAM",
      ]),
  );
  return {
    functions: template
      .resources("AWS::Lambda::Function")
      .map((resource) => readFunction(resource, assembly, urls)),
    tables: template.resources("AWS::DynamoDB::GlobalTable").map(readTable),
    queues: template.resources("AWS::SQS::Queue").map(readQueue),
    eventSources: template.resources("AWS::Lambda::EventSourceMapping").map(readEventSource),
    schedules: template.resources("AWS::Events::Rule").flatMap(readSchedule),
    eventRules: template.resources("AWS::Events::Rule").flatMap(readEventRule),
    eventBuses: template.resources("AWS::Events::EventBus").map(({ arn }) => arn),
    stateMachines: template.resources("AWS::StepFunctions::StateMachine").map(readStateMachine),
    secrets: template.resources("AWS::SecretsManager::Secret").map(readSecret),
    outputs: template.outputs(),
  };
}

const text = (value: unknown): string => String(value ?? "");

/** The name of a function, given its name or its ARN, with or without a version or an alias at the end. */
export function functionNameOf(target: string): string {
  const parts = target.split(":");
  return (target.startsWith("arn:") ? parts[6] : parts[0]) ?? "";
}

function readFunction(
  { id, reference, property, metadata }: ResolvedResource,
  assembly: string,
  urls: ReadonlyMap<string, boolean>,
): FunctionResource {
  const asset = metadata["aws:asset:path"];
  if (typeof asset !== "string") throw new Error(`template: ${id} does not say where its bundle is`);
  const { Variables = {} } = (property("Environment") ?? {}) as { Variables?: Record<string, unknown> };
  const logging = (property("LoggingConfig") ?? {}) as { LogGroup?: unknown };
  return {
    name: reference,
    directory: join(assembly, asset),
    handler: text(property("Handler")),
    environment: Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, text(value)])),
    timeoutSeconds: Number(property("Timeout") ?? 3),
    memoryMb: Number(property("MemorySize") ?? 128),
    logGroup: text(logging.LogGroup ?? `/aws/lambda/${reference}`),
    hasUrl: urls.get(reference) === true,
    hasBufferedUrl: urls.get(reference) === false,
  };
}

/** The fields of a global table that `CreateTable` takes; the others are about replicas and backups. */
function readTable({ reference, property }: ResolvedResource): TableResource {
  const indexes = property("GlobalSecondaryIndexes");
  return {
    TableName: reference,
    AttributeDefinitions: property("AttributeDefinitions"),
    KeySchema: property("KeySchema"),
    BillingMode: "PAY_PER_REQUEST",
    ...(indexes ? { GlobalSecondaryIndexes: indexes } : {}),
  };
}

/** Attributes with the same name in a template and in `CreateQueue`. */
const queueAttributes = [
  "VisibilityTimeout",
  "MessageRetentionPeriod",
  "DelaySeconds",
  "MaximumMessageSize",
  "ReceiveMessageWaitTimeSeconds",
];

/** The queue's name at the end of its address or its ARN. */
function queueNameOf(place: string): string {
  return place.split(/[:/]/).at(-1) ?? "";
}

function readQueue({ reference, property }: ResolvedResource): QueueResource {
  const given = queueAttributes.filter((name) => property(name) !== undefined);
  const redrive = property("RedrivePolicy");
  return {
    name: queueNameOf(reference),
    attributes: {
      ...Object.fromEntries(given.map((name) => [name, text(property(name))])),
      ...(redrive ? { RedrivePolicy: JSON.stringify(redrive) } : {}),
    },
  };
}

function readEventSource({ property }: ResolvedResource): EventSource {
  const queueArn = text(property("EventSourceArn"));
  const responseTypes = (property("FunctionResponseTypes") ?? []) as string[];
  return {
    functionName: functionNameOf(text(property("FunctionName"))),
    queueName: queueNameOf(queueArn),
    queueArn,
    batchSize: Number(property("BatchSize") ?? 10),
    windowSeconds: Number(property("MaximumBatchingWindowInSeconds") ?? 0),
    reportsFailures: responseTypes.includes("ReportBatchItemFailures"),
  };
}

function readSchedule({ property }: ResolvedResource): ScheduleResource[] {
  const expression = property("ScheduleExpression");
  if (typeof expression !== "string" || property("State") === "DISABLED") return [];
  const targets = (property("Targets") ?? []) as { Arn: string; Input?: string }[];
  return [
    {
      expression,
      targets: targets
        .filter(({ Arn }) => Arn.includes(":lambda:"))
        .map(({ Arn, Input }) => ({
          functionName: functionNameOf(Arn),
          input: Input === undefined ? {} : JSON.parse(Input),
        })),
    },
  ];
}

function readEventRule({ property }: ResolvedResource): EventRuleResource[] {
  const pattern = property("EventPattern");
  if (!pattern || property("State") === "DISABLED") return [];
  const targets = (property("Targets") ?? []) as { Arn: string }[];
  const functions = targets.map(({ Arn }) => Arn).filter((arn) => arn.includes(":lambda:"));
  return [{ pattern: pattern as EventPattern, functionNames: functions.map(functionNameOf) }];
}

function readStateMachine({ id, reference, property }: ResolvedResource): StateMachineResource {
  const definition = JSON.parse(text(property("DefinitionString"))) as StateMachineDefinition;
  return { name: text(property("StateMachineName") ?? id), arn: reference, definition };
}

function readSecret({ reference, property }: ResolvedResource): SecretResource {
  const { PasswordLength = 32 } = (property("GenerateSecretString") ?? {}) as { PasswordLength?: number };
  const given = property("SecretString");
  return {
    arn: reference,
    value: typeof given === "string" ? given : { generatedLength: PasswordLength },
  };
}
