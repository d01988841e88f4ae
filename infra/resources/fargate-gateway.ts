/**
 * The gateway as a service of ECS on Fargate behind a load balancer (fronts.md "A service"). Environment and grants are
 * collected before the service is made, because its task takes nothing afterwards.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Duration } from "aws-cdk-lib";
import { CfnScalingPolicy, type ScalableTarget } from "aws-cdk-lib/aws-applicationautoscaling";
import {
  AwsLogDriverMode,
  type CfnService,
  Cluster,
  ContainerDependencyCondition,
  ContainerImage,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LinuxParameters,
  LogDriver,
} from "aws-cdk-lib/aws-ecs";
import {
  type ApplicationLoadBalancer,
  ApplicationProtocol,
  type ApplicationTargetGroup,
  SslPolicy,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { FilterPattern, type LogGroup } from "aws-cdk-lib/aws-logs";
import { ARecord, RecordTarget } from "aws-cdk-lib/aws-route53";
import { LoadBalancerTarget } from "aws-cdk-lib/aws-route53-targets";
import { Asset } from "aws-cdk-lib/aws-s3-assets";
import { Construct } from "constructs";
import { limits } from "#shared/base/limits.ts";
import type { CodeSource } from "../bundles/code.ts";
import { archiveVariables, startArchive, writeArchive } from "../bundles/server-archive.ts";
import type { ServiceSettings, Stage } from "../stage/stage.ts";
import { callsOfTask, cpuPercent, taskSize, tasks } from "../stage/task-size.ts";
import { certificateOf, zoneOf } from "./domain.ts";
import { acknowledgeService } from "./fargate-findings.ts";
import { balancerIdleSeconds, createServiceNetwork, servicePort } from "./fargate-network.ts";
import { createRole, fromThisAccount, type Grantee } from "./grants.ts";

interface ServiceGatewayProps {
  stage: Stage;
  settings: ServiceSettings;
  code: CodeSource;
}

/** AWS's mirrors of the images. ECS takes the same image for every task of a deployment. */
const images = {
  node: "public.ecr.aws/docker/library/node:24-slim",
  fetch: "public.ecr.aws/aws-cli/aws-cli:2.31.0",
};

/** Fargate kills a task two minutes after it is told to end, and takes one of Spot back as soon. */
const stopSeconds = 120;
/** The process needs some of them to settle what it breaks off. */
const graceSeconds = stopSeconds - limits.settlementReserveMs / 1_000;

/** The folder that both containers of a task see, and the archive in it. */
const codeFolder = "/code";
const archivePath = `${codeFolder}/server`;

/** What answers clients, once everything is granted. */
export interface OpenService {
  service: FargateService;
  /** The resource that CloudFormation updates when a new version comes. */
  resource: CfnService;
  balancer: ApplicationLoadBalancer;
  targets: ApplicationTargetGroup;
}

export class ServiceGateway extends Construct implements Grantee {
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly #executionRole: Role;
  readonly #props: ServiceGatewayProps;
  readonly #environment: Record<string, string> = {};

  constructor(scope: Construct, id: string, props: ServiceGatewayProps) {
    super(scope, id);
    this.#props = props;
    const ecs = fromThisAccount("ecs-tasks.amazonaws.com");
    this.role = new Role(this, "TaskRole", { assumedBy: ecs });
    // Fargate writes the lines, and the process itself may not.
    const { role, logGroup } = createRole(this, "", props.stage, ecs);
    this.#executionRole = role;
    this.logGroup = logGroup;
  }

  addEnvironment(name: string, value: string): void {
    this.#environment[name] = value;
  }

  addToRolePolicy(statement: PolicyStatement): void {
    this.role.addToPrincipalPolicy(statement);
  }

  /** Makes the service, once everything is granted. `outdir` is the folder of the assembly. */
  open(outdir: string): OpenService {
    const { stage, settings } = this.#props;
    const { vpc, balancer, tasks: securityGroup } = createServiceNetwork(this, stage.deletionProtection);
    const isSpot = settings.spot ?? false;
    const service = new FargateService(this, "Service", {
      cluster: new Cluster(this, "Cluster", { vpc, enableFargateCapacityProviders: true }) as ICluster,
      taskDefinition: this.#task(outdir),
      securityGroups: [securityGroup],
      assignPublicIp: true,
      // One task stays when AWS takes all others back.
      capacityProviderStrategies: isSpot
        ? [
            { capacityProvider: "FARGATE", base: 1, weight: 0 },
            { capacityProvider: "FARGATE_SPOT", weight: 1 },
          ]
        : [{ capacityProvider: "FARGATE", weight: 1 }],
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { enable: true, rollback: stage.rollback },
      healthCheckGracePeriod: Duration.seconds(60),
    });
    const targets = this.#listen(balancer, service);
    this.#scale(service, targets);
    acknowledgeService(this);
    return { service, resource: service.node.findChild("Service") as CfnService, balancer, targets };
  }

