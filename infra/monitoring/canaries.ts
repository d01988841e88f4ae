/** How a new version takes over: with a part of the calls first, and back if an alarm rings meanwhile (canaries.md). */
import { type CfnResource, Duration, Validations } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TrafficRouting,
} from "aws-cdk-lib/aws-codedeploy";
import { AlarmBehavior } from "aws-cdk-lib/aws-ecs";
import { Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Fronts, ServiceFront } from "../resources/fronts.ts";
import type { GatewayFunction } from "../resources/gateway-function.ts";
import { fromThisAccount } from "../resources/grants.ts";
import type { Stage } from "../stage/stage.ts";
import type { RollbackAlarms } from "./rollback.ts";
import type { Workers } from "./worker-alarms.ts";

interface Shifted extends Pick<Workers, "settle" | "sweep" | "videoTask" | "learner" | "console"> {
  stage: Stage;
  fronts: Fronts;
  /** The alarms that take a version of each function back. */
  alarms: Record<keyof RollbackAlarms, Alarm[]>;
}

/** The sweep runs every five minutes: a tenth of its calls would be none. There is time for two runs and an alarm. */
const sweepShift = { percentage: 99, interval: Duration.minutes(10) };

/** Gives every function its deployment group. Functions that read what others write take over before them. */
export function shiftTraffic(scope: Construct, { stage, fronts, alarms, ...workers }: Shifted): void {
  const { settle, sweep, videoTask, learner, console } = workers;
  const role = createRole(scope);
  const group = (
    id: string,
    { live }: GatewayFunction,
    name: keyof RollbackAlarms,
    more: { application?: LambdaApplication; deploymentConfig?: ILambdaDeploymentConfig } = {},
  ) =>
    new LambdaDeploymentGroup(scope, id, {
      alias: live,
      role,
      deploymentConfig: stage.deployment,
      alarms: stage.rollback ? alarms[name] : [],
      ...more,
    });
  const application = new LambdaApplication(scope, "Workers");
  group("SettleDeployment", settle, "settle", { application });
  group("VideoTaskDeployment", videoTask, "videoTask", { application });
  group("LearnerDeployment", learner, "learner", { application });
  group("SweepDeployment", sweep, "sweep", { application, deploymentConfig: sweepConfig(scope, stage) });
  if (console) group("ConsoleDeployment", console, "console", { application });
  if (fronts.url) group("Deployment", fronts.url.gateway, "gateway");
  if (fronts.service && stage.rollback) watchService(fronts.service, alarms.gateway);
  const { url, web, service } = fronts;
  const gateways = [...resourcesOf(url?.gateway.live, web?.web), ...(service ? [service.resource] : [])];
  follow(gateways, resourcesOf(settle.live, videoTask.live, learner.live));
  follow(resourcesOf(sweep.live), [...gateways, ...resourcesOf(console?.live)]);
}

/** ECS goes back to the tasks of before, as it does when new ones do not start. */
function watchService({ service }: ServiceFront, alarms: Alarm[]): void {
  service.enableDeploymentAlarms(
    alarms.map(({ alarmName }) => alarmName),
    { behavior: AlarmBehavior.ROLLBACK_ON_ALARM },
  );
}

/** As the stage's, but with more calls at first and for longer. A stage that shifts nothing at first shifts no sweep. */
function sweepConfig(scope: Construct, { deployment }: Stage): ILambdaDeploymentConfig {
  if (deployment === LambdaDeploymentConfig.ALL_AT_ONCE) return deployment;
  return new LambdaDeploymentConfig(scope, "SweepShift", {
    trafficRouting: TrafficRouting.timeBasedCanary(sweepShift),
  });
}

/** What CodeDeploy may do, for groups of this account alone. Each group attaches AWS's own policy. */
function createRole(scope: Construct): Role {
  const role = new Role(scope, "DeploymentRole", { assumedBy: fromThisAccount("codedeploy.amazonaws.com") });
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
    reason:
      "AWS's own role for CodeDeploy on Lambda, the limited one; the service's needs are AWS's to keep current.",
  });
  return role;
}

/** CloudFormation moves writers after their readers: a new one may write what an older reader does not know. */
function follow(writers: readonly CfnResource[], readers: readonly CfnResource[]): void {
  for (const writer of writers) for (const reader of readers) writer.addResourceDependency(reader);
}

/** The resources of constructs that are there. */
function resourcesOf(...constructs: (Construct | undefined)[]): CfnResource[] {
  return constructs.flatMap((each) => (each?.node.defaultChild as CfnResource | undefined) ?? []);
}
