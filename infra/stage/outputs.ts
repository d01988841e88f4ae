/** The names of a stack's outputs, by which others find its parts. This file imports no code: the operator reads it. */
import type { KeptTables } from "./given-tables.ts";

export const outputs = {
  gatewayUrl: "GatewayUrl",
  /** Absent where the stage has no console. */
  consoleUrl: "ConsoleUrl",
  /** Absent where the stage has no event bus for its news. */
  newsBus: "NewsBusName",
  webGatewayUrl: "WebGatewayUrl",
  serviceUrl: "ServiceUrl",
  /** Where a record of the service's name must point, if somebody else keeps its zone. */
  serviceTarget: "ServiceTarget",
  domainUrl: "DomainUrl",
  domainTarget: "DomainTarget",
  keysTable: "KeysTableName",
  countersTable: "CountersTableName",
  ledgerTable: "LedgerTableName",
  tasksTable: "TasksTableName",
  accountsTable: "AccountsTableName",
  boardTable: "BoardTableName",
  cacheTable: "CacheTableName",
  usageQueue: "UsageQueueUrl",
  usageDeadLetters: "UsageDeadLettersUrl",
  lessonQueue: "LessonQueueUrl",
  lessonDeadLetters: "LessonDeadLettersUrl",
  pepperSecret: "PepperSecretArn",
  /** What the stage's functions read in that secret. Releases before versions have no such output. */
  pepperFormat: "PepperFormat",
  providersSecret: "ProvidersSecretArn",
  accountsSecret: "AccountsSecretArn",
  platformsSecret: "PlatformsSecretArn",
  telemetrySecret: "TelemetrySecretArn",
  videoWorkflow: "VideoWorkflowArn",
  operatorRole: "OperatorRoleArn",
} as const;

/** The format that this release reads: a plain text, or JSON of versions. */
export const pepperFormat = "versions";

/** The parts of a stack that its stores and operators work on. */
export interface StackPlaces {
  tables: KeptTables & Record<"board" | "cache", string>;
  usageQueueUrl: string;
  deadLetterQueueUrl: string;
  lessonQueueUrl: string;
  lessonDeadLetterQueueUrl: string;
  pepperSecretArn: string;
  providersSecretArn: string;
  accountsSecretArn: string;
  platformsSecretArn: string;
  videoWorkflowArn: string;
}

/** The places by the outputs of a stack. `read` gives the value of an output, by our own name for it. */
export function placesOf(read: (output: keyof typeof outputs) => string): StackPlaces {
  return {
    tables: {
      keys: read("keysTable"),
      counters: read("countersTable"),
      ledger: read("ledgerTable"),
      tasks: read("tasksTable"),
      accounts: read("accountsTable"),
      board: read("boardTable"),
      cache: read("cacheTable"),
    },
    usageQueueUrl: read("usageQueue"),
    deadLetterQueueUrl: read("usageDeadLetters"),
    lessonQueueUrl: read("lessonQueue"),
    lessonDeadLetterQueueUrl: read("lessonDeadLetters"),
    pepperSecretArn: read("pepperSecret"),
    providersSecretArn: read("providersSecret"),
    accountsSecretArn: read("accountsSecret"),
    platformsSecretArn: read("platformsSecret"),
    videoWorkflowArn: read("videoWorkflow"),
  };
}

/** The CloudFormation name of a stage's stack. */
export function stackName(stage: string): string {
  return `model-gateway-${stage}`;
}
