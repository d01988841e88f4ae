/** What differs from stage to stage, and the sizes of functions. All else is the same: `dev` tries what `prod` runs. */
import { RemovalPolicy } from "aws-cdk-lib";
import { type ILambdaDeploymentConfig, LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { limits } from "#shared/base/limits.ts";
import type { TaxRules } from "#shared/people/invoices/tax.ts";
import { type ConsoleConcurrency, reservedForConsole } from "./concurrency.ts";
import { checkTables, type GivenTables } from "./given-tables.ts";

export interface FunctionSize {
  memoryMb: number;
  timeoutSeconds: number;
}

/** What answers clients: the function behind its URL, the Lambda Web Function, or both side by side. */
export const fronts = ["url", "web", "both"] as const;
type StageFront = (typeof fronts)[number];

/** Secrets that are there already, each by its name or its whole ARN. A stage makes the others. */
export type GivenSecrets = Partial<Record<"pepper" | "providers" | "accounts" | "platforms", string>>;

/** The stage's own domain, with a certificate or with a zone in which one is validated (domain.md). */
export interface DomainSettings {
  name: string;
  certificateArn?: string;
  /** The zone of Route 53 that gets the domain's records. */
  hostedZone?: { id: string; name: string };
  /** How long the gateway may be silent before CloudFront gives a call up. */
  silenceSeconds?: number;
  /** The most requests of one address in five minutes. */
  requestsPer5Minutes?: number;
  webAclArn?: string;
}

/** The settings of a stage that has telemetry. */
export interface TelemetrySettings {
  /** The base URL of the collector, by https. */
  endpoint: string;
  /** The share of calls that are traced, from 0 to 1. */
  sample?: number;
  /** Whether clients that send a trace decide for it. */
  sampler?: "parentbased_traceidratio" | "traceidratio";
  /** Whether metrics are sent too. */
  metrics?: boolean;
}

/** The settings of a stage's console (infra/resources/console.md). */
interface StageConsole {
  /** Whether the stage has a console; true without it. */
  enabled?: boolean;
  /** Who may sign up: everybody, or who is invited. `open` without it. */
  registration?: "open" | "closed";
  /** The calling codes that messages go to; `+86` alone without it. */
  countries?: string[];
  /** The most messages of a UTC day; 1,000 without it. */
  smsPerDay?: number;
  /** Whether messages may be sent by AWS End User Messaging under the function's own role; false without it. */
  sendsByAws?: boolean;
  /** What the addresses begin with that payment platforms call; the console's own address without it. */
  notifyBase?: string;
  /** The most requests to the console at a time, reserved for it, or `shared` with all functions (concurrency.ts). */
  concurrency?: ConsoleConcurrency;
  /** How invoices are taxed, by the currency that was paid; not at all without it. */
  tax?: TaxRules;
}

/** The settings of a stage, as its file has them (stages/schema.json). All of them may be absent. */
export interface StageSettings {
  /** The file of the catalog; an absolute path. */
  catalog?: string;
  /** The address that alarms are mailed to. */
  alarmEmail?: string;
  /** The most gateway calls at a time. Without it they may take all of the account's, and leave none to settle. */
  gatewayConcurrency?: number;
  front?: StageFront;
  /** How many seconds a video task may wait for its provider, at most a day: an execution follows a task no longer. */
  taskLifetimeSeconds?: number;
  secrets?: GivenSecrets;
  /** The domain in front of the gateway. */
  domain?: DomainSettings;
  /** ARNs of who may assume the operators' role; without them, who of the account has a second factor. */
  operators?: string[];
  /** Whether CloudTrail keeps who touches the tables besides the functions. It is paid for by the event. */
  cloudTrail?: boolean;
  /** Where the runbooks are, which each alarm names: a path in this repository, or an address. */
  runbooks?: string;
  /** Tags of the stack and of every resource, beside the stage's own. */
  tags?: Record<string, string>;
  /** The tables to use instead of tables of the stack's own (infra/operator/restore.md "Tables by name"). */
  tables?: GivenTables;
  /** Where traces and metrics are sent. */
  telemetry?: TelemetrySettings;
  console?: StageConsole;
}

/** The settings of a console with what it has without them. */
type Console = Required<Omit<StageConsole, "notifyBase" | "concurrency" | "tax">> &
  Pick<StageConsole, "notifyBase" | "tax"> & { concurrency?: number | undefined };

const defaultConsole: Console = {
  enabled: true,
  registration: "open",
  countries: ["+86"],
  smsPerDay: 1_000,
  sendsByAws: false,
};

/** What every stage has, whether its file says it or not. */
type AlwaysSet = "front" | "taskLifetimeSeconds" | "cloudTrail" | "runbooks" | "tags";

/** A stage: its settings, and what follows from its name. */
export interface Stage
  extends Omit<StageSettings, "catalog" | "console" | AlwaysSet>,
    Required<Pick<StageSettings, AlwaysSet>> {
  name: string;
  /**
   * What becomes of tables, queues, secrets, logs and versions with their stack. All but `dev` keep them. The deployment
   * that creates one of them takes it away again if it fails.
   */
  removalPolicy: RemovalPolicy;
  /** Whether AWS refuses to delete the tables and the stack, whose URL clients know. */
  deletionProtection: boolean;
  logRetention: RetentionDays;
  /** How calls move to a new version of a function. */
  deployment: ILambdaDeploymentConfig;
  /** Whether alarms take a new version back. */
  rollback: boolean;
  console: Console;
  gateway: FunctionSize;
  settle: FunctionSize;
  sweep: FunctionSize;
  videoTask: FunctionSize;
  learner: FunctionSize;
  /** Of the console's function. */
  consoleSize: FunctionSize;
  /** How often the sweeper looks for calls whose process died. */
  sweepMinutes: number;
  /** Settle functions at a time. More would contend for the rollup items of one large customer. */
  settleConcurrency: number;
  /** Learners at a time. More would contend for the pages of one busy context, and for the embedder's limits. */
  learnerConcurrency: number;
}

const permanent: Omit<Stage, "name" | "tags" | "console"> = {
  front: "url",
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  deletionProtection: true,
  logRetention: RetentionDays.THREE_MONTHS,
  deployment: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  runbooks: "infra/runbooks",
  rollback: true,
  // 512 MB gives 0.3 of a core, enough for signing and forwarding. Most of a call is waiting (aws.md §4.3).
  gateway: { memoryMb: 512, timeoutSeconds: 900 },
  settle: { memoryMb: 256, timeoutSeconds: 30 },
  sweep: { memoryMb: 256, timeoutSeconds: 300 },
  // A provider may fetch a task's pictures before it answers.
  videoTask: { memoryMb: 256, timeoutSeconds: 120 },
  // A batch asks its models side by side, and waits for one of each at most.
  learner: { memoryMb: 256, timeoutSeconds: 60 },
  // A platform answers within five seconds or not at all. Signatures of RSA take a part of a core for a moment.
  consoleSize: { memoryMb: 512, timeoutSeconds: 30 },
  cloudTrail: true,
  taskLifetimeSeconds: limits.taskLifetimeSeconds,
  sweepMinutes: 5,
  settleConcurrency: 10,
  learnerConcurrency: 4,
};

/**
 * The stage of a name, with its settings. `dev` can be destroyed and deploys at once. Every other stage is protected as
 * production is. Throws `RangeError` on a name that cannot be part of a stack's name, and where a table is named twice.
 */
export function stageNamed(name: string, settings: Omit<StageSettings, "catalog"> = {}): Stage {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new RangeError(`stage "${name}": expected up to 20 lower-case letters, digits and hyphens`);
  }
  if (settings.tables) checkTables(settings.tables);
  const concurrency = reservedForConsole(settings, { isTrial: name === "dev" });
  const own = {
    console: { ...defaultConsole, ...settings.console, concurrency },
    tags: { ...settings.tags, stage: name },
  };
  if (name !== "dev") return { name, ...permanent, ...settings, ...own };
  return {
    name,
    ...permanent,
    removalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logRetention: RetentionDays.ONE_WEEK,
    deployment: LambdaDeploymentConfig.ALL_AT_ONCE,
    cloudTrail: false,
    ...settings,
    ...own,
  };
}

/**
 * The stage with its tables and stack protected (`on`) or not. The rollback of the deployment that created a protected
 * table cannot delete it, so a first one begins with `off`. Throws `RangeError` on anything else.
 */
export function withProtection(stage: Stage, protection: string): Stage {
  return isOn("protection", protection) ? stage : { ...stage, deletionProtection: false };
}

/**
 * `on` leaves the stage as it is. With `off` new versions take all work at once, and no alarm takes one back. An alarm
 * that rings already would also take back the version that repairs its cause. Throws `RangeError` on anything else.
 */
export function withRollback(stage: Stage, rollback: string): Stage {
  if (isOn("rollback", rollback)) return stage;
  return { ...stage, deployment: LambdaDeploymentConfig.ALL_AT_ONCE, rollback: false };
}

function isOn(name: string, value: string): boolean {
  if (value !== "on" && value !== "off") throw new RangeError(`${name} "${value}": expected on or off`);
  return value === "on";
}
