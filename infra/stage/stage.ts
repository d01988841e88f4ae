/** What differs from stage to stage, and the sizes of functions. All else is the same: `dev` tries what `prod` runs. */
import { RemovalPolicy } from "aws-cdk-lib";
import { type ILambdaDeploymentConfig, LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { limits } from "#shared/base/limits.ts";
import type { TaxRules } from "#shared/people/invoices/tax.ts";
import { type ConsoleConcurrency, reservedForConsole } from "./concurrency.ts";
import { type FunctionSizes, functionSizes } from "./function-sizes.ts";
import { checkTables, type GivenTables } from "./given-tables.ts";
import { settleConcurrency } from "./queue-settings.ts";

/** What answers clients: the function behind its URL, the Lambda Web Function, both side by side, or a service of ECS. */
export const fronts = ["url", "web", "both", "service"] as const;
type StageFront = (typeof fronts)[number];

/** Secrets that are there already, each by its name or its whole ARN. A stage makes the others. */
export type GivenSecrets = Partial<Record<"pepper" | "providers" | "accounts" | "platforms", string>>;

/** A name of clients, its certificate, and the zone that has it. */
export interface NamedPlace {
  name: string;
  certificateArn?: string;
  hostedZone?: { id: string; name: string };
}

/** The name and the tasks of a service (fronts.md; stages/schema.json says what each member is). */
export interface ServiceSettings extends NamedPlace {
  spot?: boolean;
}

/** The stage's own domain (domain.md; stages/schema.json says what each member is). */
export interface DomainSettings extends NamedPlace {
  silenceSeconds?: number;
  requestsPer5Minutes?: number;
  webAclArn?: string;
}

/** The settings of a stage that has telemetry, as in stages/schema.json. */
export interface TelemetrySettings {
  endpoint: string;
  sample?: number;
  sampler?: "parentbased_traceidratio" | "traceidratio";
  metrics?: boolean;
}

/** The settings of a stage's console (infra/resources/console.md). */
interface StageConsole {
  enabled?: boolean;
  registration?: "open" | "closed";
  countries?: string[];
  smsPerDay?: number;
  sendsByAws?: boolean;
  /** Without it the stage sends no mails, and the console takes no addresses. */
  mailFrom?: string;
  mailsPerDay?: number;
  /** A decimal string of points: a credit of more takes two operators (shared/edges/admin/README.md "Four eyes"). */
  fourEyesPoints?: string;
  notifyBase?: string;
  /** Whether the stage has an event bus that is told the news (infra/resources/news-bus.md). */
  newsBus?: boolean;
  concurrency?: ConsoleConcurrency;
  tax?: TaxRules;
}

/** The settings of a stage, as its file has them: stages/schema.json says what each is, and what is without it. */
export interface StageSettings {
  /** An absolute path here. */
  catalog?: string;
  alarmEmail?: string;
  gatewayConcurrency?: number;
  /** The memory of the gateway's function, MB (resources/fronts.md "Memory of the function"). */
  gatewayMemoryMb?: number;
  settleConcurrency?: number;
  front?: StageFront;
  /** At most a day: an execution follows a task no longer. */
  taskLifetimeSeconds?: number;
  secrets?: GivenSecrets;
  domain?: DomainSettings;
  service?: ServiceSettings;
  operators?: string[];
  /** It is paid for by the event. */
  cloudTrail?: boolean;
  runbooks?: string;
  tags?: Record<string, string>;
  tables?: GivenTables;
  telemetry?: TelemetrySettings;
  console?: StageConsole;
}

/** The settings of a console with what it has without them. */
type Console = Required<Omit<StageConsole, "mailFrom" | "notifyBase" | "concurrency" | "tax">> &
  Pick<StageConsole, "mailFrom" | "notifyBase" | "tax"> & { concurrency?: number | undefined };

const defaultConsole: Console = {
  enabled: true,
  registration: "open",
  countries: ["+86"],
  smsPerDay: 1_000,
  sendsByAws: false,
  mailsPerDay: 10_000,
  fourEyesPoints: "1000",
  newsBus: false,
};

/** What every stage has, whether its file says it or not. */
type AlwaysSet = "settleConcurrency" | "front" | "taskLifetimeSeconds" | "cloudTrail" | "runbooks" | "tags";

/** A stage: its settings, and what follows from its name. */
export interface Stage
  extends Omit<StageSettings, "catalog" | "console" | "gatewayMemoryMb" | AlwaysSet>,
    Required<Pick<StageSettings, AlwaysSet>>,
    FunctionSizes {
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
  /** How often the sweeper looks for calls whose process died. */
  sweepMinutes: number;
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
  ...functionSizes,
  cloudTrail: true,
  taskLifetimeSeconds: limits.taskLifetimeSeconds,
  sweepMinutes: 5,
  settleConcurrency,
  learnerConcurrency: 4,
};

/**
 * The stage of a name, with its settings. `dev` can be destroyed and deploys at once. Every other stage is protected as
 * production is. Throws `RangeError` on a name that cannot be part of a stack's name, and where a table is named twice.
 */
export function stageNamed(name: string, given: Omit<StageSettings, "catalog"> = {}): Stage {
  const { gatewayMemoryMb: memoryMb = functionSizes.gateway.memoryMb, ...settings } = given;
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new RangeError(`stage "${name}": expected up to 20 lower-case letters, digits and hyphens`);
  }
  if (settings.tables) checkTables(settings.tables);
  const concurrency = reservedForConsole(settings, { isTrial: name === "dev" });
  const own = {
    gateway: { ...functionSizes.gateway, memoryMb },
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
