/** What rings when the version that is being tried fails. These alarms take it back (canaries.md). */
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { type GatewayFunction, liveName } from "../resources/gateway-function.ts";
import { type AlarmCondition, quick, type Workers } from "./worker-alarms.ts";

type Tried = Pick<Workers, "settle" | "sweep" | "videoTask" | "learner" | "console">;

/** The alarms by their names; the gateway's too, if it is a function. */
export function canaryConditions(
  { settle, sweep, videoTask, learner, console }: Tried,
  gateway: GatewayFunction | undefined,
): Record<string, AlarmCondition> {
  return {
    ...(gateway && { GatewayCanary: mostly(gateway) }),
    SettleCanary: never(settle, "settle"),
    SweepCanary: never(sweep, "the sweep"),
    VideoTaskCanary: never(videoTask, "the worker of video tasks"),
    LearnerCanary: never(learner, "the learner"),
    ...(console && { ConsoleCanary: never(console, "the console") }),
  };
}

/** A client may make the gateway wait until its time is over, so a few failures are no reason to go back. */
function mostly(gateway: GatewayFunction): AlarmCondition {
  return {
    metric: new MathExpression({
      expression: "100 * errors / invocations",
      usingMetrics: { errors: tried(gateway, "Errors"), invocations: tried(gateway, "Invocations") },
      period: quick.period,
      label: "failed invocations of the new version, %",
    }),
    above: 1,
    why: "over 1 % of the calls on the new version of the gateway crash or time out; the version before takes all calls again",
  };
}

function never(worker: GatewayFunction, name: string): AlarmCondition {
  return {
    metric: tried(worker, "Errors"),
    why: `the new version of ${name} crashes or times out; the version before takes all its work again`,
  };
}

/**
 * A metric of the version that is being tried, which has values only while the alias has two versions (aws.md §12.1). So
 * failures of the version before do not keep the one away that repairs them.
 */
function tried({ functionName, currentVersion }: GatewayFunction, metricName: string): Metric {
  return new Metric({
    namespace: "AWS/Lambda",
    metricName,
    dimensionsMap: {
      FunctionName: functionName,
      Resource: `${functionName}:${liveName}`,
      ExecutedVersion: currentVersion.version,
    },
    ...quick,
  });
}