  /** A task fetches the server's archive with AWS's own client, and then runs it with Node. No image is built. */
  #task(outdir: string): FargateTaskDefinition {
    const folder = join(outdir, "server");
    // The folder of an assembly is used again, and a file that is left in it would be packed too.
    rmSync(folder, { recursive: true, force: true });
    const path = join(outdir, "server.archive");
    const sha256 = writeArchive(this.#props.code.writeServer(folder), path);
    const { bucket, s3ObjectKey } = new Asset(this, "Code", { path });
    const object = bucket.arnForObjects(s3ObjectKey);
    this.addToRolePolicy(new PolicyStatement({ actions: ["s3:GetObject"], resources: [object] }));
    const task = new FargateTaskDefinition(this, "Task", {
      ...taskSize,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64 },
      taskRole: this.role,
      executionRole: this.#executionRole,
      volumes: [{ name: "code" }],
    });
    const logging = LogDriver.awsLogs({
      logGroup: this.logGroup,
      streamPrefix: "gateway",
      mode: AwsLogDriverMode.NON_BLOCKING,
    });
    const mount = { containerPath: codeFolder, sourceVolume: "code" };
    const fetcher = task.addContainer("Fetch", {
      image: ContainerImage.fromRegistry(images.fetch),
      command: ["s3", "cp", "--only-show-errors", `s3://${bucket.bucketName}/${s3ObjectKey}`, archivePath],
      essential: false,
      logging,
    });
    fetcher.addMountPoints({ ...mount, readOnly: false });
    const server = task.addContainer("Server", {
      image: ContainerImage.fromRegistry(images.node),
      command: ["node", "-e", startArchive],
      environment: {
        ...this.#environment,
        PORT: String(servicePort),
        GRACE_SECONDS: String(graceSeconds),
        // The balancer writes who called it, and nobody else reaches the tasks.
        PROXIES: "1",
        // The balancer must be the one that closes an idle connection.
        KEEP_ALIVE_SECONDS: String(balancerIdleSeconds + 10),
        [archiveVariables.file]: archivePath,
        [archiveVariables.sha256]: sha256,
      },
      stopTimeout: Duration.seconds(stopSeconds),
      linuxParameters: new LinuxParameters(this, "Linux", { initProcessEnabled: true }),
      portMappings: [{ containerPort: servicePort }],
      logging,
    });
    server.addMountPoints({ ...mount, readOnly: true });
    server.addContainerDependencies({ container: fetcher, condition: ContainerDependencyCondition.SUCCESS });
    task.defaultContainer = server;
    return task;
  }

  /** Takes clients' calls at the stage's name, and hands them to healthy tasks. */
  #listen(balancer: ApplicationLoadBalancer, service: FargateService): ApplicationTargetGroup {
    const { stage, settings } = this.#props;
    const zone = zoneOf(this, settings, "service");
    const listener = balancer.addListener("Https", {
      port: 443,
      certificates: [certificateOf(this, settings, zone)],
      sslPolicy: SslPolicy.RECOMMENDED_TLS,
      // The group says who may come.
      open: false,
    });
    if (zone) {
      const target = RecordTarget.fromAlias(new LoadBalancerTarget(balancer));
      new ARecord(this, "Record", { zone, recordName: `${settings.name}.`, target });
    }
    return listener.addTargets("Tasks", {
      port: servicePort,
      protocol: ApplicationProtocol.HTTP,
      targets: [service.loadBalancerTarget({ containerName: "Server" })],
      healthCheck: {
        path: "/health",
        interval: Duration.seconds(5),
        timeout: Duration.seconds(4),
        healthyThresholdCount: 2,
        unhealthyThresholdCount: 2,
      },
      // ECS ends a task once its streams are over, or after this time. AWS takes a task of Spot back after two minutes.
      deregistrationDelay: Duration.seconds(settings.spot ? graceSeconds : stage.gateway.timeoutSeconds),
    });
  }

  /** Holds the CPU of a task, and its calls in flight, at what a process does well. */
  #scale(service: FargateService, targets: ApplicationTargetGroup): void {
    const calls = this.#props.stage.gatewayConcurrency;
    const most = calls === undefined ? tasks.max : Math.ceil(calls / limits.callsInFlightMax);
    const scaling = service.autoScaleTaskCount({
      minCapacity: tasks.min,
      maxCapacity: Math.max(tasks.min, most),
    });
    scaling.scaleOnCpuUtilization("Cpu", { targetUtilizationPercent: cpuPercent });
    const { metricNamespace, metricName } = this.#measureCalls();
    const policy = new CfnScalingPolicy(this, "Calls", {
      policyName: "calls-in-flight",
      policyType: "TargetTrackingScaling",
      scalingTargetId: (scaling.node.findChild("Target") as ScalableTarget).scalableTargetId,
      targetTrackingScalingPolicyConfiguration: {
        targetValue: callsOfTask,
        customizedMetricSpecification: {
          metrics: [
            {
              id: "ms",
              metricStat: { metric: { namespace: metricNamespace, metricName }, stat: "Sum" },
              returnData: false,
            },
            {
              id: "tasks",
              metricStat: { metric: healthyHosts(targets), stat: "Average" },
              returnData: false,
            },
            { id: "calls", expression: "FILL(ms, 0) / 60000 / tasks", returnData: true },
          ],
        },
      },
    });
    policy.node.addDependency(targets);
  }

  /** The milliseconds of the calls that end in a minute: over a minute's 60,000 they are the calls in flight. */
  #measureCalls() {
    const metric = { metricNamespace: `model-gateway/${this.#props.stage.name}`, metricName: "served_ms" };
    this.logGroup.addMetricFilter("Served", {
      ...metric,
      filterPattern: FilterPattern.stringValue("$.event", "=", "call"),
      metricValue: "$.duration_ms",
    });
    return metric;
  }
}

function healthyHosts(targets: ApplicationTargetGroup): CfnScalingPolicy.TargetTrackingMetricProperty {
  return {
    namespace: "AWS/ApplicationELB",
    metricName: "HealthyHostCount",
    dimensions: [
      { name: "LoadBalancer", value: targets.firstLoadBalancerFullName },
      { name: "TargetGroup", value: targets.targetGroupFullName },
    ],
  };
}
