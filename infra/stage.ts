/**
 * What differs from stage to stage, and the sizes of the functions. Everything else about the stack is the same in all
 * stages, so that what was tried in `dev` is what runs in `prod`.
 */
import { RemovalPolicy } from "aws-cdk-lib";
import { type ILambdaDeploymentConfig, LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { limits } from "#shared/limits.ts";

export interface FunctionSize {
  memoryMb: number;
  timeoutSeconds: number;
}

/** What answers clients: the function behind its URL, the Lambda Web Function, or both side by side. */
export const fronts = ["url", "web", "both"] as const;
export type Front = (typeof fronts)[number];

export interface Stage {
  name: string;
  front: Front;
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
  /** Where the runbooks are, which each alarm names: a path in this repository, or an address. */
  runbooks: string;
  /** Whether alarms take a new version back. */
  rollback: boolean;
  gateway: FunctionSize;
  /**
   * How many calls the gateway may run at a time. If undefined it may take all of the account's, and
   * leave none to settle.
   */
  gatewayConcurrency?: number;
  settle: FunctionSize;
  sweep: FunctionSize;
  videoTask: FunctionSize;
  learner: FunctionSize;
  /** How long a video task may wait for its provider. */
  taskLifetimeSeconds: number;
  /** How often the sweeper looks for calls whose process died. */
  sweepMinutes: number;
  /** Settle functions at a time. More would contend for the rollup items of one large customer. */
  settleConcurrency: number;
  /** Learners at a time. More would contend for the pages of one busy context, and for the embedder's limits. */
  learnerConcurrency: number;
}

const permanent: Omit<Stage, "name"> = {
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
  taskLifetimeSeconds: limits.taskLifetimeSeconds,
  sweepMinutes: 5,
  settleConcurrency: 10,
  learnerConcurrency: 4,
};

/**
 * The settings of a stage. `dev` can be destroyed and deploys at once. Every other stage is protected as production is.
 * Throws `RangeError` on a name that cannot be part of a stack's name.
 */
export function stageNamed(name: string): Stage {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new RangeError(`stage "${name}": expected up to 20 lower-case letters, digits and hyphens`);
  }
  if (name !== "dev") return { name, ...permanent };
  return {
    name,
    ...permanent,
    removalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logRetention: RetentionDays.ONE_WEEK,
    deployment: LambdaDeploymentConfig.ALL_AT_ONCE,
  };
}

/**
 * The stage with another lifetime of tasks, in seconds. Throws `RangeError` on anything but 1 second to a day: an
 * execution follows a task no longer.
 */
export function withTaskLifetime(stage: Stage, seconds: string): Stage {
  const taskLifetimeSeconds = /^\d{1,5}$/.test(seconds) ? Number(seconds) : 0;
  if (taskLifetimeSeconds < 1 || taskLifetimeSeconds > limits.taskLifetimeSeconds) {
    throw new RangeError(`task lifetime "${seconds}": expected 1 to ${limits.taskLifetimeSeconds} seconds`);
  }
  return { ...stage, taskLifetimeSeconds };
}

/**
 * The stage with a cap on gateway calls at a time. Throws `RangeError` on anything but 1 to 100,000. A stage with 0
 * would answer nobody.
 */
export function withGatewayConcurrency(stage: Stage, calls: string): Stage {
  const gatewayConcurrency = /^\d{1,6}$/.test(calls) ? Number(calls) : 0;
  if (gatewayConcurrency < 1 || gatewayConcurrency > 100_000) {
    throw new RangeError(`gateway concurrency "${calls}": expected 1 to 100000 calls`);
  }
  return { ...stage, gatewayConcurrency };
}

/**
 * The stage with its tables and its stack protected or not: `on` leaves it as it is. A protected table cannot be
 * deleted, also not by the rollback of the deployment that created it. So a first deployment begins with `off`
 * (deploy.ts). Throws `RangeError` on anything else.
 */
export function withProtection(stage: Stage, protection: string): Stage {
  if (protection !== "on" && protection !== "off") {
    throw new RangeError(`protection "${protection}": expected on or off`);
  }
  return protection === "on" ? stage : { ...stage, deletionProtection: false };
}

/**
 * The stage with new versions at once and no alarm that takes one back, if `rollback` is `off`: an alarm that rings
 * already would also take back the version that repairs its cause. `on` leaves it as it is. Throws `RangeError` on
 * anything else.
 */
export function withRollback(stage: Stage, rollback: string): Stage {
  if (rollback !== "on" && rollback !== "off") {
    throw new RangeError(`rollback "${rollback}": expected on or off`);
  }
  if (rollback === "on") return stage;
  return { ...stage, deployment: LambdaDeploymentConfig.ALL_AT_ONCE, rollback: false };
}

/** The stage with another front. Throws `RangeError` on anything but the name of one. */
export function withFront(stage: Stage, name: string): Stage {
  const front = fronts.find((each) => each === name);
  if (!front) throw new RangeError(`front "${name}": expected ${fronts.join(", ")}`);
  return { ...stage, front };
}
